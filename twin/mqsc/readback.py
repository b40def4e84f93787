"""Read the text of a runmqsc session back into records.

It reads what ``twin.mqsc.layout`` writes and what people paste: columns of any width, one or more
cells on a line, tabs, prompts and typed lines before the echo, time stamps at the start of lines,
message texts in any language, ids with and without severity letter, and the blocks of z/OS. It
lists the lines that it could not read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from twin.model.messages import SYNTAX_ERROR
from twin.mqsc.layout import FIRST_WIDTH, INDENT, LISTED, Cell

_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\S+ \S+:(?: |$)")
_MESSAGE = re.compile(r"^\s*(AMQ\d{4}(?=[A-Z]?:)|CSQ[A-Z0-9]\d{3}(?=[A-Z]\s))[A-Z]?:?\s*(.*)$")
_ECHO = re.compile(r"^\s*(\d*) ?:(?: (.*))?$")
_STARTING = re.compile(r"Starting MQSC for queue manager (\S+?)\.?\s*$")
_ZOS_END = re.compile(r"^\s*END \w+ DETAILS\s*$")
_WORD = re.compile(r"[A-Z][A-Z0-9_]*")
_SECOND_AT: Final = len(INDENT) + FIRST_WIDTH + len(INDENT)
_UNPAIRED = re.compile(r"^\s*([A-Z][A-Z0-9_]*)\((.*)\)\s*$")
_MORE_COUNTERS: Final = 2
_TEXT_FOLLOWS: Final = frozenset({SYNTAX_ERROR, "AMQ8426", "AMQ8427"})
"""Messages that are followed by a part of a command, or by a syntax diagram."""


@dataclass(slots=True)
class SessionRecord:
    """One message of a session, with the cells after it.

    Attributes:
        id: the id of the message, without severity letter.
        text: the text of the message, in any language.
        line: the number of its line, from 1.
        qmgr: the queue manager of the session; None if unknown.
        command: the echoed command, its lines joined with newlines; '' if there was no echo.
        cells: keywords and values; a blank value is '', the names of a namelist are a tuple.
    """

    id: str
    text: str
    line: int
    qmgr: str | None = None
    command: str = ""
    cells: list[Cell] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str | tuple[str, ...] | None]:
        """The cells by keyword."""
        return dict(self.cells)


@dataclass(frozen=True, slots=True)
class StrangeLine:
    """A line that is not an echo, a message, a cell or part of the frame."""

    line: int
    text: str


@dataclass(slots=True)
class ReadBack:
    """The records of a text, and the lines that were not understood."""

    records: list[SessionRecord] = field(default_factory=list)
    not_understood: list[StrangeLine] = field(default_factory=list)


def read_back(text: str) -> ReadBack:
    """Read the text of one or more sessions; never raises."""
    pasted = text.removeprefix("\ufeff").split("\n")
    lines = [_STAMP.sub("", line.removesuffix("\r")) for line in pasted]
    reading = _Reading(typed=_typed(lines))
    for number, line in enumerate(lines, 1):
        reading.line(number, line)
    return reading.result


def read_cells(line: str) -> list[Cell] | None:
    """Read the cells of one line; return None if it is not a line of cells.

    Brackets inside values are matched in pairs. If they do not match, column 44 and the last
    bracket of the line decide.
    """
    whole = _cells(line)
    if whole is not None:
        return whole
    first, second = line[:_SECOND_AT].rstrip(), line[_SECOND_AT:].rstrip()
    halves = [_unpaired(first), _unpaired(second)] if second else []
    if halves and all(halves):
        return [cell for cell in halves if cell]
    only = _unpaired(line)
    return [only] if only else None


class _Reading:
    """The state of reading one text."""

    def __init__(self, typed: frozenset[int]) -> None:
        self.result = ReadBack()
        self.typed = typed
        self.number = 0
        self.qmgr: str | None = None
        self.command: list[str] = []
        self.record: SessionRecord | None = None
        self.listed: tuple[str, str] | None = None
        self.counters = 0
        self.open = False

    def line(self, number: int, line: str) -> None:
        """Read one line."""
        self.number = number
        if not line.strip() or number in self.typed or _ZOS_END.match(line):
            return
        steps = (self._frame, self._echo, self._message, self._names, self._row, self._counter)
        if not any(step(line) for step in steps):
            self.result.not_understood.append(StrangeLine(number, line))

    def _frame(self, line: str) -> bool:
        """Read the first lines of a session."""
        starting = _STARTING.search(line)
        if starting or "5724-H72" in line:
            self.qmgr = starting.group(1) if starting else None
            self.record, self.command = None, []
            self.counters, self.open = 0, True
            return True
        return False

    def _echo(self, line: str) -> bool:
        echo = _ECHO.match(line)
        if not echo:
            return False
        text = echo.group(2) or ""
        self.open = True
        if echo.group(1):
            self.command = [text]
        elif self.record is None and not text.startswith("*"):
            self.command.append(text)
        self.record = None
        return True

    def _message(self, line: str) -> bool:
        message = _MESSAGE.search(line)
        if not message:
            return False
        self._close_names()
        self.open = True
        command = "\n".join(self.command).strip()
        self.record = SessionRecord(message.group(1), message.group(2).strip(), self.number)
        self.record.qmgr, self.record.command = self.qmgr, command
        self.result.records.append(self.record)
        return True

    def _names(self, line: str) -> bool:
        """Read one more line of an open list of names."""
        if self.listed is None or not line.lstrip().startswith(","):
            return False
        keyword, so_far = self.listed
        self.listed = keyword, so_far + line.strip()
        if self.listed[1].endswith(")"):
            self._close_names()
        return True

    def _close_names(self) -> None:
        if self.listed and self.record:
            keyword, text = self.listed
            self.record.cells.append((keyword, _names(text.removesuffix(")"))))
        self.listed = None

    def _row(self, line: str) -> bool:
        """Read a line of cells, or the first line of a list of names."""
        if self.record is None:
            return False
        if self.record.id in _TEXT_FOLLOWS:
            return True
        keyword, bracket, rest = line.strip().partition("(")
        if keyword in LISTED and bracket and _closing(line, line.index("(")) is None:
            self.listed = keyword, rest
            return True
        cells = read_cells(line)
        if cells is None or not (line[:1].isspace() or "(" in line):
            return False
        self.record.cells += cells
        return True

    def _counter(self, line: str) -> bool:
        """Read the counters at the end; the first of them contains MQSC in every language."""
        if self.open and "MQSC" in line:
            self.counters, self.record, self.open = _MORE_COUNTERS, None, False
        elif self.counters:
            self.counters -= 1
        else:
            return False
        return True


def _typed(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines that were typed directly before their echo."""
    typed = set()
    previous = 0
    for number, line in enumerate(lines, 1):
        echo = _ECHO.match(line)
        text = (echo.group(2) or "").strip() if echo and echo.group(1) else ""
        if text and previous and lines[previous - 1].rstrip().endswith(text):
            typed.add(previous)
        previous = number if line.strip() else previous
    return frozenset(typed)


def _cells(line: str) -> list[Cell] | None:
    """Read a line of cells; return None if its brackets do not match or it has other text."""
    cells: list[Cell] = []
    at, end = 0, len(line.rstrip())
    while at < end:
        if line[at].isspace():
            at += 1
            continue
        word = _WORD.match(line, at)
        if not word:
            return None
        at = word.end()
        if at == end or line[at].isspace():
            cells.append((word.group(), None))
        elif line[at] != "(" or (close := _closing(line, at)) is None:
            return None
        else:
            cells.append(_cell(word.group(), line[at + 1 : close]))
            at = close + 1
    return cells or None


def _closing(line: str, at: int) -> int | None:
    """Return the index of the bracket that closes the one at `at`; None if there is none."""
    depth = 0
    for index in range(at, len(line)):
        depth += {"(": 1, ")": -1}.get(line[index], 0)
        if not depth:
            return index
    return None


def _unpaired(text: str) -> Cell | None:
    match = _UNPAIRED.match(text)
    return _cell(match.group(1), match.group(2)) if match else None


def _cell(keyword: str, value: str) -> Cell:
    if keyword in LISTED:
        return keyword, _names(value)
    return keyword, value if value.strip() else ""


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))
