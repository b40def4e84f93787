"""How many messages there are: too many at once, none, or fewer, is bad input."""

from __future__ import annotations

from twin.errors import TwinError
from twin.model.amounts import MOST_AT_ONCE


class BadCount(TwinError, ValueError):
    """A number of messages that nobody puts or gets at once, or that nobody saw."""

    def __init__(self, count: int, what: str = "put at once", least: int = 1) -> None:
        super().__init__(f"{count} messages are not {what}: {least} to {MOST_AT_ONCE:,}")


def demand_count(count: int, what: str = "put at once") -> None:
    """Check how many messages are to be put, or got.

    Raises:
        BadCount: when it is none, or more than any queue could hold.
    """
    if not 0 < count <= MOST_AT_ONCE:
        raise BadCount(count, what)


def demand_seen(count: int | None) -> None:
    """Check how many messages were seen under way, None where it was not looked at.

    Raises:
        BadCount: when that is less than none, or more than any queue could hold.
    """
    if count is not None and not 0 <= count <= MOST_AT_ONCE:
        raise BadCount(count, "seen under way", least=0)
