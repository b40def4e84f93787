"""Snapshots: a cache beside the log. A snapshot never becomes wrong, and may always be dropped.

A row that was altered is not used: its digest covers all its columns.

A view of instant v and position p may start from a snapshot of (V, P) if V <= v, P <= p, and the
branch of the view sees no event in (P, p] with `occurred_at` <= V.

The connection by which caches are written: beside the log's own, and never waited for long.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, delete, insert, select

from twin.errors import TwinError
from twin.log import pages as stored_pages
from twin.log.database import Database
from twin.log.errors import BadSnapshot, LogBusy, ReadOnlyLog
from twin.log.pages import SavedRow, as_bytes
from twin.log.reading import ReadableLog
from twin.log.records import ALWAYS, EARLIEST_LATE, PlayedAhead, Snapshot, StoredPage, VisiblePart
from twin.log.schema import event, page, played, snapshot
from twin.model.instants import MAIN

PATIENCE: Final = 0.25
"""Seconds to wait for another process that writes: a cache is not worth more."""


class CacheConnection:
    """Writes caches of a log, also for a reader that may do so."""

    def __init__(self, database: Database, *, allowed: bool) -> None:
        """Write beside this connection, if it is allowed."""
        self._database = database
        self._beside: Database | None = database if database.is_private else None
        self.allowed = allowed

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """Begin a transaction; yield its connection.

        Raises:
            ReadOnlyLog: if nothing may be written.
            LogBusy: if another process or this one is writing.
            LogUnreachable: if the database does not allow it.
        """
        if not self.allowed:
            raise ReadOnlyLog(self._database.name)
        if self._database.is_writing:
            raise LogBusy(self._database.name)
        if self._beside is None:
            self._beside = self._database.beside(patience=PATIENCE)
        with self._beside.writing():
            yield self._beside

    def close(self) -> None:
        """Close the connection."""
        if self._beside is not None and self._beside is not self._database:
            self._beside.close()
            self._beside = None


_CANDIDATES: Final = 200
"""The number of snapshots that are read at once; nearly always one of the first is usable."""

_USABLE: Final = (
    select(snapshot.c.id, snapshot.c.valid, snapshot.c.position)
    .where(
        snapshot.c.branch == bindparam("branch"),
        snapshot.c.version == bindparam("version"),
        snapshot.c.valid <= bindparam("occurred"),
        snapshot.c.position <= bindparam("position"),
    )
    .order_by(snapshot.c.valid.desc(), snapshot.c.position.desc())
    .limit(_CANDIDATES)
    .offset(bindparam("passed"))
)
_IDS: Final = select(snapshot.c.id)
_ROW: Final = select(
    snapshot.c.branch,
    snapshot.c.valid,
    snapshot.c.position,
    snapshot.c.version,
    as_bytes(snapshot.c.directory),
    as_bytes(snapshot.c.digest),
).where(snapshot.c.id == bindparam("id"))
_EARLIEST: Final = (
    select(event.c.occurred_at)
    .where(
        event.c.branch == bindparam("branch"),
        event.c.position <= bindparam("position"),
        event.c.occurred_at <= bindparam("occurred"),
    )
    .order_by(event.c.occurred_at)
    .limit(1)
)
_LATER: Final = (
    select(event.c.position)
    .where(
        event.c.branch == bindparam("branch"),
        event.c.occurred_at > bindparam("valid"),
        event.c.occurred_at <= bindparam("occurred"),
        event.c.position <= bindparam("position"),
    )
    .limit(1)
)
_EXISTS: Final = select(event.c.position).where(event.c.position == bindparam("position"))
_SAME: Final = select(snapshot.c.id).where(
    snapshot.c.branch == bindparam("branch"),
    snapshot.c.version == bindparam("version"),
    snapshot.c.valid == bindparam("valid"),
    snapshot.c.position == bindparam("position"),
)
_ADD: Final = insert(snapshot).values(
    {column.name: bindparam(column.name) for column in snapshot.c if column.name != "id"}
)
_DROP: Final = delete(snapshot).where(snapshot.c.id == bindparam("number"))
DROP_PLAYED: Final = delete(played).where(played.c.branch == bindparam("number"))
_DROP_ALL: Final = (delete(played), delete(snapshot), delete(page))


class _Candidate(NamedTuple):
    """A snapshot that may be usable: its number, instant and position, as an index has them."""

    number: int
    valid: int
    position: int


class SnapshottedLog(ReadableLog):
    """A log with snapshots of the estates of its branches."""

    def __init__(self, database: Database, *, keeps_caches: bool | None = None) -> None:
        """Use a database; by default, caches are written if the log is open for writing."""
        super().__init__(database)
        allowed = database.mode == "write" if keeps_caches is None else keeps_caches
        self.caches = CacheConnection(database, allowed=allowed)
        self._bad: set[int] = set()

    def save_snapshot(
        self,
        *,
        branch: str,
        valid: int,
        position: int,
        version: int,
        pages: Mapping[str, bytes | StoredPage],
    ) -> Mapping[str, StoredPage]:
        """Store the fold of the events with `occurred_at` <= `valid` and position <= `position`.

        A page with the same content as a stored page is not stored again. An unchanged page may be
        given by reference to the stored page. Return where every page is, by its name.

        Raises:
            BadSnapshot: if the branch saw no event after `valid` by that position. More events at
                its latest instant would not be late, and would make the snapshot wrong.
            UnusablePage: if a page that was given by reference no longer exists.
        """
        line = self.branch(branch)
        if not self._lies_before_the_latest(branch, valid=valid, position=position):
            raise BadSnapshot(branch, valid, position)
        key = _key((line.id, valid, position, version))
        with self._writing_snapshots() as database:
            stored = stored_pages.save(database, pages)
            if database.one(_SAME, **key) is None:
                database.run(_ADD, **stored_pages.row_of(key, stored)._asdict(), **key)
        return stored

    @contextlib.contextmanager
    def _writing_snapshots(self) -> Iterator[Database]:
        """Begin a transaction: by the log's own connection if it may write."""
        if self._database.mode == "read":
            with self.caches.writing() as beside:
                yield beside
        else:
            with self._database.writing():
                yield self._database

    def _lies_before_the_latest(self, branch: str, *, valid: int, position: int) -> bool:
        """Return whether the position exists, and the branch saw a later event by then."""
        if self._database.one(_EXISTS, position=position) is None:
            return False
        lineage = self._branches.lineage(self.branch(branch))
        reaches = [reach.within(position=position, occurred_at=ALWAYS) for reach in lineage]
        visibilities = self._branches.visibilities
        if visibilities.is_retracted(reaches):
            latest = visibilities.latest(reaches)
            return latest is not None and valid < latest
        return any(self._database.one(_LATER, valid=valid, **part.values()) for part in reaches)

    def find_snapshot(
        self, *, branch: str = MAIN, valid: int, known: int, version: int
    ) -> Snapshot | None:
        """Return the usable snapshot of the most recent instant; None if there is none.

        `known` is a position. The events missing in the snapshot are exactly
        `rows(..., since_valid=snapshot.valid)`. Snapshots of ancestors of the branch are usable;
        snapshots of other versions are not.
        """
        self._upto(known)  # the late rows decide which snapshots are usable
        lineage = [
            reach.within(position=known, occurred_at=valid)
            for reach in self._branches.lineage(self.branch(branch))
        ]
        while True:
            best: tuple[_Candidate, int] | None = None
            for index, reach in enumerate(lineage):
                usable = _best_of(self._database, lineage, index, version, self._bad)
                if usable is not None and (best is None or usable[1:] > best[0][1:]):
                    best = usable, reach.branch
            if best is None:
                return None
            if (found := self._read(*best, version)) is not None:
                return found
            self._drop({best[0].number})

    def _read(self, candidate: _Candidate, owner: int, version: int) -> Snapshot | None:
        """Read the row of a snapshot; None if it was altered or dropped."""
        number, valid, position = candidate
        row = self._database.one(_ROW, id=number)
        if row is None or row[:4] != (owner, valid, position, version):
            return None
        if (pages := stored_pages.pages_in(_key(row), SavedRow(*row[4:]))) is None:
            return None
        return Snapshot(self._branches.name_of(owner), valid, position, version, pages, number)

    def load_pages(
        self, saved: Snapshot | PlayedAhead, names: Iterable[str] | None = None
    ) -> dict[str, bytes]:
        """Return the contents of pages of a saved estate, of all its pages by default.

        Raises:
            UnusablePage: if a page was altered, or another process dropped it.
        """
        wanted = list(saved.pages) if names is None else list(names)
        return stored_pages.load(self._database, saved, wanted)

    def discard(self, saved: Snapshot | PlayedAhead) -> None:
        """Never use a saved estate again, nor others with pages that are missing or altered.

        Where that is allowed, they and those pages are dropped.
        """
        unsound = stored_pages.unsound(self._database, saved.pages.values())
        bad = self._naming(unsound)
        if isinstance(saved, Snapshot):
            bad.add(saved.number)
        self._drop(bad, unsound, played_on=saved.branch)

    def snapshot_row(self, number: int) -> dict[str, StoredPage] | None:
        """Return the pages that a snapshot names; None if it was altered or dropped."""
        row = self._database.one(_ROW, id=number)
        return None if row is None else stored_pages.pages_in(_key(row), SavedRow(*row[4:]))

    def _naming(self, numbers: set[int]) -> set[int]:
        """Return the numbers of the snapshots that name any of these pages."""
        found = set()
        for (number,) in self._database.fetch(_IDS) if numbers else ():
            pages = self.snapshot_row(number)
            if pages is None or not numbers.isdisjoint(each.number for each in pages.values()):
                found.add(number)
        return found

    def _drop(
        self, bad: set[int], pages: Collection[int] = (), *, played_on: str | None = None
    ) -> None:
        self._bad |= bad
        with contextlib.suppress(TwinError), self.caches.writing() as database:
            for number in sorted(bad):
                database.run(_DROP, number=number)
            stored_pages.drop(database, pages)
            if played_on is not None:
                database.run(DROP_PLAYED, number=self.branch(played_on).id)
            self._bad -= bad  # SQLite may use the numbers again

    def drop_snapshots(self) -> None:
        """Drop all saved estates; they can be made again."""
        with self._database.writing():
            for statement in _DROP_ALL:
                self._database.run(statement)


def _key(row: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of a snapshot that say what it is of."""
    return dict(zip(("branch", "valid", "position", "version"), row[:4], strict=True))


def _best_of(
    database: Database, lineage: Sequence[VisiblePart], index: int, version: int, bad: set[int]
) -> _Candidate | None:
    """Return the best usable snapshot of one branch of a lineage, except the bad ones."""
    blocked: list[tuple[int, int]] = []
    for found in _candidates(database, lineage[index], version):
        number, valid, position = found
        if number in bad or any(position <= upto and valid >= since for upto, since in blocked):
            continue
        since = _superseded_since(database, lineage, index, valid, position)
        if since is None:
            return found
        blocked.append((position, since))
    return None


def _candidates(database: Database, reach: VisiblePart, version: int) -> Iterator[_Candidate]:
    passed = 0
    while True:
        rows = database.fetch(_USABLE, version=version, passed=passed, **reach.values())
        yield from (_Candidate(*row) for row in rows if all(isinstance(each, int) for each in row))
        if len(rows) < _CANDIDATES:
            return
        passed += len(rows)


def _superseded_since(
    database: Database, lineage: Sequence[VisiblePart], index: int, valid: int, position: int
) -> int | None:
    """Return an instant up to `valid` at which the branch sees an event missing in the snapshot.

    All own events of descendants of the snapshot's branch were recorded after it. On its own branch
    and its ancestors, an event recorded after the snapshot, but not after its instant, was late.
    Return None if there is no such event.
    """
    for number, reach in enumerate(lineage):
        values = reach.within(position=reach.position, occurred_at=valid).values()
        row = (
            database.one(_EARLIEST, **values)
            if number < index
            else database.one(EARLIEST_LATE, after=position, **values)
        )
        if row is not None:
            return int(row[0])
    return None
