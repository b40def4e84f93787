"""The statements that select events, in fold order and in the order of the log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, literal_column, or_, select

from twin.log.chain import TO_FOLD, WHOLE
from twin.log.schema import event, late_event

_seen: Final = and_(
    event.c.branch == bindparam("branch"),
    event.c.occurred_at > bindparam("since"),
    event.c.occurred_at <= bindparam("occurred"),
    event.c.position <= bindparam("position"),
)
_fold_order: Final = (event.c.occurred_at, event.c.position)
AGAIN: Final = (
    select(event.c.occurred_at, event.c.position, event.c.source)
    .join_from(late_event, event, late_event.c.position == event.c.position)
    .where(
        late_event.c.withdraws,
        late_event.c.branch == bindparam("branch"),
        late_event.c.position <= bindparam("position"),
        late_event.c.occurred_at <= bindparam("occurred"),
    )
)
"""The withdrawals of a part, with the sources of the events."""

OTHERS: Final = (
    select(event.c.source)
    .where(
        event.c.branch == bindparam("branch"),
        event.c.occurred_at > bindparam("since"),
        event.c.position < bindparam("before"),
        event.c.cause.is_not(None),
        event.c.source != bindparam("source"),
    )
    .order_by(event.c.position.desc())
    .limit(1)
)
"""Where another source derived something else; the last one before a position."""

_DERIVED: Final = (
    select(event.c.position, event.c.source)
    .where(
        event.c.position > bindparam("after"),
        event.c.position <= bindparam("upto"),
        event.c.cause.is_not(None),
    )
    .limit(1)
)
NEXT_DERIVED: Final = _DERIVED.order_by(event.c.position)
LAST_DERIVED: Final = _DERIVED.order_by(event.c.position.desc())
"""The first and the last derived event after a position."""

# Adding 0 keeps query planners from the index in fold order: the first positions are of use.
DERIVED_WITHIN: Final = (
    select(event.c.position)
    .where(
        event.c.branch + literal_column("0") == bindparam("branch"),
        event.c.position > bindparam("after"),
        event.c.position <= bindparam("position"),
        event.c.occurred_at <= bindparam("occurred"),
        event.c.cause.is_not(None),
    )
    .limit(1)
)
"""Whether a part has a derived event after a position."""

PRIMARY: Final = WHOLE.where(_seen, event.c.cause.is_(None)).order_by(*_fold_order)
FIRST: Final = select(event.c.occurred_at).where(_seen).order_by(*_fold_order).limit(1)
"""The instant of the first event of a part."""

BY_ID: Final = WHOLE.where(event.c.event_id == bindparam("event_id"))


def parameters(types: Sequence[str], qmgrs: Sequence[str]) -> dict[str, str]:
    """Return these types and queue managers as parameters for the statements."""
    return {f"type_{number}": name for number, name in enumerate(types)} | {
        f"qmgr_{number}": name for number, name in enumerate(qmgrs)
    }


def _named(types: int, qmgrs: int, *, either: bool = False) -> list[ColumnElement[bool]]:
    """Return the conditions for these numbers of types and queue managers; none for 0."""
    conditions: list[ColumnElement[bool]] = []
    if types:
        conditions.append(event.c.type.in_([bindparam(f"type_{n}") for n in range(types)]))
    if qmgrs:
        conditions.append(event.c.qmgr.in_([bindparam(f"qmgr_{n}") for n in range(qmgrs)]))
    return [or_(*conditions)] if either and conditions else conditions


@lru_cache
def in_fold_order(types: int, qmgrs: int, *, either: bool) -> Select[Any]:
    """Return the statement for these numbers of types and queue managers; see `rows`."""
    return TO_FOLD.where(_seen, *_named(types, qmgrs, either=either)).order_by(*_fold_order)


@lru_cache
def in_log_order(types: int, qmgrs: int, reaches: int, *, caused: bool = False) -> Select[Any]:
    """Return the statement for these numbers of types, queue managers and parts; see `events`.

    With `caused`, it is for the events with one cause.
    """
    whole = WHOLE.where(
        event.c.position > bindparam("after"),
        event.c.position <= bindparam("upto"),
        event.c.occurred_at.between(bindparam("since"), bindparam("until")),
        *_named(types, qmgrs),
    )
    if reaches:
        whole = whole.where(or_(*map(_reached, range(reaches))))
    if caused:
        whole = whole.where(event.c.cause == bindparam("cause"))
    return whole.order_by(event.c.position).limit(bindparam("limit"))


def _reached(number: int) -> ColumnElement[bool]:
    # Adding 0 keeps query planners from the index in fold order: its rows would have to be sorted.
    return and_(
        event.c.branch + literal_column("0") == bindparam(f"branch_{number}"),
        event.c.position <= bindparam(f"position_{number}"),
        event.c.occurred_at <= bindparam(f"occurred_{number}"),
    )
