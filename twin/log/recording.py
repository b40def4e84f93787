"""Record one batch within a transaction: its rows, and all that is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import insert

from twin.log import own_events
from twin.log.chain import HeadRow, chained, late_digest_after, move
from twin.log.database import Database
from twin.log.lateness import HIDING, RETRACTING, WITHDRAWAL, Lateness
from twin.log.records import LONG_AGO, Appended, NewEvent, VisiblePart
from twin.log.schema import late_event, retraction
from twin.log.visibilities import Visibilities
from twin.log.visibility import Retraction, rows_of_batch

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
    branch = lineage[0].branch
    rows = chained(
        events,
        before=heads.whole.digest,
        after=heads.position,
        branch=branch,
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
