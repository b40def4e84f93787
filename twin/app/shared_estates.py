"""Estates that several questions share: those of one page, and of the pages after it.

An estate of a past instant is kept as it is. An estate at the head of a branch is kept, too: for a
later instant only the time since then passes in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from twin.app.played_ahead import Pending, PlayingAhead, PlayStart
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.instants import AsOf, Instant

_MOST: Final = 3
"""How many estates are kept: that of a page, that of its reference, and one of another page."""


class _SharedEstate(NamedTuple):
    """An estate with its point; `branch` is a number, as a name may be used again."""

    branch: int
    position: int
    valid: Instant
    start: PlayStart


class SharedEstates:
    """The estates that were used last; whoever gets one must not change it."""

    def __init__(self, log: Log, ahead: PlayingAhead, begin: Callable[[AsOf], PlayStart]) -> None:
        """Keep estates of a log; `begin` rebuilds the one of a point, before time passes in it."""
        self._log = log
        self._ahead = ahead
        self._begin = begin
        self._kept: list[_SharedEstate] = []

    def forget(self) -> None:
        """Forget all estates."""
        self._kept.clear()

    def at(self, point: AsOf) -> tuple[Estate, Pending]:
        """Return the estate of a point, with the events that are due but not recorded."""
        kept = self._exact(point) or self._played_on(point) or self._rebuilt(point)
        self._kept = [kept, *(each for each in self._kept if each is not kept)][:_MOST]
        return kept.start.estate, kept.start.pending

    def _exact(self, point: AsOf) -> _SharedEstate | None:
        asked = (self._number(point), point.position, point.valid)
        return next((each for each in self._kept if each[:3] == asked), None)

    def _played_on(self, point: AsOf) -> _SharedEstate | None:
        """Let time pass in an estate to which nothing was recorded since."""
        head = self._log.head(point.branch)
        if head.occurred_at is None or head.position != point.position:
            return None
        for each in self._kept:
            same = (each.branch, each.position) == (self._number(point), point.position)
            if same and head.occurred_at <= each.valid <= point.valid:
                self._kept.remove(each)
                pending = self._ahead.play(each.start, point)
                start = each.start._replace(pending=pending)
                return each._replace(valid=point.valid, start=start)
        return None

    def _rebuilt(self, point: AsOf) -> _SharedEstate:
        start = self._begin(point)
        pending = self._ahead.play(start, point)
        played = start._replace(pending=pending)
        return _SharedEstate(self._number(point), point.position, point.valid, played)

    def _number(self, point: AsOf) -> int:
        return self._log.branch(point.branch).id
