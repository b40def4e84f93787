"""The chains of digests, each of a row and the digest before; rows are used only if they fit.

Events have one chain, and branches have another. A row of `head` has the end of a chain; each is
read with a check that it was not altered. The rows of `late_event` and `retraction` are checked as
a whole: none altered, added or missing.

This finds a change of an event where it is read. An index of SQLite may be damaged, too, so that
events are missing: then there are usually gaps in the positions. Only `verify` finds every change.

What an event says that refers to earlier ones is put together in `twin.log.references`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, bindparam, literal_column, select, update

from twin.log.database import Database
from twin.log.errors import LogDamaged, UnstorableEvent
from twin.log.records import NewEvent, VisiblePart
from twin.log.schema import WHOLE_LOG, event, head, late_event
from twin.log.visibility import RETRACTIONS
from twin.model.instants import MAIN

GENESIS: Final = bytes(32)
"""The digest before the first event, and before the first branch."""

BETWEEN: Final = "\0"
"""The character between columns; no column may contain it."""

_FRAMES: Final = 9
"""How often `BETWEEN` stands in the text of an event: once between any two of its ten columns."""


def digest_of(before: bytes, columns: Sequence[Any]) -> bytes:
    """Return the digest of an event, from its columns in order and the digest `before` it.

    The columns are joined by `BETWEEN`, which none of them contains, and a missing cause differs
    from an empty one. So no two different events have the same text.

    Raises:
        ValueError: if a column contains that character, or cannot be encoded as UTF-8.
    """
    position, branch, occurred_at, recorded_at, type_, qmgr, cause, source, event_id, body = columns
    cause_text = "-" if cause is None else f"+{cause}"
    return _hashed(
        before,
        f"{position}",
        f"{branch}",
        f"{recorded_at}",
        f"{occurred_at}",
        type_,
        qmgr,
        cause_text,
        source,
        event_id,
        body,
    )


def branch_digest_of(before: bytes, columns: Sequence[Any]) -> bytes:
    """Return the digest of a branch, from its columns in order and the digest `before` it.

    Raises:
        ValueError: if the name contains `BETWEEN`, or cannot be encoded as UTF-8.
    """
    number, name, parent, fork_position, fork_occurred_at = columns
    parent_text = "-" if parent is None else f"+{parent}"
    return _hashed(
        before, f"{number}", name, parent_text, f"{fork_position}", f"{fork_occurred_at}"
    )


def _hashed(before: bytes, *texts: str) -> bytes:
    framed = BETWEEN.join(texts)
    if framed.count(BETWEEN) != len(texts) - 1:
        raise ValueError(BETWEEN)
    return sha256(before + framed.encode()).digest()


def chained(
    events: Sequence[NewEvent],
    *,
    before: bytes,
    after: int,
    branch: int,
    recorded_at: int,
) -> list[tuple[Any, ...]]:
    """Return the rows of a batch that follows position `after`, whose digest is `before`.

    This repeats `digest_of` for speed: text that all events of a batch share is made only once. A
    test compares the two.

    Raises:
        UnstorableEvent: if an event contains a character that cannot be stored.
    """
    rows: list[tuple[Any, ...]] = []
    add = rows.append
    digest = before
    position = after
    shared = f"\0{branch}\0{recorded_at}\0"
    for occurred_at, type_, qmgr, cause, source, event_id, body in events:
        position += 1
        cause_text = "-" if cause is None else f"+{cause}"
        framed = (
            f"{position}{shared}{occurred_at}\0"
            f"{type_}\0{qmgr}\0{cause_text}\0{source}\0{event_id}\0{body}"
        )
        if framed.count("\0") != _FRAMES:
            raise UnstorableEvent(event_id)
        try:
            digest = sha256(digest + framed.encode()).digest()
        except UnicodeEncodeError:
            raise UnstorableEvent(event_id) from None
        add(
            (
                position,
                branch,
                occurred_at,
                recorded_at,
                type_,
                qmgr,
                cause,
                source,
                event_id,
                body,
                digest,
            )
        )
    return rows


class HeadRow(NamedTuple):
    """A row of `head`.

    Attributes:
        late: for the log as a whole, the running digest of its late rows; see `late_digest_of`.
        seal: the digest of the other columns.
    """

    branch: int
    position: int
    occurred_at: int | None
    recorded_at: int | None
    digest: bytes
    late: bytes
    seal: bytes

    def sealed(self) -> HeadRow:
        """Return the row with its seal."""
        return self._replace(seal=seal_of(self))


def seal_of(row: Sequence[Any]) -> bytes:
    """Return the digest of a row of `head`.

    Raises:
        TypeError, AttributeError: if a column has a wrong type.
    """
    branch, position, occurred_at, recorded_at, digest, late = row[:6]
    numbers = (branch, position, occurred_at, recorded_at)
    texts = ["-" if number is None else f"{number}" for number in numbers]
    return sha256(BETWEEN.join([*texts, digest.hex(), late.hex()]).encode()).digest()


def late_digest_of(before: bytes, row: Sequence[Any]) -> bytes:
    """Return the running digest of the late rows of a log after one more row.

    `before` is the digest up to the row before it, in the order of positions.
    """
    position, branch, occurred_at, withdraws, upto, digest = row
    cells = (position, branch, occurred_at, int(withdraws), upto, bytes(digest).hex())
    return sha256(before + BETWEEN.join(map(str, cells)).encode()).digest()


def late_digest_after(
    before: bytes, late: Sequence[Sequence[Any]], retractions: Sequence[Sequence[Any]]
) -> bytes:
    """Return the running digest after more late rows, and the rows of `retraction` with them.

    The rows are in the order of their keys; those of a retraction follow its late row.
    """
    waiting = list(retractions)
    for row in late:
        while waiting and waiting[0][0] < row[0]:
            before = _retraction_digest_of(before, waiting.pop(0))
        before = late_digest_of(before, row)
    for row in waiting:
        before = _retraction_digest_of(before, row)
    return before


def _retraction_digest_of(before: bytes, row: Sequence[Any]) -> bytes:
    cells = ("retraction", *("-" if cell is None else cell for cell in row))
    return sha256(before + BETWEEN.join(map(str, cells)).encode()).digest()


_ROWS: Final = select(*(head.c[name] for name in HeadRow._fields)).where(
    head.c.branch.in_([WHOLE_LOG, bindparam("number")])
)
_MOVE: Final = (
    update(head)
    .where(head.c.branch == bindparam("new_branch"))
    .values({name: bindparam(f"new_{name}") for name in HeadRow._fields if name != "branch"})
)


def read_heads(
    database: Database, branch: int = WHOLE_LOG, *, name: str = MAIN
) -> tuple[HeadRow, HeadRow]:
    """Return the head of the log and the head of a branch, read together.

    Raises:
        LogDamaged: if a row is missing or was altered.
    """
    rows = {row[0]: row for row in database.fetch(_ROWS, number=branch)}
    if not {WHOLE_LOG, branch} <= rows.keys():
        raise LogDamaged(0, f"the head row of the log or of branch {name} is missing")
    for row in rows.values():
        try:
            sound = seal_of(row) == row[-1]
        except (TypeError, AttributeError):
            sound = False
        if not sound:
            position = row[1] if isinstance(row[1], int) else 0
            raise LogDamaged(position, f"the head row of the log or of branch {name} is altered")
    return HeadRow._make(rows[WHOLE_LOG]), HeadRow._make(rows[branch])


def move(database: Database, rows: Sequence[HeadRow]) -> None:
    """Store new rows of `head` in place of the old ones, within `writing`."""
    sealed = [row.sealed()._asdict() for row in rows]
    database.run_many(_MOVE, [{f"new_{name}": row[name] for name in row} for row in sealed])


_NEW: Final = (
    select(*late_event.c)
    .where(late_event.c.position > bindparam("after"), late_event.c.position <= bindparam("upto"))
    .order_by(late_event.c.position)
)
_BEFORE_ALL: Final = -(2**63)


class LateRows:
    """The late rows of one log that were checked; new ones are checked when the log grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._upto = _BEFORE_ALL
        self._digest = GENESIS

    def check(self, head: HeadRow) -> None:
        """Compare the rows up to the head of the log with its running digest.

        Raises:
            LogDamaged: if one was altered, added or deleted.
        """
        with self._lock:
            if head.position > self._upto:  # another thread may have read a later head
                self._check(head)

    def _check(self, head: HeadRow) -> None:
        bounds = {"after": self._upto, "upto": head.position}
        rows = self._database.fetch(_NEW, **bounds)
        retractions = self._database.fetch(RETRACTIONS, **bounds)
        try:
            digest = late_digest_after(self._digest, rows, retractions)
        except (TypeError, ValueError):
            digest = b""
        if digest != head.late:
            raise LogDamaged(
                rows[0][0] if rows and isinstance(rows[0][0], int) else head.position,
                "a row of late_event or retraction at or after this position is altered, missing "
                "or unexpected",
            )
        self._upto, self._digest = head.position, digest


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
