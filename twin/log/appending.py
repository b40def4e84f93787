"""Append batches of events to the log: each batch as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, case, insert, select, update

from twin.log.chain import chained
from twin.log.database import Database
from twin.log.errors import AppendRefused, ConcurrentAppend, EventIdConflict, LogDamaged
from twin.log.lateness import WITHDRAWAL, Lateness
from twin.log.reading import LONG_AGO, ReadableLog
from twin.log.records import Appended, Branch, NewEvent
from twin.log.schema import WHOLE_LOG, event, head, late_event
from twin.model.asof import MAIN

_HEADS: Final = select(
    head.c.branch, head.c.position, head.c.occurred_at, head.c.recorded_at, head.c.digest
).where(head.c.branch.in_([WHOLE_LOG, bindparam("branch")]))
_MOVE_HEADS: Final = (
    update(head)
    .where(head.c.branch.in_([WHOLE_LOG, bindparam("line")]))
    .values(
        position=bindparam("last"),
        occurred_at=case(
            (head.c.occurred_at > bindparam("latest"), head.c.occurred_at),
            else_=bindparam("latest"),
        ),
        recorded_at=bindparam("recorded"),
        digest=bindparam("new_digest"),
    )
)
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

    position: int
    digest: bytes
    recorded_at: int
    branch_position: int
    branch_latest: int


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
                heads = _heads(database, line)
                if after in (None, heads.branch_position) and first in (None, heads.position + 1):
                    recorded_at = max(recorded_at, heads.recorded_at)
                    return _record(database, events, heads, recorded_at, line)
        except database.integrity_error as error:
            refused = error
        earlier = _recorded_before(database, events, line)
        if earlier is not None:
            return earlier
        if refused is not None:
            raise AppendRefused(refused) from refused
        raise ConcurrentAppend(branch)


def _heads(database: Database, branch: Branch) -> _Heads:
    rows = {row[0]: row[1:] for row in database.fetch(_HEADS, branch=branch.id)}
    if not {WHOLE_LOG, branch.id} <= rows.keys():
        raise LogDamaged(0, f"the head row of the log or of branch {branch.name} is missing")
    position, _, recorded_at, digest = rows[WHOLE_LOG]
    own_position, latest, _, _ = rows[branch.id]
    return _Heads(
        position,
        bytes(digest),
        LONG_AGO if recorded_at is None else recorded_at,
        own_position,
        LONG_AGO if latest is None else latest,
    )


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
        before=heads.digest,
        after=heads.position,
        branch=branch.id,
        recorded_at=recorded_at,
    )
    database.insert_events(rows)
    database.run(
        _MOVE_HEADS,
        line=branch.id,
        last=last,
        latest=max(new.occurred_at for new in events),
        recorded=recorded_at,
        new_digest=rows[-1][-1],
    )
    late = _late(events, heads, branch.id, rows[-1][-1])
    if late:
        database.run_many(_ADD_LATE, late)
    return Appended(first, last, recorded=True)


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
