"""Read the output of runmqsc, one answer to a command after another.

Read are sessions with and without banner, echo, prompts and time stamps, in any language, and what
z/OS answers. Only ids, echo and cells are read, not the words of messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import Final

from twin.feeds.captures import frame, zos
from twin.feeds.captures.answers import DSPMQ, CaptureRecord, SessionAnswers
from twin.feeds.captures.asked import HEADINGS, NOTHING
from twin.feeds.captures.records import is_verb, left_over, quickly, read_line
from twin.feeds.captures.shapes import RowShapes
from twin.feeds.reading.blocks import blocks
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG

_START: Final = 4
_STARTS: Final = frozenset(f"   {letter}" for letter in ascii_uppercase)
_SHORT: Final = 400
_MOST_WAITING: Final = 1000
_OF_TWIN: Final = "twin: "
"""What the line begins with that twin adds to its own answers."""

_MORE_COUNTERS: Final = 2
_ID: Final = 7
_MARK: Final = "\ufeff"
_SEVERAL: Final = re.compile(r"(?=\bAMQ\d{4}[A-Z]?:)")
_TEXT_FOLLOWS: Final = frozenset({"AMQ8405", "AMQ8426", "AMQ8427"})
"""Messages that are followed by a part of a command, or by a syntax diagram."""

_ABOUT_SESSION: Final = frozenset({"AMQ8521"})
"""Messages at the start of a session that answer nothing: the history of commands is missing."""


def read_captures(lines: Iterable[str]) -> Iterator[CaptureRecord]:
    """Read lines, with or without their ends; never raises because of their text."""
    reading = SessionReading()
    waiting: list[str] = []
    collects, heading, number, full = False, None, 0, 0
    for block in blocks(lines):
        at, size = 0, len(block)
        while at < size:
            if heading is not None and not waiting:
                at, number, records = reading.rows(block, at, number)
                yield from records
                if at == size:
                    break
            end = block.find("\n", at) + 1
            line, at = block[at:end], end
            number += 1
            if collects and line[:_START] in _STARTS and len(line) < _SHORT and number < full:
                waiting.append(line)
                continue
            if line == heading:
                yield from reading.next_row(number, waiting)
            else:
                if waiting:
                    yield from reading.cells(number - len(waiting), waiting)
                yield from reading.line(number, line)
            waiting.clear()
            collects, heading, full = reading.collects, reading.heading, number + _MOST_WAITING
    if waiting:
        yield from reading.cells(number - len(waiting) + 1, waiting)
    yield from reading.end(number)


class SessionReading:
    """The state of reading one text.

    Attributes:
        collects: whether lines that begin like cells may be collected, and read together later.
        heading: the last line, if it was nothing but the heading of a row; it may come again.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self.collects = False
        self.heading: str | None = None
        self._answers = SessionAnswers()
        self._shapes = RowShapes()
        self._counters = 0
        self._maybe = ""
        self._banner = self._swallow = self._segment = self._headed = False

    def cells(self, first: int, lines: list[str]) -> list[CaptureRecord]:
        """Read lines that begin like cells and return the records that they complete.

        Args:
            first: the number of their first line, from 1.
            lines: the lines, all within an open row at their begin.
        """
        row, cells = self._answers.row, quickly(lines)
        if row is not None and cells is not None:
            row.put(cells, sum(map(len, lines)))
            return []
        records: list[CaptureRecord] = []
        for number, line in enumerate(lines, first):
            row = self._answers.row
            cells = quickly((line,)) if self.collects else None
            if row is not None and cells is not None:
                row.put(cells, len(line))
            else:
                records += self.line(number, line)
        return records

    def next_row(self, number: int, lines: list[str]) -> list[CaptureRecord]:
        """Read lines of a row, and the same heading again as before it."""
        answers = self._answers
        row, answer = answers.row, answers.answer
        answers.number = number
        if row is not None and row.untouched and answer is not None:
            cells = quickly(lines)
            if cells and "QMNAME" not in cells:
                self._shapes.learn(lines, cells)
                record = answer.add(row.line, cells)
                row.line = number
                return [] if record is None else [record]
        heading = self.heading or ""  # before the lines change it
        return self.cells(number - len(lines), lines) + self.line(number, heading)

    def rows(self, block: str, at: int, number: int) -> tuple[int, int, list[CaptureRecord]]:
        """Read rows in a known layout, each with the same heading again after it.

        Args:
            block: the text.
            at: where the line after the heading begins.
            number: the number of the line of the heading.

        Returns:
            Where the line after the last such heading begins, its number, and the records that
            the rows complete.
        """
        records: list[CaptureRecord] = []
        row, answer, heading = self._answers.row, self._answers.answer, self.heading
        if row is None or not row.untouched or answer is None or heading is None:
            return at, number, records
        read = self._shapes.read
        while (found := read(block, at)) is not None and block.startswith(heading, found.end):
            record = answer.add(row.line, found.cells, found.content)
            if record is not None:
                records.append(record)
            at = found.end + len(heading)
            number += found.lines + 1
            row.line = self._answers.number = number
        return at, number, records

    def line(self, number: int, raw: str) -> list[CaptureRecord]:
        """Read one line and return the records that it completes."""
        answers = self._answers
        answers.number = number
        self._headed = False
        text = raw.rstrip().removeprefix(_MARK) if len(raw) <= LONGEST else ""
        if not text and len(raw) > LONGEST:
            answers.out.append(left_over(number, raw, TOO_LONG))
            if answers.answer is not None:
                answers.answer.fault("a line is too long")
        elif not self._take(text):
            answers.unknown(text)
        row = answers.row
        self.collects = row is not None and not row.held and not row.zos
        self.heading = raw if self._headed else None
        out, answers.out = answers.out, []
        return out

    def end(self, number: int) -> list[CaptureRecord]:
        """Read the end of a text, given its number of lines, and return the last records."""
        self._answers.number = number
        self._answers.close(closed=False)
        self._answers.flush()
        return self._answers.out

    def _take(self, text: str) -> bool:  # noqa: PLR0911 - one line for each kind of line
        """Take a line; return whether it is understood."""
        answers = self._answers
        if text[10:11] == "T":
            text, answers.claimed = frame.stamped(text)
        else:
            answers.claimed = None
        row = answers.row
        if row is not None and row.held and row.join("" if _ends_values(text) else text):
            return True
        if not text:
            return True
        if self._cells(text):
            return True
        stripped = text.lstrip()
        if stripped.startswith("AMQ") and self._messages(stripped):
            return True
        if "CSQ" in text and (said := zos.message(text)):
            self._maybe, self._swallow = "", False
            return zos.take(answers, said)
        if (echoed := frame.echo(text)) is not None:
            self._echo(*echoed)
            return True
        return (
            self._session(text)
            or self._swallowed(text)
            or self._late_cells(text)
            or self._counter(text)
            or (stripped.startswith("[") and stripped.endswith("]") and self._inserts())
        )

    def _cells(self, text: str) -> bool:
        """Take a line of cells into the open row, or the end of the row."""
        row = self._answers.row
        if row is None:
            return False
        if row.zos:
            text = zos.without_number(text)
            if zos.is_row_end(text):
                self._answers.close_row()
                return True
        return not is_verb(text.split(maxsplit=1)[0]) and row.take(text)

    def _messages(self, text: str) -> bool:
        """Read a message, or several on one line, with the cells on it."""
        if text.count("AMQ") > 1 and len(pieces := _SEVERAL.split(text)[1:]) > 1:
            return any([self._messages(piece.strip()) for piece in pieces])  # noqa: C419 - all of them
        id_, rest = text[:_ID], text[_ID:]
        rest = rest[1:] if rest[:1].isupper() else rest
        if not id_[3:].isdecimal() or rest[:1] not in {":", "\uff1a"}:
            return False
        return self._message(id_, rest[1:])

    def _message(self, id_: str, text: str) -> bool:
        """Read a message of a distributed queue manager."""
        word = HEADINGS.get(id_, "")
        answers = self._answers
        answers.close_row()
        if id_ in _ABOUT_SESSION:
            return answers.open
        answer = answers.answering(word or NOTHING.get(id_, ""))
        if answer is None:
            return False
        self._maybe, self._swallow, self._segment = "", id_ in _TEXT_FOLLOWS, True
        answer.last_line = answers.number
        cells = zos.cells_in(text)
        if word or cells:
            answers.open_row(cells)
            self._headed = not cells
            return True
        answer.message(id_)
        self._maybe = "" if id_ in NOTHING or self._swallow else id_
        return True

    def _echo(self, number: str, text: str) -> None:
        """Read a line of the echo."""
        answers = self._answers
        answers.repeated(text.strip())
        answers.open = answers.echoes = True
        self._swallow, self._maybe = False, ""
        if number:
            answers.close(closed=True)
            answers.command(text, answers.number)
        else:
            answers.further(text)

    def _session(self, text: str) -> bool:
        """Read the first lines of a session, and the shell before it."""
        name = frame.started(text)
        if name is not None or self._banner:
            self._answers.session(name or frame.started_in_any_language(text))
            self._banner, self._counters = False, 0
            return True
        shell = frame.shell_line(text)
        if shell is None and not frame.is_banner(text):
            return False
        self._answers.close(closed=False)
        self._banner, self._counters = shell is None, 0
        if shell is None:
            self._answers.session("")
            self._answers.since = frame.own_instant(text)
        else:
            self._answers.started_by_shell(shell.qmgr, shell.command, filtered=shell.filtered)
        return True

    def _late_cells(self, text: str) -> bool:
        """Read the first cells of a row without heading, or after a message that is not known."""
        answers = self._answers
        if "(" not in text or self._swallow or is_verb(text.split(maxsplit=1)[0]):
            return False
        if read_line(text) is None:
            return False
        if self._maybe and answers.answer is not None:
            answers.answer.messages.pop(self._maybe, None)
            self._maybe = ""
        elif text.lstrip().startswith("QMNAME(") and answers.answer is None and not answers.awaited:
            answers.begin(DSPMQ)
        elif answers.awaited and text[:1].isspace():
            answers.begin().fault("a heading is missing")
        else:
            return False
        return answers.open_row().take(text)

    def _counter(self, text: str) -> bool:
        """Read the counters at the end; the first of them contains MQSC in every language."""
        if text.startswith(_OF_TWIN):
            return True
        if any(mark in text for mark in "><$#|"):
            return False
        if self._counters:
            self._counters -= 1
            return True
        answers = self._answers
        if not answers.open or "MQSC" not in text:
            return False
        answers.end_session(text)
        self._counters, self._swallow = _MORE_COUNTERS, False
        return True

    def _swallowed(self, text: str) -> bool:
        """Take the part of a command, or the syntax diagram, after a message."""
        segment, self._segment = self._segment, False
        return self._swallow and (segment or text[:1].isspace())

    def _inserts(self) -> bool:
        """Return whether a line may have the inserts of a message."""
        answer = self._answers.answer
        return answer is not None and bool(answer.messages)


def _ends_values(text: str) -> bool:
    """Return whether a line cannot be the rest of a value."""
    if text.lstrip()[:3] in {"AMQ", "CSQ"} or frame.echo(text) is not None:
        return True
    return "MQSC" in text and ")" not in text
