"""Text to commands: what runmqsc reads from its input, and what it echoes while it reads.

Sources: IBM MQ 9.3, MQSC input file syntax; IBM MQ 9.0, Building command scripts and Using MQSC
commands interactively. They settle: a line that starts with an asterisk and a blank line are
ignored, also inside a continued command; a plus sign continues from the first non-blank of the
next line, a minus sign from its column 1, when it is the last non-blank of a line, even inside a
quoted string; a semicolon ends a command; a line has up to 2048 characters.

Where they are silent: a semicolon inside a quoted string belongs to the string; several commands
on one line are echoed one part each, under their own numbers; a file that ends inside a
continued command ends that command; a line or a command that is too long makes its command a
syntax error (``CommandRead.too_long``) and is echoed cut: a line at its limit, a command behind the
line that takes it over its own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LINE_LIMIT = 2048
"""Characters of one line of input (IBM MQ, Building command scripts)."""

COMMAND_LIMIT = 32762
"""Characters of one command after its lines are joined."""

BLANKS = " \t\r\f\v"
_ENDING = frozenset({"END", "EXIT", "QUIT"})


@dataclass(frozen=True, slots=True)
class Echoed:
    """One line of the echo.

    Attributes:
        text: the line as runmqsc shows it, number or blanks in front.
        line: the number of the input line, from 1.
    """

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class CommandRead:
    """One whole command.

    Attributes:
        number: which command of the session, from 1, as echoed and counted.
        text: its lines joined, without continuation characters and ending semicolon.
        line: the number of the input line it starts on, from 1.
        too_long: a line was over ``LINE_LIMIT`` or the whole is over ``COMMAND_LIMIT``.
    """

    number: int
    text: str
    line: int
    too_long: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the input; nothing is read behind it.

    Attributes:
        line: the number of the last input line that was read.
        by: ``END``, ``EXIT`` or ``QUIT`` as folded, '' at the end of the text.
    """

    line: int
    by: str


Item = Echoed | CommandRead | Ended


@dataclass(slots=True)
class _Command:
    """The command being read."""

    number: int
    line: int
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    quotes: int = 0
    continued: str = ""
    too_long: bool = False


def read(text: str) -> Iterator[Item]:
    """Read a whole text; a leading byte order mark is dropped."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines[-1]:
        lines.pop()
    return read_lines(lines)


def read_lines(lines: Iterable[str]) -> Iterator[Item]:
    """Read lines one by one, as they are typed; the last item is always ``Ended``.

    Args:
        lines: without their line ends; a carriage return left at an end is no text.
    """
    reading = _Reading()
    for raw in lines:
        yield from reading.line(raw.removesuffix("\r"))
        if reading.ended:
            return
    yield from reading.end()


class _Reading:
    """Where the reading of one input stands."""

    def __init__(self) -> None:
        self.at = 0
        self.commands = 0
        self.pending: _Command | None = None
        self.ended = False

    def line(self, line: str) -> Iterator[Item]:
        """Take one line."""
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
        """Take the end of the text."""
        if self.pending:
            yield from self._finish(self.pending)
        if not self.ended:
            yield Ended(self.at, "")

    def _part(self, part: str, *, too_long: bool) -> Iterator[Item]:
        """Take a line, or what stands between two semicolons of one."""
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
        """Give a command that is whole, or the end when it says so."""
        self.pending = None
        text = "".join(command.pieces)
        if (word := text.strip(BLANKS).upper()) in _ENDING:
            self.ended = True
            yield Ended(self.at, word)
            return
        self.commands += 1
        too_long = command.too_long or command.size > COMMAND_LIMIT
        yield CommandRead(command.number, text, command.line, too_long)


def _parts(line: str, *, quoted: bool) -> list[str]:
    """Split a line behind each semicolon that stands outside quotes."""
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
    """Return a part without the semicolon that ends it, and whether one did."""
    stripped = part.rstrip(BLANKS)
    return (stripped[:-1], True) if stripped.endswith(";") else (part, False)


def _take(command: _Command, body: str, *, closed: bool) -> None:
    """Add one part to a command and note how it goes on."""
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
