"""What withdrawals hide: facts derived before the withdrawal, for instants after its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select

from twin.log.branches import ALWAYS, Reach
from twin.log.database import Database
from twin.log.records import Row
from twin.log.schema import late_event

_VEILS_KEPT: Final = 64

_WITHDRAWALS: Final = (
    select(late_event.c.position, late_event.c.branch, late_event.c.occurred_at)
    .where(late_event.c.withdraws, late_event.c.position > bindparam("after"))
    .order_by(late_event.c.position)
)


class Veil:
    """What a line's withdrawals hide from it.

    A withdrawal of instant T at position W hides each derived event with `occurred_at` > T and
    position < W. So of the withdrawals behind an event only the one with the earliest instant
    counts.
    """

    def __init__(self, withdrawals: Iterable[tuple[int, int]]) -> None:
        """Take the (position, instant) pairs of the withdrawals that the line sees."""
        ordered = sorted(withdrawals)
        self._positions = [position for position, _ in ordered]
        self._earliest = [instant for _, instant in ordered]
        for place in range(len(ordered) - 2, -1, -1):
            self._earliest[place] = min(self._earliest[place], self._earliest[place + 1])

    @property
    def since(self) -> int:
        """The instant after which anything may be hidden."""
        return self._earliest[0] if self._earliest else ALWAYS

    def hides(self, position: int, occurred_at: int) -> bool:
        """Tell whether a derived event is hidden."""
        behind = bisect_right(self._positions, position)
        return behind < len(self._positions) and occurred_at > self._earliest[behind]

    def lift(self, rows: Sequence[tuple[Any, ...]]) -> list[Row]:
        """Return the rows (in fold order, with whether each is derived at the end) not hidden."""
        hides = self.hides
        start = bisect_right(rows, self.since, key=lambda row: row[0])
        seen: list[Any] = [row[:4] for row in rows[:start]]
        seen += [row[:4] for row in rows[start:] if not (row[4] and hides(row[1], row[0]))]
        return seen


class Withdrawals:
    """The withdrawals of one log, read once, and further as it grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._by_branch: dict[int, list[tuple[int, int]]] = {}
        self._read_upto = 0
        self._veils: dict[tuple[Reach, ...], Veil] = {}

    def seen_by(self, lineage: Sequence[Reach], *, upto: int) -> Veil:
        """Return what is hidden from a line that knows the log up to a position."""
        self._read(upto)
        if not any(reach.branch in self._by_branch for reach in lineage):
            return Veil(())
        reaches = tuple(reach.within(position=upto, occurred_at=ALWAYS) for reach in lineage)
        kept = self._veils.get(reaches)
        if kept is not None:
            return kept
        veil = Veil(
            (position, occurred_at)
            for reach in reaches
            for position, occurred_at in self._by_branch.get(reach.branch, ())
            if position <= reach.position and occurred_at <= reach.occurred_at
        )
        if len(self._veils) >= _VEILS_KEPT:
            self._veils.clear()
        self._veils[reaches] = veil
        return veil

    def _read(self, upto: int) -> None:
        if upto <= self._read_upto:
            return
        for position, branch, occurred_at in self._database.fetch(
            _WITHDRAWALS, after=self._read_upto
        ):
            self._by_branch.setdefault(branch, []).append((position, occurred_at))
            self._read_upto = position
        self._read_upto = max(self._read_upto, upto)
