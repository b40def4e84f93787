"""Write error logs and captures of any length for the benchmark of their readers.

An estate of 30 queue managers with 40 channels each. What repeats in real logs repeats here: 60 %
of the messages have no number of their own, 25 % have the process that ended, 15 % have other
numbers or names that hardly ever come again. Messages come in bursts, several in the same second.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from twin.mqsc.layout import lay_out

QMGRS: Final = 30
CHANNELS: Final = 40
_BEGIN: Final = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
_WIDTH: Final = 79
_INDENT: Final = " " * 20


@dataclass(frozen=True, slots=True)
class _Kind:
    """A message: its share in percent, its id, its text inserts, its texts."""

    share: int
    id: str
    comments: tuple[str, ...]
    message: str
    explanation: str
    action: str = "None."
    arith: str = ""


_KINDS: Final = (
    _Kind(
        25,
        "AMQ9002I",
        ("{channel}",),
        "Channel '{channel}' is starting.",
        "Channel '{channel}' is starting.",
    ),
    _Kind(
        15,
        "AMQ9202E",
        ("{host} ({address}) (1414)", "TCP/IP", "{channel}"),
        "Remote host '{host} ({address}) (1414)' not available, retry later.",
        "The attempt to allocate a conversation using TCP/IP to host '{host} ({address}) (1414)' "
        "for channel {channel} was not successful. However the error may be a transitory one and "
        "it may be possible to successfully allocate a TCP/IP conversation later.",
        "Try the connection again later. If the failure persists, record the error values and "
        "contact your systems administrator. The return code from TCP/IP is 111 (X'6F').",
        "111",
    ),
    _Kind(
        20,
        "AMQ9209E",
        ("{host} ({address})", "TCP/IP", "{channel}"),
        "Connection to host '{host} ({address})' for channel '{channel}' closed.",
        "An error occurred receiving data from '{host} ({address})' over TCP/IP. The connection "
        "to the remote host has unexpectedly terminated. The channel name is '{channel}'; in some"
        " cases it cannot be determined and so is shown as '????'.",
        "Tell the systems administrator.",
    ),
    _Kind(
        25,
        "AMQ9999E",
        ("{channel}", "{pid}({thread})", "{host}({address})"),
        "Channel '{channel}' to host '{host}({address})' ended abnormally.",
        "The channel program running under process ID {pid}({thread}) for channel '{channel}' "
        "ended abnormally. The host name is '{host}({address})'; in some cases the host name "
        "cannot be determined and so is shown as '????'.",
        "Look at previous error messages for the channel program in the error logs to determine "
        "the cause of the failure. Note that this message can be excluded completely or "
        'suppressed by tuning the "ExcludeMessage" or "SuppressMessage" attributes under the '
        '"QMErrorLog" stanza in qm.ini.',
    ),
    _Kind(
        10,
        "AMQ5541E",
        ("user{number}", "APP{number}.exe"),
        "The failed authentication check was caused by the queue manager CONNAUTH CHCKCLNT "
        "attribute.",
        "The user ID 'user{number}' and its credentials were checked because the queue manager "
        "connection authority (CONNAUTH) configuration refers to an authentication information "
        "(AUTHINFO) object named 'SYSTEM.DEFAULT.AUTHINFO.IDPWOS' with CHCKCLNT(OPTIONAL).",
        "Refer to the previous error for more information.",
    ),
    _Kind(
        5,
        "AMQ7467I",
        ("S{number}.LOG",),
        "The oldest log file required to start queue manager {qmgr} is S{number}.LOG.",
        "The log file S{number}.LOG contains the oldest log record required to restart the queue "
        "manager. Log records older than this may be required for media recovery.",
        "You can move log files older than S{number}.LOG to an archive medium to release space in "
        "the log directory.",
    ),
)


@dataclass(frozen=True, slots=True)
class Logged:
    """One message of a queue manager."""

    moment: datetime
    qmgr: str
    process: str
    kind: _Kind
    values: Mapping[str, str]

    @property
    def iso(self) -> str:
        """The instant as MQ writes it."""
        return f"{self.moment:%Y-%m-%dT%H:%M:%S}.{self.moment.microsecond // 1000:03}Z"

    @property
    def inserts(self) -> list[str]:
        """The inserts with their names."""
        arith = [f"ArithInsert1({self.kind.arith})"] if self.kind.arith else []
        comments = enumerate(self.kind.comments, 1)
        return arith + [f"CommentInsert{n}({self.said(text)})" for n, text in comments]

    def said(self, text: str) -> str:
        """Fill in names and numbers."""
        return text.format_map(self.values)


def logged(count: int, seed: int = 1) -> Iterator[Logged]:
    """Draw messages in the order of time."""
    random = Random(seed)
    kinds = [kind for kind in _KINDS for _ in range(kind.share)]
    moment = _BEGIN
    for _ in range(count):
        moment += timedelta(milliseconds=random.choice((0, 1, 3, 40, 900, 9000)))
        qmgr, channel = random.randrange(QMGRS), random.randrange(CHANNELS)
        pid, thread = random.randrange(1000, 99_999), random.randrange(1, 60)
        values = {
            "qmgr": f"QM{qmgr:02}",
            "channel": f"TO.QM{channel:02}",
            "host": f"mqhost{channel:02}.example.com",
            "address": f"10.20.{qmgr}.{channel}",
            "pid": str(pid),
            "thread": str(thread),
            "number": f"{random.randrange(10_000_000):07}",
        }
        yield Logged(moment, values["qmgr"], f"{pid}.{thread}", random.choice(kinds), values)


def text(each: Logged) -> str:
    """Write a message as version 9.3 does in its text log."""
    head = [*_head(each), f"{_INDENT}Time({each.iso})"]
    inserts = each.inserts
    if each.kind.arith:
        head.append(_INDENT + inserts.pop(0))
    head += [_INDENT + insert for insert in inserts]
    return _text(each, each.kind.id, head)


def old_text(each: Logged) -> str:
    """Write a message as version 8.0 does: without instant and inserts."""
    return _text(each, each.kind.id[:-1], _head(each))


def flat(each: Logged) -> str:
    """Write a message of version 9.3 on one line, as shippers do."""
    return " ".join(text(each).split("\n-----")[0].split()) + "\n"


def _head(each: Logged) -> list[str]:
    moment = each.moment
    return [
        f"{moment:%m/%d/%Y %I:%M:%S %p} - Process({each.process}) User(mqm) Program(amqrmppa)",
        f"{_INDENT}Host(mqhost.example.com) Installation(Installation1)",
        f"{_INDENT}VRMF(9.3.0.21) QMgr({each.qmgr})",
    ]


def _text(each: Logged, id_: str, head: list[str]) -> str:
    kind = each.kind
    paragraphs = (
        f"{id_}: {kind.message}",
        "EXPLANATION:",
        kind.explanation,
        "ACTION:",
        kind.action,
    )
    message, *others = (textwrap.wrap(each.said(paragraph), _WIDTH) for paragraph in paragraphs)
    body = [line for lines in others for line in lines]
    end = "----- amqrmrsa.c : 930 ".ljust(_WIDTH, "-")
    return "\n".join([*head, _INDENT, *message, "", *body, end, ""])


def json_line(each: Logged) -> str:
    """Write a message as the JSON log does."""
    process, _, thread = each.process.partition(".")
    kind = each.kind
    value = {"ibm_messageId": kind.id, "ibm_arithInsert1": int(kind.arith or 0)}
    value["ibm_arithInsert2"] = 0
    for number, comment in enumerate(kind.comments, 1):
        value[f"ibm_commentInsert{number}"] = each.said(comment)
    value |= {
        "ibm_datetime": each.iso,
        "ibm_serverName": each.qmgr,
        "type": "mq_log",
        "host": "mqhost.example.com",
        "loglevel": "ERROR",
        "module": "amqrmrsa.c:930",
        "ibm_sequence": f"{each.moment.timestamp():.0f}_{each.values['number']}00",
        "ibm_qmgrId": f"{each.qmgr}_2025-01-01_00.00.00",
        "ibm_processId": process,
        "ibm_threadId": thread,
        "ibm_version": "9.3.0.21",
        "ibm_processName": "amqrmppa",
        "ibm_userName": "mqm",
        "ibm_installationName": "Installation1",
        "ibm_installationDir": "/opt/mqm",
        "message": f"{kind.id}: {each.said(kind.message)}",
    }
    return json.dumps(value, separators=(",", ":")) + "\n"


def console_line(each: Logged) -> str:
    """Write a message as the console of a container does."""
    message = f"{each.kind.id}: {each.said(each.kind.message)}"
    return f"{each.iso} {message} [{', '.join(each.inserts)}]\n"


LAYOUTS: Final[Mapping[str, Callable[[Logged], str]]] = {
    "text of 9.3": text,
    "text of 8.0": old_text,
    "one line": flat,
    "JSON": json_line,
    "console": console_line,
}


def statuses(count: int, seed: int = 1) -> Iterator[str]:
    """Write captures of DISPLAY CHSTATUS with as many rows, one a minute, as lines."""
    random = Random(seed)
    polls = -(-count // CHANNELS)
    for poll in range(polls):
        yield "5724-H72 (C) Copyright IBM Corp. 1994, 2024.\n"
        yield "Starting MQSC for queue manager QM01.\n\n\n"
        yield "     1 : DISPLAY CHSTATUS(*) ALL\n"
        for channel in range(CHANNELS):
            yield "AMQ8417I: Display Channel Status details.\n"
            for line in lay_out(_status(poll, channel, random)):
                yield line + "\n"
        yield "One MQSC command read.\nNo commands have a syntax error.\n"
        yield "All valid MQSC commands were processed.\n"


def _status(poll: int, channel: int, random: Random) -> list[tuple[str, str | None]]:
    status = random.choice(("RUNNING", "RUNNING", "RUNNING", "RETRYING"))
    moment = _BEGIN + timedelta(minutes=poll, seconds=channel)
    return [
        ("CHANNEL", f"TO.QM{channel:02}"),
        ("CHLTYPE", "CLUSSDR"),
        ("BATCHES", str(poll * channel)),
        ("BATCHSZ", "50"),
        ("BUFSRCVD", str(poll * channel + 7)),
        ("BUFSSENT", str(poll * channel + 9)),
        ("BYTSRCVD", str(poll * 280)),
        ("BYTSSENT", str(poll * channel * 913)),
        ("CONNAME", f"10.20.1.{channel}(1414)"),
        ("CURLUWID", f"{random.getrandbits(64):016X}"),
        ("CURRENT", None),
        ("CURMSGS", str(random.randrange(50))),
        ("CURSEQNO", str(poll + channel)),
        ("HBINT", "300"),
        ("INDOUBT", "NO"),
        ("JOBNAME", f"{random.getrandbits(64):016X}"),
        ("LSTMSGDA", f"{moment:%Y-%m-%d}"),
        ("LSTMSGTI", f"{moment:%H.%M.%S}"),
        ("LONGRTS", "999999999"),
        ("MSGS", str(poll * channel * 3)),
        ("RQMNAME", f"QM{channel:02}"),
        ("STATUS", status),
        ("SUBSTATE", "MQGET"),
        ("XMITQ", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"),
    ]
