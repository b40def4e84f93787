"""The instant of each file of an import: those that were collected together share one.

A file's date is, in this order: the given one; that of the manifest beside it; that of a dump's
header; that in its path; its modification time, if that is asked for. A file without a date was
true when the dumps of its folder were, or else is taken as true now.

Dates a few minutes apart are those of one collection, and what was collected together becomes true
together, at the last of them. Otherwise, a channel would fail to reach a queue manager whose dump
was made seconds later.

Dates that names of files, headers of dumps and QMIDs write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from operator import attrgetter
from pathlib import PurePath
from typing import Final, NamedTuple

from twin.feeds.dating.manifests import CollectionManifest
from twin.feeds.reading.local_time import FURTHEST, DateOrder, LocalTime, Undated, local_to_instant
from twin.model.instants import DAY, MINUTE, Instant, instant_of


class DateWritten(NamedTuple):
    """A date as written, perhaps with a time of day and a zone.

    Attributes:
        local: the date and time of day; midnight if it has none.
        has_time: whether it has a time of day.
        instant: the instant, if a zone is written, too; else None.
        start: where it begins in the text.
        end: where it ends.
    """

    local: LocalTime
    has_time: bool
    instant: Instant | None
    start: int
    end: int

    def at(self, zone: tzinfo | None) -> Instant:
        """Return the instant, in a zone unless it is written with one; without either, in UTC.

        Of a local time that a zone has twice, or not at all, the later instant is returned.
        """
        if self.instant is not None:
            return self.instant
        instant = local_to_instant(self.local, zone or UTC)
        if not isinstance(instant, Undated):
            return instant
        assert instant.between is not None  # noqa: S101 - only real dates are read
        return instant.between[1]


_DATE_IN_NAME: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:(\d{4})-(\d\d)-(\d\d)|(\d{4})(\d\d)(\d\d))"
    r"(?:[T_ .-](\d\d)[:.h-]?(\d\d)(?:[:.-]?(\d\d))?(Z|[+-]\d\d:?\d\d)?)?(?![0-9])",
    re.ASCII,
)
_GENERATED: Final = re.compile(
    r"^\* ?Script generated on +(\d{4})-(\d\d)-(\d\d) +at +(\d\d)[.:](\d\d)[.:](\d\d)",
    re.MULTILINE | re.ASCII,
)
_IN_QMID: Final = re.compile(r"_(\d{4})-(\d\d)-(\d\d)_(\d\d)\.(\d\d)\.(\d\d)\Z", re.ASCII)
_YEARS: Final = range(1993, 2200)
"""MQ exists since 1993: eight digits that begin otherwise are a number, not a date."""


def date_in_name(name: str) -> DateWritten | None:
    """Return the last date in the name of a file or folder; None if it has none.

    `2026-01-31`, `20260131`, with a time `2026-01-31T0213`, `20260131T021300Z`,
    `2026-01-31_02-13-05`, `2026-01-31 02:13+0100`.
    """
    dates = (_read(found) for found in _DATE_IN_NAME.finditer(name))
    return max((date for date in dates if date is not None), default=None, key=attrgetter("start"))


def name_without_date(name: str) -> str:
    """Return a name without its date, and without what separates the two: QM1-20260131 is QM1."""
    date = date_in_name(name)
    if date is None:
        return name
    before, after = name[: date.start].rstrip("-_. "), name[date.end :].lstrip("-_ ")
    return (
        f"{before}{after}"
        if after.startswith(".") or not before
        else f"{before}{after and '-'}{after}"
    )


def date_generated(text: str) -> DateWritten | None:
    """Return the date in the header of a dump, a local time; None if it has none."""
    found = _GENERATED.search(text)
    return (
        None if found is None else _date(found[0], found.groups(), has_time=True, span=found.span())
    )


def date_of_creation(qmid: str) -> DateWritten | None:
    """Return when a queue manager was created, a local time, from its QMID; None if it says not."""
    found = _IN_QMID.search(qmid)
    return (
        None if found is None else _date(found[0], found.groups(), has_time=True, span=found.span())
    )


def _read(found: re.Match[str]) -> DateWritten | None:
    """Return the date of a name."""
    dashed, compact, time, zone = (
        found.group(1, 2, 3),
        found.group(4, 5, 6),
        found.group(7, 8, 9),
        found[10],
    )
    numbers = (*(dashed if dashed[0] else compact), *(part or "00" for part in time))
    date = _date(found[0], numbers, has_time=time[0] is not None, span=found.span())
    if date is None or zone is None:
        return date
    moment = date.local.moment(DateOrder.YMD)
    assert moment is not None  # noqa: S101 - only real dates are read
    aware = datetime.fromisoformat(f"{moment.isoformat()}{zone}")
    return date._replace(instant=instant_of(aware))


def _date(
    written: str, numbers: tuple[str, ...], *, has_time: bool, span: tuple[int, int]
) -> DateWritten | None:
    """Return a date from its numbers; None if there is no such date."""
    year, month, day, hour, minute, second = map(int, numbers)
    local = LocalTime(written, year, (month, day), hour, minute, second, (DateOrder.YMD,))
    if year not in _YEARS or local.moment(DateOrder.YMD) is None:
        return None
    return DateWritten(local, has_time, None, *span)


TOGETHER: Final = 5 * MINUTE
"""Between the dates of two files of one collection."""


class DatedBy(StrEnum):
    """What dates a file."""

    GIVEN = "--at"
    MANIFEST = "the manifest beside it"
    HEADER = "the header of the dump"
    PATH = "a date in the path"
    MODIFIED = "modification time"
    FOLDER = "the dumps in the folder"
    NOW = "now"


class FileToDate(NamedTuple):
    """What is known of the time of one file.

    Attributes:
        path: its path as given.
        qmgr: the queue manager that it is of; '' if that is unknown.
        definitive: whether it is a dump: two dumps of a queue manager are never one collection.
        generated: the date in its header.
        modified: when it was modified last, if that is to date files that have no date.
        manifest: the manifest of its folder.
        zone: the zone of its local times; None if it is unknown.
        is_script: whether it is a script, which somebody wrote and nobody collected.
    """

    path: str
    qmgr: str = ""
    definitive: bool = False
    generated: DateWritten | None = None
    modified: Instant | None = None
    manifest: CollectionManifest | None = None
    zone: tzinfo | None = None
    is_script: bool = False


class FileDate(NamedTuple):
    """When a file was true.

    Attributes:
        at: the instant.
        by: what dates it.
        is_local: whether it was written as a local time, which was read as UTC without a zone.
    """

    at: Instant
    by: DatedBy
    is_local: bool = False


def dates_of(
    files: Sequence[FileToDate],
    *,
    now: Instant,
    given: Instant | None = None,
    together: bool = True,
) -> list[FileDate]:
    """Return when each file was true, in the order of the files.

    Args:
        files: the files of one import.
        now: the instant for files without a date.
        given: the instant for all files.
        together: whether files that were collected within minutes share one instant.
    """
    if given is not None:
        return [FileDate(given, DatedBy.GIVEN)] * len(files)
    written = [date_in_path(file.path) for file in files]
    dates = dict(_own(files, written))
    for run in _runs(files, dates) if together else ():
        at = max((dates[index].at for index in run), default=now)
        for index in run:
            dates[index] = dates[index]._replace(at=at)
    beside = _of_folders(files, dates)
    for index, file in enumerate(files):
        if index not in dates:
            shared = _shared(file, written[index], beside.get(PurePath(file.path).parent, set()))
            dates[index] = shared or FileDate(now, DatedBy.NOW)
    return [dates[index] for index in range(len(files))]


def creation_after(
    at: Instant, qmid: str, *, zone: tzinfo | None, is_local: bool
) -> Instant | None:
    """Return when a queue manager was created, if that is after an instant; else None.

    Args:
        at: the instant.
        qmid: the QMID; it has the local time of the creation.
        zone: the zone of the queue manager; without it, only what is so in every zone is returned.
        is_local: whether the instant was a local time, too, and was read as UTC.
    """
    written = date_of_creation(qmid)
    if written is None:
        return None
    created = written.at(zone)
    unsure = 0 if zone is not None or is_local else FURTHEST
    return created if at < created - unsure else None


def date_in_path(path: str) -> DateWritten | None:
    """Return the date in the name of a file, or else of the folder nearest to it."""
    return next(filter(None, map(date_in_name, reversed(PurePath(path).parts))), None)


def _is_on_day(at: Instant, begin: Instant) -> bool:
    return begin <= at < begin + DAY


def _own(
    files: Sequence[FileToDate], written: Sequence[DateWritten | None]
) -> Iterator[tuple[int, FileDate]]:
    """Yield the dates of the files that have a date to the second of their own."""
    for index, (file, in_path) in enumerate(zip(files, written, strict=True)):
        zone = file.zone
        if file.manifest is not None:
            yield index, FileDate(file.manifest.at, DatedBy.MANIFEST)
        elif file.generated is not None:
            yield index, FileDate(file.generated.at(zone), DatedBy.HEADER, zone is None)
        elif in_path is not None and in_path.has_time:
            is_local = zone is None and in_path.instant is None
            yield index, FileDate(in_path.at(zone), DatedBy.PATH, is_local)
        elif file.modified is not None and (
            in_path is None or _is_on_day(file.modified, in_path.at(zone))
        ):
            yield index, FileDate(file.modified, DatedBy.MODIFIED)


class _Collection:
    """Dated files of one collection, in the order of their dates."""

    def __init__(self) -> None:
        self.files: list[int] = []
        self._last: Instant = 0
        self._in_path: Instant | None = None
        self._dumps: dict[str, Instant] = {}

    def takes(self, file: FileToDate, date: FileDate) -> bool:
        """Return whether a file is of this collection; its date is not before those taken."""
        if self.files and date.at - self._last > TOGETHER:
            return False
        if date.by is DatedBy.PATH and self._in_path not in {None, date.at}:
            return False
        return not file.definitive or self._dumps.get(file.qmgr, date.at) == date.at

    def take(self, index: int, file: FileToDate, date: FileDate) -> None:
        """Take a file."""
        self.files.append(index)
        self._last = date.at
        if date.by is DatedBy.PATH:
            self._in_path = date.at
        if file.definitive:
            self._dumps[file.qmgr] = date.at


def _runs(files: Sequence[FileToDate], dates: dict[int, FileDate]) -> Iterator[list[int]]:
    """Divide the dated files into collections.

    A new one begins after a pause, with another date of a path, and with another dump of a queue
    manager. Files with a manifest have the instant that it says.
    """
    collection = _Collection()
    for index in sorted(dates, key=lambda each: (dates[each].at, each)):
        file, date = files[index], dates[index]
        if date.by is DatedBy.MANIFEST:
            continue
        if not collection.takes(file, date):
            yield collection.files
            collection = _Collection()
        collection.take(index, file, date)
    yield collection.files


def _of_folders(
    files: Sequence[FileToDate], dates: dict[int, FileDate]
) -> dict[PurePath, set[Instant]]:
    """Return the instants of the dumps in each folder that their headers date."""
    found: dict[PurePath, set[Instant]] = {}
    for index, file in enumerate(files):
        if file.generated is not None and index in dates:
            found.setdefault(PurePath(file.path).parent, set()).add(dates[index].at)
    return found


def _shared(
    file: FileToDate, written: DateWritten | None, beside: AbstractSet[Instant]
) -> FileDate | None:
    """Return the date of a file from the dumps of its folder, or from a date without a time."""
    if written is None and file.is_script:
        return None
    if written is None:
        return FileDate(min(beside), DatedBy.FOLDER) if len(beside) == 1 else None
    begin = written.at(file.zone)
    that_day = [at for at in beside if _is_on_day(at, begin)]
    if that_day:
        return FileDate(max(that_day), DatedBy.FOLDER)
    return FileDate(begin, DatedBy.PATH, file.zone is None)
