"""Find JSON objects in a text of any length: concatenated, one a line, or elements of an array.

The text arrives as lines. At most one object and one piece of text are in memory. An object that is
not valid JSON is reported, and reading goes on at the next one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from twin.feeds.reading.blocks import PIECE, pieces
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood

_NOTHING: Final = re.compile(r"\s*+\Z")
_SHOWN: Final = 512
_TOKEN: Final = 16
"""A mistake this near to the end of a piece may be a token that goes on in the next piece."""

_decode: Final = json.JSONDecoder(strict=False).raw_decode
"""Control characters are allowed in strings: amqsevt does not escape them."""


class JsonObject(NamedTuple):
    """One object.

    Attributes:
        line: the line where it starts, from 1.
        last_line: the line where it ends.
        text: its text.
        value: its members.
    """

    line: int
    last_line: int
    text: str
    value: dict[str, Any]


def json_objects(
    lines: Iterable[str], *, start: re.Pattern[str], between: re.Pattern[str]
) -> Iterator[JsonObject | NotUnderstood]:
    """Yield the objects of a text in order, and what is not understood; never raises.

    Args:
        lines: the lines, with or without their line ends.
        start: matches the beginning of an object, from its brace on.
        between: matches the other lines that need no report, without the blanks around them.
            Consecutive lines that it does not match are reported once.
    """
    stream = _Stream(start, between)
    for piece in pieces(lines):
        if stream.is_enough(piece):
            yield from stream.objects(last=False)
    yield from stream.objects(last=True)
    yield from stream.rest()


class _Stream:
    """The text that is not read yet, and where it is."""

    def __init__(self, start: re.Pattern[str], between: re.Pattern[str]) -> None:
        self._start = start
        self._between = between
        self._text = ""
        self._at = 0
        self._line = 1
        self._needed = 0
        self._stray: NotUnderstood | None = None
        self._quiet = False

    def is_enough(self, piece: str) -> bool:
        """Add a piece of text; return whether it may be the end of the object before it."""
        self._text = self._text[self._at :] + piece
        self._at = 0
        if len(self._text) < self._needed:
            return False
        self._needed = 0
        return True

    def rest(self) -> Iterator[NotUnderstood]:
        """Yield what was not understood after the last object."""
        if self._stray:
            yield self._stray

    def objects(self, *, last: bool) -> Iterator[JsonObject | NotUnderstood]:
        """Yield the objects that end in the text so far, all of it if it is the last piece."""
        text, search, decode = self._text, self._start.search, _decode
        while found := search(text, self._at):
            begin = found.start()
            if begin - self._at != 1 or text[self._at] != "\n" or self._stray:
                self._pass_over(begin)
                if self._stray:
                    yield self._stray
                    self._stray = None
            else:
                self._line += 1
                self._at = begin
            try:
                value, end = decode(text, begin)
            except (ValueError, RecursionError) as error:
                problem = self._failed(begin, error, last=last)
                if problem is None:
                    return
                yield problem
                continue
            own = text[begin:end]
            line = self._line
            self._line = last_line = line + own.count("\n")
            self._at = end
            self._quiet = False
            if len(own) > LONGEST:
                yield not_understood(line, own, TOO_LONG)
            else:
                yield JsonObject(line, last_line, own, value)
        self._pass_over(len(self._text) if last else self._undecided())

    def _undecided(self) -> int:
        """Return where the text begins that may be the beginning of an object."""
        brace = self._text.rfind("{", max(self._at, len(self._text) - PIECE))
        return len(self._text) if brace < 0 else brace

    def _failed(
        self, begin: int, error: ValueError | RecursionError, *, last: bool
    ) -> NotUnderstood | None:
        """Go on after an object that is not valid; None if it may go on in the next piece."""
        size = len(self._text) - begin
        place = error.pos if isinstance(error, json.JSONDecodeError) else begin
        unfinished = isinstance(error, json.JSONDecodeError) and (
            error.msg.startswith("Unterminated string")
            or _NOTHING.match(self._text, place) is not None
            or (not last and len(self._text) - place < _TOKEN)
        )
        beginning = self._text[begin : begin + _SHOWN]
        if unfinished and not last and size <= LONGEST:
            self._needed = 2 * size
            return None
        if size > LONGEST and unfinished:
            problem = not_understood(self._line, beginning, TOO_LONG)
            self._advance(len(self._text))
        else:
            why = "is not complete" if unfinished else "is not valid JSON"
            problem = not_understood(self._line, beginning, why)
            too_deep = isinstance(error, RecursionError)
            self._advance(self._outside(begin) if too_deep else self._next(begin, place))
        self._quiet = True
        return problem

    def _next(self, begin: int, place: int) -> int:
        """Return where the next object may start: the last one before the mistake, or after it."""
        before = 0
        for found in self._start.finditer(self._text, begin + 1):
            if found.start() > place:
                return before or found.start()
            before = found.start()
        return before or len(self._text)

    def _outside(self, begin: int) -> int:
        """Return where the next object starts that is not the value of a member."""
        for found in self._start.finditer(self._text, begin + 1):
            before = self._text[max(begin, found.start() - _TOKEN) : found.start()]
            if not before.rstrip().endswith(":"):
                return found.start()
        return len(self._text)

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _pass_over(self, to: int) -> None:
        """Skip text outside objects; remember the first whole line that is not understood."""
        passed = self._text[self._at : to]
        if self._stray is None and not self._quiet and "\n" in passed:
            for number, line in enumerate(passed.split("\n")[:-1], start=self._line):
                bare = line.strip()
                if bare and not self._between.fullmatch(bare):
                    self._stray = not_understood(number, bare, "is not part of a record")
                    break
        self._advance(to)
