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

What hides events, read from the log: the visibility of each branch, and its latest instant.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, bindparam, func, select

from twin.log.database import Database
from twin.log.records import ALWAYS, RETRACTED, RETRACTING, WITHDRAWAL, LogRow, VisiblePart
from twin.log.schema import event, late_event, retraction

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
        self.since = min(self.withdrawn.lowest, *(each.occurred_at for each in standing), ALWAYS)

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
