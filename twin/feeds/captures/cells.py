"""Read lines of attributes: any number of cells on a line, of any width, with any indent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.captures.records import without_secret
from twin.model.attributes import TYPES, Flag
from twin.mqsc.masking import SECRETS, may_have_password
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
_FLAGS: Final = frozenset(
    {
        *("CURRENT SAVED SHORT".split()),
        *(
            word
            for table in TYPES.values()
            for attribute in table.attributes
            if isinstance(attribute.form, Flag)
            for word in (attribute.keyword, attribute.form.off)
        ),
    }
)
"""Keywords that DISPLAY shows without a value."""

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
            _put_alone(cells, words)
            return LineRead(cells) if cells else None
        if not words or line[bracket - 1].isspace():
            return None
        close = closing(line, bracket)
        keyword = words.pop()
        _put_alone(cells, words)
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
    """Read lines of one row if they are of the usual form; return None if they may not be.

    The usual form has known keywords, no blanks in values, and no brackets in values other than
    CONNAME. Then the brackets need only be counted, not matched. No value can hold a password: each
    form of one has a colon, an equals sign or a bracket.
    """
    text = "\n".join(lines) + "\n"
    if ":" in text or "=" in text:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "( )" in text:
        text = text.replace("( )\n", "()\n").replace("( ) ", "() ")
    words = text.split()
    cells: Cells = {}
    for word in words:
        keyword, _, value = word.partition("(")
        cells[keyword] = value[:-1]
    if len(cells) != len(words) or not _PLAIN.issuperset(cells):
        return None
    ends = text.count(")\n") + text.count(") ")
    inner = text.count("(") - ends
    address = cells.get("CONNAME", "") if inner else ""
    if not address.count("(") == inner == address.count(")") == text.count(")") - ends:
        return None
    if inner and (closing(f"({address})", 0) != len(address) + 1 or may_have_password(address)):
        return None
    return cells if CAREFUL.isdisjoint(cells) else _carefully(cells)


_PLAIN: Final[set[str]] = set()
"""Keywords that were seen, other than the one with which rows of handles begin."""

CAREFUL: Final = SECRETS | {"SUSPEND"}
"""Keywords whose values matter: secrets, and one that is also a command."""


def _carefully(cells: Cells) -> Cells | None:
    """Mask the secrets of a row; return None for a command that looks like a cell."""
    if cells.get("SUSPEND") == "":
        return None
    for keyword in SECRETS.intersection(cells):
        cells[keyword] = without_secret(keyword, cells[keyword])
    return cells


def _remember(keyword: str) -> None:
    """Remember a keyword that was read."""
    if keyword != HANDLE and len(_PLAIN) < _MOST_KNOWN:
        _PLAIN.add(keyword)


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
    if keyword not in _PLAIN:
        _remember(keyword)
    text = without_secret(keyword, value.rstrip())
    cells[keyword] = f"{cells[keyword]},{text}" if keyword in cells else text


def _put_alone(cells: Cells, words: list[str]) -> None:
    """Add keywords without values; only MQ's own flags are remembered."""
    for word in words:
        cells[word] = ""
        if word in _FLAGS:
            _remember(word)


def joined(first: str, second: str) -> str:
    """Join a cell that goes on in the next line: as it is cut, or at the commas of a list."""
    if second.lstrip().startswith(","):
        return first.rstrip() + second.strip()
    return first + second
