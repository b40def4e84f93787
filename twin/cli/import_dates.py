"""What an import says about the instants of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from twin.cli.files import name_of
from twin.model.amounts import counted
from twin.model.instants import format_instant

if TYPE_CHECKING:
    from twin.app.dated_files import CollectionManifest, DatedBy, DatedFile
    from twin.app.zones import ZoneChanged
    from twin.model.instants import Instant


_FEW: Final = 40
"""The number of positions that are listed."""


def said_of_dates(files: Sequence[DatedFile], now: Instant) -> Iterator[str]:
    """Yield lines about the instants of files: what dates them, and what is doubtful about it."""
    from twin.app.dated_files import DatedBy

    if all(_is_plain(file) for file in files):
        return
    for (at, by, is_local), group in groupby(sorted(files, key=_order), key=_date_of):
        alike = list(group)
        if by is DatedBy.GIVEN:
            continue
        which = f"{_path(alike[0])} is" if len(alike) == 1 else f"{counted(len(alike), 'file')} are"
        if by is DatedBy.NOW:
            yield f"{which} without a date, and taken as true now; give --at T or --at mtime"
            continue
        utc = "; local time, taken as UTC (--tz ZONE)" if is_local else ""
        late = "; that is in the future, so it is recorded as of now" if at > now else ""
        yield f"{which} dated {format_instant(at)} by {by}{utc}{late}"
    yield from _before_creation(files)


def said_of_missing(manifests: Iterable[CollectionManifest | None]) -> Iterator[str]:
    """Yield what the manifests of collections say that was not collected."""
    for manifest in dict.fromkeys(manifests):
        if manifest is not None:
            yield from (f"the collection lacks: {line}" for line in manifest.missing)


def said_of_zones(changes: Iterable[ZoneChanged]) -> Iterator[str]:
    """Yield lines about the zones that an import stated first, or changed."""
    by_zone: dict[str, list[str]] = {}
    for change in changes:
        by_zone.setdefault(change.zone, []).append(change.qmgr)
        if change.read:
            facts = counted(len(change.read), "fact")
            yield (
                f"{change.qmgr}: {facts} keep the instants that were read as "
                f"{change.before or 'UTC'}; to correct them, {_retraction(change)}, and import "
                "their files again"
            )
    for zone, names in by_zone.items():
        yield f"local times of {', '.join(names)} are those of {zone}, at later imports, too"


def _retraction(change: ZoneChanged) -> str:
    """Return the command that retracts what was read in another zone."""
    if len(change.read) <= _FEW:
        return f"twin retract {' '.join(map(str, change.read))}"
    return f"twin retract the positions of twin log show --qmgr {change.qmgr}"


def _before_creation(files: Iterable[DatedFile]) -> Iterator[str]:
    for file in files:
        if file.created is not None:
            yield (
                f"{_path(file)} is dated {format_instant(file.date.at)}, but its QMID says that "
                f"its queue manager was created at {format_instant(file.created)}"
            )


def _is_plain(file: DatedFile) -> bool:
    """Return whether nothing is to be said of a file: a script of now, or a given time."""
    from twin.app.dated_files import DatedBy

    is_expected = file.date.by is DatedBy.GIVEN or (file.date.by is DatedBy.NOW and file.is_script)
    return is_expected and file.created is None


def _order(file: DatedFile) -> tuple[Instant, int, bool]:
    from twin.app.dated_files import DatedBy

    return file.date.at, tuple(DatedBy).index(file.date.by), file.date.is_local


def _date_of(file: DatedFile) -> tuple[Instant, DatedBy, bool]:
    return file.date.at, file.date.by, file.date.is_local


def _path(file: DatedFile) -> str:
    return name_of(file.file.file or "-")
