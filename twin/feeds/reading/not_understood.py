"""The parts of a feed that a reader does not understand."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from twin.mqsc.masking import masked_text

_SHOWN: Final = 80
"""The number of characters that are shown."""

_CONSIDERED: Final = 4 * _SHOWN
_SECRET: Final = re.compile("(?i)passw|pwd|initkey|initialkey|open_?string")


LONG_QMID: Final = "has a QMID of more than 48 characters, which MQ does not make"
"""Why a part of a file is refused."""


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
    """Return a row with the beginning of a text on one short line.

    The text ends at a word that looks like that of a password, because what follows cannot be told
    apart in a text that is not understood.
    """
    shown = " ".join(text[:_CONSIDERED].split())
    if secret := _SECRET.search(shown):
        shown = shown[: secret.end()] + "..."
    shown = masked_text(shown)
    return NotUnderstood(line, shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "...", why)
