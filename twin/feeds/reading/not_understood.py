"""The parts of a feed that a reader does not understand; the bound of a record, and its digest.

Parts of a file that come to nothing: the first of each kind, and how many more there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from hashlib import blake2b
from typing import Final, Generic, NamedTuple, TypeVar

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


MOST_ALIKE: Final = 1000
"""How many parts of one kind are kept one by one."""

_Part = TypeVar("_Part")


class Tally(Generic[_Part]):
    """Parts in the order of the file, in bounded memory as long as there are few kinds.

    Of each kind, the first `MOST_ALIKE` are kept. All others are merged into one.
    """

    def __init__(
        self, kind: Callable[[_Part], Hashable], merged: Callable[[_Part, _Part], _Part]
    ) -> None:
        """Begin without parts.

        Args:
            kind: returns what is equal for parts of one kind.
            merged: returns one part that stands for two of a kind, the earlier one first.
        """
        self.total = 0
        self._kind = kind
        self._merged = merged
        self._counts: Counter[Hashable] = Counter()
        self._first: list[_Part] = []
        self._rest: dict[Hashable, _Part] = {}

    def add(self, part: _Part) -> None:
        """Add a part."""
        kind = self._kind(part)
        self.total += 1
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_ALIKE:
            self._first.append(part)
        else:
            known = self._rest.get(kind)
            self._rest[kind] = part if known is None else self._merged(known, part)

    def __iter__(self) -> Iterator[_Part]:
        """Return the parts, with those that stand for several at the end."""
        yield from self._first
        yield from self._rest.values()
