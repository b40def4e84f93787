"""What an error log says of why a channel fails, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.events.logged import FailureKind
from twin.rules.logged import LoggedCause

_SAYS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.SEQUENCE: "the ends disagree about the next sequence number",
        FailureKind.BLOCKED: "{on} blocks it by channel authentication",
        FailureKind.TLS: "the ends do not agree on TLS",
        FailureKind.LIMIT: "{on} runs as many channels as it may",
        FailureKind.IN_USE: "{on} takes an old instance of the channel for alive",
        FailureKind.STOPPED: "the other end lets nobody in: most often it is STOPPED there",
    }
)
"""What a record says, by its kind; of messages that could not be put, the location does."""


def said(cause: LoggedCause, other: str) -> str:
    """Return what a record says; `other` is the queue manager that did not write it.

    Location 1 of AMQ9544 is the dead-letter queue of the writer, 2 that of its partner (the text of
    7.x, and logs of 9.1 with ArithInsert1).
    """
    if (says := _SAYS.get(cause.kind)) is not None:
        return says.format(on=cause.on)
    at = {1: cause.on, 2: other}.get(cause.location)
    went = f", and went to the dead-letter queue of {at}" if at else ""
    return f"messages could not be put on their queue{went}"
