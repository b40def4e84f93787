"""The parts of a feed that a reader does not understand."""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.feeds.masking import masked_text

_SHOWN: Final = 80
"""The number of characters that are shown."""


class NotUnderstood(NamedTuple):
    """A part of a text that no record could be made of, or only a part of one.

    Attributes:
        line: the line where it starts, from 1.
        text: its beginning, without passwords.
        why: the reason, for people.
    """

    line: int
    text: str
    why: str


def not_understood(line: int, text: str, why: str) -> NotUnderstood:
    """Return a row with a text shortened to one short line, without passwords."""
    shown = masked_text(" ".join(text[: 4 * _SHOWN].split()))
    if len(shown) > _SHOWN:
        shown = shown[: _SHOWN - 3] + "..."
    return NotUnderstood(line, shown, why)
