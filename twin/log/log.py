"""Log: one append-only log in one database, with everything that can be read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Self

from sqlalchemy import bindparam, select

from twin.log import appending, reading, snapshots, verifying
from twin.log.branches import ALWAYS, Branches
from twin.log.database import Database, Mode, Synchronous
from twin.log.opening import open_database
from twin.log.reading import LONG_AGO, Bounds, Only
from twin.log.records import (
    Appended,
    Branch,
    ChainEnd,
    Head,
    NewEvent,
    Row,
    Snapshot,
    StoredEvent,
)
from twin.log.schema import WHOLE_LOG, head
from twin.log.visibility import Withdrawals

_LAST: Final = select(head.c.position, head.c.digest).where(head.c.branch == bindparam("branch"))


class Log:
    """An append-only log of events with branches, two clocks and snapshots.

    Positions are gapless over the whole log, all branches together. Instants are microseconds
    since 1970 UTC. Threads may share a log; processes open one each.
    """

    def __init__(self, database: Database) -> None:
        """Use a database that contains a log; most callers use `open` instead."""
        self._database = database
        self._branches = Branches(database)
        self._withdrawals = Withdrawals(database)

    @classmethod
    def open(cls, url: str, *, mode: Mode = "write", synchronous: Synchronous = "FULL") -> Self:
        """Open a log by its SQLAlchemy URL; mode "write" creates and migrates it if necessary.

        With `synchronous` of NORMAL, a power failure may lose the last batches, and nothing else.

        Raises:
            BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, LogUnreachable, LogBusy:
                when it cannot be opened.
        """
        return cls(open_database(url, mode=mode, synchronous=synchronous))

    def close(self) -> None:
        """Close the connection to the database."""
        self._database.close()

    def append(
        self,
        events: Sequence[NewEvent],
        *,
        recorded_at: int,
        branch: str = "main",
        after: int | None = None,
        first: int | None = None,
    ) -> Appended:
        """Append a batch to a branch durably: all of it or nothing.

        A batch whose event ids are all in the log with the same content is not recorded again.

        Args:
            events: the batch, in its order.
            recorded_at: now; an instant before the last recording is raised to that recording's.
            branch: the name of the branch.
            after: the last position that the branch saw when the batch was decided.
            first: the position that the first event must get; the batch may refer to its own
                events by position.

        Raises:
            ConcurrentAppend: when the branch sees a position after `after`, or the next position
                of the log is not `first`.
            EventIdConflict: when another event has one of the ids.
        """
        line = self.branch(branch)
        return appending.append(
            self._database,
            events,
            recorded_at=recorded_at,
            branch=line,
            after=after,
            first=first,
        )

    def rows(
        self,
        *,
        branch: str = "main",
        valid: int | None = None,
        known: int | None = None,
        since_valid: int | None = None,
        types: Sequence[str] = (),
        qmgrs: Sequence[str] = (),
        either: bool = False,
    ) -> list[Row]:
        """Return the events that a branch sees, in fold order: (occurred_at, position).

        Args:
            branch: the name of the branch.
            valid: the last instant of occurrence.
            known: the last position.
            since_valid: only events after this instant.
            types: only these types.
            qmgrs: only these queue managers.
            either: with both `types` and `qmgrs`: events that match one of the two are enough.
        """
        return reading.rows(
            self._database,
            self._branches,
            self._withdrawals,
            self.branch(branch),
            valid=ALWAYS if valid is None else valid,
            known=self._upto(known),
            since=LONG_AGO if since_valid is None else since_valid,
            only=Only(tuple(types), tuple(qmgrs), either),
        )

    def events(
        self,
        *,
        after: int = 0,
        upto: int | None = None,
        limit: int | None = None,
        branch: str | None = None,
        types: Sequence[str] = (),
        qmgr: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> Iterator[StoredEvent]:
        """Yield events in the order of the log, withdrawn ones included.

        Args:
            after: only positions after this one.
            upto: the last position.
            limit: the most events to yield.
            branch: only events that this branch sees.
            types: only these types.
            qmgr: only this queue manager.
            since: the first instant of occurrence.
            until: the last instant of occurrence.
        """
        return reading.record(
            self._database,
            self._branches,
            None if branch is None else self.branch(branch),
            bounds=Bounds(
                after,
                self._upto(upto),
                ALWAYS if limit is None else limit,
                LONG_AGO if since is None else since,
                ALWAYS if until is None else until,
            ),
            only=Only(tuple(types), () if qmgr is None else (qmgr,)),
        )

    def primary_after(
        self, instant: int, *, branch: str = "main", known: int | None = None
    ) -> list[StoredEvent]:
        """Return the primary facts that a branch sees after an instant, in fold order.

        After a late fact, everything is derived again from them. Withdrawals are among them.
        """
        return reading.primary_after(
            self._database,
            self._branches,
            self.branch(branch),
            instant=instant,
            known=self._upto(known),
        )

    def head(self, branch: str = "main") -> Head:
        """Return the last event that a branch sees: position 0 and no instants if it sees none."""
        return self._branches.head(self.branch(branch))

    def heads(self, branch: str = "main") -> tuple[Head, int]:
        """Return the head of a branch and the last position of the whole log, read together.

        The next event gets the position after that, unless another process appends first.
        """
        return self._branches.heads(self.branch(branch))

    def last(self) -> ChainEnd:
        """Return the last position of the whole log, and its digest in hexadecimal."""
        position, digest = self._database.one(_LAST, branch=WHOLE_LOG) or (0, b"")
        return ChainEnd(position, bytes(digest).hex())

    def position_at(self, known: int, *, branch: str = "main") -> int:
        """Return the last position that a branch saw at an instant of recording; 0 for none."""
        return self._branches.position_at(self.branch(branch), known)

    def create_branch(
        self,
        name: str,
        *,
        parent: str = "main",
        at_position: int | None = None,
        at_occurred: int | None = None,
    ) -> Branch:
        """Fork a branch at its parent's head, or at an earlier position, instant, or both.

        Raises:
            BadBranchName, BranchExists, NoSuchBranch, BadFork: when that cannot be done.
        """
        with self._database.writing():
            return self._branches.create(
                name, parent=parent, at_position=at_position, at_occurred=at_occurred
            )

    def branch(self, name: str) -> Branch:
        """Return a branch by its name.

        Raises:
            NoSuchBranch: when no branch has this name.
        """
        return self._branches.named(name)

    def branches(self) -> list[Branch]:
        """Return all branches in the order of their creation; main is the first."""
        return self._branches.all()

    def save_snapshot(
        self,
        *,
        branch: str,
        valid: int,
        position: int,
        version: int,
        pages: Mapping[str, bytes | int],
    ) -> Mapping[str, int]:
        """Store the fold of the events with `occurred_at` <= `valid` and position <= `position`.

        A page with the same content as a stored page is not stored again. An unchanged page may be
        given by the number of the stored page. Returns the number of every page by its name.

        Raises:
            BadSnapshot: unless the branch saw, by that position, an event after `valid`. Further
                events at its latest instant would not be late.
            SnapshotDropped: when a page that was given by its number no longer exists.
        """
        return snapshots.save(
            self._database,
            self._branches,
            self.branch(branch),
            valid=valid,
            position=position,
            version=version,
            pages=pages,
        )

    def find_snapshot(
        self, *, branch: str = "main", valid: int, known: int, version: int
    ) -> Snapshot | None:
        """Return the usable snapshot of the most recent instant; None if there is none.

        `known` is a position. The events that the snapshot lacks are exactly
        `rows(..., since_valid=snapshot.valid)`. Snapshots of ancestors of the branch may be used;
        snapshots of other versions may not.
        """
        return snapshots.find(
            self._database,
            self._branches,
            self.branch(branch),
            valid=valid,
            known=known,
            version=version,
        )

    def load_pages(
        self, snapshot: Snapshot, names: Iterable[str] | None = None
    ) -> dict[str, bytes]:
        """Return the contents of pages of a snapshot, of all its pages by default.

        Raises:
            SnapshotDropped: when another process dropped the snapshot meanwhile.
        """
        return snapshots.load(self._database, snapshot, names)

    def drop_snapshots(self) -> None:
        """Drop all snapshots; they can be made again."""
        snapshots.drop(self._database)

    def verify(
        self, *, expect: str | None = None, progress: Callable[[int], None] | None = None
    ) -> ChainEnd:
        """Check that the log holds exactly what was recorded, in the recorded order.

        Heads, late events and branches are checked too. The branches have a chain of their own,
        which `expect` does not cover.

        Args:
            expect: POSITION:DIGEST from an earlier call: the log must still hold that event. Only
                this detects a log that was rewritten as a whole.
            progress: called about once a second with the position that is reached.

        Raises:
            LogDamaged: with the first bad position.
            BadExpectation: when `expect` cannot be read.
        """
        return verifying.verify(self._database, expect=expect, progress=progress)

    def _upto(self, known: int | None) -> int:
        """Limit a read to the present end of the log, so that several queries agree."""
        last = self.last().position
        return last if known is None else min(known, last)
