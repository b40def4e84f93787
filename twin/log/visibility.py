"""Retraction: a withdrawal hides derived facts that were recorded before it but occurred after it.

Its own instant is that of a late fact; see `RetractionFilter`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select

from twin.log.branches import ALWAYS, VisiblePart
from twin.log.database import Database
from twin.log.records import LogRow
from twin.log.schema import late_event

_FILTERS_CACHED: Final = 64

_WITHDRAWALS: Final = (
    select(late_event.c.position, late_event.c.branch, late_event.c.occurred_at)
    .where(late_event.c.withdraws, late_event.c.position > bindparam("after"))
    .order_by(late_event.c.position)
)


class RetractionFilter:
    """A filter for the derived events that a branch no longer sees, because they were retracted.

    A withdrawal of instant T at position W retracts each derived event with `occurred_at` > T and
    position < W. So, of the withdrawals after an event, only the one with the earliest instant
    matters.
    """

    def __init__(self, withdrawals: Iterable[tuple[int, int]]) -> None:
        """Take the (position, instant) pairs of the withdrawals that the branch sees."""
        ordered = sorted(withdrawals)
        self._positions = [position for position, _ in ordered]
        self._earliest = [instant for _, instant in ordered]
        for index in range(len(ordered) - 2, -1, -1):
            self._earliest[index] = min(self._earliest[index], self._earliest[index + 1])

    @property
    def since(self) -> int:
        """The instant after which events may be retracted."""
        return self._earliest[0] if self._earliest else ALWAYS

    def retracts(self, position: int, occurred_at: int) -> bool:
        """Return whether a derived event is retracted."""
        later = bisect_right(self._positions, position)
        return later < len(self._positions) and occurred_at > self._earliest[later]

    def apply(self, rows: Sequence[tuple[Any, ...]]) -> list[LogRow]:
        """Return the rows that are not retracted.

        The rows are in fold order; their last column says whether the event is derived.
        """
        retracts = self.retracts
        start = bisect_right(rows, self.since, key=lambda row: row[0])
        visible: list[Any] = [row[:4] for row in rows[:start]]
        visible += [row[:4] for row in rows[start:] if not (row[4] and retracts(row[1], row[0]))]
        return visible


class Withdrawals:
    """The withdrawals of one log; each is read once, and new ones are read when the log grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._by_branch: dict[int, list[tuple[int, int]]] = {}
        self._read_upto = 0
        self._filters: dict[tuple[VisiblePart, ...], RetractionFilter] = {}

    def seen_by(self, lineage: Sequence[VisiblePart], *, upto: int) -> RetractionFilter:
        """Return the filter for a branch that sees the log up to a position."""
        self._read(upto)
        if not any(reach.branch in self._by_branch for reach in lineage):
            return RetractionFilter(())
        reaches = tuple(reach.within(position=upto, occurred_at=ALWAYS) for reach in lineage)
        cached = self._filters.get(reaches)
        if cached is not None:
            return cached
        made = RetractionFilter(
            (position, occurred_at)
            for reach in reaches
            for position, occurred_at in self._by_branch.get(reach.branch, ())
            if position <= reach.position and occurred_at <= reach.occurred_at
        )
        if len(self._filters) >= _FILTERS_CACHED:
            self._filters.clear()
        self._filters[reaches] = made
        return made

    def _read(self, upto: int) -> None:
        if upto <= self._read_upto:
            return
        for position, branch, occurred_at in self._database.fetch(
            _WITHDRAWALS, after=self._read_upto
        ):
            self._by_branch.setdefault(branch, []).append((position, occurred_at))
            self._read_upto = position
        self._read_upto = max(self._read_upto, upto)
