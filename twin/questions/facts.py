"""The input of a question besides the estate: events of some types, with their place in the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant


class FoldedFact(NamedTuple):
    """An event with its instant and its position; facts come in fold order."""

    at: Instant
    position: int
    event: Event


Facts: TypeAlias = Iterable[FoldedFact]
"""Facts in fold order."""


def bearer(estate: Estate, name: str, at: Instant) -> QueueManager | None:
    """Return the queue manager that had a name at an instant; None if none is known.

    If several were created one after another with that name, it is the last one created by then.
    """
    current = estate.qmgrs.get(name)
    if current is not None and current.created <= at:
        return current
    bearers = [qmgr for qmgr in estate.departed.values() if qmgr.name == name]
    made = [qmgr for qmgr in bearers if qmgr.created <= at]
    return max(made, key=lambda qmgr: qmgr.created, default=current)


def qmid_of(estate: Estate, name: str, at: Instant) -> str:
    """Return the QMID of the queue manager that had a name at an instant; '' if none is known."""
    qmgr = bearer(estate, name, at)
    return "" if qmgr is None else qmgr.qmid


class OtherRules(NamedTuple):
    """A withdrawal after which another version of the rules derived everything again.

    `source` is the source of what it derived; `before` and `after` are the versions.
    """

    at: Instant
    position: int
    source: str
    before: str
    after: str
