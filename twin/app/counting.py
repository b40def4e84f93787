"""How many messages are put or got at once, or seen: too many, or too few, is bad input."""

from __future__ import annotations

from twin.errors import TwinError
from twin.model.amounts import MOST_AT_ONCE


class BadCount(TwinError, ValueError):
    """A number of messages that nobody puts, or gets, at once."""

    def __init__(self, count: int, done: str = "put") -> None:
        super().__init__(f"{count} messages are not {done} at once: 1 to {MOST_AT_ONCE:,}")


class BadBatch(TwinError, ValueError):
    """A number of messages that no batch of a channel can have been seen to have."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} messages are not seen in a batch: 0 to {MOST_AT_ONCE:,}")


def demand_count(count: int, *, done: str = "put") -> None:
    """Check how many messages are to be put, or got.

    Raises:
        BadCount: when it is none, or more than any queue could hold.
    """
    if not 0 < count <= MOST_AT_ONCE:
        raise BadCount(count, done)


def demand_seen(count: int | None) -> None:
    """Check how many messages were seen in a batch, None where it was not looked at.

    Raises:
        BadBatch: when that is less than none, or more than any queue could hold.
    """
    if count is not None and not 0 <= count <= MOST_AT_ONCE:
        raise BadBatch(count)
