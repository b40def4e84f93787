"""How many messages there can be."""

from __future__ import annotations

from typing import Final

MOST_AT_ONCE: Final = 999_999_999
"""As many as one act puts at the most: the highest MAXDEPTH (IBM MQ 9.4, "DEFINE queues")."""


def counted(number: int, noun: str = "message") -> str:
    """Say how many there are of something: 1 message, 2 messages."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
