"""Check the tables that follow from the events: `head`, `late_event`, `retraction` and `branch`.

They decide which events a branch sees. `verify` computes them again and compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select

from twin.log.branches import Branches
from twin.log.chain import GENESIS, HeadRow, branch_digest_of, late_digest_after, late_digest_of
from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.records import LONG_AGO, RETRACTING, WITHDRAWAL, Branch, Lateness
from twin.log.schema import WHOLE_LOG, branch, head, late_event
from twin.log.visibility import RETRACTIONS, Retraction, rows_of

_BRANCHES: Final = select(*branch.c).order_by(branch.c.id)
_HEADS: Final = select(*(head.c[name] for name in HeadRow._fields)).order_by(head.c.branch)
_LATE: Final = select(*late_event.c).where(
    late_event.c.position > bindparam("after"), late_event.c.position <= bindparam("upto")
)
_LAST: Final = 2**63 - 1


class ChainedEvent(NamedTuple):
    """The columns of an event from which the other tables are derived."""

    position: int
    branch: int
    occurred_at: int
    recorded_at: int
    type: str
    body: str
    digest: bytes


class _Line:
    """The state of one branch after the events that were followed so far.

    Attributes:
        lateness: finds its late events; it has the latest instant of the branch.
        last: its last event, as (position, recorded_at, digest).
    """

    __slots__ = ("last", "lateness")

    def __init__(self, latest: int, last: tuple[int, int | None, bytes]) -> None:
        self.lateness = Lateness(latest)
        self.last = last

    def head(self) -> tuple[Any, ...]:
        """Return the row of `head` without the branch column."""
        position, recorded_at, digest = self.last
        latest = self.lateness.latest
        return position, None if latest == LONG_AGO else latest, recorded_at, digest


class _Batch(NamedTuple):
    """A batch with rows in `late_event`: the position of its first such row, and its end."""

    first: int = 0
    branch: int = 0
    recorded_at: int = 0
    upto: int = 0
    digest: bytes = GENESIS


class Derived:
    """A check that follows the events, and compares the tables that follow from them.

    `late_event` and `retraction` are compared on the way, `head` and `branch` at the end.
    Only the rows in `late_event` say where a batch ends. So each of these rows must have the digest
    of the event that it names as the end, and all rows of a batch must agree. Then every answer
    that is computed from them is right.
    """

    def __init__(self, database: Database) -> None:
        """Begin before the first event.

        Raises:
            LogDamaged: if the branches were altered.
        """
        self._database = database
        self._lines: dict[int, _Line] = {}
        self._late: dict[int, tuple[Any, ...]] = {}
        self._retractions: dict[int, list[tuple[Any, ...]]] = {}
        self._read_upto = LONG_AGO
        self._latest: int | None = None
        self._batch = _Batch()
        self._late_digest = GENESIS
        self._branches = self._sound_branches()

    def read(self, upto: int) -> None:
        """Read the rows up to a position, before the events up to there are followed."""
        self._fetch(upto)
        for name, rows in self._unexpected():
            if min(rows) < 1:
                raise _unexpected(min(rows), name)

    def follow(self, step: ChainedEvent) -> None:
        """Follow the next event, and compare the row of `late_event` that it must or must not have.

        Raises:
            LogDamaged: if it differs.
        """
        line = self._lines.get(step.branch) or self._begun(step)
        if step.position > self._batch.upto:
            line.lateness.begin_batch()
        else:
            _demand_batch(self._batch, step)
        if step.type in RETRACTING:
            self._compare_retraction(step, line)
        noted = line.lateness.notes(step.occurred_at, step.type)
        late_note = self._late.pop(step.position, None)
        if noted or late_note is not None:
            self._compare_late(step, late_note, noted=noted)
        if step.type in RETRACTING:
            self._late_digest = late_digest_after(self._late_digest, [], _retractions_of(step))
        line.last = (step.position, step.recorded_at, step.digest)
        if self._latest is None or step.occurred_at > self._latest:
            self._latest = step.occurred_at

    def finish(self, last: tuple[int, int | None, bytes], expected: int) -> None:
        """Compare everything else after the last event, given as (position, recorded_at, digest).

        Raises:
            LogDamaged: if something differs, or events are missing up to the expected position.
        """
        position = last[0]
        heads = {row[0]: row[1:] for row in self._database.fetch(_HEADS)}
        ends = [row[0] for row in heads.values() if isinstance(row[0], int)]
        end = max(*ends, expected, 0)
        if position < end:
            raise LogDamaged(position + 1, f"it is missing; the log had positions up to {end}")
        if position < self._batch.upto:
            raise _altered_late(self._batch.first)
        self._fetch(_LAST)
        for name, rows in self._unexpected():
            raise _unexpected(min(rows), name)
        self._branches = self._sound_branches()
        self._compare_heads(heads, last)

    def _sound_branches(self) -> Branches:
        """Check the chain of the branches, and return the branches as they are now."""
        before = GENESIS
        for number, row in enumerate(self._database.fetch(_BRANCHES), start=1):
            stored, name, parent, forked, *_, stored_digest = row
            fork = forked if isinstance(forked, int) else 0
            if stored != number:
                raise LogDamaged(fork, f"the branch row {number} is missing")
            try:
                digest = branch_digest_of(before, row[:-1])
            except (TypeError, ValueError):
                digest = GENESIS
            if digest != stored_digest or (parent or 0) >= number:
                raise LogDamaged(fork, f"the branch row {number} ({name}) is altered")
            before = digest
        return Branches(self._database)

    def _begun(self, step: ChainedEvent) -> _Line:
        """Start following a branch at its first own event; the branch may be new."""
        line = self._branches.numbered(step.branch)
        if line is None:
            self._branches = self._sound_branches()
            line = self._branches.numbered(step.branch)
        if line is None:
            raise LogDamaged(step.position, f"the branch row {step.branch} is missing")
        if line.fork_position >= step.position:
            raise LogDamaged(step.position, f"the branch row {step.branch} is altered")
        return self._lines.setdefault(step.branch, self._inherited(line))

    def _inherited(self, line: Branch) -> _Line:
        newest, digest = self._branches.inherited(line)
        latest = LONG_AGO if newest.occurred_at is None else newest.occurred_at
        return _Line(latest, (newest.position, newest.recorded_at, digest))

    def _fetch(self, upto: int) -> None:
        for row in self._database.fetch(_LATE, after=self._read_upto, upto=upto):
            self._late[row[0]] = row
        for row in self._database.fetch(RETRACTIONS, after=self._read_upto, upto=upto):
            self._retractions.setdefault(row[0], []).append(row)
        self._read_upto = upto

    def _unexpected(self) -> list[tuple[str, Iterable[int]]]:
        """Return the tables that have rows for events that were not followed, with positions."""
        tables = (("late_event", self._late), ("retraction", self._retractions))
        return [(name, rows) for name, rows in tables if rows]

    def _compare_retraction(self, step: ChainedEvent, line: _Line) -> None:
        """Compare the rows of a retraction, and note what the branch sees after it."""
        stored = [Retraction._make(row) for row in self._retractions.pop(step.position, [])]
        if stored != _retractions_of(step):
            raise LogDamaged(step.position, "the rows of retraction for this position were altered")
        of_step = self._branches.numbered(step.branch)
        if of_step is None:
            raise LogDamaged(step.position, f"the branch row {step.branch} is missing")
        lineage = self._branches.lineage(of_step)
        latest = self._branches.visibilities.latest_after(lineage, step.position, step.occurred_at)
        line.lateness.retracted(latest)

    def _compare_late(
        self, step: ChainedEvent, stored: tuple[Any, ...] | None, *, noted: bool
    ) -> None:
        """Compare one late row, which may be the first of its batch."""
        if stored is None:
            raise LogDamaged(step.position, "late_event has no row for this position")
        if not noted:
            raise _unexpected(step.position, "late_event")
        self._late_digest = late_digest_of(self._late_digest, stored)
        *columns, upto, digest = stored
        if columns != [step.position, step.branch, step.occurred_at, step.type == WITHDRAWAL]:
            raise _altered_late(step.position)
        if step.position > self._batch.upto:
            if not isinstance(upto, int) or upto < step.position:
                raise _altered_late(step.position)
            self._batch = _Batch(step.position, step.branch, step.recorded_at, upto, digest)
            _demand_batch(self._batch, step)
        elif (upto, digest) != self._batch[-2:]:
            raise _altered_late(step.position)

    def _compare_heads(
        self, heads: dict[int, tuple[Any, ...]], last: tuple[int, int | None, bytes]
    ) -> None:
        lines = self._branches.all(retired=True)
        names = {line.id: f"of branch {line.name}" for line in lines}
        wanted: dict[int, tuple[Any, ...]] = {}
        for line in lines:
            row = (self._lines.get(line.id) or self._inherited(line)).head()
            wanted[line.id] = _sealed(line.id, row, GENESIS)
        position, recorded_at, digest = last
        row = (position, self._latest, recorded_at, digest)
        wanted[WHOLE_LOG] = _sealed(WHOLE_LOG, row, self._late_digest)
        names[WHOLE_LOG] = "of the log"
        differences: list[tuple[int, str]] = []
        for number in sorted(wanted.keys() | heads.keys()):
            name = names.get(number, f"of unknown branch {number}")
            differences += _difference(wanted.get(number), heads.get(number), name)
        if differences:
            raise LogDamaged(*min(differences))


def _retractions_of(step: ChainedEvent) -> list[Retraction]:
    return rows_of(step.position, step.branch, step.occurred_at, step.type, step.body)


def _demand_batch(batch: _Batch, step: ChainedEvent) -> None:
    """Check that an event belongs to the batch, and has the digest of its end if it is the end."""
    same = (step.branch, step.recorded_at) == (batch.branch, batch.recorded_at)
    if not same or (step.position == batch.upto and step.digest != batch.digest):
        raise _altered_late(batch.first)


def _sealed(number: int, row: tuple[Any, ...], late: bytes) -> tuple[Any, ...]:
    """Return a row of `head` without the branch column, with the two digests at its end."""
    return tuple(HeadRow._make((number, *row, late, b"")).sealed())[1:]


def _unexpected(position: int, table: str) -> LogDamaged:
    return LogDamaged(position, f"{table} has an unexpected row for this position")


def _altered_late(position: int) -> LogDamaged:
    return LogDamaged(position, "the row of late_event for this position was altered")


def _difference(
    wanted: tuple[Any, ...] | None, stored: tuple[Any, ...] | None, name: str
) -> list[tuple[int, str]]:
    """Return how a row of `head` differs, as (first position that is affected, description)."""
    if wanted == stored:
        return []
    if wanted is None or stored is None:
        position = (wanted or stored or (0,))[0]
        what = "missing" if stored is None else "unexpected"
    else:
        position = wanted[0]
        what = "altered"
        if isinstance(stored[0], int):
            position = min(position, stored[0] + 1)
    return [(position if isinstance(position, int) else 0, f"the head row {name} is {what}")]
