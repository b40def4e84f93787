"""Take JSON documents from lines in pieces, so that a long array is never held as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from twin.feeds.reading.not_understood import LONGEST

_TOKEN: Final = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"|["{}\[\]]')
_KEY: Final = re.compile(r'"(\w+)"\s*:\s*\Z')
_START: Final = re.compile(r"\s*[\[{]")
_QUOTED_START: Final = re.compile(r"'(?=\{)")
_DEEPEST: Final = 60
_OUTER: Final = 3
_TAIL: Final = 200


class PlainLine(NamedTuple):
    """A line that is not JSON, or belongs to a text in brackets that is not JSON."""

    line: int
    text: str


class JsonElement(NamedTuple):
    """One object of an array that is read element by element."""

    line: int
    key: str
    value: dict[str, Any]


class JsonDocument(NamedTuple):
    """One of the outer objects, at its end; `key` names its array that was read by elements."""

    line: int
    last_line: int
    key: str
    value: dict[str, Any]
    outermost: bool


class BrokenJson(NamedTuple):
    """A part that cannot be read; `ends` tells whether its document is given up."""

    line: int
    text: str
    why: str
    ends: bool = True


JsonPiece: TypeAlias = PlainLine | JsonElement | JsonDocument | BrokenJson


class _Open:
    """A bracket that is not closed yet."""

    def __init__(self, bracket: str, at: int, line: int, key: str) -> None:
        self.bracket, self.at, self.line, self.key = bracket, at, line, key
        self.had = ""


class JsonPieces:
    """The state of reading one text.

    Attributes:
        arrays: the keys whose arrays are read element by element.
    """

    def __init__(self, arrays: frozenset[str]) -> None:
        """Begin outside of JSON."""
        self.arrays = arrays
        self._torn = re.compile(r"\{\s*\"(?:" + "|".join(sorted(arrays)) + r")\"\s*:")
        self._reset()

    def read(self, lines: Iterable[str]) -> Iterator[JsonPiece]:
        """Read lines; a document may begin and end anywhere in them."""
        number = 0
        for number, line in enumerate(lines, 1):
            yield from self._line(number, line.rstrip("\r\n"))
        if self._open or self._skipped:
            yield BrokenJson(number, "", "a document has no end")

    def _reset(self) -> None:
        self._open: list[_Open] = []
        self._outer: list[str] = []
        self._element: list[str] = []
        self._depth = self._skipped = self._size = self._element_line = 0

    def _line(self, number: int, line: str) -> Iterator[JsonPiece]:
        at = 0
        if self._is_in_object() and self._torn.match(line):
            yield BrokenJson(self._open[0].line, "", "a document has no end")
            self._reset()
        if not self._open and not self._skipped:
            at = _start_of(line)
            if at < 0:
                yield PlainLine(number, line)
                return
        for match in _TOKEN.finditer(line, at):
            mark = match[0]
            if mark == '"':
                yield BrokenJson(number, line, "a string has no end")
                self._reset()
                return
            if mark in "{[":
                at = self._opened(mark, number, line, at, match.start())
            elif mark in "}]":
                yield from self._closed(number, line, at, match.end())
                at = match.end() if not self._depth else at
        self._keep(line[at:] + "\n")
        if self._size > LONGEST or len(self._open) + self._depth > _DEEPEST:
            yield BrokenJson(number, "", "a document is too long or too deep")
            depth = len(self._open) + self._depth
            self._reset()
            self._skipped = depth

    def _is_in_object(self) -> bool:
        """Return whether an object is open; in a list, the next one may begin with a line."""
        return any(each.bracket == "{" for each in self._open)

    def _keep(self, text: str) -> None:
        """Keep text of the open element, or of the outer objects."""
        if self._depth:
            self._element.append(text)
            self._size += len(text)
        elif self._open and not self._open[-1].key:
            self._outer.append(text)
            self._size += len(text)

    def _opened(self, mark: str, number: int, line: str, at: int, found: int) -> int:
        """Take an opening bracket; return where the text begins that is not kept yet."""
        if self._skipped or self._depth:
            self._skipped += bool(self._skipped)
            self._depth += bool(self._depth)
            return at
        if self._open and self._open[-1].key and mark == "{":
            self._depth, self._element, self._element_line, self._size = 1, [], number, 0
            return found
        self._keep(line[at:found])
        named = _KEY.search("".join(self._outer[-4:])[-_TAIL:]) if mark == "[" else None
        key = named[1] if named and named[1] in self.arrays else ""
        if len(self._open) <= _DEEPEST:
            self._open.append(_Open(mark, len(self._outer), number, key))
            self._outer.append(mark)
        return found + 1

    def _closed(self, number: int, line: str, at: int, end: int) -> Iterator[JsonPiece]:
        """Take a closing bracket and yield what is complete now."""
        if self._skipped:
            self._skipped -= 1
            return
        if self._depth:
            self._depth -= 1
            if not self._depth:
                self._element.append(line[at:end])
                yield self._whole_element()
            return
        if not self._open:
            return
        closed = self._open[-1]
        self._keep(line[at : end - 1])
        self._outer.append(line[end - 1])
        self._open.pop()
        if closed.key and self._open:
            self._open[-1].had = closed.key
        if closed.bracket == "{" and len(self._open) < _OUTER:
            yield from self._whole_object(closed, number)
        if not self._open:
            self._reset()

    def _whole_element(self) -> JsonPiece:
        text, line = "".join(self._element), self._element_line
        self._element, self._size = [], 0
        value = _decoded(text)
        if isinstance(value, dict):
            return JsonElement(line, self._open[-1].key, value)
        return BrokenJson(line, text, "is not JSON", ends=False)

    def _whole_object(self, closed: _Open, number: int) -> Iterator[JsonPiece]:
        text = "".join(self._outer[closed.at :])
        value = _decoded(text)
        if isinstance(value, dict):
            yield JsonDocument(closed.line, number, closed.had, value, not self._open)
        elif not self._open:
            for at, line in enumerate(text.split("\n"), closed.line):
                yield PlainLine(at, line)
        if closed.had or [each.bracket for each in self._open] == ["["]:
            del self._outer[closed.at :]
            self._outer.append("{}")


def _start_of(line: str) -> int:
    """Return where a document begins in a line; -1 if it does not."""
    if _START.match(line):
        return 0
    quoted = _QUOTED_START.search(line)
    return quoted.end() if quoted else -1


def _decoded(text: str) -> Any:
    """Return a decoded value; None if the text is not JSON."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
