"""Check what no digest of an event covers: the caches of a log, and the file that it is in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import bindparam, select

from twin.log import pages as stored_pages
from twin.log.played import PlayedLog
from twin.log.schema import branch, page, played, snapshot

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
