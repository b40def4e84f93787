"""Feeds whose records have instants of their own: read through first, then recorded.

A file is read twice, or more often if only all its dates tell the order of day and month. The first
time, everything is read and counted, and nothing is recorded; an error ends the import there. The
second time, the same lines are converted again and recorded; if they are others, the import has no
end. So memory holds one record at a time, and the log is locked only while a piece is appended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from hashlib import sha256
from heapq import merge
from itertools import islice
from typing import Final

from twin.app.importing.dated import DatedFacts, SourcedFact, in_about_their_order
from twin.app.importing.marks import ReadFile, marks_of
from twin.app.open_branch import OpenBranch
from twin.errors import SubjectError
from twin.feeds.converters import CONVERTERS, DATE_ORDERS
from twin.feeds.converting.error_logs import NO_INSTANT
from twin.feeds.detect import HEAD, FileFormat, detect
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded
from twin.feeds.observed_captures import CAPTURES
from twin.feeds.reading.local_time import TWO_ORDERS, DateOrder
from twin.model.instants import Instant

__all__ = [
    "HEAD",
    "NO_INSTANT",
    "TWO_ORDERS",
    "DateOrder",
    "FeedFile",
    "FeedRead",
    "FileChanged",
    "FileFormat",
    "feed_format",
    "read_through",
    "record_feeds",
]

AFTER_PRESENT: Final = "is after the present: the clock or the zone of its queue manager is wrong"
"""Why a fact was passed over."""

_TOGETHER: Final = 200
"""How many files are open at once; more are read in groups."""


class FileChanged(
    SubjectError,
    RuntimeError,
    message="{} changed while it was imported: its import is not complete; import it again",
):
    """A file that was rotated or replaced between its two readings.

    What was recorded of it by then is true, but the log has no end of its import: what it says of
    the content is about the first reading.
    """


@dataclass(frozen=True, slots=True)
class FeedFile:
    """A file of a feed.

    Attributes:
        name: its path as given.
        lines: opens the file and yields its lines; it is called twice.
        form: its format.
        qmgr: the queue manager of records that name none; '' if it is unknown.
        file: the path for the origin of the facts; None if it has none.
        zone: the zone of local times; None if it is unknown.
        order: the order of dates that may have two; None if it is unknown.
        at: the instant of what has none of its own; None if it is unknown.
    """

    name: str
    lines: Callable[[], Iterator[str]]
    form: FileFormat
    qmgr: str = ""
    file: str | None = None
    zone: tzinfo | None = None
    order: DateOrder | None = None
    at: Instant | None = None


@dataclass(slots=True)
class FeedRead:
    """What was read of a file of a feed.

    Attributes:
        name: its path as given.
        format: the name of its format.
        digest: the SHA-256 of its lines, in hexadecimal.
        lines: the number of its lines.
        present: the instant after which its facts are passed over; None if none are.
        facts: the number of its facts, without those after the present.
        ahead: the queue managers of facts after the present, with the number of these.
        recorded: how many of them were new.
        qmgrs: the queue managers of the facts, with the number of their facts.
        passed_over: what is recognised and is no fact, with its number.
        not_understood: (what, why) -> the number of parts that are not facts.
        first: (what, why) -> the line of the first of them.
        begin: the earliest instant of a fact; None without facts.
        end: the latest one.
        order: the order of its dates, if other dates of the file decided it.
    """

    name: str
    format: str
    digest: str = ""
    lines: int = 0
    present: Instant | None = None
    facts: int = 0
    ahead: Counter[str] = field(default_factory=Counter)
    recorded: int = 0
    qmgrs: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    not_understood: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: dict[tuple[str, str], int] = field(default_factory=dict)
    begin: Instant | None = None
    end: Instant | None = None
    order: DateOrder | None = None

    def as_file(self) -> ReadFile:
        """Return the file as its end describes it."""
        names = tuple(sorted(self.qmgrs))
        not_taken = Counter(self.not_understood)
        if self.ahead:
            not_taken["", AFTER_PRESENT] = self.ahead.total()
        return ReadFile(self.name, self.digest, self.format, names, not_taken)


def record_feeds(twin: OpenBranch, files: Sequence[FeedFile], read: Sequence[FeedRead]) -> None:
    """Record what feeds say on a branch; see `ImportCalls.record_feeds`."""
    for start in range(0, len(files), _TOGETHER):
        group, of_group = files[start : start + _TOGETHER], read[start : start + _TOGETHER]
        marks = marks_of([each.as_file() for each in of_group], twin.log, branch=twin.branch)
        streams = (
            _facts(_in_order(file, each.order), each, number)
            for number, (file, each) in enumerate(zip(group, of_group, strict=True))
        )
        ordered = merge(*streams, key=lambda each: each.fact.at)
        recorded = DatedFacts(twin, in_about_their_order(ordered), marks).record()
        for number, each in enumerate(of_group):
            each.recorded = recorded[number]


def feed_format(beginning: str) -> FileFormat | None:
    """Return the format of a text if its records have instants of their own; None if not."""
    form = detect(beginning)
    return form if form in CONVERTERS and form not in CAPTURES else None


def read_through(file: FeedFile, *, present: Instant | None = None) -> FeedRead:
    """Read a file and count what it says; nothing is recorded.

    Facts after the `present` are counted apart, and not recorded: nothing can have been observed
    then, so the clock or the zone of their queue manager is wrong.

    If the order of day and month is not certain from some date alone, but from all dates of the
    file, it is read again in that order.
    """
    read = _read_once(file, present)
    if any(why == TWO_ORDERS for _, why in read.not_understood):
        find = DATE_ORDERS.get(file.form)
        order = None if find is None else find(islice(file.lines(), read.lines))
        if order is not None:
            read = _read_once(_in_order(file, order), present)
            read.order = order
    return read


def _in_order(file: FeedFile, order: DateOrder | None) -> FeedFile:
    return file if order is None else replace(file, order=order)


class _Lines:
    """The lines of one reading of a file, with their number and their digest so far."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._content = sha256()
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._content.update(line.encode("utf-8", "surrogatepass"))
            self.count += 1
            yield line

    @property
    def digest(self) -> str:
        return self._content.hexdigest()


def _read_once(file: FeedFile, present: Instant | None) -> FeedRead:
    read = FeedRead(file.name, str(file.form), present=present)
    lines = _Lines(file.lines())
    for each in _converted(file, lines):
        if isinstance(each, DatedFact) and _is_ahead(each, present):
            read.ahead[each.event.qmgr] += 1
        elif isinstance(each, DatedFact):
            read.facts += 1
            read.qmgrs[each.event.qmgr] += 1
            read.begin = each.at if read.begin is None else min(read.begin, each.at)
            read.end = each.at if read.end is None else max(read.end, each.at)
        elif isinstance(each, NotRecorded):
            kind = (each.id, each.why)
            read.not_understood[kind] += 1
            read.first.setdefault(kind, each.line)
        else:
            read.passed_over[each.command] += 1
    read.digest, read.lines = lines.digest, lines.count
    return read


def _is_ahead(fact: DatedFact, present: Instant | None) -> bool:
    return present is not None and fact.at > present


def _facts(file: FeedFile, read: FeedRead, number: int) -> Iterator[SourcedFact]:
    """Yield the facts of the lines of a file that were read, up to the present of that time.

    Raises:
        FileChanged: at its end, if these are other lines than at the first reading.
    """
    source = f"observation:{file.form}"
    lines = _Lines(islice(file.lines(), read.lines))
    for each in _converted(file, lines):
        if isinstance(each, DatedFact) and not _is_ahead(each, read.present):
            yield SourcedFact(each, source, number)
    if lines.digest != read.digest:
        raise FileChanged(file.name)


def _converted(file: FeedFile, lines: Iterable[str]) -> Iterator[Converted]:
    source = FeedSource(file.qmgr, file.file, file.zone, file.order, file.at)
    return CONVERTERS[file.form](lines, source)
