"""What a question reads beside the estate: events of some types, with their place in the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant


class FoldedFact(NamedTuple):
    """An event with the instant it occurred at and its position; facts come in fold order."""

    at: Instant
    position: int
    event: Event


Facts: TypeAlias = Iterable[FoldedFact]
"""Facts in fold order."""


def bearer(estate: Estate, name: str, at: Instant) -> QueueManager | None:
    """Return the queue manager that had a name at an instant, None where none is known.

    Of several that were made one after another under one name, it is the latest made by then.
    """
    current = estate.qmgrs.get(name)
    if current is not None and current.created <= at:
        return current
    bearers = [qmgr for qmgr in estate.departed.values() if qmgr.name == name]
    made = [qmgr for qmgr in bearers if qmgr.created <= at]
    return max(made, key=lambda qmgr: qmgr.created, default=current)
