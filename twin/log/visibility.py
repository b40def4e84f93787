"""Visibility: which events a branch sees. This is the only definition of it.

- A withdrawal of instant T at position W hides each derived event with `occurred_at` > T and
  position < W.
- A retraction hides primary facts: those whose position lies in one of its ranges and that occurred
  at its `since` or later, and so after its own instant. It does not hide events about the log
  itself (`OWN`).
- A retraction is undone if a later event of the branch undoes it, whose instant is not later.

Only withdrawals and retractions that the branch sees itself count: those up to its fork, and up to
the position that is asked for.

The latest instant of a branch is that of all its events. A retraction sets it to that of the facts
that are visible then (`OWN` left out), or to its own instant if that is later: snapshots before it
remain usable, so events on time must not lie there. A withdrawal alone does not lower it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, Final, NamedTuple

from twin.log.lateness import RETRACTED, RETRACTING, WITHDRAWAL
from twin.log.records import ALWAYS, LogRow

OWN: Final = frozenset({WITHDRAWAL, *RETRACTING, "BranchRetired", "ImportBegun", "ImportEnded"})
"""The types of primary events about the log itself. No retraction hides them."""


class Retraction(NamedTuple):
    """A row of `retraction`: a range of positions that one event hides, or what it undoes.

    Attributes:
        position: the position of the event.
        branch: its branch.
        occurred_at: its instant, before those of all facts that it hides.
        first: the first position that it hides; 0 if it hides nothing.
        last: the last position that it hides.
        since: it hides only facts that occurred at this instant or later.
        undoes: the position of the retraction that it undoes.
    """

    position: int
    branch: int
    occurred_at: int
    first: int
    last: int
    since: int
    undoes: int | None


class Steps:
    """Bounds of instants for positions: each bound holds for all positions before its own.

    Of the bounds after a position, only the earliest matters.
    """

    def __init__(self, bounds: Iterable[tuple[int, int]]) -> None:
        """Take (position, instant) pairs."""
        ordered = sorted(bounds)
        self.positions = [position for position, _ in ordered]
        self.earliest = [instant for _, instant in ordered]
        for index in range(len(ordered) - 2, -1, -1):
            self.earliest[index] = min(self.earliest[index], self.earliest[index + 1])

    @property
    def lowest(self) -> int:
        """The earliest instant of all bounds."""
        return self.earliest[0] if self.earliest else ALWAYS

    @property
    def last(self) -> tuple[int, int]:
        """The last position and its instant."""
        return (self.positions[-1], self.earliest[-1]) if self.positions else (0, ALWAYS)

    def after(self, position: int) -> int:
        """Return the earliest instant of the bounds after a position."""
        later = bisect_right(self.positions, position)
        return self.earliest[later] if later < len(self.positions) else ALWAYS


class Visibility:
    """The visibility of events for one branch up to one position.

    Attributes:
        withdrawn: derived events after these instants are hidden.
        retracted: primary facts at these instants or later are hidden.
        ranges: the ranges of positions of other hidden facts, each as (first, last, since).
        since: the instant after which events may be hidden.
    """

    def __init__(
        self, withdrawals: Iterable[tuple[int, int]], retractions: Sequence[Retraction] = ()
    ) -> None:
        """Take (position, instant) pairs, and the rows of retractions, that the branch sees."""
        self.withdrawn = Steps(withdrawals)
        standing = list(_standing(retractions))
        whole = [each for each in standing if _is_whole(each)]
        self.retracted = Steps((each.position, each.since) for each in whole)
        self.ranges = sorted(
            (each.first, each.last, each.since) for each in standing if not _is_whole(each)
        )
        self._ends = list(accumulate((last for _, last, _ in self.ranges), max))
        retracting = (each.occurred_at for each in standing)
        self.since = min(self.withdrawn.lowest, *retracting, ALWAYS)

    def hides(self, position: int, occurred_at: int, type_: str, *, derived: bool) -> bool:
        """Return whether an event is hidden."""
        if derived:
            return occurred_at > self.withdrawn.after(position)
        if occurred_at <= self.since or type_ in OWN:
            return False
        return occurred_at >= self.retracted.after(position) or self._names(position, occurred_at)

    def _names(self, position: int, occurred_at: int) -> bool:
        """Return whether one of the ranges hides a fact."""
        index = bisect_right(self.ranges, position, key=itemgetter(0)) - 1
        while index >= 0 and self._ends[index] >= position:
            _, last, since = self.ranges[index]
            if position <= last and occurred_at >= since:
                return True
            index -= 1
        return False

    def apply(self, rows: Sequence[tuple[Any, ...]]) -> list[LogRow]:
        """Return the rows that are not hidden.

        The rows are in fold order; their last column says whether the event is derived.
        """
        hides = self.hides
        start = bisect_right(rows, self.since, key=lambda row: row[0])
        visible: list[Any] = [row[:4] for row in rows[:start]]
        visible += [
            row[:4]
            for row in rows[start:]
            if not hides(row[1], row[0], row[2], derived=bool(row[4]))
        ]
        return visible


def _standing(retractions: Sequence[Retraction]) -> Iterator[Retraction]:
    """Return the rows that hide something and are not undone."""
    undone: dict[int, int] = {}
    for each in retractions:
        if each.undoes is not None:
            undone[each.undoes] = min(each.occurred_at, undone.get(each.undoes, ALWAYS))
    for each in retractions:
        if (
            each.first <= each.last
            and each.first
            and each.occurred_at < undone.get(each.position, ALWAYS)
        ):
            yield each


def _is_whole(each: Retraction) -> bool:
    """Return whether a row hides all facts before it, from an instant on."""
    return (each.first, each.last) == (1, each.position - 1)


def rows_of(
    position: int, branch: int, occurred_at: int, type_: str, body: str
) -> list[Retraction]:
    """Return the rows of an event of one of the types `RETRACTING`.

    A retraction hides only facts that were recorded before it and occurred after its own instant.
    So it changes nothing for a branch that was forked before that instant.
    """
    fields = json.loads(body)
    if type_ != RETRACTED:
        undone = int(fields["retraction"])
        return [Retraction(position, branch, occurred_at, 0, 0, occurred_at + 1, undone)]
    since = fields.get("since")
    if since is not None:
        lowest = max(int(since), occurred_at + 1)
        return [Retraction(position, branch, occurred_at, 1, position - 1, lowest, None)]
    named = sorted({int(each) for each in fields.get("positions", ()) if 0 < each < position})
    return [
        Retraction(position, branch, occurred_at, first, last, occurred_at + 1, None)
        for first, last in _ranges(named) or [(0, 0)]
    ]


def rows_of_batch(events: Sequence[tuple[object, ...]]) -> list[Retraction]:
    """Return the rows of all retractions of a batch, given as complete rows of `event`."""
    return [
        row
        for position, branch, occurred_at, _, type_, *_, body, _ in events
        if type_ in RETRACTING
        for row in rows_of(position, branch, occurred_at, type_, body)  # type: ignore[arg-type]
    ]


def _ranges(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of consecutive numbers in a sorted sequence."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and position == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], position
        else:
            ranges.append((position, position))
    return ranges
