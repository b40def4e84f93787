"""The commands of a file, the comment lines inside them, and the header of a dump.

A dump writes attributes that cannot be set as comment lines inside a command. MQSC ignores them;
here they are kept with the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from twin.model.names import qmid_of
from twin.model.platforms import ZOS, is_version, level_in
from twin.mqsc.dump import IN_PART
from twin.mqsc.reader import CommandRead, Echoed, read
from twin.mqsc.statement import Malformed, Statement, parse

_SHOWN: Final = re.compile(r"\*\s+([A-Z][A-Z0-9]*)\((.*?)\)\s*\+?\s*")


@dataclass(frozen=True, slots=True)
class FileCommand:
    """One command of a file.

    Attributes:
        line: the line where it starts, from 1.
        text: its lines, joined.
        parsed: the parsed command.
        too_long: whether a line or the command is longer than runmqsc accepts.
        shown: the attributes in the comment lines inside it.
    """

    line: int
    text: str
    parsed: Statement | Malformed
    too_long: bool
    shown: dict[str, str]


def commands(text: str) -> Iterator[FileCommand]:
    """Read the commands of a file in their order; never raises."""
    lines = text.removeprefix("\ufeff").split("\n")
    since = 0
    for item in read(text):
        if isinstance(item, CommandRead):
            inside = lines[item.line : since]
            yield FileCommand(item.line, item.text, parse(item.text), item.too_long, _shown(inside))
        elif isinstance(item, Echoed):
            since = item.line


def _shown(lines: Sequence[str]) -> dict[str, str]:
    """Read the attributes in comment lines."""
    matches = (_SHOWN.fullmatch(line.rstrip()) for line in lines)
    return {match[1]: match[2].strip().strip("'") for match in matches if match}


_LINES: Final = {
    "qmgr": re.compile(r"^\* ?Queue manager name: *(\S(?:.*\S)?)", re.MULTILINE),
    "platform": re.compile(r"^\* ?Queue manager platform: *(\S+)", re.MULTILINE),
    "level": re.compile(r"^\* ?Queue manager command level: *\((\d{3,4})", re.MULTILINE),
    "issued": re.compile(r"^\* ?Command issued: *((?:\S(?:.*\S)?)?)", re.MULTILINE),
    "ended": re.compile(r"^\* ?(Script ended) on ", re.MULTILINE),
    "in_part": re.compile(rf"^({re.escape(IN_PART)}):", re.MULTILINE),
}
_OF_A_TYPE: Final = re.compile(r"\s-t\s*(?!all\b)\w", re.IGNORECASE)
_NAMED: Final = re.compile(r"""\s-n\s*["']?([^\s"']+)""")
_PLATFORMS: Final = {"WINDOWS": "WINDOWSNT", "Z/OS": ZOS, "IBMI": "OS400"}


@dataclass(frozen=True, slots=True)
class DumpHeader:
    """The header of a dump; '' and 0 for missing values.

    Attributes:
        version: its VERSION, VVRRMMFF.
        names: the generic name the dump was limited to (`-n`), `*` for all.
        complete: whether the footer is there.
        in_part: whether it may lack objects: it says so itself, as one that twin wrote, or is of
            one type of objects (`-t`).
    """

    qmgr: str = ""
    qmid: str = ""
    level: int = 0
    version: str = ""
    platform: str = ""
    names: str = "*"
    complete: bool = True
    in_part: bool = False


def header_of(text: str, shown: Mapping[str, str]) -> DumpHeader:
    """Read the header and footer of a dump.

    `shown` are the attributes in the comments of its ALTER QMGR; they override the header. If there
    is no QMID among them, it is made from the creation date and time, as MQ makes it. The command
    level is that of VERSION, if nothing else says it.
    """
    head = {key: (found[1] if (found := line.search(text)) else "") for key, line in _LINES.items()}
    qmgr = head["qmgr"]
    platform = (shown.get("PLATFORM") or head["platform"]).upper()
    named = _NAMED.search(" " + head["issued"])
    version = shown.get("VERSION", "")
    version = version if is_version(version) else ""
    of_version = level_in(version) if version else 0
    return DumpHeader(
        qmgr=qmgr,
        qmid=shown.get("QMID") or _made(qmgr, shown),
        level=_number(shown.get("CMDLEVEL", "")) or _number(head["level"]) or of_version,
        version=version,
        platform=_PLATFORMS.get(platform, platform),
        names=named[1] if named else "*",
        complete=bool(head["ended"]),
        in_part=bool(head["in_part"] or _OF_A_TYPE.search(" " + head["issued"])),
    )


def _made(qmgr: str, shown: Mapping[str, str]) -> str:
    if "CRDATE" in shown and "CRTIME" in shown:
        return qmid_of(qmgr, shown["CRDATE"], shown["CRTIME"])
    return ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
