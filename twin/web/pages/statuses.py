"""How the status of a channel is shown: a letter, and with it a colour and a dash."""

from __future__ import annotations

from typing import Final

LETTERS: Final = {
    "RUNNING": "R",
    "INACTIVE": "I",
    "DISCONNECTED": "I",
    "RETRYING": "T",
    "STOPPED": "S",
}
"""The statuses that have a letter of their own; any other one passes soon."""

OTHER: Final = "other"


def letter(status: str) -> str:
    """Return the letter of a status; `other` for one that a channel passes through."""
    return LETTERS.get(status, OTHER)
