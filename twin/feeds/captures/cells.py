"""Read lines of attributes: any number of cells on a line, of any width, with any indent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.captures.records import SECRET_KEYWORDS, without_secret
from twin.mqsc.words import VERB_SPELLINGS

Cells: TypeAlias = dict[str, str]
"""The cells of one line by keyword, in their order."""

_SECOND_AT: Final = 43
"""The column of the second cell, from 0; it decides where brackets do not match."""

HANDLE: Final = "OBJNAME"
"""The keyword with which the rows of handles begin."""

_DEEPEST: Final = 50
_MOST_CELLS: Final = 2000
_MOST_KNOWN: Final = 20_000
_ENDINGS: Final = frozenset({"END", "EXIT", "QUIT"})


class LineRead(NamedTuple):
    """What a line was read as.

    Attributes:
        cells: its complete cells.
        open: the index in the line where a cell begins whose bracket is not closed; -1 if none.
    """

    cells: Cells
    open: int = -1


def read_line(line: str) -> LineRead | None:  # noqa: PLR0911 - one line for each way to end
    """Read the cells of a line; return None if it has text that belongs to no cell."""
    cells: Cells = {}
    at, end = 0, len(line)
    for _ in range(_MOST_CELLS):
        bracket = line.find("(", at)
        words = (line[at:bracket] if bracket >= 0 else line[at:end]).split()
        if not all(map(is_keyword, words)):
            return None
        if bracket < 0:
            cells.update(dict.fromkeys(words, ""))
            return LineRead(cells) if cells else None
        if not words or line[bracket - 1].isspace():
            return None
        close = closing(line, bracket)
        keyword = words.pop()
        cells.update(dict.fromkeys(words, ""))
        if close < 0:
            return LineRead(cells, line.rindex(keyword, at, bracket))
        at = close + 1
        if at < end and not line[at].isspace():
            return None
        _put(cells, keyword, line[bracket + 1 : close])
        if at >= end:
            return LineRead(cells)
    return None


def quickly(lines: Iterable[str]) -> Cells | None:
    """Read the lines of a row that has no blanks in its values; None if it may have some."""
    text = "\n".join(lines) + "\n"
    words = text.replace("( )\n", "()\n").replace("( ) ", "() ").split()
    try:
        cells = dict(map(_KNOWN.__getitem__, words))
    except _Irregular:
        return None
    return cells if len(cells) == len(words) else None


class _Irregular(Exception):
    """A word is not one cell; never leaves this module."""


class _KnownCells(dict[str, tuple[str, str]]):
    """The cells that were read before, by their text."""

    def __missing__(self, word: str) -> tuple[str, str]:
        """Read a cell that is not known."""
        keyword, bracket, value = word.partition("(")
        if keyword not in _PLAIN and not _is_plain(keyword, bracket):
            raise _Irregular
        if bracket:
            if value[-1:] != ")":
                raise _Irregular
            value = value[:-1]
            if ("(" in value or ")" in value) and closing(word, len(keyword)) != len(word) - 1:
                raise _Irregular
            if ":" in value or "=" in value or keyword in SECRET_KEYWORDS:
                safe = without_secret(keyword, value)
                if safe != value:
                    return keyword, safe
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[word] = keyword, value
        return keyword, value


_KNOWN: Final = _KnownCells()
_PLAIN: Final[set[str]] = set()
"""Keywords that were seen and need no care."""


def _is_plain(keyword: str, bracket: str) -> bool:
    """Return whether a word is a keyword that needs no care, and remember it."""
    if keyword == HANDLE or not is_keyword(keyword):
        return False
    if is_verb(keyword):
        return bool(bracket)
    if len(_PLAIN) < _MOST_KNOWN:
        _PLAIN.add(keyword)
    return True


def is_verb(word: str) -> bool:
    """Return whether a word begins a command, or ends a session."""
    return (word := word.upper()) in VERB_SPELLINGS or word in _ENDINGS


def read_unpaired(line: str) -> Cells | None:
    """Read a line whose brackets do not match: column 44 and the last bracket of a cell decide."""
    halves = [half for half in (line[:_SECOND_AT], line[_SECOND_AT:]) if half.strip()]
    for pieces in (halves, [line]):
        cells: Cells = {}
        for piece in pieces:
            keyword, bracket, value = piece.strip().partition("(")
            if not is_keyword(keyword) or (bracket and not value.endswith(")")):
                break
            _put(cells, keyword, value[:-1])
        else:
            return cells or None
    return None


def is_keyword(word: str) -> bool:
    """Return whether a word has the form of a keyword of MQSC."""
    return word.isupper() and word.isalnum() and word.isascii() and word[0].isalpha()


def closing(line: str, bracket: int) -> int:
    """Return the index of the bracket that closes the one at `bracket`; -1 if there is none."""
    close = line.find(")", bracket)
    inner, searched = bracket, bracket + 1
    for _ in range(_DEEPEST):
        inner = line.find("(", searched, close) if close >= 0 else -1
        if inner < 0:
            return close
        searched = inner + 1
        close = line.find(")", close + 1)
    return -1


def _put(cells: Cells, keyword: str, value: str) -> None:
    """Add a cell; a keyword that comes twice has both values, with a comma."""
    text = without_secret(keyword, value.rstrip())
    cells[keyword] = f"{cells[keyword]},{text}" if keyword in cells else text


def joined(first: str, second: str) -> str:
    """Join a cell that goes on in the next line: as it is cut, or at the commas of a list."""
    if second.lstrip().startswith(","):
        return first.rstrip() + second.strip()
    return first + second
