"""Append batches of events to the log: each batch as a whole, or not at all.

A batch is recorded within a transaction: its rows, and all that is computed from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple

from sqlalchemy import insert, select

from twin.log import own_events
from twin.log.chain import HeadRow, chained, late_digest_after, move, read_heads
from twin.log.database import Database
from twin.log.errors import AppendRefused, ConcurrentAppend, EventIdConflict
from twin.log.evidence import keep_texts
from twin.log.reading import ReadableLog
from twin.log.records import (
    HIDING,
    LONG_AGO,
    RETRACTING,
    WITHDRAWAL,
    Appended,
    Branch,
    Head,
    Lateness,
    NewEvent,
    VisiblePart,
)
from twin.log.schema import event, late_event, retraction
from twin.log.visibility import Retraction, Visibilities, rows_of_batch
from twin.model.instants import MAIN

_ADD_LATE: Final = insert(late_event)
_ADD_RETRACTIONS: Final = insert(retraction)


class Heads(NamedTuple):
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


def record(
    database: Database,
    events: Sequence[NewEvent],
    heads: Heads,
    recorded_at: int,
    lineage: Sequence[VisiblePart],
) -> Appended:
    """Record a batch after these heads, for the branch whose parts are given, nearest first."""
    first = heads.position + 1
    last = heads.position + len(events)
    rows = chained(
        events,
        before=heads.whole.digest,
        after=heads.position,
        branch=lineage[0].branch,
        recorded_at=recorded_at,
    )
    database.insert_events(rows)
    noted = any(new.type in HIDING for new in events)
    retractions = rows_of_batch(rows) if noted else []
    if retractions:
        database.run_many(_ADD_RETRACTIONS, [each._asdict() for each in retractions])
    late, latest = _add_late(database, rows, heads.branch_latest, lineage, noted=noted)
    _move_heads(database, heads, rows, latest, (late, retractions))
    own_events.index(database, events, rows)
    return Appended(first, last, recorded=True)


def _move_heads(
    database: Database,
    heads: Heads,
    rows: Sequence[tuple[Any, ...]],
    latest: int,
    added: tuple[Sequence[dict[str, Any]], Sequence[Retraction]],
) -> None:
    """Move both heads to the end of a batch, given as complete rows of `event`.

    `latest` is the latest instant of the branch; `added` are the late rows and the rows of
    retractions that were added.
    """
    last = rows[-1]
    end = {"position": last[0], "recorded_at": last[3], "digest": last[-1]}
    late, retractions = added
    highest = max(row[2] for row in rows)
    if heads.whole.occurred_at is not None:
        highest = max(highest, heads.whole.occurred_at)
    running = late_digest_after(
        heads.whole.late, [tuple(row.values()) for row in late], retractions
    )
    whole = heads.whole._replace(occurred_at=highest, late=running, **end)
    own = heads.own._replace(occurred_at=latest, **end)
    move(database, [whole, own])


def _add_late(
    database: Database,
    rows: Sequence[tuple[Any, ...]],
    latest: int,
    lineage: Sequence[VisiblePart],
    *,
    noted: bool,
) -> tuple[list[dict[str, Any]], int]:
    """Add the rows of `late_event` for a batch.

    Return them, and the latest instant of the branch after the batch. `latest` is the one before
    it; `noted` says whether the batch has events that always have a row. Its complete rows of
    `event` are in the database already.
    """
    instants = [row[2] for row in rows]
    if not noted and instants[0] >= latest and instants == sorted(instants):
        return [], int(instants[-1])
    lateness = Lateness(latest)
    visibilities = Visibilities(database)
    late: list[dict[str, Any]] = []
    added = 0
    for position, branch, occurred_at, _, type_, *_ in rows:
        if type_ in RETRACTING:
            database.run_many(_ADD_LATE, late[added:])  # withdrawals decide what is visible
            added = len(late)
            lateness.retracted(visibilities.latest_after(lineage, position, occurred_at))
        if lateness.notes(occurred_at, type_):
            late.append(
                {
                    "position": position,
                    "branch": branch,
                    "occurred_at": occurred_at,
                    "withdraws": type_ == WITHDRAWAL,
                    "upto": rows[-1][0],
                    "digest": rows[-1][-1],
                }
            )
    if late[added:]:
        database.run_many(_ADD_LATE, late[added:])
    return late, lateness.latest


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
        texts: Sequence[str] = (),
    ) -> Appended:
        """Append a batch to a branch durably: all of it or nothing.

        A batch whose event ids are all in the log with the same content is not recorded again.
        If a fact of it was retracted since, the batch is recorded again with new ids: `ID~2`, then
        `ID~3`, and so on.

        Args:
            events: the batch, in its order.
            recorded_at: now; if it is before the last `recorded_at` of the log, that is used.
            branch: the name of the branch.
            after: the last position that the branch saw when the batch was decided.
            first: the position that the first event must get; the batch may refer to its own
                events by position.
            texts: raw texts to keep as evidence, in the same transaction.

        Raises:
            ConcurrentAppend: if the branch sees a position after `after`, or the next position
                of the log is not `first`.
            EventIdConflict: if another event has one of the ids.
            RetiredBranch: if another process retired the branch.
        """
        if not events:
            position = self.head(branch).position
            return Appended(position + 1, position, recorded=False)
        line = self.branch(branch)
        for time in itertools.count(1):
            appended = self._append(
                _renewed(events, time),
                recorded_at=recorded_at,
                line=line,
                after=after,
                first=first,
                texts=texts,
            )
            if appended is not None:
                return appended
        raise AssertionError

    def append_alone(
        self,
        decide: Callable[[Head, int], tuple[Sequence[NewEvent], Sequence[str]]],
        *,
        clock: Callable[[], int],
        branch: str = MAIN,
    ) -> Appended:
        """Lock the log, and append to a branch the batch that `decide` returns for its head.

        `decide` gets the head of the branch and the last position of the log, and returns the
        events, and the raw texts to keep as evidence. Nobody else can append meanwhile, but
        everybody who writes waits: `decide` must be quick. If it raises, nothing is appended.
        `clock` returns now, for `recorded_at`.

        Raises:
            ConcurrentAppend: if the batch has an id that the log has, and another process appended
                after the lock was released.
            EventIdConflict: if another event has one of the ids.
            RetiredBranch: if another process retired the branch.
        """
        database, line = self._database, self.branch(branch)
        events: Sequence[NewEvent] = ()
        texts: Sequence[str] = ()
        position = 0
        try:
            with database.writing():
                self._branches.demand_live(line)
                events, texts = decide(*self._branches.heads(line))
                heads = Heads(*read_heads(database, line.id, name=line.name))
                position = heads.own.position
                if not events:
                    return Appended(position + 1, position, recorded=False)
                now = max(clock(), heads.last_recorded)
                keep_texts(database, texts, first_seen=now)
                return record(database, events, heads, now, self._branches.lineage(line))
        except database.integrity_error:  # it was recorded before, or `append` says what is wrong
            return self.append(
                events, recorded_at=clock(), branch=branch, after=position, texts=texts
            )

    def turn(self) -> AbstractContextManager[None]:
        """Wait until it is the turn of this process to write; the block is its turn.

        Whoever decides in a turn and then appends loses no race against others that take turns.
        """
        return self._database.turn()

    def _append(
        self,
        events: Sequence[NewEvent],
        *,
        recorded_at: int,
        line: Branch,
        after: int | None,
        first: int | None,
        texts: Sequence[str],
    ) -> Appended | None:
        """Append a batch; return None if it was recorded before, but was retracted since."""
        database = self._database
        refused: Exception | None = None
        try:
            with database.writing():
                heads = Heads(*read_heads(database, line.id, name=line.name))
                self._branches.demand_live(line)
                if after in (None, heads.own.position) and first in (None, heads.position + 1):
                    recorded_at = max(recorded_at, heads.last_recorded)
                    lineage = self._branches.lineage(line)
                    keep_texts(database, texts, first_seen=recorded_at)
                    return record(database, events, heads, recorded_at, lineage)
        except database.integrity_error as error:
            refused = error
        stored = _stored(database, events)
        if self._is_retracted(stored, line):
            return None
        if stored:
            return _recorded_before(stored, events, line)
        if refused is not None:
            raise AppendRefused(refused) from refused
        raise ConcurrentAppend(line.name)

    def _record_batch(
        self, events: Sequence[NewEvent], *, recorded_at: int, line: Branch
    ) -> Appended:
        """Append a batch within a transaction of the caller."""
        heads = Heads(*read_heads(self._database, line.id, name=line.name))
        return record(self._database, events, heads, recorded_at, self._branches.lineage(line))

    def _is_retracted(self, stored: Mapping[str, tuple[Any, ...]], line: Branch) -> bool:
        """Return whether a branch sees a primary fact of these events no longer."""
        primary = [row for row in stored.values() if row[5] is None]
        if not primary:
            return False
        lineage = self._branches.lineage(line)
        hides = self.visibility(branch=line.name).hides
        return any(
            hides(row[0], row[2], row[3], derived=False)
            for row in primary
            for part in lineage
            if part.branch == row[1] and part.includes(row[0], row[2])
        )


def _renewed(events: Sequence[NewEvent], time: int) -> Sequence[NewEvent]:
    """Return a batch with the ids that it has when it is recorded for this time."""
    if time == 1:
        return events
    ids = {new.event_id: f"{new.event_id}~{time}" for new in events}
    return [
        new._replace(
            event_id=ids[new.event_id],
            cause=None if new.cause is None else ids.get(new.cause, new.cause),
        )
        for new in events
    ]


def _stored(database: Database, events: Sequence[NewEvent]) -> dict[str, tuple[Any, ...]]:
    """Return the events of the log that have one of the ids of a batch, by id.

    Raises:
        EventIdConflict: if two events of the batch have the same id.
    """
    ids: dict[str, None] = {}
    for new in events:
        if new.event_id in ids:
            raise EventIdConflict(new.event_id)
        ids[new.event_id] = None
    return {row[-1]: row for row in database.fetch_among(_BY_ID, event.c.event_id, list(ids))}


def _recorded_before(
    stored: Mapping[str, tuple[Any, ...]], events: Sequence[NewEvent], branch: Branch
) -> Appended:
    """Return where a batch was appended before; `stored` are the events that have its ids.

    Raises:
        EventIdConflict: if another event of the log has one of its ids.
    """
    for new in events:
        row = stored.get(new.event_id)
        expected = (branch.id, new.occurred_at, new.type, new.qmgr, new.cause, new.source, new.body)
        if row is not None and row[1:-1] != expected:
            raise EventIdConflict(new.event_id)
    if len(stored) < len(events):
        raise EventIdConflict(next(iter(stored)))
    positions = [row[0] for row in stored.values()]
    return Appended(min(positions), max(positions), recorded=False)
