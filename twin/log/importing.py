"""Make a log from the portable lines that `exporting` writes, and check every line on the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import bindparam, insert

from twin.errors import TwinError
from twin.log.appending import AppendableLog
from twin.log.chain import GENESIS, digest_of
from twin.log.errors import BadExport, LogNotEmpty, NewerExport
from twin.log.exporting import FORMAT
from twin.log.own_events import RETIREMENT
from twin.log.records import ChainEnd, NewEvent
from twin.log.schema import evidence
from twin.model.versions import VERSION, version_key

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
