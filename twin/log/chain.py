"""The chains: a digest covers all columns of an event, or branch, and the digest before it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from twin.log.errors import UnstorableEvent
from twin.log.records import NewEvent

GENESIS: Final = bytes(32)
"""What stands before the first event, and before the first branch."""

BETWEEN: Final = "\0"
"""What columns are framed with: a character that none of them may hold."""

_FRAMES: Final = 9


def digest_of(before: bytes, columns: Sequence[Any]) -> bytes:
    """Chain an event, given by its columns in order, to the digest `before` it.

    The columns are joined by a character that none holds, and an absent cause is marked apart
    from an empty one, so that no two events are hashed as one.

    Raises:
        ValueError: when a column holds that character, or is no text that can be written.
    """
    position, branch, occurred_at, recorded_at, type_, qmgr, cause, source, event_id, body = columns
    told = "-" if cause is None else f"+{cause}"
    return _hashed(
        before,
        f"{position}",
        f"{branch}",
        f"{recorded_at}",
        f"{occurred_at}",
        type_,
        qmgr,
        told,
        source,
        event_id,
        body,
    )


def branch_digest_of(before: bytes, columns: Sequence[Any]) -> bytes:
    """Chain a branch, given by its columns in order, to the digest of the branch `before` it.

    Raises:
        ValueError: when the name holds what frames the columns, or is no text that can be written.
    """
    number, name, parent, fork_position, fork_occurred_at = columns
    told = "-" if parent is None else f"+{parent}"
    return _hashed(before, f"{number}", name, told, f"{fork_position}", f"{fork_occurred_at}")


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
    """Make the rows of a batch that goes behind position `after`, whose digest is `before`.

    This is `digest_of` written out for speed, with what the events of a batch share taken out of
    the loop; a test holds the two together.

    Raises:
        UnstorableEvent: when an event holds a character that cannot be stored.
    """
    rows: list[tuple[Any, ...]] = []
    add = rows.append
    digest = before
    position = after
    shared = f"\0{branch}\0{recorded_at}\0"
    for occurred_at, type_, qmgr, cause, source, event_id, body in events:
        position += 1
        told = "-" if cause is None else f"+{cause}"
        framed = (
            f"{position}{shared}{occurred_at}\0"
            f"{type_}\0{qmgr}\0{told}\0{source}\0{event_id}\0{body}"
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
