"""Write a log as portable lines, from which it can be made again in a database of any kind.

Each line is JSON. The first line says what the log needs; then come the branches and events, each
branch before its first own event; then the evidence; the last line has the digest of all lines.
An event whose batch has rows in `late_event` names the end of that batch, because lateness is
counted within batches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import bindparam, func, select

from twin.log.own_events import reader_of
from twin.log.reading import ReadableLog
from twin.log.schema import REVISIONS, branch, event, evidence, late_event

FORMAT: Final = 1
"""The format of the lines; a program refuses the lines of a newer format."""

_PAGE: Final = 2_000
_BRANCHES: Final = select(*branch.c).order_by(branch.c.id)
_EVENTS: Final = (
    select(*event.c)
    .where(event.c.position > bindparam("after"))
    .order_by(event.c.position)
    .limit(_PAGE)
)
_BATCHES: Final = (
    select(func.min(late_event.c.position), late_event.c.upto)
    .where(late_event.c.position > bindparam("after"), late_event.c.position <= bindparam("last"))
    .group_by(late_event.c.upto)
)
_EVIDENCE: Final = (
    select(*evidence.c)
    .where(evidence.c.digest > bindparam("after"))
    .order_by(evidence.c.digest)
    .limit(_PAGE)
)


class ExportableLog(ReadableLog):
    """A log that can be written as portable lines."""

    def export(self, *, progress: Callable[[int, int], None] | None = None) -> Iterator[str]:
        """Yield the log as it is now, as lines without their ends.

        `progress` is called with the position reached and the last position.
        """
        with self._database.reading():
            digest, count = sha256(), 0
            for line in self._lines(progress or (lambda _done, _total: None)):
                text = json.dumps(line, separators=(",", ":"))
                digest.update(f"{text}\n".encode())
                count += 1
                yield text
            yield json.dumps({"end": count, "sha256": digest.hexdigest()}, separators=(",", ":"))

    def _lines(self, progress: Callable[[int, int], None]) -> Iterator[dict[str, Any]]:
        last = self.last()
        yield {
            "twin_log": FORMAT,
            "edition": int(REVISIONS[-1]),
            "needs": reader_of(self._database),
            "head": str(last),
        }
        branches = self._database.fetch(_BRANCHES)
        sent = 0
        for row, batch in self._events():
            while sent < len(branches) and branches[sent][0] <= row[1]:
                yield _line("branch", branches[sent])
                sent += 1
            yield _line("event", row) | ({} if batch is None else {"batch": batch})
            progress(row[0], last.position)
        for row in branches[sent:]:
            yield _line("branch", row)
        after = b""
        while rows := self._database.fetch(_EVIDENCE, after=after):
            for digest, *columns in rows:
                yield {"evidence": columns, "digest": bytes(digest).hex()}
            after = bytes(rows[-1][0])

    def _events(self) -> Iterator[tuple[tuple[Any, ...], int | None]]:
        """Yield all events; the first late one of a batch with the last position of the batch."""
        after, batch_end = 0, 0
        while rows := self._database.fetch(_EVENTS, after=after):
            batches = dict(self._database.fetch(_BATCHES, after=after, last=rows[-1][0]))
            for row in rows:
                begins = row[0] > batch_end and row[0] in batches
                if begins:
                    batch_end = batches[row[0]]
                yield row, batch_end if begins else None
            after = rows[-1][0]


def _line(name: str, row: tuple[Any, ...]) -> dict[str, Any]:
    *columns, digest = row
    return {name: columns, "digest": bytes(digest).hex()}
