"""Estates played ahead: for each branch one saved estate in which time passed after its last event.

It saves each new process from playing what fell due since then. It is of use only while the branch
has the same head, and for the same versions of the fold and the rules.

A row has all pages that no snapshot has, compressed one by one, so that nothing is left behind when
it is replaced. For all other pages it names those of the `page` table, as a snapshot does.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import bindparam, insert, select

from twin.log import pages as stored_pages
from twin.log.chain import BETWEEN, read_heads
from twin.log.pages import as_bytes
from twin.log.records import PlayedAhead, StoredPage
from twin.log.schema import branch, page, played, snapshot
from twin.log.snapshots import DROP_PLAYED, SnapshottedLog

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
        for number in sorted(named):
            yield f"page {number} is missing"


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
