"""The records of saved DISPLAY answers, and what is not understood; no secret is in them.

Read lines of attributes: any number of cells on a line, of any width, with any indent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.reading.not_understood import NotUnderstood, not_understood
from twin.model.attributes import HIDDEN, TYPES, Flag
from twin.model.instants import Instant
from twin.mqsc.masking import SECRETS, is_secret, masked, masked_text, may_have_password
from twin.mqsc.words import VERB_SPELLINGS

ALL_NAMES: Final = "*"
NARROWED: Final = "only "
"""How a reason begins that an answer shows only what was asked for, and all of that."""

_CONSIDERED: Final = 2048
_USER: Final = re.compile(r"((?:-u|--user)[= ]\s*'?[^\s:'\"]{1,200}:)[^\s'\"]+")
_MAYBE_SECRET: Final = re.compile("|".join(sorted(SECRETS)), re.IGNORECASE)

RowValues: TypeAlias = Mapping[str, str]
"""Attribute -> value as MQ shows it; '' for a blank value and for a keyword without a value."""


class CapturedRow(NamedTuple):
    """One object of an answer.

    Attributes:
        line: the line where it starts, from 1.
        values: its attributes, in the order of the answer.
    """

    line: int
    values: RowValues


class Capture(NamedTuple):
    """The answer of one queue manager to one command.

    Attributes:
        line: the first line of the command or the answer, from 1.
        last_line: the last line.
        qmgr: the queue manager that answered; '' if it is unknown.
        command: the command as typed, on one line, with its secrets masked; '' if it is unknown.
        verb: such as DISPLAY; GET for a resource of mqweb; '' if it is unknown.
        object: the object word, such as CLUSQMGR or QLOCAL; '' if it is unknown. The status of
            queue managers that `dspmq` shows has the word DSPMQ.
        name: the name asked for, perhaps generic; '' if it is unknown.
        asked: the keywords without values in the command, such as ALL or SAVED.
        selected: the keywords with values in the command, such as ('CLUSTER', 'C1').
        where: the inside of WHERE, '' without one.
        rows: the objects, in the order of the answer.
        messages: the ids of the messages of the answer that are no heading of a row.
        complete_for: the name asked for, if the answer shows everything with such a name; None if
            it may lack something, for the reasons of `lacking`.
        lacking: why the answer may lack something.
        claimed: the instant that the source itself gives to the answer; None if it gives none.
        part: from 0; a long answer is divided into several records, one after another.
        more: whether the answer goes on in the next record.
        digest: of the content without its layout, and of what it is complete for: an answer that
            was cut when it was first read is another record when it is whole.
    """

    line: int
    last_line: int
    qmgr: str
    command: str
    verb: str
    object: str
    name: str
    asked: tuple[str, ...]
    selected: tuple[tuple[str, str], ...]
    where: str
    rows: tuple[CapturedRow, ...]
    messages: tuple[str, ...]
    complete_for: str | None
    lacking: tuple[str, ...]
    claimed: Instant | None
    part: int
    more: bool
    digest: str

    @property
    def faults(self) -> tuple[str, ...]:
        """Why something is missing that was asked for."""
        return tuple(why for why in self.lacking if not why.startswith(NARROWED))

    @property
    def complete(self) -> bool:
        """Whether what the answer does not show did not exist for the queue manager."""
        return self.complete_for == ALL_NAMES


def left_over(line: int, text: str, why: str) -> NotUnderstood:
    """Return a line that is no part of an answer; of a line that may hold a secret, nothing."""
    start = text[:_CONSIDERED]
    safe = HIDDEN if _MAYBE_SECRET.search(start) else _USER.sub(rf"\1{HIDDEN}", masked_text(start))
    return not_understood(line, safe, why)


def without_secrets(command: str) -> str:
    """Return a command without its secrets."""
    return masked_text(masked(command))


def without_secret(keyword: str, value: str) -> str:
    """Return the value of an attribute, masked if it is a secret or contains one."""
    return HIDDEN if value and is_secret(keyword) else masked_text(value)


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
    return (word := word.upper()) in VERB_SPELLINGS or word in {"END", "EXIT", "QUIT"}


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
    return first.rstrip() + second.strip() if second.lstrip().startswith(",") else first + second
