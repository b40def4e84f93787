"""Writing: the events of all cells go into one log, in the order of time, batch by batch."""

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
"""What happens in so long is recorded together, so that it is learnt an hour later at most."""

_BEHIND: Final = SECOND
"""How long after the last event of a batch it is recorded."""


@dataclass(slots=True)
class Writer:
    """Writes cells into an empty log; what is learnt late is the first cell's alone."""

    log: Log
    copies: Sequence[Copy]
    until: Instant
    position: int = 0
    _recorded: Instant = 0
    _feeds: list[Feed] = field(init=False)
    _since: list[Made] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin before what is learnt first."""
        self._feeds = list(self.copies[0].cut.feeds)

    def write(self, progress: Callable[[Instant], None]) -> None:
        """Write everything; `progress` is told the day that is done."""
        days = [_Days(copy.events()) for copy in self.copies]
        begin = self.copies[0].cut.since
        for end in range(begin + DAY, self.until + DAY, DAY):
            rows: list[Made] = []
            for each in days:
                rows += each.before(min(end, self.until))
            rows.sort(key=at)
            for number, batch in groupby(rows, key=lambda row: row[0] // _BATCH):
                self._learn(number * _BATCH)
                self._append(list(batch))
            self._learn(min(end, self.until))
            progress(end)

    def _append(self, rows: list[Made]) -> None:
        """Append a batch of what was on time."""
        if self._feeds and rows[-1][0] > self._feeds[0].of:
            of, others = self._feeds[0].of, self.copies[0].number
            self._since += [row for row in rows if row[0] > of and row[3] and row[8] != others]
        self._record([self._placed(row) for row in self._numbered(rows)], rows[-1][0] + _BEHIND)

    def _numbered(self, rows: Iterable[Made]) -> Iterator[Made]:
        """Go through events while the position of the writer is that of each."""
        for row in rows:
            self.position += 1
            yield row

    def _placed(self, row: Made) -> NewEvent:
        """Return an event with the positions of puts in its body, and note its own."""
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

    def _learn(self, upto: Instant) -> None:
        """Append what is learnt late by an instant.

        It withdraws what was derived in all cells since. In the first it is what the twin made of
        it that takes its place; what the others derived comes again as it was.
        """
        while self._feeds and self._feeds[0].at <= upto:
            feed = self._feeds.pop(0)
            first = self.copies[0]
            told = [(row, self._late(row, first)) for row in feed.rows]
            before = [made for row, made in told if not row.anew]
            again = [made for row, made in told if row.anew] + self._since
            again.sort(key=at)
            withdrawal = before[-1][5]
            numbered = [
                (*made[:5], f"{withdrawal}.{number}", *made[6:])
                for number, made in enumerate(again, start=1)
            ]
            batch = [self._placed(row) for row in self._numbered([*before, *numbered])]
            self._record(batch, feed.at)
            self._since = []

    def _late(self, row: LateRow, first: Copy) -> Made:
        named = first.named(row.root)
        return (
            row.instant,
            row.type,
            first.filled(row.qmgr),
            named if row.suffix else None,
            row.source,
            named + row.suffix,
            first.told(row.body),
            row.put,
            first.number,
        )


@dataclass(slots=True)
class _Days:
    """The events of a copy, taken up to one instant after the other."""

    coming: Iterator[list[Made]]
    _rows: list[Made] = field(default_factory=list)

    def before(self, end: Instant) -> list[Made]:
        """Take what comes before an instant."""
        while not self._rows or self._rows[-1][0] < end:
            more = next(self.coming, None)
            if more is None:
                break
            self._rows += more
        place = bisect_left(self._rows, end, key=at)
        taken, self._rows = self._rows[:place], self._rows[place:]
        return taken
