"""Write messages as error logs of several forms: text, one line, JSON and console."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from twin.model.instants import Instant, instant_of


@dataclass(frozen=True)
class Said:
    """One message as a queue manager logs it."""

    moment: datetime
    id: str = "AMQ9999E"
    message: str = "Channel 'TO.B' to host 'b.example (10.0.0.2)' ended abnormally."
    explanation: str = "The program of channel 'TO.B' ended. The host is 'b.example (10.0.0.2)'."
    comments: tuple[str, str, str] = ("TO.B", "4711", "b.example (10.0.0.2)")
    arith: tuple[str, str] = ("", "")
    qmgr: str = "QMA"
    process: str = "4711.3"
    remote_host: str = ""
    headings: tuple[str, str] = ("EXPLANATION", "ACTION")
    source: str = "amqxyz.c : 12"

    @property
    def at(self) -> Instant:
        """The instant."""
        return instant_of(self.moment)

    @property
    def iso(self) -> str:
        """The instant as MQ writes it."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.moment.microsecond // 1000:03}Z"


FIRST = Said(datetime(2026, 3, 22, 8, 17, 30, 123_000, tzinfo=UTC))


def text(
    said: Said,
    *,
    old: bool = False,
    width: int = 79,
    indent: int = 20,
    blank_lines: bool = True,
    trailer: bool = True,
    date: str = "%m/%d/%Y %I:%M:%S %p",
) -> str:
    """Write a message as the text log does; `old` is the form of 8.0, without instant."""
    margin = " " * indent
    head = [
        f"{said.moment.strftime(date)} - Process({said.process}) User(mqm) Program(amqrmppa)",
        f"{margin}Host(hosta) Installation(Installation1)",
        f"{margin}VRMF({'8.0.0.8' if old else '9.3.0.21'}) QMgr({said.qmgr})",
    ]
    if not old:
        head.append(f"{margin}Time({said.iso})")
        head += [f"{margin}RemoteHost({said.remote_host})"] if said.remote_host else []
        arith = [f"ArithInsert{n}({each})" for n, each in enumerate(said.arith, 1) if each]
        head += [f"{margin}{' '.join(arith)}"] if arith else []
        head += [
            f"{margin}CommentInsert{n}({each})" for n, each in enumerate(said.comments, 1) if each
        ]
    id_ = said.id[:7] if old else said.id
    gap = [margin] if blank_lines else []
    body = [
        *gap,
        *wrapped(f"{id_}: {said.message}", width),
        *gap[:1],
        f"{said.headings[0]}:",
        *wrapped(said.explanation, width),
        f"{said.headings[1]}:",
        "None.",
    ]
    end = [f"----- {said.source} ".ljust(79, "-")] if trailer else []
    return "\n".join([*head, *body, *end]) + "\n"


def wrapped(paragraph: str, width: int) -> list[str]:
    """Wrap a text between words only."""
    return textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)


def flat(said: Said, *, old: bool = False, end: str = " ") -> str:
    """Write a message on one line, as shippers do."""
    lines = text(said, old=old, blank_lines=False, trailer=False, width=9999).splitlines()
    return end.join(line.strip() for line in lines) + "\n"


def json_line(said: Said, *, numbers: bool = False) -> str:
    """Write a message as the JSON log does; in old versions some values are numbers."""
    process, _, thread = said.process.partition(".")
    value: dict[str, object] = {"ibm_messageId": said.id}
    for n, number in enumerate(said.arith, 1):
        value[f"ibm_arithInsert{n}"] = int(number or 0)
    for n, comment in enumerate(said.comments, 1):
        value |= {f"ibm_commentInsert{n}": comment} if comment else {}
    value |= {
        "ibm_datetime": said.iso,
        "ibm_serverName": said.qmgr,
        "type": "mq_log",
        "host": "hosta",
        "loglevel": "ERROR",
        "module": said.source.replace(" ", ""),
        "ibm_sequence": "1774167450_123456789",
        "ibm_qmgrId": f"{said.qmgr}_2026-01-01_00.00.00",
        "ibm_processId": int(process) if numbers else process,
        "ibm_threadId": int(thread) if numbers else thread,
        "ibm_version": "9.3.0.21",
        "ibm_processName": "amqrmppa",
        "ibm_userName": "mqm",
        "ibm_installationName": "Installation1",
        "ibm_installationDir": "/opt/mqm",
        "message": f"{said.id}: {said.message}",
    }
    value |= {"ibm_remoteHost": said.remote_host} if said.remote_host else {}
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def console_line(said: Said) -> str:
    """Write a message as the console of a container does."""
    inserts = [f"ArithInsert{n}({each})" for n, each in enumerate(said.arith, 1) if each]
    inserts += [f"CommentInsert{n}({each})" for n, each in enumerate(said.comments, 1) if each]
    shown = f" [{', '.join(inserts)}]" if inserts else ""
    return f"{said.iso} {said.id}: {said.message}{shown}\n"


NAMES = st.from_regex(r"[A-Z][A-Z0-9._]{0,18}[A-Z0-9]", fullmatch=True)
COMMENTS = st.one_of(
    st.just(""),
    NAMES,
    st.builds("{} ({})".format, NAMES, NAMES),
    st.builds("{} (({}) {})".format, NAMES, NAMES, NAMES),
)
WORDS = st.lists(
    st.sampled_from("the channel 'X.Y' of a partner was (not) ended".split()), min_size=1
)


@st.composite
def saids(draw: st.DrawFn) -> Said:
    """Draw a message."""
    moment = FIRST.moment + timedelta(milliseconds=draw(st.integers(0, 10**10)))
    return Said(
        moment=moment,
        id=draw(st.sampled_from(["AMQ9999E", "AMQ9002I", "AMQ9469W", "AMQ7229I"])),
        message=" ".join(draw(WORDS)),
        explanation=" ".join(draw(WORDS)),
        comments=(draw(COMMENTS), draw(COMMENTS), draw(COMMENTS)),
        arith=(str(draw(st.integers(1, 99999))), draw(st.sampled_from(["", "7"]))),
        qmgr=draw(NAMES),
        process=f"{draw(st.integers(1, 99999))}.{draw(st.integers(1, 99))}",
        headings=draw(st.sampled_from(HEADINGS)),
    )


HEADINGS = [
    ("EXPLANATION", "ACTION"),
    ("ERKL\N{LATIN CAPITAL LETTER A WITH DIAERESIS}RUNG", "AKTION"),
    ("ERKL\ufffdRUNG", "AKTION"),
    ("EXPLICATION ", "ACTION "),
    ("\u8aac\u660e", "\u51e6\u7f6e"),
]
"""Headings in English, German (also with a wrong encoding), French and Japanese."""
