"""Reading: the events that a branch sees in fold order, and all events in the order of the log."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from heapq import merge
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Select, and_, bindparam, literal_column, or_, select

from twin.log.branches import ALWAYS, Branches
from twin.log.database import Database
from twin.log.records import Branch, Row, StoredEvent
from twin.log.schema import event
from twin.log.visibility import Withdrawals

LONG_AGO: Final = -(2**63)
"""A lower bound that excludes nothing: earlier than every instant."""

PAGE: Final = 2_000
"""The number of events with all columns that are read at once."""

_SelectAny: TypeAlias = Select[Any]
_Shape: TypeAlias = tuple[int, int, bool]

_seen: Final = and_(
    event.c.branch == bindparam("branch"),
    event.c.occurred_at > bindparam("since"),
    event.c.occurred_at <= bindparam("occurred"),
    event.c.position <= bindparam("position"),
)
_fold_order: Final = (event.c.occurred_at, event.c.position)
_PRIMARY: Final = select(*event.c).where(_seen, event.c.cause.is_(None)).order_by(*_fold_order)


class Only(NamedTuple):
    """A filter by type and queue manager; an empty tuple allows all of them.

    An event must match both, or one of the two with `either`.
    """

    types: tuple[str, ...] = ()
    qmgrs: tuple[str, ...] = ()
    either: bool = False

    def values(self) -> dict[str, str]:
        """Return the parameters for statements."""
        return {f"type_{number}": name for number, name in enumerate(self.types)} | {
            f"qmgr_{number}": name for number, name in enumerate(self.qmgrs)
        }

    def shape(self) -> _Shape:
        """Return what the text of a statement depends on: the numbers of names, and `either`."""
        return len(self.types), len(self.qmgrs), self.either


class Bounds(NamedTuple):
    """The part of the log to read, by position (after `after`), number and instant."""

    after: int
    upto: int
    limit: int
    since: int
    until: int


def rows(
    database: Database,
    branches: Branches,
    withdrawals: Withdrawals,
    line: Branch,
    *,
    valid: int,
    known: int,
    since: int,
    only: Only,
) -> list[Row]:
    """Implement `Log.rows`."""
    lineage = branches.lineage(line)
    retraction = withdrawals.seen_by(lineage, upto=known)
    filtered = retraction.since < valid
    statement = _lean(only.shape(), filtered=filtered)
    values = only.values()
    parts = []
    for reach in reversed(lineage):
        bounded = reach.within(position=known, occurred_at=valid)
        if since < bounded.occurred_at:
            parts.append(database.fetch(statement, since=since, **bounded.values(), **values))
    merged = _in_fold_order([part for part in parts if part])
    return retraction.apply(merged) if filtered else merged


def _in_fold_order(parts: list[list[tuple[Any, ...]]]) -> list[Any]:
    """Merge lists that are in fold order into one."""
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part]
    rows.sort(key=lambda row: row[:2])
    return rows


@lru_cache
def _lean(shape: _Shape, *, filtered: bool) -> _SelectAny:
    columns: list[ColumnElement[Any]] = [*_fold_order, event.c.type, event.c.body]
    if filtered:
        columns.append(event.c.cause.is_not(None))
    return select(*columns).where(_seen, *_named(shape)).order_by(*_fold_order)


def _named(shape: _Shape) -> list[ColumnElement[bool]]:
    types, qmgrs, either = shape
    conditions: list[ColumnElement[bool]] = []
    if types:
        conditions.append(event.c.type.in_([bindparam(f"type_{n}") for n in range(types)]))
    if qmgrs:
        conditions.append(event.c.qmgr.in_([bindparam(f"qmgr_{n}") for n in range(qmgrs)]))
    return [or_(*conditions)] if either and conditions else conditions


def primary_after(
    database: Database, branches: Branches, line: Branch, *, instant: int, known: int
) -> list[StoredEvent]:
    """Implement `Log.primary_after`."""
    parts = []
    for reach in branches.lineage(line):
        bounded = reach.within(position=known, occurred_at=ALWAYS)
        parts.append(database.fetch(_PRIMARY, since=instant, **bounded.values()))
    return [_stored(row, branches) for row in merge(*parts, key=lambda row: (row[2], row[0]))]


def record(
    database: Database,
    branches: Branches,
    line: Branch | None,
    *,
    bounds: Bounds,
    only: Only,
) -> Iterator[StoredEvent]:
    """Implement `Log.events`."""
    reaches = () if line is None else branches.lineage(line)
    statement = _whole(only.shape(), len(reaches))
    values: dict[str, Any] = only.values()
    values |= {"since": bounds.since, "until": bounds.until, "upto": bounds.upto}
    after, limit = bounds.after, bounds.limit
    for number, reach in enumerate(reaches):
        values |= {f"{name}_{number}": value for name, value in reach.values().items()}
    while limit > 0:
        page = database.fetch(statement, after=after, limit=min(limit, PAGE), **values)
        for row in page:
            yield _stored(row, branches)
        if len(page) < min(limit, PAGE):
            return
        limit -= len(page)
        after = page[-1][0]


@lru_cache
def _whole(shape: _Shape, reaches: int) -> _SelectAny:
    whole = select(*event.c).where(
        event.c.position > bindparam("after"),
        event.c.position <= bindparam("upto"),
        event.c.occurred_at.between(bindparam("since"), bindparam("until")),
        *_named(shape),
    )
    if reaches:
        whole = whole.where(or_(*map(_reached, range(reaches))))
    return whole.order_by(event.c.position).limit(bindparam("limit"))


def _reached(number: int) -> ColumnElement[bool]:
    # Adding 0 keeps the planners from the index in fold order, which would have to be sorted.
    return and_(
        event.c.branch + literal_column("0") == bindparam(f"branch_{number}"),
        event.c.position <= bindparam(f"position_{number}"),
        event.c.occurred_at <= bindparam(f"occurred_{number}"),
    )


def _stored(row: tuple[Any, ...], branches: Branches) -> StoredEvent:
    position, branch = row[:2]
    return StoredEvent._make((position, branches.name_of(branch), *row[2:-1], bytes(row[-1]).hex()))
