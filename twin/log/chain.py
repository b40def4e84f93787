"""The chains of digests: a digest covers all columns of a row, and the digest of the row before.

Events have one chain, and branches have another. A row of `head` has the end of a chain; each is
read with a check that it was not altered. The rows of `late_event` and `retraction` are checked as
a whole: none altered, added or missing.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select, update

from twin.log.database import Database
from twin.log.errors import LogDamaged, UnstorableEvent
from twin.log.records import NewEvent
from twin.log.schema import WHOLE_LOG, head, late_event
from twin.log.visibilities import RETRACTIONS
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
    text = BETWEEN.join([*texts, digest.hex(), late.hex()])
    return sha256(text.encode()).digest()


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
