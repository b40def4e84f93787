"""Log: one append-only log in one database, and all that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Self

from sqlalchemy import bindparam, select

from twin.log import appending, reading, snapshots, verifying
from twin.log.branches import ALWAYS, Branches
from twin.log.database import Database, Mode, Synchronous
from twin.log.opening import open_database
from twin.log.reading import LONG_AGO, Only, Window
from twin.log.records import (
    Appended,
    Branch,
    Head,
    NewEvent,
    Row,
    Snapshot,
    StoredEvent,
    Verified,
)
from twin.log.schema import WHOLE_LOG, head
from twin.log.visibility import Withdrawals

_TAIL: Final = select(head.c.position, head.c.digest).where(head.c.branch == bindparam("branch"))


class Log:
    """An append-only log of events with branches, two clocks and snapshots.

    Positions are gapless over the whole log, all branches together. Instants are microseconds
    since 1970 UTC. Threads may share a log; processes open one each.
    """

    def __init__(self, database: Database) -> None:
        """Work on a database that holds a log; `open` is the usual way."""
        self._database = database
        self._branches = Branches(database)
        self._withdrawals = Withdrawals(database)

    @classmethod
    def open(cls, url: str, *, mode: Mode = "write", synchronous: Synchronous = "FULL") -> Self:
        """Open a log by its SQLAlchemy URL; writing creates and migrates it, reading does not.

        With `synchronous` of NORMAL a power failure may lose what was appended last, never more.

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
        """Append a batch to a branch: all of it, durably, or nothing.

        A batch whose ids are all known with the same content stands in the log already, and is
        not recorded again.

        Args:
            events: the batch, in its order.
            recorded_at: now; raised to that of the log's last event if it lies before.
            branch: the branch they happen on.
            after: the last position the branch saw when the batch was decided upon.
            first: the position that its first event must get, as it names some by theirs.

        Raises:
            ConcurrentAppend: when the branch sees more than `after` by now, or the log goes on
                elsewhere than at `first`.
            EventIdConflict: when an id is taken by another event.
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
        """Return what a branch sees, in fold order: (occurred_at, position).

        Args:
            branch: the branch that sees them.
            valid: the last instant that counts.
            known: the last position that counts.
            since_valid: the instant whose events, and all earlier ones, are left out.
            types: the types wanted, instead of all.
            qmgrs: the queue managers wanted, instead of all.
            either: what is of those types is wanted too, wherever it happened.
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
        """Yield events in the order of the log, what was withdrawn included.

        Args:
            after: the position before the first one wanted.
            upto: the last position wanted.
            limit: how many are wanted at most.
            branch: the branch that must see them, instead of any.
            types: the types wanted, instead of all.
            qmgr: the queue manager wanted, instead of all.
            since: the first instant of occurrence wanted.
            until: the last instant of occurrence wanted.
        """
        return reading.record(
            self._database,
            self._branches,
            None if branch is None else self.branch(branch),
            window=Window(
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
        """Return the primary facts a branch sees after an instant, in fold order.

        These are what is derived from anew after a late fact; withdrawals are among them.
        """
        return reading.primary_after(
            self._database,
            self._branches,
            self.branch(branch),
            instant=instant,
            known=self._upto(known),
        )

    def head(self, branch: str = "main") -> Head:
        """Return what a branch sees last: position 0 and no instants when it sees nothing."""
        return self._branches.head(self.branch(branch))

    def ends(self, branch: str = "main") -> tuple[Head, int]:
        """Return what a branch sees last, and the last position of the whole log, as of one time.

        What is appended to the branch next gets the position behind that, if nobody else appends.
        """
        return self._branches.ends(self.branch(branch))

    def tail(self) -> tuple[int, str]:
        """Return the last position of the whole log, and its digest in hexadecimal."""
        position, digest = self._database.one(_TAIL, branch=WHOLE_LOG) or (0, b"")
        return position, bytes(digest).hex()

    def position_at(self, known: int, *, branch: str = "main") -> int:
        """Return the last position a branch saw when it was this instant, or 0."""
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
            NoSuchBranch: when there is none.
        """
        return self._branches.named(name)

    def branches(self) -> list[Branch]:
        """Return all branches, main first, in the order they were made."""
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
        """Keep the fold of what a branch saw with `occurred_at` <= `valid` by a position.

        Pages that any snapshot has already are not stored again; one that has not changed since
        may be given by its number there. Returns the number of every page.

        Raises:
            BadSnapshot: unless `valid` lies before the latest instant the branch saw by then: at
                the latest instant itself, more may happen without being late.
            SnapshotDropped: when a page given by its number is there no more.
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
        """Return the usable snapshot of the most recent instant, or None.

        What it lacks of the view of `valid` and `known` (a position) is exactly
        `rows(..., since_valid=snapshot.valid)`. Snapshots of ancestors count, and those of other
        versions do not.
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
        """Return the contents of some pages of a snapshot, or of all.

        Raises:
            SnapshotDropped: when another process dropped it since it was found.
        """
        return snapshots.load(self._database, snapshot, names)

    def drop_snapshots(self) -> None:
        """Drop all snapshots: nothing is lost but time."""
        snapshots.drop(self._database)

    def verify(
        self, *, expect: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Verified:
        """Check that the log is what was recorded, all of it, in its order.

        So is what decides what is seen of it: heads, late events and branches. The branches have a
        chain of their own, which `expect` says nothing about.

        Args:
            expect: POSITION:DIGEST as an earlier call returned it: what was there then must be
                there still. Only this finds a log that was cut and chained anew as a whole.
            progress: called about once a second with the position reached.

        Raises:
            LogDamaged: with the first bad position.
            BadExpectation: when `expect` cannot be read.
        """
        return verifying.verify(self._database, expect=expect, progress=progress)

    def _upto(self, known: int | None) -> int:
        """Bound what is read by what the log holds now, so that several queries agree."""
        last = self.tail()[0]
        return last if known is None else min(known, last)
