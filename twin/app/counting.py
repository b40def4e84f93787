"""How many messages are put or got at once: too many, or none, is bad input."""

from __future__ import annotations

from twin.errors import TwinError
from twin.model.amounts import MOST_AT_ONCE


class BadCount(TwinError, ValueError):
    """A number of messages that nobody puts, or gets, at once."""

    def __init__(self, count: int, done: str = "put") -> None:
        super().__init__(f"{count} messages are not {done} at once: 1 to {MOST_AT_ONCE:,}")


def demand_count(count: int, *, done: str = "put") -> None:
    """Check how many messages are to be put, or got.

    Raises:
        BadCount: when it is none, or more than any queue could hold.
    """
    if not 0 < count <= MOST_AT_ONCE:
        raise BadCount(count, done)
