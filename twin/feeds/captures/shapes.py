"""Rows in the layout of an earlier row of the same command, each read with one search.

The rows of one answer have the same keywords, mostly at the same places. A row that was read gives
an expression for the next ones. What it does not match is read line by line; both ways give equal
rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from twin.feeds.captures.records import CAREFUL, Cells
from twin.feeds.reading.not_understood import LONGEST

_MOST: Final = 8
_MOST_KEYWORDS: Final = 200
_VALUE: Final = r"[^()\s:=]*+"
_ADDRESS: Final = "CONNAME"
"""The keyword whose values may have brackets."""


class ShapedRow(NamedTuple):
    """A row that an expression found.

    Attributes:
        cells: its cells.
        content: its part of the digest.
        end: where it ends in the block.
        lines: the number of its lines.
    """

    cells: Cells
    content: str
    end: int
    lines: int


class _Shape(NamedTuple):
    """The layout of rows."""

    pattern: re.Pattern[str]
    keywords: tuple[str, ...]
    content: str
    lines: int


class RowShapes:
    """The layouts of the last rows."""

    def __init__(self) -> None:
        """Begin with none."""
        self._shapes: dict[tuple[tuple[str, ...], ...], _Shape] = {}
        self._last: list[_Shape] = []

    def learn(self, lines: Sequence[str], cells: Cells) -> None:
        """Remember the layout of a row without secrets that was read from lines."""
        if not CAREFUL.isdisjoint(cells) or len(cells) > _MOST_KEYWORDS:
            return
        layout = tuple(tuple(word.partition("(")[0] for word in line.split()) for line in lines)
        layout = tuple(tuple(filter(cells.__contains__, words)) for words in layout)
        if layout in self._shapes or sum(map(len, layout)) != len(cells):
            return
        if len(self._shapes) >= _MOST:
            self._shapes.clear()
        self._shapes[layout] = _shape(layout, " ".join(lines))
        self._last = list(self._shapes.values())[::-1]

    def read(self, block: str, at: int) -> ShapedRow | None:
        """Read a row that begins at a place; None if it has none of the layouts."""
        for place, (pattern, keywords, content, lines) in enumerate(self._last):
            found = pattern.match(block, at)
            if found is not None:
                if place:
                    self._last.insert(0, self._last.pop(place))
                values = found.groups("")
                end = found.end()
                if end - at > LONGEST:
                    return None
                cells = dict(zip(keywords, values, strict=True))
                return ShapedRow(cells, content + "\x1f".join(values) + "\x1e", end, lines)
        return None


def _shape(layout: tuple[tuple[str, ...], ...], text: str) -> _Shape:
    lines = [" ++".join(_cell(word, f"{word}(" in text) for word in words) for words in layout]
    keywords = tuple(word for words in layout for word in words)
    pattern = "".join(f" {{3}}{line} *+\n" for line in lines)
    return _Shape(re.compile(pattern), keywords, "\x1f".join(keywords) + "\x1e", len(lines))


def _cell(keyword: str, has_value: bool) -> str:  # noqa: FBT001 - a cell either way
    if not has_value:
        return f"{keyword}()"
    if keyword == _ADDRESS:
        return rf"{keyword}\((?: |({_VALUE}(?>(?:\({_VALUE}\){_VALUE})*)))\)"
    return rf"{keyword}\((?: |({_VALUE}))\)"
