"""Events are used only if each has its digest, which covers its columns and the event before it.

This finds a change of an event where it is read. An index of SQLite may be damaged, too, so that
events are missing: then there are usually gaps in the positions. Only `verify` finds every change.

What an event says that refers to earlier ones is put together in `twin.log.references`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import Select, literal_column, select

from twin.log.chain import GENESIS, digest_of
from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.records import VisiblePart
from twin.log.schema import event

_before: Final = event.alias("before")
# A parameter here could have the name of one in a statement that is made from this one.
_joined: Final = event.outerjoin(
    _before, _before.c.position == event.c.position - literal_column("1")
)

WHOLE: Final[Select[Any]] = select(*event.c, _before.c.digest.label("before")).select_from(_joined)
"""All columns of events, and the digest of the event before each; for `sound_events`."""

TO_FOLD: Final[Select[Any]] = select(
    event.c.occurred_at,
    event.c.position,
    event.c.type,
    event.c.body,
    event.c.cause,
    event.c.branch,
    event.c.recorded_at,
    event.c.qmgr,
    event.c.source,
    event.c.event_id,
    event.c.digest,
    _before.c.digest.label("before"),
).select_from(_joined)
"""The same for the fold, with the columns that it needs first; for `sound_rows`."""

_PLACES: Final = select(event.c.position, event.c.branch, event.c.occurred_at)


def sound_rows(rows: Sequence[tuple[Any, ...]], *, derived: bool) -> list[tuple[Any, ...]]:
    """Return rows of the fold: (occurred_at, position, type, body), in fold order.

    With `derived`, a last column says whether the event is derived. This repeats `digest_of` for
    speed; a test compares the two.

    Raises:
        LogDamaged: if an event does not have its digest, or the rows are not in order.
    """
    sound: list[tuple[Any, ...]] = []
    add, last_at, last_position = sound.append, None, 0
    for row in rows:
        at, position, type_, body, cause, branch, recorded, qmgr, source, id_, digest, before = row
        try:
            cause_text = "-" if cause is None else "+" + cause
            framed = (
                f"{position}\0{branch}\0{recorded}\0{at}\0"
                f"{type_}\0{qmgr}\0{cause_text}\0{source}\0{id_}\0{body}"
            )
            if sha256((before or GENESIS) + framed.encode()).digest() != digest:
                raise LogDamaged(position, "it was altered or moved")
        except (TypeError, ValueError):
            raise LogDamaged(_number(position), "it was altered or moved") from None
        if last_at is not None and (at < last_at or (at == last_at and position <= last_position)):
            raise LogDamaged(position, "the index in fold order has it in a wrong place")
        last_at, last_position = at, position
        add((at, position, type_, body, cause is not None) if derived else row[:4])
    return sound


def sound_events(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield events with all their columns, each if it has its digest.

    Raises:
        LogDamaged: if it does not.
    """
    for *columns, digest, before in rows:
        try:
            sound = digest_of(before or GENESIS, columns) == digest
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise LogDamaged(_number(columns[0]), "it was altered or moved")
        yield (*columns, digest)


def demand_complete(
    database: Database, rows: Sequence[tuple[Any, ...]], part: VisiblePart, *, since: int
) -> None:
    """Check that the events next to those read, by position, are not events that are missing.

    The rows are all own events of a branch within bounds that occurred after an instant.

    Raises:
        LogDamaged: if one is.
    """
    positions = sorted(row[1] for row in rows)
    beside = {part.position}
    if positions:
        first, last = positions[0], positions[-1]
        beside |= {first - 1, last + 1}
        if last - first >= len(positions):
            for one, other in pairwise(positions):
                if other - one > 1:
                    beside |= {one + 1, other - 1}
    read = sorted(each for each in beside.difference(positions) if 0 < each <= part.position)
    for position, branch, at in database.fetch_among(_PLACES, event.c.position, read):
        if not isinstance(at, int):
            raise LogDamaged(position, "it was altered or moved")
        if branch == part.branch and since < at <= part.occurred_at:
            raise LogDamaged(position, "the index in fold order does not have it")


def _number(position: object) -> int:
    return position if isinstance(position, int) else 0
