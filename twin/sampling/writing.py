"""Writes the events of all cells into one log, in the order of time, in batches.

The events of a simulated cell are copied with other names, ids and instants.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from twin.log import Log, NewEvent
from twin.model.instants import DAY, HOUR, SECOND, Instant, mq_date, mq_time
from twin.sampling.blocks import (
    BETWEEN,
    INSTANT_MARK,
    PUT_MARK,
    QMID_MARKS,
    TAG_MARK,
    Block,
    Cut,
    Feed,
    LateRow,
    Root,
)
from twin.sampling.cell import TAG

Made: TypeAlias = tuple[Instant, str, str, str | None, str, str, str, int, int]
"""The columns of a new event, then the number of its put (or -1) and of its copy."""

at: Final[Callable[[Made], Instant]] = itemgetter(0)
"""Return the instant of an event."""


@dataclass(slots=True)
class Copy:
    """One cell of a sample: a copy of a simulated cell.

    Attributes:
        cut: the simulated cell.
        number: the number of this cell, which is part of all its names.
        shift: how much later everything happens than in the simulated cell, in microseconds.
        positions: the position in the log of each put, by the number of the put.
    """

    cut: Cut
    number: int
    shift: int
    positions: list[int] = field(init=False)
    _tag: str = field(init=False)
    _qmgrs: list[str] = field(init=False)
    _stamps: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the values that all blocks need."""
        self.positions = [0] * self.cut.puts
        self._tag = f"{self.number:03d}"
        self._qmgrs = [self.with_tag(name) for name in self.cut.qmgrs]
        self._stamps = []
        for mark, created in zip(QMID_MARKS, self.cut.created, strict=False):
            stamp = created + self.shift
            self._stamps.append((mark, f"_{mq_date(stamp)}_{mq_time(stamp)}"))

    def with_tag(self, text: str) -> str:
        """Return a template with the number of the cell in its names."""
        return text.replace(TAG_MARK, self._tag)

    def renamed(self, name: str) -> str:
        """Return the name in this cell for a name in the simulated cell."""
        return name.replace(TAG, self._tag)

    def id_of(self, root: Root) -> str:
        """Return the id for a root."""
        begin, instant, number = root
        return f"{begin}{instant + self.shift:016x}-{self.number:03x}{number:09x}"

    def filled(self, text: str) -> str:
        """Return templates with everything filled in except the positions of puts."""
        text = self.with_tag(text)
        for mark, stamp in self._stamps:
            if mark in text:
                text = text.replace(mark, stamp)
        parts = text.split(INSTANT_MARK)
        shift = self.shift
        if shift:
            parts[1::2] = [str(int(part) + shift) for part in parts[1::2]]
        return "".join(parts)

    def events(self) -> Iterator[list[Made]]:
        """Yield the events in the order of time, one list for each day."""
        for block in self.cut.blocks():
            if block.instants:
                yield self._events(block)

    def _events(self, block: Block) -> list[Made]:
        shift = self.shift
        types, qmgrs, sources = self.cut.types, self._qmgrs, self.cut.sources
        named = [self.id_of(root) for root in block.named]
        causes = [named[root] for root in block.roots]
        count = len(causes)
        return list(
            zip(
                [instant + shift for instant in block.instants],
                [types[index] for index in block.types],
                [qmgrs[index] for index in block.qmgrs],
                [
                    cause if suffix else None
                    for cause, suffix in zip(causes, block.suffixes, strict=True)
                ],
                [sources[index] for index in block.sources],
                map(str.__add__, causes, block.suffixes),
                self.filled(block.bodies).split(BETWEEN),
                block.puts,
                [self.number] * count,
                strict=True,
            )
        )


_BATCH: Final = HOUR
"""The time that one batch covers: an event is recorded at most about an hour after it occurred."""

_DELAY: Final = SECOND
"""The time between the last event of a batch and its recording."""


@dataclass(slots=True)
class SampleWriter:
    """Writes cells into an empty log; only the first cell has facts that are recorded late."""

    log: Log
    copies: Sequence[Copy]
    until: Instant
    position: int = 0
    _recorded: Instant = 0
    _feeds: list[Feed] = field(init=False)
    _since: list[Made] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin before the first late fact."""
        self._feeds = list(self.copies[0].cut.feeds)

    def write(self, progress: Callable[[Instant], None]) -> None:
        """Write everything; call `progress` with the end of each day that is written."""
        days = [_Days(copy.events()) for copy in self.copies]
        begin = self.copies[0].cut.since
        for end in range(begin + DAY, self.until + DAY, DAY):
            rows: list[Made] = []
            for each in days:
                rows += each.before(min(end, self.until))
            rows.sort(key=at)
            for number, batch in groupby(rows, key=lambda row: row[0] // _BATCH):
                self._record_late(number * _BATCH)
                self._append(list(batch))
            self._record_late(min(end, self.until))
            progress(end)

    def _append(self, rows: list[Made]) -> None:
        """Append a batch of events that are recorded on time."""
        if self._feeds and rows[-1][0] > self._feeds[0].of:
            of, others = self._feeds[0].of, self.copies[0].number
            self._since += [row for row in rows if row[0] > of and row[3] and row[8] != others]
        self._record([self._new_event(row) for row in self._numbered(rows)], rows[-1][0] + _DELAY)

    def _numbered(self, rows: Iterable[Made]) -> Iterator[Made]:
        """Yield events while `position` is the position of each."""
        for row in rows:
            self.position += 1
            yield row

    def _new_event(self, row: Made) -> NewEvent:
        """Return an event with the positions of puts in its body; note the position of a put."""
        body, put, copy = row[6:]
        if put >= 0:
            self.copies[copy].positions[put] = self.position
        elif PUT_MARK in body:
            positions = self.copies[copy].positions
            parts = body.split(PUT_MARK)
            parts[1::2] = [str(positions[int(part)]) for part in parts[1::2]]
            return NewEvent(*row[:6], "".join(parts))
        return NewEvent._make(row[:7])

    def _record(self, batch: list[NewEvent], recorded_at: Instant) -> None:
        self._recorded = max(self._recorded, recorded_at)
        self.log.append(batch, recorded_at=self._recorded, after=self.position - len(batch))

    def _record_late(self, upto: Instant) -> None:
        """Append the late facts that are recorded by an instant.

        Each withdraws the events derived in all cells since its instant. In the first cell, the
        events that the twin derived again replace them; the other cells get the same events as
        before.
        """
        while self._feeds and self._feeds[0].at <= upto:
            feed = self._feeds.pop(0)
            first = self.copies[0]
            rows = [(row, self._late(row, first)) for row in feed.rows]
            before = [made for row, made in rows if not row.again]
            again = [made for row, made in rows if row.again] + self._since
            again.sort(key=at)
            withdrawal = before[-1][5]
            numbered = [
                (*made[:5], f"{withdrawal}.{number}", *made[6:])
                for number, made in enumerate(again, start=1)
            ]
            batch = [self._new_event(row) for row in self._numbered([*before, *numbered])]
            self._record(batch, feed.at)
            self._since = []

    def _late(self, row: LateRow, first: Copy) -> Made:
        root_id = first.id_of(row.root)
        return (
            row.instant,
            row.type,
            first.with_tag(row.qmgr),
            root_id if row.suffix else None,
            row.source,
            root_id + row.suffix,
            first.filled(row.body),
            row.put,
            first.number,
        )


@dataclass(slots=True)
class _Days:
    """The events of a copy, read in pieces."""

    coming: Iterator[list[Made]]
    _rows: list[Made] = field(default_factory=list)

    def before(self, end: Instant) -> list[Made]:
        """Return the events before an instant that were not returned yet."""
        while not self._rows or self._rows[-1][0] < end:
            more = next(self.coming, None)
            if more is None:
                break
            self._rows += more
        place = bisect_left(self._rows, end, key=at)
        before, self._rows = self._rows[:place], self._rows[place:]
        return before
