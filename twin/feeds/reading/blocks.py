"""Lines or a file as blocks of whole lines: reading a file in blocks costs less than by lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import TextIOBase
from itertools import islice
from typing import Final

_BLOCK: Final = 1 << 16
_OF_FILE: Final = 1 << 18


def blocks(lines: Iterable[str]) -> Iterator[str]:
    r"""Join lines, with or without their ends, to texts that end with ``\n``.

    Args:
        lines: the lines; an open file is read in blocks from where it stands.
    """
    if isinstance(lines, TextIOBase):
        yield from _of_file(lines)
        return
    batch: list[str] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line) + 1
        if size >= _BLOCK:
            yield _joined(batch)
            batch = []
            size = 0
    if batch:
        yield _joined(batch)


def _of_file(file: TextIOBase) -> Iterator[str]:
    parts: list[str] = []
    while text := file.read(_OF_FILE):
        end = text.rfind("\n") + 1
        if end:
            parts.append(text[:end])
            yield "".join(parts)
            parts = []
        if end < len(text):
            parts.append(text[end:])
    if parts:
        yield _ended("".join(parts))


def _joined(batch: Sequence[str]) -> str:
    text = "".join(batch)
    ends = text.count("\n")
    if ends == len(batch) and text.endswith("\n"):
        return text
    if not ends:
        return "\n".join(batch) + "\n"
    return "".join(map(_ended, batch))


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


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
