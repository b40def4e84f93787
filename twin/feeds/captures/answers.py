"""Assign rows and messages to the commands that they answer."""

from __future__ import annotations

import re
from typing import TypeAlias

from twin.feeds.captures import frame
from twin.feeds.captures.answer import CommandAnswer, OpenRow
from twin.feeds.captures.asked import Asked, asked_by, command_of
from twin.feeds.captures.records import Capture, Cells, left_over
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.amounts import counted, verb
from twin.model.instants import Instant

CaptureRecord: TypeAlias = Capture | NotUnderstood

DSPMQ = Asked("dspmq", "DISPLAY", "DSPMQ", known=True)
"""The control command that shows the status of queue managers in the form of cells."""

_LONGEST_COMMAND = 40_000
_MOST_UNKNOWN = 50


class SessionAnswers:
    """The answers of one text while they are read.

    Attributes:
        out: the complete records; the caller takes them.
        number: the current line, from 1.
        qmgr: the queue manager of the session; '' if it is unknown.
        claimed: the instant at the start of the line; None if there is none.
        since: the instant of the session; None if it has none.
        echoes: whether the session repeats the commands that are typed.
        filtered: whether another program left out lines of the output.
        open: whether a session has begun.
        answered: how many commands were answered in the session so far.
        answer: the answer that is being read.
        row: the row that is being read.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self.out: list[CaptureRecord] = []
        self.number = 0
        self.qmgr = ""
        self.claimed: Instant | None = None
        self.since: Instant | None = None
        self.echoes = self.filtered = self.open = False
        self.answered = 0
        self.answer: CommandAnswer | None = None
        self.row: OpenRow | None = None
        self._typed: list[str] = []
        self._piped: tuple[int, str] | None = None
        self._typed_at = self._typed_size = 0
        self._unknown: list[tuple[int, str]] = []

    @property
    def awaited(self) -> bool:
        """Whether a command was typed and not answered."""
        return bool(self._typed)

    def session(self, qmgr: str) -> None:
        """Begin a session with a queue manager, '' if it is unknown."""
        self.flush()
        self.qmgr, self.open, self.echoes, self.answered = qmgr, True, False, 0

    def started_by_shell(self, qmgr: str, command: str, *, filtered: bool) -> None:
        """Note that a shell starts a session, perhaps with a command."""
        self.session(qmgr)
        self.filtered = filtered
        self._piped = (self.number, command) if command else None

    def end_session(self, text: str) -> None:
        """Note that a session ends at this line, which may say how many commands it had."""
        self.close_row()
        answer = self.answer
        answered = self.answered + bool(answer is not None and answer.says_something)
        read = frame.commands_read(text)
        contradicts = read is not None and read < (answered if self.echoes else min(answered, 1))
        if contradicts and answer is not None:
            answer.fault("the session says that it had fewer commands")
        self.close(closed=True)
        if contradicts:
            commands = counted(read, "command") if read else "no command"
            why = (
                f"counts {commands}, but {counted(answered, 'answer')} {verb(answered, 'stand')} "
                "above it in the session: lines are missing or were moved"
            )
            self.out.append(left_over(self.number, text, why))
        self.session("")
        self.open = self.filtered = False
        self.since = None
        self._piped = None

    def command(self, text: str, at: int) -> None:
        """Note the first line of a command."""
        self._piped = None
        self._typed, self._typed_at, self._typed_size = [text], at, len(text)

    def further(self, text: str) -> None:
        """Note a further line of a command; it ends the answer if there is one."""
        if self.answer is not None:
            self.close(closed=True)
        elif self._typed and self._typed_size < _LONGEST_COMMAND:
            self._typed.append(text)
            self._typed_size += len(text)

    def begin(self, asked: Asked | None = None) -> CommandAnswer:
        """Begin the answer to the command that was typed, or to a given one."""
        if self._piped and not self._typed:
            self.command(self._piped[1], self._piped[0])
        asked = asked or asked_by(command_of(self._typed))
        at = self._typed_at if self._typed else self.number
        self._typed = []
        self.flush()
        self.answer = CommandAnswer(at, self.qmgr, asked, self.claimed or self.since)
        self.open = True
        if self.filtered:
            self.answer.fault("another program read the output")
        return self.answer

    def answering(self, word: str) -> CommandAnswer | None:
        """Return the answer that a message belongs to; None if it is no part of an answer.

        Args:
            word: the object word that the message stands for; '' if it stands for none.
        """
        if not self.echoes:
            self.adopt()
        answer = self.answer
        if answer is not None and (answer.asked.command or (word and answer.word == word)):
            return answer
        if answer is not None:
            self.close(closed=True)
        if not (self._typed or word or self.open):
            return None
        answer = self.begin()
        if not answer.asked.command:
            answer.word = word
        return answer

    def adopt(self) -> None:
        """Take the last lines that were not understood as the command, if they are one."""
        lines = [text for _, text in self._unknown]
        if not lines or not (command := frame.typed_command(command_of(lines))):
            return
        at = self._unknown[0][0]
        self._unknown = []
        self.close(closed=True)
        self.command(command, at)

    def unknown(self, text: str) -> None:
        """Keep a line that is not understood until the next ones show whether it was typed."""
        goes_on = bool(self._unknown) and self._unknown[-1][1].endswith(("+", "-"))
        if not goes_on or len(self._unknown) >= _MOST_UNKNOWN:
            self.flush()
        self._unknown.append((self.number, text))

    def repeated(self, text: str) -> None:
        """Forget the line that was not understood, if it is typed text that is repeated now."""
        if self._unknown and text and self._unknown[-1][1].rstrip().endswith(text):
            self._unknown.pop()
        self.flush()

    def forget(self, echo: re.Pattern[str]) -> None:
        """Forget lines that were not understood, once the next line shows what they are."""
        self._unknown = [each for each in self._unknown if not echo.match(each[1])]

    def flush(self) -> None:
        """Report the lines that were not understood."""
        for at, text in self._unknown:
            self.out.append(left_over(at, text, "is no part of an answer"))
        self._unknown = []

    def open_row(self, cells: Cells | None = None, *, zos: bool = False) -> OpenRow:
        """Begin a row."""
        self.close_row()
        self.row = OpenRow(self.number, cells, zos=zos)
        return self.row

    def close_row(self) -> None:
        """Add the open row to its answer."""
        row, answer, self.row = self.row, self.answer, None
        if row is None or answer is None:
            return
        for values in row.close():
            name = values.get("QMNAME")
            if name and not answer.qmgr and answer.asked is not DSPMQ:
                answer.qmgr = self.qmgr = name
            record = answer.add(row.line, values)
            if record is not None:
                self.out.append(record)
        for why in row.faults:
            if answer.asked is not DSPMQ:
                self.out.append(left_over(row.line, "", why))
            answer.fault(why)

    def close(self, *, closed: bool) -> None:
        """End the answer, also one without any line.

        Args:
            closed: whether the current line shows that the answer is at its end.
        """
        self.close_row()
        if self._typed and command_of(self._typed) and self.answer is None:
            self.begin().fault("nothing was answered")
        self._typed = []
        if self.answer is not None:
            self.answered += self.answer.says_something
            self.answer.last_line = max(self.answer.line, self.number - closed)
            self.out.append(self.answer.end(closed=closed))
        self.answer = None
