"""Put together the answer to one command, row by row, with bounded memory."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from twin.feeds.captures.asked import NOTHING, Asked
from twin.feeds.captures.records import Capture, CapturedRow, RowValues
from twin.feeds.reading.not_understood import DIGEST_SIZE, LONGEST
from twin.model.instants import Instant

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
_GOES_ON: Final = ("the answer goes on in the next record",)

END_MISSING: Final = "its end is missing"


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
            self.fault(END_MISSING)
        if self.found not in (None, self._count):
            self.fault(f"{self.found} were found, {self._count} are here")
        return self._record(more=False)

    def _record(self, *, more: bool) -> Capture:
        asked, word = self.asked, self._object()
        display = asked.verb in {"DISPLAY", "GET", ""}
        failed = [f"{id_} was answered" for id_ in self.messages if id_ not in NOTHING]
        lacking = (*asked.narrows, *failed, *self.faults) if display else ()
        if more:
            lacking = _GOES_ON
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
