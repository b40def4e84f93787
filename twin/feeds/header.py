"""What a dump says in its header, its footer and its comments: its queue manager and its limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from twin.model.platforms import ZOS

_LINES: Final = {
    "qmgr": re.compile(r"^\* ?Queue manager name: *(\S+)", re.MULTILINE),
    "platform": re.compile(r"^\* ?Queue manager platform: *(\S+)", re.MULTILINE),
    "level": re.compile(r"^\* ?Queue manager command level: *\((\d{3,4})", re.MULTILINE),
    "issued": re.compile(r"^\* ?Command issued: *(.*?) *$", re.MULTILINE),
    "ended": re.compile(r"^\* ?(Script ended) on ", re.MULTILINE),
}
_NAMED: Final = re.compile(r"""\s-n\s*["']?([^\s"']+)""")
_PLATFORMS: Final = {"WINDOWS": "WINDOWSNT", "Z/OS": ZOS, "IBMI": "OS400"}


@dataclass(frozen=True, slots=True)
class DumpHeader:
    """What a dump says about its queue manager; '' and 0 for what it does not say.

    Attributes:
        names: the generic name the dump was limited to (`-n`), `*` for all.
        complete: whether the footer is there.
    """

    qmgr: str = ""
    qmid: str = ""
    level: int = 0
    platform: str = ""
    names: str = "*"
    complete: bool = True


def header_of(text: str, shown: Mapping[str, str]) -> DumpHeader:
    """Read the header and footer of a dump.

    `shown` are the attributes in the comments of its ALTER QMGR; they override the header. If there
    is no QMID among them, it is made from the creation date and time, as MQ makes it.
    """
    head = {key: (found[1] if (found := line.search(text)) else "") for key, line in _LINES.items()}
    qmgr = head["qmgr"]
    platform = (shown.get("PLATFORM") or head["platform"]).upper()
    named = _NAMED.search(" " + head["issued"])
    return DumpHeader(
        qmgr=qmgr,
        qmid=shown.get("QMID") or _made(qmgr, shown),
        level=_number(shown.get("CMDLEVEL", "")) or _number(head["level"]),
        platform=_PLATFORMS.get(platform, platform),
        names=named[1] if named else "*",
        complete=bool(head["ended"]),
    )


def _made(qmgr: str, shown: Mapping[str, str]) -> str:
    if "CRDATE" in shown and "CRTIME" in shown:
        return f"{qmgr}_{shown['CRDATE']}_{shown['CRTIME']}"
    return ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
