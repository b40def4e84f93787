"""The chains of digests: a digest covers all columns of a row, and the digest of the row before.

Events have one chain, and branches have another.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from twin.log.errors import UnstorableEvent
from twin.log.records import NewEvent

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
