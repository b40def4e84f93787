"""Split text into commands as runmqsc does, with the lines that it echoes.

Documented in IBM MQ 9.3, MQSC input file syntax, and IBM MQ 9.0, Building command scripts and Using
MQSC commands interactively:

- A line that starts with an asterisk, or is blank, is ignored, even inside a continued command.
- A plus or minus sign as the last non-blank character continues a command, even inside a quoted
  string. After a plus sign it continues at the first non-blank of the next line, after a minus sign
  at its column 1.
- A semicolon ends a command. A line has up to 2048 characters.

Not documented there:

- A semicolon inside a quoted string belongs to the string.
- Several commands on one line are echoed in parts, each with its own number.
- The end of a file ends a continued command.
- A line or a command that is too long is a syntax error (``CommandRead.too_long``). Its echo is
  cut: a line at its limit, a command after the line that exceeds the limit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LINE_LIMIT = 2048
"""Characters of one line of input (IBM MQ, Building command scripts)."""

COMMAND_LIMIT = 32762
"""Characters of one command after its lines are joined."""

BLANKS = " \t\r\f\v"


@dataclass(frozen=True, slots=True)
class Echoed:
    """One line of the echo.

    Attributes:
        text: the line as runmqsc shows it, after its number or blanks.
        line: the number of the input line, from 1.
    """

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class CommandRead:
    """One whole command.

    Attributes:
        number: the number of the command in the session, from 1, as echoed and counted.
        text: its lines joined, without continuation characters and final semicolon.
        line: the number of the input line where it starts, from 1.
        too_long: whether a line exceeds ``LINE_LIMIT`` or the command ``COMMAND_LIMIT``.
    """

    number: int
    text: str
    line: int
    too_long: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the input; nothing after it is read.

    Attributes:
        line: the number of the last input line that was read.
        by: ``END``, ``EXIT`` or ``QUIT`` in upper case; '' if the text ended without one.
    """

    line: int
    by: str


Item = Echoed | CommandRead | Ended


@dataclass(slots=True)
class _Command:
    """The command that is being read."""

    number: int
    line: int
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    quotes: int = 0
    continued: str = ""
    too_long: bool = False


def read(text: str) -> Iterator[Item]:
    """Read a text; a byte order mark at its start is ignored."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return read_lines(lines)


def read_lines(lines: Iterable[str]) -> Iterator[Item]:
    """Read lines one by one, as they are typed; the last item is always ``Ended``.

    Args:
        lines: without their line ends; a carriage return at an end is ignored.
    """
    reading = _Reading()
    for raw in lines:
        yield from reading.line(raw.removesuffix("\r"))
        if reading.ended:
            return
    yield from reading.end()


class _Reading:
    """The state of reading one input."""

    def __init__(self) -> None:
        self.at = 0
        self.commands = 0
        self.pending: _Command | None = None
        self.ended = False

    def line(self, line: str) -> Iterator[Item]:
        """Read one line."""
        self.at += 1
        if line.startswith("*") or not line.strip(BLANKS):
            yield Echoed(_echo(None, line), self.at)
            return
        too_long = len(line) > LINE_LIMIT
        for part in _parts(line, quoted=bool(self.pending and self.pending.quotes % 2)):
            yield from self._part(part, too_long=too_long)
            if self.ended:
                return

    def end(self) -> Iterator[Item]:
        """Read the end of the text."""
        if self.pending:
            yield from self._finish(self.pending)
        if not self.ended:
            yield Ended(self.at, "")

    def _part(self, part: str, *, too_long: bool) -> Iterator[Item]:
        """Read a line, or the part of a line up to a semicolon."""
        body, closed = _body(part)
        command = self.pending
        if command is None and not body.strip(BLANKS):
            yield Echoed(_echo(None, part), self.at)
            return
        if command is None or command.size <= COMMAND_LIMIT:
            yield Echoed(_echo(None if command else self.commands + 1, part), self.at)
        command = command or _Command(self.commands + 1, self.at)
        command.too_long |= too_long
        _take(command, body, closed=closed)
        self.pending = command
        if not command.continued:
            yield from self._finish(command)

    def _finish(self, command: _Command) -> Iterator[Item]:
        """Yield a complete command, or the end of the input if it is END, EXIT or QUIT."""
        self.pending = None
        text = "".join(command.pieces)
        if (word := text.strip(BLANKS).upper()) in {"END", "EXIT", "QUIT"}:
            self.ended = True
            yield Ended(self.at, word)
            return
        self.commands += 1
        too_long = command.too_long or command.size > COMMAND_LIMIT
        yield CommandRead(command.number, text, command.line, too_long)


def _parts(line: str, *, quoted: bool) -> list[str]:
    """Split a line after each semicolon that is not in quotes."""
    if ";" not in line:
        return [line]
    parts, start = [], 0
    for at, character in enumerate(line):
        if character == "'":
            quoted = not quoted
        elif character == ";" and not quoted:
            parts.append(line[start : at + 1])
            start = at + 1
    tail = line[start:]
    if tail.strip(BLANKS):
        parts.append(tail)
    elif parts:
        parts[-1] += tail
    return parts or [line]


def _body(part: str) -> tuple[str, bool]:
    """Return a part without its final semicolon, and whether it had one."""
    stripped = part.rstrip(BLANKS)
    return (stripped[:-1], True) if stripped.endswith(";") else (part, False)


def _take(command: _Command, body: str, *, closed: bool) -> None:
    """Add a part to a command, with its continuation character."""
    if command.continued == "+":
        body = body.lstrip(BLANKS)
    stripped = body.rstrip(BLANKS)
    command.continued = stripped[-1:] if not closed and stripped[-1:] in {"+", "-"} else ""
    piece = stripped[:-1] if command.continued else body
    command.pieces.append(piece)
    command.size += len(piece)
    command.quotes += piece.count("'")


def _echo(number: int | None, text: str) -> str:
    """Return a line as runmqsc echoes it, cut at the line limit."""
    head = "      " if number is None else f"{number:6d}"
    return f"{head} : {text[:LINE_LIMIT]}"
