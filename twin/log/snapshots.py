"""Snapshots: a cache beside the log. A snapshot never becomes wrong, and may always be dropped.

A view of instant v and position p may start from a snapshot of (V, P) if V <= v, P <= p, and the
branch of the view sees no event in (P, p] with `occurred_at` <= V.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, select

from twin.log.branches import ALWAYS, VisiblePart
from twin.log.database import Database
from twin.log.errors import BadSnapshot, SnapshotDropped
from twin.log.lateness import EARLIEST_LATE
from twin.log.reading import ReadableLog
from twin.log.records import Snapshot
from twin.log.schema import event, page, snapshot
from twin.model.asof import MAIN

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
_DIRECTORY: Final = select(snapshot.c.directory).where(snapshot.c.id == bindparam("id"))
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
_PAGE_BY_HASH: Final = select(page.c.hash, page.c.id)
_CONTENT: Final = select(page.c.id, page.c.content)
_ADD_PAGE: Final = insert(page).values(hash=bindparam("hash"), content=bindparam("content"))
_DROP_SNAPSHOTS: Final = delete(snapshot)
_DROP_PAGES: Final = delete(page)


class SnapshottedLog(ReadableLog):
    """A log with snapshots of the estates of its branches."""

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
        given by the number of the stored page. Return the number of every page by its name.

        Raises:
            BadSnapshot: if the branch saw no event after `valid` by that position. More events at
                its latest instant would not be late, and would make the snapshot wrong.
            SnapshotDropped: if a page that was given by its number no longer exists.
        """
        line, database = self.branch(branch), self._database
        if not self._lies_before_the_latest(branch, valid=valid, position=position):
            raise BadSnapshot(branch, valid, position)
        key = {"branch": line.id, "version": version, "valid": valid, "position": position}
        directory = {name: page for name, page in pages.items() if isinstance(page, int)}
        fresh = {name: page for name, page in pages.items() if isinstance(page, bytes)}
        hashes = {name: blake2b(page, digest_size=16).digest() for name, page in fresh.items()}
        contents = {hashes[name]: page for name, page in fresh.items()}
        with database.writing():
            _demand_pages(database, set(directory.values()))
            numbers = _numbers(database, list(contents))
            missing = [hashed for hashed in contents if hashed not in numbers]
            if missing:
                added = [{"hash": hashed, "content": contents[hashed]} for hashed in missing]
                database.run_many(_ADD_PAGE, added)
                numbers |= _numbers(database, missing)
            directory |= {name: numbers[hashed] for name, hashed in hashes.items()}
            if database.one(_SAME, **key) is None:
                packed = zlib.compress(json.dumps(directory, separators=(",", ":")).encode(), 1)
                database.run(_ADD, directory=packed, digest=b"", **key)
        return directory

    def _lies_before_the_latest(self, branch: str, *, valid: int, position: int) -> bool:
        """Return whether the position exists, and the branch saw a later event by then."""
        if self._database.one(_EXISTS, position=position) is None:
            return False
        lineage = self._branches.lineage(self.branch(branch))
        reaches = [reach.within(position=position, occurred_at=ALWAYS) for reach in lineage]
        return any(self._database.one(_LATER, valid=valid, **part.values()) for part in reaches)

    def find_snapshot(
        self, *, branch: str = MAIN, valid: int, known: int, version: int
    ) -> Snapshot | None:
        """Return the usable snapshot of the most recent instant; None if there is none.

        `known` is a position. The events missing in the snapshot are exactly
        `rows(..., since_valid=snapshot.valid)`. Snapshots of ancestors of the branch are usable;
        snapshots of other versions are not.
        """
        lineage = [
            reach.within(position=known, occurred_at=valid)
            for reach in self._branches.lineage(self.branch(branch))
        ]
        best: tuple[int, int, int, int] | None = None
        for index, reach in enumerate(lineage):
            usable = _best_of(self._database, lineage, index, version)
            if usable is not None and (best is None or usable[1:] > best[1:3]):
                best = (*usable, reach.branch)
        if best is None:
            return None
        number, at, position, owner = best
        row = self._database.one(_DIRECTORY, id=number)
        if row is None:
            return None
        pages = json.loads(zlib.decompress(row[0]))
        return Snapshot(self._branches.name_of(owner), at, position, version, pages)

    def load_pages(
        self, snapshot: Snapshot, names: Iterable[str] | None = None
    ) -> dict[str, bytes]:
        """Return the contents of pages of a snapshot, of all its pages by default.

        Raises:
            SnapshotDropped: if another process has dropped the snapshot.
        """
        wanted = list(snapshot.pages) if names is None else list(names)
        numbers = list({snapshot.pages[name] for name in wanted})
        rows = self._database.fetch_among(_CONTENT, page.c.id, numbers)
        contents = {number: bytes(content) for number, content in rows}
        try:
            return {name: contents[snapshot.pages[name]] for name in wanted}
        except KeyError:
            raise SnapshotDropped from None

    def drop_snapshots(self) -> None:
        """Drop all snapshots; they can be made again."""
        with self._database.writing():
            self._database.run(_DROP_SNAPSHOTS)
            self._database.run(_DROP_PAGES)


def _best_of(
    database: Database, lineage: Sequence[VisiblePart], index: int, version: int
) -> tuple[int, int, int] | None:
    """Return the best usable snapshot of one branch of a lineage as (id, valid, position)."""
    blocked: list[tuple[int, int]] = []
    for number, valid, position in _candidates(database, lineage[index], version):
        if any(position <= upto and valid >= since for upto, since in blocked):
            continue
        since = _superseded_since(database, lineage, index, valid, position)
        if since is None:
            return number, valid, position
        blocked.append((position, since))
    return None


def _candidates(database: Database, reach: VisiblePart, version: int) -> Iterator[tuple[Any, ...]]:
    passed = 0
    while True:
        rows = database.fetch(_USABLE, version=version, passed=passed, **reach.values())
        yield from rows
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
        bounded = reach.within(position=reach.position, occurred_at=valid)
        values = bounded.values()
        row = (
            database.one(_EARLIEST, **values)
            if number < index
            else database.one(EARLIEST_LATE, after=position, **values)
        )
        if row is not None:
            return int(row[0])
    return None


def _demand_pages(database: Database, numbers: set[int]) -> None:
    """Check that pages still exist; a number is never used again for another page."""
    if len(database.fetch_among(_PAGE_BY_HASH, page.c.id, sorted(numbers))) < len(numbers):
        raise SnapshotDropped


def _numbers(database: Database, hashes: Sequence[bytes]) -> dict[bytes, int]:
    rows = database.fetch_among(_PAGE_BY_HASH, page.c.hash, hashes)
    return {bytes(hashed): number for hashed, number in rows}
