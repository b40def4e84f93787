"""The import of files: dates them, and records those of one instant together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from twin.cli.files import STANDARD_INPUT
from twin.cli.import_report import ImportedFile
from twin.cli.source_files import SourceFile
from twin.cli.target import instant

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from twin.app.observing import FileText, Observed
    from twin.app.twin import Twin
    from twin.app.zones import ZoneChanged
    from twin.model.instants import Instant

MODIFIED: Final = "mtime"
"""The value of --at that means the last modification of each file."""


def import_texts(
    twin: Twin,
    sources: Sequence[SourceFile],
    texts: Sequence[FileText],
    *,
    now: Instant,
    at: str | None,
    together: bool = True,
) -> list[ImportedFile]:
    """Import files, those of one instant together, in the order of their instants.

    `at` is the time of all files, or `MODIFIED`, or None; `together` whether files that were
    collected within minutes share one instant.
    """
    from twin.app.dated_files import answers_ahead, dated, passed_over

    given = None if at in {None, MODIFIED} else instant(twin, at)
    files = dated(
        texts,
        now=now,
        given=given,
        modified=[source.modified if at == MODIFIED else None for source in sources],
        manifests=[source.manifest for source in sources],
        zones=twin.zones(),
        together=together,
    )
    observed: dict[int, Observed] = {}
    present = twin.observable_until()
    for when in sorted({file.date.at for file in files}):
        group = [index for index, file in enumerate(files) if file.date.at == when]
        for index in [each for each in group if answers_ahead(files[each], present)]:
            group.remove(index)
            observed[index] = passed_over(files[index].file)
        if not group:
            continue
        taken = twin.ingest_files([files[index].file for index in group], at=when, marked=True)
        observed.update(zip(group, taken, strict=True))
    return [
        ImportedFile(source.path, observed[index], files[index])
        for index, source in enumerate(sources)
    ]


def state_zones(twin: Twin, imported: Sequence[ImportedFile], known: int) -> Iterator[ZoneChanged]:
    """Record the zones that files were read with; yield those that were not known before.

    `known` is the last position before the import.
    """
    stated = {
        name: getattr(file.dated.file.zone, "key", "")
        for file in imported
        if file.is_read
        for name in file.observed.qmgrs
        if name == (file.dated.file.qmgr or name)  # of others, nothing was taken
    }
    for name, zone in sorted(stated.items()):
        changed = twin.state_zone(name, zone, upto=known) if name and zone else None
        if changed is not None:
            yield changed


def texts_to_import(
    sources: Sequence[SourceFile], qmgr: str | None, zone: ZoneInfo | None, *, by_name: bool
) -> list[FileText]:
    """Return the texts to import; if nothing else names the queue manager, a file name may."""
    from twin.app.observing import FileText
    from twin.model.names import legal_name

    return [
        FileText(
            source.text,
            qmgr,
            otherwise=source.stem if by_name and legal_name(source.stem) else "",
            file=None if source.path == STANDARD_INPUT else source.path,
            zone=zone,
            lines=source.lines,
        )
        for source in sources
    ]
