"""What hides events, read from the log: the visibility of each branch, and its latest instant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, bindparam, func, select

from twin.log.database import Database
from twin.log.records import ALWAYS, VisiblePart
from twin.log.schema import event, late_event, retraction
from twin.log.visibility import OWN, Retraction, Visibility

_CACHED: Final = 64
_AT_ONCE: Final = 500

_part: Final = (
    event.c.branch == bindparam("branch"),
    event.c.position <= bindparam("position"),
    event.c.occurred_at <= bindparam("occurred"),
)
_latest_first: Final = (event.c.occurred_at.desc(), event.c.position.desc())
LATEST: Final = (
    select(event.c.occurred_at, event.c.position).where(*_part).order_by(*_latest_first).limit(1)
)
"""The latest event of a part."""

_LATEST_AFTER: Final = LATEST.where(event.c.position > bindparam("after"))
_LATEST_FIRST: Final = (
    select(event.c.occurred_at, event.c.position, event.c.type)
    .where(*_part, event.c.position > bindparam("after"))
    .where((event.c.occurred_at < bindparam("occurred")) | (event.c.position < bindparam("below")))
    .order_by(*_latest_first)
    .limit(_AT_ONCE)
)
_PRIMARY: Final = _LATEST_FIRST.where(event.c.cause.is_(None))
_DERIVED: Final = _LATEST_FIRST.where(event.c.cause.is_not(None))
_LAST: Final = select(func.coalesce(func.max(event.c.position), 0))
_WITHDRAWALS: Final = (
    select(late_event.c.position, late_event.c.branch, late_event.c.occurred_at)
    .where(late_event.c.withdraws)
    .where(late_event.c.position > bindparam("after"), late_event.c.position <= bindparam("upto"))
    .order_by(late_event.c.position)
)
RETRACTIONS: Final = (
    select(*retraction.c)
    .where(retraction.c.position > bindparam("after"), retraction.c.position <= bindparam("upto"))
    .order_by(retraction.c.position, retraction.c.first)
)
"""The rows of `retraction` after a position, up to another."""


def _around(
    parts: Sequence[VisiblePart], upto: int, last: int, instant: int
) -> Iterator[tuple[int, VisiblePart]]:
    """Return where visible events are, given the last event that hides much: as (after, part).

    It hides nothing after its position `last`, and everything before it that occurred after
    `instant`. There may be much of that, and none of it is read.
    """
    for part in parts:
        yield last, part.within(position=upto, occurred_at=ALWAYS)
        yield 0, part.within(position=last, occurred_at=instant)


class _Hiding(NamedTuple):
    """The withdrawals and retractions of one branch, in the order of the log."""

    withdrawals: list[tuple[int, int]]
    retractions: list[Retraction]


class Visibilities:
    """The visibilities of one log; what hides is read once, and again when the log grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._hiding: dict[int, _Hiding] = {}
        self._read_upto = 0
        self._made: dict[tuple[VisiblePart, ...], Visibility] = {}

    def of(
        self, lineage: Sequence[VisiblePart], *, upto: int, besides: Sequence[Retraction] = ()
    ) -> Visibility:
        """Return the visibility for a branch that sees these parts, up to a position.

        `besides` are retractions that are not recorded yet.
        """
        self._read(upto)
        if not besides and not any(part.branch in self._hiding for part in lineage):
            return Visibility(())
        parts = tuple(part.within(position=upto, occurred_at=ALWAYS) for part in lineage)
        cached = None if besides else self._made.get(parts)
        if cached is not None:
            return cached
        made = Visibility(
            [
                each
                for part in parts
                for each in self._hiding_of(part).withdrawals
                if part.includes(*each)
            ],
            [*self._retractions(parts), *besides],
        )
        if besides:
            return made
        if len(self._made) >= _CACHED:
            self._made.clear()
        self._made[parts] = made
        return made

    def latest(self, parts: Sequence[VisiblePart], *, upto: int = ALWAYS) -> int | None:
        """Return the latest instant of a branch that sees these parts, up to a position.

        Return None if it has no event.
        """
        bounded = [part.within(position=upto, occurred_at=ALWAYS) for part in parts]
        self._read(max(part.position for part in bounded))
        retractions = self._retractions(bounded)
        last = max((each.position for each in retractions), default=0)
        instants = [each.occurred_at for each in retractions if each.position == last]
        instants += [row[0] for part in bounded if (row := self._latest_after(part, last))]
        if last:
            instants += self._latest_primary(bounded, last)
            instants += self._latest_derived(bounded, last)
        return max(instants, default=None)

    def latest_after(self, lineage: Sequence[VisiblePart], position: int, occurred_at: int) -> int:
        """Return the latest instant of a branch after its retraction at a position."""
        latest = self.latest(lineage, upto=position)
        return occurred_at if latest is None else latest

    def latest_primary(self, parts: Sequence[VisiblePart], *, upto: int) -> int | None:
        """Return the instant of the latest primary fact that is visible, up to a position."""
        return max(self._latest_primary(parts, upto), default=None)

    def is_retracted(self, lineage: Sequence[VisiblePart]) -> bool:
        """Return whether a branch that sees these parts sees a retraction."""
        self._read(max(part.position for part in lineage))
        return bool(self._retractions(lineage))

    def _latest_after(self, part: VisiblePart, position: int) -> tuple[Any, ...] | None:
        if not position:
            return self._database.one(LATEST, **part.values())
        return self._database.one(_LATEST_AFTER, after=position, **part.values())

    def _latest_primary(self, parts: Sequence[VisiblePart], upto: int) -> Iterator[int]:
        """Return the instants of the latest visible primary facts, up to a position."""
        visibility = self.of(parts, upto=upto)
        last, instant = visibility.retracted.last
        for after, part in _around(parts, upto, last, instant - 1):
            for occurred_at, position, type_ in self._latest_first(_PRIMARY, part, after):
                if type_ not in OWN and not visibility.hides(
                    position, occurred_at, type_, derived=False
                ):
                    yield occurred_at
                    break

    def _latest_derived(self, parts: Sequence[VisiblePart], upto: int) -> Iterator[int]:
        """Return the instants of the latest visible derived facts, up to a position."""
        visibility = self.of(parts, upto=upto)
        last, instant = visibility.withdrawn.last
        for after, part in _around(parts, upto, last, instant):
            for occurred_at, position, type_ in self._latest_first(_DERIVED, part, after):
                if not visibility.hides(position, occurred_at, type_, derived=True):
                    yield occurred_at
                    break

    def _latest_first(
        self, statement: Select[Any], part: VisiblePart, after: int
    ) -> Iterator[tuple[Any, ...]]:
        """Return the events of a part after a position, the latest first."""
        values = {**part.values(), "after": after, "below": ALWAYS}
        while rows := self._database.fetch(statement, **values):
            yield from rows
            values |= {"occurred": rows[-1][0], "below": rows[-1][1]}

    def _retractions(self, parts: Sequence[VisiblePart]) -> list[Retraction]:
        return [
            each
            for part in parts
            for each in self._hiding_of(part).retractions
            if part.includes(each.position, each.occurred_at)
        ]

    def _hiding_of(self, part: VisiblePart) -> _Hiding:
        return self._hiding.get(part.branch) or _Hiding([], [])

    def _read(self, upto: int) -> None:
        """Read what was recorded since the last time, if the log is read up to a later position."""
        if upto <= self._read_upto:
            return
        ((last,),) = self._database.fetch(_LAST)
        bounds = {"after": self._read_upto, "upto": min(upto, last)}
        for position, branch, occurred_at in self._database.fetch(_WITHDRAWALS, **bounds):
            self._of_branch(branch).withdrawals.append((position, occurred_at))
        for row in self._database.fetch(RETRACTIONS, **bounds):
            each = Retraction._make(row)
            self._of_branch(each.branch).retractions.append(each)
        self._read_upto = bounds["upto"]

    def _of_branch(self, branch: int) -> _Hiding:
        return self._hiding.setdefault(branch, _Hiding([], []))
