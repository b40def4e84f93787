"""Verify that the log holds exactly what was recorded, in the recorded order, and so do its caches.

Among the caches are estates played ahead: for each branch one saved estate in which time passed
after its last event.

It saves each new process from playing what fell due since then. It is of use only while the branch
has the same head, and for the same versions of the fold and the rules.

A row has all pages that no snapshot has, compressed one by one, so that nothing is left behind when
it is replaced. For all other pages it names those of the `page` table, as a snapshot does.
"""

from __future__ import annotations

import json
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import bindparam, insert, select

from twin.log import pages as stored_pages
from twin.log.chain import BETWEEN, GENESIS, digest_of, read_heads
from twin.log.database import Database
from twin.log.derived import ChainedEvent, Derived
from twin.log.errors import BadExpectation, LogDamaged
from twin.log.evidence import verify_evidence
from twin.log.own_events import OwnEventsCheck
from twin.log.pages import as_bytes
from twin.log.reading import ReadableLog
from twin.log.records import LONG_AGO, ChainEnd, PlayedAhead, StoredPage
from twin.log.references import SEEN_AGAIN, STATEMENTS, demand_equal, demand_rows
from twin.log.schema import branch, event, page, played, snapshot
from twin.log.snapshots import DROP_PLAYED, SnapshottedLog

_PAGE: Final = 5_000
_PROGRESS_EVERY: Final = 1.0
"""The seconds between two calls of `progress`."""

_EXPECTED: Final = re.compile(r"(\d+):([0-9a-fA-F]{64})", re.ASCII)

_AFTER: Final = (
    select(*event.c)
    .where(event.c.position > bindparam("after"))
    .order_by(event.c.position)
    .limit(_PAGE)
)


class VerifiableLog(ReadableLog):
    """A log that can be compared with what was recorded."""

    def verify(
        self, *, expect: str | None = None, progress: Callable[[int], None] | None = None
    ) -> ChainEnd:
        """Check that the log holds exactly what was recorded, in the recorded order.

        Heads, late events and branches are checked too. The branches have a chain of their own,
        which `expect` does not cover.

        Args:
            expect: POSITION:DIGEST from an earlier call; the log must still hold that event. Only
                this detects a log that was rewritten as a whole.
            progress: called about once a second with the position reached.

        Raises:
            LogDamaged: if not; it has the first bad position.
            BadExpectation: if `expect` cannot be read.
        """
        walk = _Walk(self._database, (0, GENESIS) if expect is None else _parsed(expect))
        reported = time.monotonic()
        while walk.advance():
            if progress is not None and time.monotonic() - reported >= _PROGRESS_EVERY:
                progress(walk.position)
                reported = time.monotonic()
        with self._database.reading():
            while walk.advance():
                pass
            walk.finish()
            verify_evidence(self._database)
        return ChainEnd(walk.position, walk.digest.hex())


def _parsed(expect: str) -> tuple[int, bytes]:
    match = _EXPECTED.fullmatch(expect.strip())
    if match is None:
        raise BadExpectation(expect)
    return int(match[1]), bytes.fromhex(match[2])


class _Walk:
    """A walk along the chain of events; it raises LogDamaged at the first event that is wrong."""

    def __init__(self, database: Database, expected: tuple[int, bytes]) -> None:
        """Expect an event of this (position, digest)."""
        self.position = 0
        self.digest = GENESIS
        self._database = database
        self._derived = Derived(database)
        self._own_events = OwnEventsCheck(database)
        self._expected = expected
        self._recorded_at: int | None = None
        self._observations: dict[str, dict[str, Any]] = {}

    def advance(self) -> bool:
        """Check the next page of events; return False if there are no more."""
        rows = self._database.fetch(_AFTER, after=self.position or LONG_AGO)
        if rows:
            self._derived.read(rows[-1][0])
        for row in rows:
            self._step(row)
        return bool(rows)

    def finish(self) -> None:
        """Check that no event is missing at the end, and the tables derived from all events."""
        position, digest = self._expected
        self._derived.finish((self.position, self._recorded_at, self.digest), position)
        self._own_events.finish()
        if position == 0 and digest != GENESIS:
            raise _unexpected(0)

    def _step(self, row: tuple[Any, ...]) -> None:
        """Check that this row is the next event."""
        position, branch, occurred_at, recorded_at, type_ = row[:5]
        if position != self.position + 1:
            raise LogDamaged(self.position + 1, f"it is missing; the next position is {position}")
        try:
            digest = digest_of(self.digest, row[:-1])
        except (TypeError, ValueError):
            digest = GENESIS
        if digest != row[-1]:
            raise LogDamaged(position, "it was altered or moved")
        if self._recorded_at is not None and recorded_at < self._recorded_at:
            raise LogDamaged(
                position, "its recorded_at is earlier than that of the event before it"
            )
        self._own_events.follow(row)
        if type_ in STATEMENTS:
            self._follow_observation(row[8], row[9])
        elif type_ == SEEN_AGAIN:
            demand_rows(self._database, position, row[9])
        self._derived.follow(
            ChainedEvent(position, branch, occurred_at, recorded_at, type_, row[9], digest)
        )
        self.position, self.digest, self._recorded_at = position, digest, recorded_at
        if position == self._expected[0] and digest != self._expected[1]:
            raise _unexpected(position)

    def _follow_observation(self, event_id: str, body: str) -> None:
        """Check that an observation that refers to another one refers to an equal earlier one."""
        fields = json.loads(body)
        if "same_as" in fields:
            demand_equal(fields, self._observations.get(fields["same_as"], {}), self.position + 1)
        else:
            fields["said"] = fields["lines"] = None
            self._observations[event_id] = fields


def _unexpected(position: int) -> LogDamaged:
    return LogDamaged(position, "its digest is not the expected one")


_SNAPSHOTS: Final = select(snapshot.c.id).order_by(snapshot.c.id)

_PLAYED: Final = select(played.c.branch).order_by(played.c.branch)

_BRANCH: Final = select(branch.c.id).where(branch.c.id == bindparam("number"))

_PAGES: Final = (
    select(page.c.id, stored_pages.as_bytes(page.c.hash), stored_pages.as_bytes(page.c.content))
    .where(page.c.id > bindparam("after"))
    .order_by(page.c.id)
    .limit(200)
)

_FIRST: Final = -(2**31)
"""Before every number of a page: PostgreSQL takes no smaller one."""

_ROW: Final = select(
    played.c.position,
    played.c.valid,
    played.c.version,
    played.c.rules,
    as_bytes(played.c.directory),
    as_bytes(played.c.digest),
).where(played.c.branch == bindparam("branch"))

_KEY: Final = select(played.c.position, played.c.version, played.c.rules, played.c.valid).where(
    played.c.branch == bindparam("branch")
)

_ADD: Final = insert(played).values(
    {column.name: bindparam(f"new_{column.name}") for column in played.c}
)

_SIZE: Final = 8
"""The bytes at the beginning of a directory that have the length of its first part."""


class PlayedLog(SnapshottedLog):
    """A log with an estate played ahead for each branch."""

    def find_played(
        self, *, branch: str, position: int, valid: int, version: int, rules: int
    ) -> PlayedAhead | None:
        """Return the estate of a branch that was played from its head; None if it is of no use.

        Args:
            branch: the name of the branch.
            position: the last position that the branch sees; it must be that of the estate.
            valid: the estate must not be of a later instant.
            version: the version of the pages, which must be that of the estate.
            rules: the version of the rules, likewise.
        """
        number = self.branch(branch).id
        row = self._database.one(_KEY, branch=number)
        if row is None or row[:-1] != (position, version, rules):
            return None
        found = self._played_on(number)
        if found is None:
            self._drop(set(), played_on=branch)
        return found if found is not None and found.valid <= valid else None

    def _played_on(self, number: int) -> PlayedAhead | None:
        """Return the estate of a branch, by its number; None if there is none or it was altered."""
        row = self._database.one(_ROW, branch=number)
        return None if row is None else _read(self._branches.name_of(number), number, row)

    def save_played(
        self,
        *,
        branch: str,
        position: int,
        valid: int,
        version: int,
        rules: int,
        pages: Mapping[str, bytes | StoredPage],
    ) -> bool:
        """Store an estate of a branch, played from this head up to an instant; drop the one before.

        Return whether it was stored: not if the branch has another head by now, nor if the one
        before was played further.

        Raises:
            ReadOnlyLog, LogBusy, LogUnreachable: if it cannot be stored.
        """
        number = self.branch(branch).id
        key = (number, position, valid, version, rules)
        directory = _directory(pages)
        with self.caches.writing() as database:
            before = database.one(_KEY, branch=number)
            if before and before[:-1] == (position, version, rules) and before[-1] > valid:
                return False
            if read_heads(database, number, name=branch)[1].position != position:
                return False
            cells = (*key, directory, _digest_of(key, directory))
            names = (f"new_{column.name}" for column in played.c)
            database.run(DROP_PLAYED, number=number)
            database.run(_ADD, **dict(zip(names, cells, strict=True)))
        return True


class CheckedLog(PlayedLog):
    """A log whose caches and file can be checked."""

    def damaged_file(self) -> list[str]:
        """Return what the database says about damage to its file; nothing if it is sound."""
        return self._database.damage()

    def damaged_caches(self) -> Iterator[str]:
        """Check all saved estates and their pages; yield one line for each that is damaged.

        None of them is used: an estate is rebuilt from the events instead.
        """
        named: dict[int, set[bytes]] = {}
        for number in self._numbers(_SNAPSHOTS):
            row = self.snapshot_row(number)
            if row is None:
                yield f"snapshot {number} is altered"
                continue
            for stored in row.values():
                named.setdefault(stored.number, set()).add(stored.hash)
        for number in self._numbers(_PLAYED):
            found = self._played_on(number) if self._database.one(_BRANCH, number=number) else None
            if found is None:
                yield f"the estate played ahead on branch number {number} is altered"
                continue
            for stored in found.pages.values():
                named.setdefault(stored.number, set()).add(stored.hash)
        yield from self._damaged_pages(named)

    def _numbers(self, statement: Any) -> list[Any]:
        return [row[0] for row in self._database.fetch(statement)]

    def _damaged_pages(self, named: dict[int, set[bytes]]) -> Iterator[str]:
        after = _FIRST
        while rows := self._database.fetch(_PAGES, after=after):
            for number, hashed, content in rows:
                wanted = named.pop(number, set()) | {hashed}
                if any(not stored_pages.has_hash(content, each) for each in wanted):
                    yield f"page {number} is altered"
            after = rows[-1][0]
        yield from (f"page {number} is missing" for number in sorted(named))


def _directory(pages: Mapping[str, bytes | StoredPage]) -> bytes:
    """Write the directory of a row: what it names, how long its own pages are, and those pages."""
    own = {name: zlib.compress(each, 1) for name, each in pages.items() if isinstance(each, bytes)}
    named = {
        name: [each.number, each.hash.hex()]
        for name, each in pages.items()
        if isinstance(each, StoredPage)
    }
    lengths = {name: len(content) for name, content in own.items()}
    first = zlib.compress(json.dumps([named, lengths], separators=(",", ":")).encode(), 1)
    return b"".join([len(first).to_bytes(_SIZE, "big"), first, *own.values()])


def _read(branch: str, number: int, row: Sequence[Any]) -> PlayedAhead | None:
    """Read a row; None if it was altered."""
    position, valid, version, rules, directory, digest = row
    key = (number, position, valid, version, rules)
    try:
        if _digest_of(key, directory) != digest or not isinstance(valid, int):
            return None
        begin = _SIZE + int.from_bytes(directory[:_SIZE], "big")
        named, lengths = json.loads(zlib.decompress(directory[_SIZE:begin]))
        stored = {name: StoredPage(n, bytes.fromhex(hashed)) for name, (n, hashed) in named.items()}
        own: dict[str, bytes] = {}
        for name, length in lengths.items():
            own[name] = directory[begin : begin + length]
            begin += length
    except (TypeError, ValueError, zlib.error):
        return None
    return PlayedAhead(branch, valid, position, version, rules, stored, own)


def _digest_of(key: Sequence[Any], directory: bytes) -> bytes:
    text = BETWEEN.join(repr(value) for value in key)
    return sha256(text.encode() + b"\0" + directory).digest()
