"""Records of error logs that were imported: each is a fact that says which message it is.

From when to when imported error logs reach: in between, what they do not say was not written.

The log of a file covers the time from its first to its last imported line. A file that was rotated
begins again with its first line, and what was written in between is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.events.logged import BECOMES
from twin.model.instants import Instant, format_instant
from twin.model.messages import CATALOGUE
from twin.questions.answer import FoldedFact, Row

_Logged = (
    events.ChannelObserved,
    events.ClusterCommandObserved,
    events.EvidenceObserved,
    events.QueueManagerStatusObserved,
    events.RenewalOverdueObserved,
    events.RepositoryManagerObserved,
    events.SuspensionObserved,
    events.TransmissionQueueObserved,
)

READS: Final = frozenset(_Logged)
"""The events that a record of an error log may be."""


class ImportedRecord(NamedTuple):
    """One record.

    Attributes:
        at: its instant.
        position: the position of its fact.
        qmgr: the queue manager that wrote it.
        id: the id of its message, without the severity letter.
        inserts: what it names, as far as that is known.
        digest: the digest of its text; '' if none was kept.
        file: the file that it was imported from; '' if that is not known.
        line: its line in that file; 0 if that is not known.
    """

    at: Instant
    position: int
    qmgr: str
    id: str
    inserts: tuple[str, ...]
    digest: str
    file: str = ""
    line: int = 0

    @property
    def letter(self) -> str:
        """The severity letter of its message; '' if the message is not known."""
        row = CATALOGUE.get(self.id)
        return row.letter if row is not None else ""

    def row(self, text_of: Callable[[str], str | None] | None) -> Row:
        """Return it as a row of the answer `errorlog`."""
        text = text_of(self.digest) if text_of is not None and self.digest else None
        return {
            "on": self.qmgr,
            "id": self.id,
            "at": self.at,
            "inserts": self.inserts,
            "text": text or f"{self.id}: {', '.join(self.inserts)}",
            "basis": "observed",
        }


def imported_records(facts: Iterable[FoldedFact]) -> Iterator[ImportedRecord]:
    """Go through the facts that are records of error logs.

    Logs of older versions of twin do not say of every fact which message it is.
    """
    for at, position, event in facts:
        if not isinstance(event, _Logged):
            continue
        origin = event.origin
        id_ = origin.message if origin and origin.message else _id_of(event)
        if id_ in CATALOGUE or (origin is not None and origin.message):
            digest = str((origin.digest if origin else None) or getattr(event, "digest", ""))
            place = ("", 0) if origin is None else (origin.file or "", origin.line or 0)
            inserts = tuple(_inserts(event))
            yield ImportedRecord(at, position, event.qmgr, id_, inserts, digest, *place)


def _id_of(event: events.Event) -> str:
    """Return the id that an event itself says; a repository manager has one for each state."""
    if isinstance(event, events.RepositoryManagerObserved):
        return next(
            id_
            for id_, each in BECOMES.items()
            if each.event is type(event) and each.values["running"] == event.running
        )
    return str(getattr(event, "id", ""))


def _inserts(event: events.Event) -> Iterator[str]:
    """Yield the names in a record, as its fact has them."""
    if isinstance(event, events.EvidenceObserved):
        yield from event.inserts
        return
    for field in ("channel", "queue", "name", "owner", "cluster", "instance", "days", "left"):
        if (value := getattr(event, field, None)) not in (None, ""):
            yield str(value)


class LogExtent(NamedTuple):
    """The time from the first to the last line of an imported log; both belong to it."""

    first: Instant
    last: Instant

    def __str__(self) -> str:
        """Say it in words."""
        return f"{format_instant(self.first)} to {format_instant(self.last)}"


LogExtents: TypeAlias = Mapping[str, Sequence[LogExtent]]
"""The extents of the imported logs of queue managers, in order; they do not overlap."""

FindExtents: TypeAlias = Callable[[], LogExtents]
"""Finds the extents of all imported logs, also those after the instant that is asked."""


def log_extents(facts: Iterable[FoldedFact]) -> LogExtents:
    """Return the extents of the logs of which these facts, in the order of time, are the lines."""
    found: dict[str, list[LogExtent]] = {}
    places: dict[tuple[str, str], tuple[int, int]] = {}
    for record in imported_records(facts):
        extents = found.setdefault(record.qmgr, [])
        key = (record.qmgr, record.file)
        index, line = places.get(key, (-1, 0))
        if index < 0 or record.line < line:
            index = len(extents)
            extents.append(LogExtent(record.at, record.at))
        extents[index] = extents[index]._replace(last=record.at)
        places[key] = (index, record.line)
    return {name: _joined(extents) for name, extents in found.items()}


def _joined(extents: Iterable[LogExtent]) -> list[LogExtent]:
    joined: list[LogExtent] = []
    for each in sorted(extents):
        if joined and each.first <= joined[-1].last:
            joined[-1] = joined[-1]._replace(last=max(joined[-1].last, each.last))
        else:
            joined.append(each)
    return joined


def is_covered(extents: LogExtents, qmgr: str, at: Instant) -> bool:
    """Return whether an imported log of a queue manager reaches over an instant."""
    return any(each.first <= at <= each.last for each in extents.get(qmgr, ()))
