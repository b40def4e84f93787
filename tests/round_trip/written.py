"""What an administrator would collect from a simulated estate: dumps and answers to DISPLAY."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from twin.app.observing import FileText
from twin.app.session import MqscSession
from twin.fold.estate import Estate
from twin.model.asof import AsOf
from twin.questions.dump import dump

COMMANDS: Final = (
    "DISPLAY QMGR ALL",
    "DISPLAY QMSTATUS ALL",
    "DISPLAY CLUSQMGR(*) ALL",
    "DISPLAY QCLUSTER(*) ALL",
    "DISPLAY TCLUSTER(*) ALL",
    "DISPLAY CHSTATUS(*) ALL",
)
"""The captures of each queue manager."""


def dump_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write the definitions of a queue manager as dmpmqcfg does."""
    return "\n".join([*dump(estate, qmgr, as_of), ""])


def session_text(estate: Estate, as_of: AsOf, qmgr: str) -> str:
    """Write a session of runmqsc with its banner, its echo and its closing counters."""

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(estate, as_of)

    lines = MqscSession.reading(look, qmgr).run("\n".join(COMMANDS)).lines
    return "\n".join([*lines, ""])


def files(estate: Estate, as_of: AsOf) -> Iterator[FileText]:
    """Write all files; a queue manager that does not run answers no command."""
    for name, qmgr in sorted(estate.qmgrs.items()):
        if qmgr.running:
            yield FileText(dump_text(estate, as_of, name))
            yield FileText(session_text(estate, as_of, name))
