"""Write a log as portable lines, and make a log of any kind of database from them.

Each line is JSON. The first line says what the log needs; then come the branches and events, each
branch before its first own event; then the evidence; the last line has the digest of all lines.
An event whose batch has rows in `late_event` names the end of that batch, because lateness is
counted within batches. Every line is checked as it is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import bindparam, func, insert, select

from twin.errors import TwinError
from twin.log.appending import AppendableLog
from twin.log.chain import GENESIS, digest_of
from twin.log.errors import BadExport, LogNotEmpty, NewerExport
from twin.log.own_events import RETIREMENT, reader_of
from twin.log.reading import ReadableLog
from twin.log.records import ChainEnd, NewEvent
from twin.log.schema import REVISIONS, branch, event, evidence, late_event
from twin.model.versions import VERSION, version_key

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


_BATCH: Final = 1_000
"""The most events that are appended at once, unless they are a batch with late events."""

_COLUMNS: Final = (int, int, int, int, str, str, str | None, str, str, str)
"""The types of the columns of an event."""

_NO_EXPORT: Final = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What may be raised while something is read that is not a line of an export."""

_ADD_EVIDENCE: Final = insert(evidence).values(
    {column.name: bindparam(column.name) for column in evidence.c}
)


class ImportableLog(AppendableLog):
    """A log that can be made from portable lines."""

    def import_lines(
        self, lines: Iterable[bytes], *, progress: Callable[[int, int], None] | None = None
    ) -> ChainEnd:
        """Fill an empty log from the lines of an export, in one transaction; return its head.

        The events get the positions, the instants of recording and the digests that they had.
        `progress` is called with the position reached and the last position.

        Raises:
            LogNotEmpty: if the log has events, or branches other than main.
            BadExport, NewerExport: if a line is missing, altered or not understood. As after every
                other error, nothing was imported.
        """
        try:
            with self._database.writing():
                self._demand_empty()
                _Import(self, lines, progress or (lambda _done, _total: None)).run()
        except BaseException:
            self._branches.forget()
            raise
        return self.last()

    def _demand_empty(self) -> None:
        if self.last().position or len(self.branches(retired=True)) > 1:
            raise LogNotEmpty(self._database.name)

    @property
    def refusal(self) -> type[Exception]:
        """The error of the database that refuses a row."""
        return self._database.integrity_error

    def add_imported(self, batch: list[NewEvent], branch: int, recorded_at: int) -> None:
        """Append events of an import within its transaction.

        Raises:
            RetiredBranch: if the branch is retired.
        """
        line = self._branches.numbered(branch)
        if line is None:
            raise ValueError
        self._branches.demand_live(line)
        self._record_batch(batch, recorded_at=recorded_at, line=line)

    def add_imported_branch(self, columns: list[Any], digest: bytes) -> None:
        """Add a branch of an import within its transaction, after the events that it inherits.

        Raises:
            ValueError: if it does not have this digest.
        """
        self._branches.restore(columns, digest)

    def add_imported_evidence(
        self, digest: bytes, text: str | None, count: int, first_seen: int
    ) -> None:
        """Add evidence of an import within its transaction.

        Raises:
            ValueError: if it does not have this digest.
        """
        if text is not None and sha256(text.encode()).digest() != digest:
            raise ValueError
        self._database.run(
            _ADD_EVIDENCE, digest=digest, text=text, bytes=count, first_seen=first_seen
        )


class _Import:
    """One import: the lines, and the batch that is being collected."""

    def __init__(
        self, log: ImportableLog, lines: Iterable[bytes], progress: Callable[[int, int], None]
    ) -> None:
        self._log = log
        self._progress = progress
        self._lines = self._checked(lines)
        self._number = 0
        self._digest = GENESIS
        self._position = 0
        self._total = 0
        self._batch: list[NewEvent] = []
        self._batch_of = (0, 0)
        self._batch_end = 0

    def run(self) -> None:
        """Import all lines.

        Raises:
            BadExport, NewerExport: if a line is missing, altered or not understood.
        """
        try:
            self._run()
        except (*_NO_EXPORT, self._log.refusal) as error:
            if isinstance(error, TwinError):
                raise
            raise BadExport(self._number, "it is altered, or no line of an export") from None

    def _run(self) -> None:
        head = self._header(next(self._lines, {}))
        for line in self._lines:
            digest = bytes.fromhex(line["digest"])
            if "event" in line:
                self._event(line["event"], digest, line.get("batch"))
                continue
            self._flush()
            if "branch" in line:
                self._log.add_imported_branch(line["branch"], digest)
            else:
                self._log.add_imported_evidence(digest, *line["evidence"])
        self._flush()
        if f"{self._position}:{self._digest.hex()}" != head:
            raise BadExport(self._number, "the events do not end with the head of the first line")

    def _checked(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the lines but the last, which has the digest of them all."""
        digest, source = sha256(), iter(lines)
        for self._number, line in enumerate(source, start=1):
            content = json.loads(line)
            if "end" in content:
                if (content["end"], content["sha256"]) != (self._number - 1, digest.hexdigest()):
                    raise BadExport(self._number, "a line before it is missing or altered")
                if next(source, b"").strip():
                    raise BadExport(self._number + 1, "it comes after the end of the export")
                return
            digest.update(line.rstrip(b"\r\n") + b"\n")
            yield content
        raise BadExport(self._number + 1, "it is missing; the export is cut off")

    def _header(self, line: dict[str, Any]) -> str:
        if "twin_log" not in line:
            raise BadExport(1, "this is no export of a log")
        needs = str(line["needs"])
        if line["twin_log"] > FORMAT or version_key(needs) > version_key(VERSION):
            raise NewerExport(needs)
        head = str(line["head"])
        self._total = int(head.partition(":")[0])
        return head

    def _event(self, columns: list[Any], digest: bytes, batch: int | None) -> None:
        if len(columns) != len(_COLUMNS) or not all(map(isinstance, columns, _COLUMNS)):
            raise ValueError
        position, branch, occurred_at, recorded_at, *others = columns
        if position != self._position + 1 or digest_of(self._digest, columns) != digest:
            raise BadExport(self._number, f"the event at position {position} is altered or missing")
        whole = position > self._batch_end and len(self._batch) >= _BATCH
        if whole or batch is not None or (branch, recorded_at) != self._batch_of:
            self._flush()
        if batch is not None:
            self._batch_end = batch
        self._batch_of = (branch, recorded_at)
        self._batch.append(NewEvent(occurred_at, *others))
        self._position, self._digest = position, digest
        if position == self._batch_end or others[0] == RETIREMENT:
            self._flush()
        self._progress(position, self._total)

    def _flush(self) -> None:
        if self._batch:
            self._log.add_imported(self._batch, *self._batch_of)
            self._batch.clear()
