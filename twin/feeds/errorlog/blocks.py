"""Lines joined to blocks, and blocks divided where a header of a record begins.

A block is what most of the work is done on: searching in it costs less than looking at each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from twin.feeds.errorlog.dates import MARK, Dates
from twin.feeds.errorlog.flattened import UsualRecords
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.reading.blocks import blocks
from twin.feeds.reading.local_time import LocalTime
from twin.feeds.reading.not_understood import LONGEST


class LogPiece(NamedTuple):
    """The text from one header to the next, or the text before the first header.

    Attributes:
        line: its first line, from 1.
        text: its text, not longer than `LONGEST`.
        body: where the attributes begin in it; -1 if it has no header.
        local: the date and time of its header.
        cut: whether it was longer.
        ends: the number of its line ends; if it was cut, also of those that are lost.
    """

    line: int
    text: str
    body: int
    local: LocalTime | None
    cut: bool
    ends: int


def pieces(
    lines: Iterable[str], dates: Dates, usual: UsualRecords
) -> Iterator[LogPiece | list[LogRecord]]:
    """Divide lines at the headers in them; several headers may stand on one line.

    Args:
        lines: the lines, with or without their ends.
        dates: reads the dates.
        usual: reads the records in the usual layout that begin with a header.
    """
    line, local, body = 1, None, -1
    held = _Held()
    for block in map(_cleaned, blocks(lines)):
        begin = 0
        mark = block.find(MARK)
        while mark >= 0:
            found = dates.before(block, begin, mark)
            if found is not None:
                start, next_local = found
                text = block[begin:start]
                if held.parts:
                    text = held.released(text)
                if text:
                    piece = _piece(line, text, body, local, held.dropped)
                    yield piece
                    line += piece.ends
                    held.dropped = 0
                records, begin, mark, line, local = usual.run(block, start, mark, line, next_local)
                body = mark + 3 - begin
                if records:
                    yield records
            mark = block.find(MARK, mark + 1)
        held.add(block[begin:])
    if text := held.released(""):
        yield _piece(line, text, body, local, held.dropped)


def _piece(line: int, text: str, body: int, local: LocalTime | None, dropped: int) -> LogPiece:
    """Return a piece; a text that is too long is cut."""
    ends = text.count("\n") + dropped
    if len(text) > LONGEST:
        return LogPiece(line, text[:LONGEST], body, local, cut=True, ends=ends)
    return LogPiece(line, text, body, local, cut=False, ends=ends)


class _Held:
    """The beginning of a piece that goes on in the next block."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.dropped = 0

    def add(self, text: str) -> None:
        """Add a text; beyond the limit only its lines are counted."""
        if self.size > LONGEST:
            self.dropped += text.count("\n")
        elif text:
            self.parts.append(text)
            self.size += len(text)

    def released(self, text: str) -> str:
        """Return the whole text with its last part, and hold nothing any more."""
        self.add(text)
        whole = "".join(self.parts)
        self.parts = []
        self.size = 0
        return whole


def _cleaned(block: str) -> str:
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    return block.replace("\0", "\ufffd") if "\0" in block else block
