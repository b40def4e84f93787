"""Append batches of events to the log: each batch as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import insert, select

from twin.log.chain import chained
from twin.log.database import Database
from twin.log.errors import AppendRefused, ConcurrentAppend, EventIdConflict
from twin.log.heads import HeadRow, late_digest_of, move, read_heads
from twin.log.lateness import WITHDRAWAL, Lateness
from twin.log.reading import LONG_AGO, ReadableLog
from twin.log.records import Appended, Branch, NewEvent
from twin.log.schema import event, late_event
from twin.model.asof import MAIN

_BY_ID: Final = select(
    event.c.position,
    event.c.branch,
    event.c.occurred_at,
    event.c.type,
    event.c.qmgr,
    event.c.cause,
    event.c.source,
    event.c.body,
    event.c.event_id,
)
_ADD_LATE: Final = insert(late_event)


class _Heads(NamedTuple):
    """The heads of the log and of one branch before a batch is appended."""

    whole: HeadRow
    own: HeadRow

    @property
    def position(self) -> int:
        """The last position of the log."""
        return self.whole.position

    @property
    def last_recorded(self) -> int:
        """The last `recorded_at` of the log."""
        return LONG_AGO if self.whole.recorded_at is None else self.whole.recorded_at

    @property
    def branch_latest(self) -> int:
        """The latest instant that the branch saw."""
        return LONG_AGO if self.own.occurred_at is None else self.own.occurred_at


class AppendableLog(ReadableLog):
    """A log to which batches of events can be appended."""

    def append(
        self,
        events: Sequence[NewEvent],
        *,
        recorded_at: int,
        branch: str = MAIN,
        after: int | None = None,
        first: int | None = None,
    ) -> Appended:
        """Append a batch to a branch durably: all of it or nothing.

        A batch whose event ids are all in the log with the same content is not recorded again.

        Args:
            events: the batch, in its order.
            recorded_at: now; if it is before the last `recorded_at` of the log, that is used.
            branch: the name of the branch.
            after: the last position that the branch saw when the batch was decided.
            first: the position that the first event must get; the batch may refer to its own
                events by position.

        Raises:
            ConcurrentAppend: if the branch sees a position after `after`, or the next position
                of the log is not `first`.
            EventIdConflict: if another event has one of the ids.
        """
        database, line = self._database, self.branch(branch)
        if not events:
            position = self.head(branch).position
            return Appended(position + 1, position, recorded=False)
        refused: Exception | None = None
        try:
            with database.writing():
                heads = _Heads(*read_heads(database, line.id, name=line.name))
                if after in (None, heads.own.position) and first in (None, heads.position + 1):
                    recorded_at = max(recorded_at, heads.last_recorded)
                    return _record(database, events, heads, recorded_at, line)
        except database.integrity_error as error:
            refused = error
        earlier = _recorded_before(database, events, line)
        if earlier is not None:
            return earlier
        if refused is not None:
            raise AppendRefused(refused) from refused
        raise ConcurrentAppend(branch)


def _record(
    database: Database,
    events: Sequence[NewEvent],
    heads: _Heads,
    recorded_at: int,
    branch: Branch,
) -> Appended:
    first = heads.position + 1
    last = heads.position + len(events)
    rows = chained(
        events,
        before=heads.whole.digest,
        after=heads.position,
        branch=branch.id,
        recorded_at=recorded_at,
    )
    database.insert_events(rows)
    digest = rows[-1][-1]
    late = _late(events, heads, branch.id, digest)
    if late:
        database.run_many(_ADD_LATE, late)
    _move_heads(database, heads, events, late, (last, recorded_at, digest))
    return Appended(first, last, recorded=True)


def _move_heads(
    database: Database,
    heads: _Heads,
    events: Sequence[NewEvent],
    late: Sequence[dict[str, Any]],
    end: tuple[int, int, bytes],
) -> None:
    """Move both heads to the end of a batch: its (position, recorded_at, digest)."""
    position, recorded_at, digest = end
    latest = max(new.occurred_at for new in events)
    running = heads.whole.late
    for row in late:
        running = late_digest_of(running, tuple(row.values()))
    moved = [
        row._replace(
            position=position,
            occurred_at=latest if row.occurred_at is None else max(latest, row.occurred_at),
            recorded_at=recorded_at,
            digest=digest,
        )
        for row in heads
    ]
    move(database, [moved[0]._replace(late=running), moved[1]])


def _late(
    events: Sequence[NewEvent], heads: _Heads, branch: int, digest: bytes
) -> list[dict[str, Any]]:
    """Return the rows of `late_event` for a batch that ends with this digest."""
    instants = [new.occurred_at for new in events]
    on_time = instants[0] >= heads.branch_latest and instants == sorted(instants)
    if on_time and not any(new.type == WITHDRAWAL for new in events):
        return []
    lateness = Lateness(heads.branch_latest)
    upto = heads.position + len(events)
    return [
        {
            "position": position,
            "branch": branch,
            "occurred_at": new.occurred_at,
            "withdraws": new.type == WITHDRAWAL,
            "upto": upto,
            "digest": digest,
        }
        for position, new in enumerate(events, start=heads.position + 1)
        if lateness.notes(new.occurred_at, new.type)
    ]


def _recorded_before(
    database: Database, events: Sequence[NewEvent], branch: Branch
) -> Appended | None:
    """Return where a batch was appended before; None if the log has none of its event ids.

    Raises:
        EventIdConflict: if another event of the log or of the batch has one of its ids.
    """
    wanted: dict[str, NewEvent] = {}
    for new in events:
        if new.event_id in wanted:
            raise EventIdConflict(new.event_id)
        wanted[new.event_id] = new
    rows = database.fetch_among(_BY_ID, event.c.event_id, list(wanted))
    stored = {row[-1]: row for row in rows}
    if not stored:
        return None
    for event_id, new in wanted.items():
        row = stored.get(event_id)
        expected = (branch.id, new.occurred_at, new.type, new.qmgr, new.cause, new.source, new.body)
        if row is not None and row[1:-1] != expected:
            raise EventIdConflict(event_id)
    if len(stored) < len(wanted):
        raise EventIdConflict(next(iter(stored)))
    positions = [row[0] for row in stored.values()]
    return Appended(min(positions), max(positions), recorded=False)
