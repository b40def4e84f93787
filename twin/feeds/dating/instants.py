"""The instant of each file of an import: those that were collected together share one.

A file's date is, in this order: the given one; that of the manifest beside it; that of a dump's
header; that in its path; its modification time, if that is asked for. A file without a date was
true when the dumps of its folder were, or else is taken as true now.

Dates a few minutes apart are those of one collection, and what was collected together becomes true
together, at the last of them. Otherwise, a channel would fail to reach a queue manager whose dump
was made seconds later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import tzinfo
from enum import StrEnum
from pathlib import PurePath
from typing import Final, NamedTuple

from twin.feeds.dating.manifests import CollectionManifest
from twin.feeds.dating.written import DateWritten, date_in_name, date_of_creation
from twin.feeds.reading.local_time import FURTHEST
from twin.model.instants import DAY, MINUTE, Instant

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
