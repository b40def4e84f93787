"""The parts of a feed that a reader does not understand; the bound of a record, and its digest."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final, NamedTuple

from twin.mqsc.masking import masked_text

_SHOWN: Final = 80
"""The number of characters that are shown."""

_CONSIDERED: Final = 4 * _SHOWN

_SECRET: Final = re.compile("(?i)passw|pwd|initkey|initialkey|open_?string")

LONG_QMID: Final = "has a QMID of more than 48 characters, which MQ does not make"
"""Why a part of a file is refused."""

LONGEST: Final = 1 << 20
"""The most characters of one record; a longer one is cut and reported."""

TOO_LONG: Final = "is longer than 1 MiB"
"""Why a record is cut."""

DIGEST_SIZE: Final = 16
"""The number of bytes of a digest."""

_LAYOUT: Final = b" \t\r\n\v\f"


class NotUnderstood(NamedTuple):
    """A part of a text that no record could be made of, or only a part of one.

    Attributes:
        line: the line where it starts, from 1.
        text: its beginning, without passwords.
        why: the reason, for people.
        id: the id of the message that it begins with, as written; '' if it begins with none.
    """

    line: int
    text: str
    why: str
    id: str = ""


def not_understood(line: int, text: str, why: str) -> NotUnderstood:
    """Return a row with the beginning of a text on one short line.

    The text ends at a word that looks like that of a password, because what follows cannot be told
    apart in a text that is not understood.
    """
    shown = " ".join(text[:_CONSIDERED].split())
    if secret := _SECRET.search(shown):
        shown = shown[: secret.end()] + "..."
    shown = masked_text(shown)
    word = shown.partition(" ")[0].rstrip(":")
    is_id = word[:3] in {"AMQ", "CSQ"} and any(character.isdigit() for character in word)
    short = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    return NotUnderstood(line, short, why, word if is_id else "")


def digest_of(content: str) -> str:
    """Return the digest of a record's content; blanks and line ends do not count."""
    dense = content.encode("utf-8", "surrogatepass").translate(None, _LAYOUT)
    return blake2b(dense, digest_size=DIGEST_SIZE).hexdigest()
