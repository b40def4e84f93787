"""Lines joined to pieces: searching in a long text costs less than looking at each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

PIECE: Final = 1 << 16
"""The number of characters from which a piece is handed over."""

_BATCH: Final = 64


def pieces(lines: Iterable[str]) -> Iterator[str]:
    """Join short lines, each with its line end, and cut long ones."""
    source = iter(lines)
    waiting: list[str] = []
    length = 0
    while batch := list(islice(source, _BATCH)):
        text = _joined(batch)
        waiting.append(text)
        length += len(text)
        if length >= PIECE:
            text = "".join(waiting)
            waiting, length = [], 0
            for at in range(0, len(text), 2 * PIECE):
                yield text[at : at + 2 * PIECE]
    yield "".join(waiting)


def _joined(lines: Sequence[str]) -> str:
    text = "".join(lines)
    ends = text.count("\n")
    if ends == len(lines) and text.endswith("\n"):
        return text
    if not ends:
        return "\n".join(lines) + "\n"
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
