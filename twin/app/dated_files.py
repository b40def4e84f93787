"""Files of an import with the instants at which they were true, in their order in time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from types import MappingProxyType
from typing import Final, NamedTuple
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from twin.app.observing import FileText
from twin.feeds.dating.instants import (
    DatedBy,
    FileDate,
    FileToDate,
    creation_after,
    date_generated,
    dates_of,
    name_without_date,
)
from twin.feeds.dating.manifests import (
    MANIFEST,
    OF_THE_SCRIPT,
    CollectionManifest,
    read_manifest,
)
from twin.feeds.detect import FileFormat, detect
from twin.feeds.observed import NotRecorded, Observed
from twin.feeds.observed_captures import CAPTURES, observe_captures
from twin.fold.estate import Estate
from twin.model.amounts import counted
from twin.model.instants import Instant

NO_ZONES: Final[Mapping[str, str]] = MappingProxyType({})

__all__ = [
    "MANIFEST",
    "OF_THE_SCRIPT",
    "CollectionManifest",
    "DatedBy",
    "DatedFile",
    "FileDate",
    "FileToDate",
    "answers_ahead",
    "dated",
    "dates_of",
    "name_without_date",
    "named_in",
    "passed_over",
    "read_manifest",
]

_QMGR: Final = re.compile(r"^\* ?Queue manager name: *(\S+)", re.MULTILINE)
_ANSWERING: Final = re.compile(
    r"^[ \t]*+Starting MQSC for queue manager (\S+?)\.?\r?$"
    r"|/ibmmq/rest/v\d/admin/(?:action/)?qmgr/([^/\s\"?]++)",
    re.MULTILINE,
)
_QMID: Final = re.compile(r"^\*\s+QMID\('?(.*?)'?\)", re.MULTILINE)


class DatedFile(NamedTuple):
    """A file with its instant.

    Attributes:
        file: the file, with the zone of its queue manager.
        date: when it was true.
        is_script: whether it is a script, which is usually true when it is imported.
        created: when its queue manager was created, if that is after the date; else None.
    """

    file: FileText
    date: FileDate
    is_script: bool
    created: Instant | None


def dated(
    files: Sequence[FileText],
    *,
    now: Instant,
    given: Instant | None = None,
    modified: Sequence[Instant | None] = (),
    manifests: Sequence[CollectionManifest | None] = (),
    zones: Mapping[str, str] = NO_ZONES,
    together: bool = True,
) -> list[DatedFile]:
    """Return files with their instants, in the order of the files.

    Args:
        files: the files of one import; a file without a zone gets that of its manifest.
        now: the instant of files without a date.
        given: the instant of all files.
        modified: for each file, when it was modified last, if that may date it.
        manifests: for each file, the manifest of its folder.
        zones: the name of a queue manager -> its zone, for files that have none so far.
        together: whether files that were collected within minutes share one instant.
    """
    beside = list(manifests) or [None] * len(files)
    times = list(modified) or [None] * len(files)
    forms = [detect(file.text) for file in files]
    with_zones = [
        replace(file, zone=file.zone or _zone(file, form, manifest, zones))
        for file, form, manifest in zip(files, forms, beside, strict=True)
    ]
    described = [
        _described(file, form)._replace(modified=time, manifest=manifest)
        for file, form, time, manifest in zip(with_zones, forms, times, beside, strict=True)
    ]
    dates = dates_of(described, now=now, given=given, together=together)
    return [
        DatedFile(
            replace(file, undated=date.by is DatedBy.NOW),
            date,
            form is FileFormat.MQSC_SCRIPT,
            _created(file, form, date),
        )
        for file, form, date in zip(with_zones, forms, dates, strict=True)
    ]


def answers_ahead(file: DatedFile, present: Instant) -> bool:
    """Return whether a file has answers of an instant after the present, by their own date."""
    is_own = file.date.by in {DatedBy.MANIFEST, DatedBy.HEADER, DatedBy.PATH, DatedBy.FOLDER}
    return is_own and file.date.at > present and detect(file.file.text) in CAPTURES


def passed_over(file: FileText) -> Observed:
    """Return the result of a file with answers after the present: nothing of it is taken."""
    form, qmgr = detect(file.text), file.qmgr or file.otherwise
    seen = observe_captures(file.read(), form, qmgr=qmgr, estate=Estate())
    answers, of = seen.counts["commands"], seen.qmgr or "its queue manager"
    why = (
        f"is dated after the present, so {counted(answers, 'answer')} of it "
        f"{'was' if answers == 1 else 'were'} passed over: the clock or the zone of {of} is wrong "
        "(--tz)"
    )
    nothing = dict.fromkeys(seen.counts, 0)
    return Observed(form, seen.qmgrs, (), (NotRecorded(1, "", why),), nothing)


def _zone(
    file: FileText,
    form: FileFormat,
    manifest: CollectionManifest | None,
    zones: Mapping[str, str],
) -> tzinfo | None:
    """Return the zone of the manifest, or the one that the queue managers of a file share."""
    if manifest is not None and manifest.zone is not None:
        return manifest.zone
    found = {zones.get(name) for name in _named_in(file, form)} if zones else set()
    name = found.pop() if len(found) == 1 else None
    return None if name is None else ZoneInfo(name)


def named_in(text: str) -> set[str]:
    """Return the queue managers that the beginning of a dump, or of answers to DISPLAY, names."""
    return _named_in(FileText(text), detect(text)) - {""}


def _named_in(file: FileText, form: FileFormat) -> set[str]:
    """Return the queue managers that a file is of."""
    if form is FileFormat.DMPMQCFG:
        named = set(_QMGR.findall(file.text))
    elif form in CAPTURES:
        found = (each for line in file.read() for each in _ANSWERING.findall(line))
        named = {one or unquote(other) for one, other in found}
    else:
        named = set()
    return named or {file.qmgr or file.otherwise}


def _described(file: FileText, form: FileFormat) -> FileToDate:
    is_dump = form is FileFormat.DMPMQCFG
    named = _QMGR.search(file.text) if is_dump else None
    return FileToDate(
        file.file or "",
        (named[1] if named else "") or file.qmgr or file.otherwise,
        definitive=is_dump,
        generated=date_generated(file.text) if is_dump else None,
        zone=file.zone,
        is_script=form is FileFormat.MQSC_SCRIPT,
    )


def _created(file: FileText, form: FileFormat, date: FileDate) -> Instant | None:
    qmid = _QMID.search(file.text) if form is FileFormat.DMPMQCFG else None
    if qmid is None:
        return None
    return creation_after(date.at, qmid[1], zone=file.zone, is_local=date.is_local)
