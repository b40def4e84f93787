"""Lines joined to blocks, and blocks divided where a header of a record begins.

A block is what most of the work is done on: searching in it costs less than looking at each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from twin.feeds.reading.local_time import LONGEST_DATE, LocalTime, read_local_time
from twin.feeds.reading.records import LONGEST

_BLOCK: Final = 1 << 16
MARK: Final = " - Process("
"""What stands between the date and the attributes of a header."""


class LogPiece(NamedTuple):
    """The text from one header to the next, or the text before the first header.

    Attributes:
        line: its first line, from 1.
        text: its text, not longer than `LONGEST`.
        body: where the attributes begin in it; -1 if it has no header.
        local: the date and time of its header.
        cut: whether it was longer.
    """

    line: int
    text: str
    body: int
    local: LocalTime | None
    cut: bool


def pieces(lines: Iterable[str]) -> Iterator[LogPiece]:
    """Divide lines at the headers in them; several headers may stand on one line."""
    line, local, body = 1, None, -1
    held = _Held()
    date_before = _Dates().before
    for block in blocks(lines):
        begin = 0
        mark = block.find(MARK)
        while mark >= 0:
            found = date_before(block, begin, mark)
            if found is not None:
                start, next_local = found
                text = block[begin:start]
                if held.parts:
                    text = held.released(text)
                if text:
                    yield LogPiece(line, text[:LONGEST], body, local, len(text) > LONGEST)
                    line += text.count("\n") + held.dropped
                    held.dropped = 0
                begin, local, body = start, next_local, mark + 3 - start
            mark = block.find(MARK, mark + 1)
        held.add(block[begin:])
    if text := held.released(""):
        yield LogPiece(line, text[:LONGEST], body, local, len(text) > LONGEST)


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


class _Dates:
    """The dates that stand before marks; many headers of a file have the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, LocalTime] | None] = {}

    def before(self, block: str, begin: int, mark: int) -> tuple[int, LocalTime] | None:
        """Return where the date before a mark starts, and the date; None if there is none."""
        line_start = block.rfind("\n", begin, mark) + 1 or begin
        window = block[max(line_start, mark - LONGEST_DATE) : mark]
        if window in self._known:
            found = self._known[window]
        else:
            if len(self._known) > _MOST_DATES:
                self._known.clear()
            found = self._known[window] = read_local_time(window) or _other_date(window)
        return found and (mark - len(window) + found[0], found[1])


_MOST_DATES: Final = 1024


def _other_date(window: str) -> tuple[int, LocalTime] | None:
    """Return a date in a form that is not known: a line that begins with a digit has one."""
    written = window.strip()
    if len(window) < LONGEST_DATE and written[:1].isdigit():
        return 0, LocalTime(written, 0, (0, 0), 0, 0, 0, ())
    return None


def blocks(lines: Iterable[str]) -> Iterator[str]:
    """Join lines, with or without their ends, to texts that end with a line end."""
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


def _joined(batch: list[str]) -> str:
    text = "".join(batch) if batch[0].endswith("\n") else "\n".join(batch)
    if not text.endswith("\n"):
        text += "\n"
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return text.replace("\0", "\ufffd") if "\0" in text else text
