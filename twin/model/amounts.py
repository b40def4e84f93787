"""Numbers of messages."""

from __future__ import annotations

from typing import Final

MOST_AT_ONCE: Final = 999_999_999
"""The largest number of messages of one put: the highest MAXDEPTH (IBM MQ 9.4, "DEFINE queues")."""


def counted(number: int, noun: str = "message") -> str:
    """Write a number with its noun: 1 message, 2 messages."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
