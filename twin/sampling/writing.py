"""Writes the events of all cells into one log, in the order of time, in batches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from twin.log import Log, NewEvent
from twin.model.instants import DAY, HOUR, SECOND, Instant
from twin.sampling.blocks import PUT_MARK, Feed, LateRow
from twin.sampling.copying import Copy, Made, at

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
        before = self.position - len(batch)
        self.log.append(batch, recorded_at=self._recorded, after=before)

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
