"""Put together the answer to one command, row by row, with bounded memory.

Put together the row of one object from its lines.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from twin.feeds.captures.asked import NOTHING, Asked
from twin.feeds.captures.records import (
    HANDLE,
    Capture,
    CapturedRow,
    Cells,
    RowValues,
    joined,
    read_line,
    read_unpaired,
)
from twin.feeds.reading.not_understood import DIGEST_SIZE, LONGEST
from twin.model.instants import Instant

_PARENTS: Final = ("CONN", "EXTCONN", "QUEUE", "TYPE")
"""What the rows of handles take over from the row above them."""

_MOST_JOINED: Final = 12
"""The lines over which one value may be wrapped, other than a list of names."""

_ZOS_KEYWORDS: Final = {"CHSTATUS": "CHANNEL", "QSTATUS": "QUEUE"}
"""The first keywords that z/OS shows -> those of other platforms."""


class OpenRow:
    """The row of one object while it is read.

    Attributes:
        line: its first line, from 1.
        parts: its cells, by line or by several lines.
        held: the begin of a cell whose bracket is not closed yet; '' if there is none.
        faults: what is lost of it.
        zos: whether z/OS shows it: values are padded with blanks.
    """

    def __init__(self, line: int, cells: Cells | None = None, *, zos: bool = False) -> None:
        """Begin a row at a line, with the cells of its heading."""
        self.line = line
        self.parts: list[Cells] = [cells] if cells else []
        self.held = ""
        self.faults: list[str] = []
        self.zos = zos
        self._size = self._joined = 0

    @property
    def untouched(self) -> bool:
        """Whether nothing was taken yet."""
        return not (self.parts or self._size or self.held)

    def take(self, text: str) -> bool:
        """Take a line of cells; return whether it is one."""
        read = read_line(text)
        if read is None:
            return self._take_unpaired(text)
        if self.put(read.cells, len(text)) and read.open >= 0:
            self.held = text[read.open :]
        else:
            self._joined = 0
        return True

    def put(self, cells: Cells, size: int) -> bool:
        """Put cells into the row, unless it is too long; return whether it is not.

        Args:
            cells: of one line or more.
            size: the characters of these lines.
        """
        self._size += size
        if self._size > LONGEST:
            self.fault("a row is longer than 1 MiB")
            return False
        if cells:
            self.parts.append(cells)
        return True

    def join(self, text: str) -> bool:
        """Join a line to the cell that is not closed; return whether it belongs to it."""
        held = self.held
        self._joined += not text.lstrip().startswith(",")
        if not text or self._joined > _MOST_JOINED or len(held) > LONGEST or _is_whole(text):
            self.release()
            return False
        self.held = ""
        return self.take(joined(held, text))

    def release(self) -> None:
        """Take the cell that is not closed as it is, if it ends with a bracket."""
        held, self.held, self._joined = self.held, "", 0
        if held and not self._take_unpaired(held):
            self.fault("a value is cut")

    def fault(self, why: str) -> None:
        """Note what is lost."""
        if why not in self.faults:
            self.faults.append(why)

    def close(self) -> list[Cells]:
        """Return the rows: one, or several if headings are missing or handles follow."""
        self.release()
        if len(self.parts) == 1 and not self.zos and HANDLE not in self.parts[0]:
            return self.parts
        values: Cells = {}
        count = 0
        for cells in self.parts:
            values |= cells
            count += len(cells)
        if not values:
            self.fault("a row has no attributes")
            return []
        rows = [values] if len(values) == count else self._divided()
        return [_without_padding(row) for row in rows] if self.zos else rows

    def _take_unpaired(self, text: str) -> bool:
        cells = read_unpaired(text) if "(" in text else None
        return cells is not None and self.put(cells, len(text))

    def _divided(self) -> list[Cells]:
        """Divide lines at each first keyword, or at each handle; join other repeated ones."""
        first = next(iter(next(filter(None, self.parts))))
        handles = any(HANDLE in cells for cells in self.parts)
        start = HANDLE if handles else first
        rows: list[Cells] = [{}]
        keys: Cells = {}
        for cells in self.parts:
            if start in cells and rows[-1]:
                keys = keys or {key: rows[0][key] for key in _PARENTS if key in rows[0]}
                rows.append(dict(keys) if handles else {})
            row = rows[-1]
            for keyword, value in cells.items():
                row[keyword] = f"{row[keyword]},{value}" if keyword in row else value
        if handles:
            return rows if rows[0].keys() - keys.keys() else rows[1:]
        if len(rows) > 1:
            self.fault("a heading is missing")
        return rows


def _is_whole(text: str) -> bool:
    """Return whether a line has cells of its own, and completes no other one."""
    if "(" not in text:
        return False
    read = read_line(text)
    return read is not None and read.open < 0


def _without_padding(row: Cells) -> Cells:
    return {
        keyword if at else _ZOS_KEYWORDS.get(keyword, keyword): value.strip()
        for at, (keyword, value) in enumerate(row.items())
    }


_NAMED_BY: Final = {
    "QUEUE": "QUEUE",
    "TOPIC": "TOPIC",
    "CLUSQMGR": "CLUSQMGR",
    "CHANNEL": "CHANNEL",
    "QMNAME": "QMGR",
}
"""A keyword of a row -> the object word, if neither command nor heading tells it."""

_ROW: Final = 64
"""What a row counts beside its text."""

_MESSAGES: Final = 100


class CommandAnswer:
    """One answer while it is read.

    Attributes:
        line: its first line, from 1.
        last: its last line so far.
        asked: the command.
        rows: the rows since the last record.
        messages: the ids of its messages that are no heading.
        faults: why rows may be missing.
        found: how many rows it says that it has; None if it does not say so.
        word: the object word that the answer itself shows; '' if it shows none.
        claimed: the instant that the source gives to it.
        zos: whether z/OS answers.
    """

    def __init__(self, line: int, qmgr: str, asked: Asked, claimed: Instant | None = None) -> None:
        """Begin an answer of a queue manager, '' if it is unknown."""
        self.line = self.last_line = line
        self.qmgr = qmgr
        self.asked = asked
        self.rows: list[CapturedRow] = []
        self.messages: dict[str, None] = {}
        self.faults: dict[str, None] = {}
        self.found: int | None = None
        self.word = ""
        self.claimed = claimed
        self.zos = False
        self._part = self._count = self._size = 0
        self._content = blake2b(digest_size=DIGEST_SIZE)

    def add(self, line: int, values: RowValues, content: str = "") -> Capture | None:
        """Add a row; return the record of the rows so far if they are long.

        Args:
            line: its first line.
            values: its attributes.
            content: its part of the digest, if it is known.
        """
        text = content or "\x1e".join(("\x1f".join(values), "\x1f".join(values.values()), ""))
        self._content.update(text.encode("utf-8", "replace"))
        self._size += len(text) + _ROW
        self._count += 1
        record = self._record(more=True) if self._size > LONGEST else None
        self.rows.append(CapturedRow(line, values))
        return record

    def message(self, id_: str) -> None:
        """Add a message that is no heading."""
        if len(self.messages) < _MESSAGES:
            self.messages[id_] = None
        self.word = self.word or NOTHING.get(id_, "")

    def fault(self, why: str) -> None:
        """Note why rows may be missing."""
        self.faults[why] = None

    @property
    def empty(self) -> bool:
        """Whether nothing was answered so far."""
        return not (self.rows or self.messages or self.faults or self._part)

    @property
    def says_something(self) -> bool:
        """Whether it has rows or messages."""
        return bool(self.rows or self.messages or self._part)

    def end(self, *, closed: bool) -> Capture:
        """Return the last record.

        Args:
            closed: whether something follows that shows that the answer is at its end.
        """
        if not closed:
            self.fault("its end is missing")
        if self.found not in (None, self._count):
            self.fault(f"{self.found} were found, {self._count} are here")
        return self._record(more=False)

    def _record(self, *, more: bool) -> Capture:
        asked, word = self.asked, self._object()
        display = asked.verb in {"DISPLAY", "GET", ""}
        failed = [f"{id_} was answered" for id_ in self.messages if id_ not in NOTHING]
        lacking = (*asked.narrows, *failed, *self.faults) if display else ()
        if more:
            lacking = ("the answer goes on in the next record",)
        complete_for = asked.name if display and asked.name and not lacking else None
        for item in (self.qmgr, asked.command, word, complete_for or "", *self.messages):
            self._content.update(f"{' '.join(item.split())}\x1d".encode("utf-8", "replace"))
        record = Capture(
            self.line,
            self.last_line,
            self.qmgr,
            asked.command,
            asked.verb,
            word,
            asked.name,
            asked.asked,
            asked.selected,
            asked.where,
            tuple(self.rows),
            tuple(self.messages),
            complete_for,
            lacking,
            self.claimed,
            self._part,
            more,
            self._content.hexdigest(),
        )
        self.rows.clear()
        self._part, self._size = self._part + 1, 0
        self._content = blake2b(digest_size=DIGEST_SIZE)
        return record

    def _object(self) -> str:
        if self.asked.object or self.word or not self.rows:
            return self.asked.object or self.word
        values = self.rows[0].values
        named = next((word for word in _NAMED_BY if word in values), next(iter(values), ""))
        return _NAMED_BY.get(named, named)
