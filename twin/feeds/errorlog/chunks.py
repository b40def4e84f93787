"""Pasted lines divided into chunks of one form each: text, JSON, console, z/OS, a lone message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from twin.feeds.errorlog.headers import MARK
from twin.feeds.errorlog.json_lines import console_line
from twin.feeds.errorlog.record import LogRecord, is_heading
from twin.feeds.reading.not_understood import LONGEST

ALONE: Final = re.compile(
    r"\s*(?:(?:AMQ[A-Z]{0,2}\d{4}|CSQ[A-Z0-9]\d{3})[A-Z]?[\s,;.]*){1,64}", re.ASCII | re.IGNORECASE
)
"""A line of ids alone."""

_MESSAGE: Final = re.compile(r"(?<![A-Za-z0-9])AMQ[A-Z]{0,2}\d{4}[A-Z]?:", re.ASCII)
IDS: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:AMQ[A-Z]{0,2}\d|CSQ[A-Z0-9])\d{3}[A-Z]?(?!\.?[A-Za-z0-9])", re.ASCII
)
"""An id in a text; the name of a file such as AMQ1494.0.FDC is no id."""

_CSQ: Final = re.compile(r"(?<![A-Za-z0-9])CSQ[A-Z0-9]\d{3}[A-Z](?![A-Za-z0-9])", re.ASCII)
_ATTRIBUTES: Final = re.compile(
    r"\s*(?:Process|User|Program|Host|Installation|VRMF|QMgr|Time|RemoteHost|(?:Arith|Comment)"
    r"Insert\d)\(",
    re.ASCII,
)
_JES: Final = re.compile(r"\s?\d\d\.\d\d\.\d\d (?:JOB|STC|TSU)\d|.{0,30}---- [A-Z]+DAY,", re.ASCII)
_DAY: Final = re.compile(r".{0,30}---- [A-Z]+DAY,", re.ASCII)
_QUOTE: Final = re.compile(r"(?:>[ \t]?)*")
_COLONS: Final = {":", "\uff1a"}
_LONGEST_HEADING: Final = 24
_JSON_LINES: Final = 400
"""The most lines that one JSON object is put together from."""

SEARCHED: Final = 4096
"""The number of characters of a line in which an id is looked for."""

_BLANKS: Final = {"", " ", "\t"}
TRAILER: Final = "-----"


class PastedForm(Enum):
    """The form of a chunk."""

    TEXT = auto()
    JSON = auto()
    CONSOLE = auto()
    ZOS = auto()
    LONE = auto()
    """A message without a header, or below a torn one; or ids in prose."""
    OTHER = auto()


@dataclass(slots=True)
class Chunk:
    """Consecutive lines of one form.

    Attributes:
        form: their form.
        line: the first line, from 1.
        lines: the lines, up to the limit of a record.
        size: their number of characters, also of those beyond the limit.
        has_message: whether one of them has a message id with a colon.
        indents: whether the lines of a wrapped message are indented, since it has a prefix.
        explained: whether a heading was seen, so that what follows is an explanation.
        blank: whether the last line is blank.
        margin: the blanks at the start of the first line.
        ended: whether no line follows but one that is marked as a continuation.
        day: the line of a job log, before this chunk, that has the date; '' for none.
    """

    form: PastedForm
    line: int
    lines: list[str] = field(default_factory=list)
    size: int = 0
    has_message: bool = False
    indents: bool = False
    explained: bool = False
    blank: bool = False
    margin: str = ""
    ended: bool = False
    day: str = ""

    def add(self, line: str) -> None:
        """Add a line; beyond the limit of a record it is dropped."""
        if self.size <= LONGEST:
            self.lines.append(line)
        self.size += len(line) + 1

    def is_full(self, line: str) -> bool:
        """Tell whether a line would be dropped, so that it must begin another chunk."""
        return self.size + len(line) > LONGEST


def chunks(lines: Iterable[str]) -> Iterator[Chunk]:
    """Divide lines, with or without their ends, into chunks; blank lines between them are lost."""
    chunk: Chunk | None = None
    day = ""
    for number, written in enumerate(lines, start=1):
        line = written.rstrip("\r\n").replace("\0", "\ufffd")
        if line[:1] == ">" and (quote := _QUOTE.match(line)):
            line = line[quote.end() :]
        if chunk is not None and _GOES_ON[chunk.form](chunk, line):
            chunk.add(line)
            continue
        if chunk is not None:
            day = _day_of(chunk) or day
            yield chunk
            chunk = None
        if line and not line.isspace():
            chunk = _begun(number, line)
            chunk.day = day if chunk.form is PastedForm.ZOS else ""
    if chunk is not None:
        yield chunk


def _day_of(chunk: Chunk) -> str:
    """Return the last line of a job log that has the date; '' if there is none."""
    lines = reversed(chunk.lines) if chunk.form is PastedForm.ZOS else ()
    return next((line for line in lines if _DAY.match(line)), "")


def _begun(number: int, line: str) -> Chunk:
    """Return the chunk that begins with a line."""
    form = _form(line)
    chunk = Chunk(form, number)
    chunk.add(line)
    if form in {PastedForm.TEXT, PastedForm.LONE}:
        begin = message_at(line)
        chunk.has_message, chunk.indents = begin >= 0, begin > 0
    if form is PastedForm.JSON:
        chunk.ended = line.rstrip()[-1:] != "{"
        chunk.margin = line[: len(line) - len(line.lstrip())]
    elif form is PastedForm.ZOS:
        chunk.ended = not (_JES.match(line) or line[:1].isdigit() or line[:1] == "+")
    elif form is PastedForm.LONE:
        chunk.ended = not (chunk.has_message or _ATTRIBUTES.match(line))
    return chunk


def _form(line: str) -> PastedForm:
    """Return the form of a line that begins a chunk."""
    near = line[:SEARCHED]
    return next((form for form, holds in _FORMS if holds(line, near)), PastedForm.OTHER)


def _is_json(line: str, near: str) -> bool:
    return near.lstrip(" \ufeff")[:1] == "{" or '"ibm_messageI' in line


def _is_console(line: str, near: str) -> bool:
    found = console_line(1, line)
    return isinstance(found, LogRecord) or (found is not None and not IDS.search(near))


_FORMS: Final[tuple[tuple[PastedForm, Callable[[str, str], object]], ...]] = (
    (PastedForm.OTHER, lambda line, _: len(line) > LONGEST),
    (PastedForm.JSON, _is_json),
    (PastedForm.TEXT, lambda line, _: MARK in line),
    (PastedForm.LONE, lambda _, near: ALONE.fullmatch(near)),
    (PastedForm.ZOS, lambda _, near: _CSQ.search(near) or _JES.match(near)),
    (PastedForm.CONSOLE, _is_console),
    (PastedForm.LONE, lambda _, near: IDS.search(near) or _ATTRIBUTES.match(near)),
)
"""What a line must have for each form; the first that holds decides."""


def _text_goes_on(chunk: Chunk, line: str) -> bool:
    """Tell whether a record goes on: up to its trailer, the next header, or the end of its line."""
    if chunk.ended or MARK in line or _begins_other(line):
        return False
    if chunk.has_message and (not line.strip() or message_at(line) == 0):
        return False
    chunk.ended = line.lstrip().startswith(TRAILER)
    return True


def _json_goes_on(chunk: Chunk, line: str) -> bool:
    """Tell whether an object goes on, which is spread over lines: up to a brace at the margin."""
    if chunk.ended or line.startswith(f"{chunk.margin}{{"):
        return False
    chunk.ended = line.startswith(f"{chunk.margin}}}") or len(chunk.lines) >= _JSON_LINES
    return True


def _zos_goes_on(chunk: Chunk, line: str) -> bool:
    """Tell whether a job log goes on: up to a blank line, or one of another form."""
    if chunk.is_full(line) or not line.strip() or MARK in line or _begins_other(line):
        return False
    follows = line[:1] in {" ", "\t"} or line[:3].isdigit() or _CSQ.search(line[:SEARCHED])
    return not chunk.ended or bool(follows)


def _console_goes_on(chunk: Chunk, line: str) -> bool:
    return not chunk.is_full(line) and _form(line) is PastedForm.CONSOLE


def _lone_goes_on(chunk: Chunk, line: str) -> bool:
    """Tell whether a message goes on: it may be wrapped, and an explanation may follow it."""
    if chunk.ended or MARK in line or _begins_other(line):
        return False
    begin = message_at(line)
    begins = begin == 0 or (begin > 0 and not chunk.explained)
    if not chunk.has_message:
        chunk.has_message = begins
        return begins or not line.strip() or _ATTRIBUTES.match(line) is not None
    if begins or _ATTRIBUTES.match(line):
        return False
    chunk.ended = line.startswith(TRAILER)
    was_blank, chunk.blank = chunk.blank, not line.strip()
    chunk.explained |= _is_heading_line(line)
    if chunk.indents and not chunk.explained and line[:1] not in _BLANKS:
        return False
    return chunk.ended or chunk.blank or chunk.explained or not was_blank


def _other_goes_on(chunk: Chunk, line: str) -> bool:
    return not chunk.is_full(line) and bool(line.strip()) and _form(line) is PastedForm.OTHER


_GOES_ON: Final[dict[PastedForm, Callable[[Chunk, str], bool]]] = {
    PastedForm.TEXT: _text_goes_on,
    PastedForm.JSON: _json_goes_on,
    PastedForm.ZOS: _zos_goes_on,
    PastedForm.CONSOLE: _console_goes_on,
    PastedForm.LONE: _lone_goes_on,
    PastedForm.OTHER: _other_goes_on,
}
"""Form -> whether a chunk goes on with a line; it notes what the line changes in the chunk."""


def _begins_other(line: str) -> bool:
    """Tell whether a line begins JSON, or a message on a console or in a job log."""
    first = line[:1]
    if first == "{" or '"ibm_messageI' in line:
        return True
    if not first.isdigit():
        return False
    return _JES.match(line) is not None or _is_console(line, line[:SEARCHED])


def message_at(line: str) -> int:
    """Return where a message id with a colon stands in a line; -1 if none does."""
    found = _MESSAGE.search(line, 0, SEARCHED) if "AMQ" in line else None
    return found.start() if found else -1


def _is_heading_line(line: str) -> bool:
    text = line.strip()
    return text[-1:] in _COLONS and len(text) <= _LONGEST_HEADING and is_heading(text[:-1])
