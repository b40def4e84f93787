"""The import of files: dates them, records those of one instant together, and reports on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.cli.files import STANDARD_INPUT, name_of
from twin.cli.import_feeds import MODIFIED, ImportOptions, feed_files, feed_rows, is_feed
from twin.cli.source_files import SourceFile
from twin.model.amounts import counted
from twin.model.instants import Instant, format_instant
from twin.model.names import legal_name

if TYPE_CHECKING:
    from twin.app.dated_files import CollectionManifest, DatedFile
    from twin.app.importing.feeds import FeedFile, FeedRead
    from twin.app.observing import CapturesObserved, FileText, NotRecorded, Observed
    from twin.app.queue_managers import ZoneChanged
    from twin.app.twin import Twin
    from twin.questions.answer import Answer, Row


class Imported(NamedTuple):
    """What an import took.

    Attributes:
        files: the files that were read as a whole.
        feeds: the feeds, whose records have instants of their own.
        zones: the zones that were not known before.
        now: the instant of files without a date.
    """

    files: list[ImportedFile]
    feeds: list[FeedRead]
    zones: list[ZoneChanged]
    now: Instant

    @property
    def has_read(self) -> bool:
        """Whether anything was read."""
        return any(file.is_read for file in self.files) or any(each.facts for each in self.feeds)


def import_sources(
    twin: Twin,
    logs: Sequence[str],
    sources: Sequence[SourceFile],
    options: ImportOptions,
    *,
    always: bool = False,
) -> Imported:
    """Import logs, which are read line by line, and texts; state the zones they were read with.

    All logs are read before anything is recorded. If nothing was read at all, nothing is recorded,
    unless `always` notes the logs all the same.
    """
    from twin.app.importing.feeds import read_through

    now, known = twin.as_of().valid, twin.log.head(twin.branch).position
    streams = [source for source in sources if is_feed(source.text)]
    feeds = feed_files(twin, logs, streams, options)
    present = twin.observable_until()
    read = [read_through(feed, present=present) for feed in feeds]
    texts = [source for source in sources if source not in streams]
    imported = Imported(_import_texts(twin, texts, options, now), read, [], now)
    if imported.has_read or (always and feeds):
        twin.record_feeds(feeds, read)
    imported.zones.extend(_state_zones(twin, imported.files, zip(feeds, read, strict=True), known))
    return imported


def _import_texts(
    twin: Twin, sources: Sequence[SourceFile], options: ImportOptions, now: Instant
) -> list[ImportedFile]:
    """Import files, those of one instant together, in the order of their instants."""
    from twin.app.dated_files import answers_ahead, dated, passed_over

    files = dated(
        [_text_of(source, options) for source in sources],
        now=now,
        given=options.given(twin),
        modified=[source.modified if options.at == MODIFIED else None for source in sources],
        manifests=[source.manifest for source in sources],
        zones=twin.zones(),
        together=options.together,
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


def _text_of(source: SourceFile, options: ImportOptions) -> FileText:
    """Return the text of a file; if nothing else names the queue manager, its name may."""
    from twin.app.observing import FileText

    return FileText(
        source.text,
        options.qmgr,
        otherwise=source.stem if options.by_name and legal_name(source.stem) else "",
        file=None if source.path == STANDARD_INPUT else source.path,
        zone=options.zone,
        lines=source.lines,
    )


def _state_zones(
    twin: Twin,
    imported: Sequence[ImportedFile],
    feeds: Iterable[tuple[FeedFile, FeedRead]],
    known: int,
) -> Iterator[ZoneChanged]:
    """Record the zones that files were read with; yield those that were not known before.

    `known` is the last position before the import.
    """
    of_files = {
        name: getattr(file.dated.file.zone, "key", "")
        for file in imported
        if file.is_read
        for name in file.observed.qmgrs
        if name == (file.dated.file.qmgr or name)  # of others, nothing was taken
    }
    of_feeds = [
        (name, getattr(file.zone, "key", "")) for file, read in feeds for name in sorted(read.qmgrs)
    ]
    for name, zone in [*sorted(of_files.items()), *of_feeds]:
        changed = twin.state_zone(name, zone, upto=known) if name and zone else None
        if changed is not None:
            yield changed


_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded", "appended")
_NOT_TAKEN: Final = ("line", "became", "text", "why")
_PASSED_OVER: Final = "defines nothing that twin models"
_ALIKE: Final = 3
"""How many parts are shown that were not understood for the same reason."""


class ImportedFile(NamedTuple):
    """One file that was imported, what it says, and when that was true."""

    path: str
    observed: Observed
    dated: DatedFile

    @property
    def is_read(self) -> bool:
        """Whether the file has any commands."""
        return bool(self.observed.counts["commands"])

    @property
    def is_useless(self) -> bool:
        """Whether nothing was taken of it, not even what was known."""
        return self.is_read and not self.observed.counts["taken"]


def import_answer(twin: Twin, done: Imported) -> Answer:
    """Return the files and what of them was not taken, as rows."""
    from twin.questions.answer import Answer

    columns = ("file", "qmgr", "format", *map(_column, _COUNTS), *_NOT_TAKEN, "count", "at")
    rows: list[Row] = []
    for path, observed, file in done.files:
        common: Row = {
            "file": path,
            "qmgr": observed.qmgr or None,
            "format": str(observed.format),
            **{_column(count): observed.counts.get(count, 0) for count in _COUNTS},
            "count": None,
            "at": format_instant(file.date.at),
        }
        nothing: Row = dict.fromkeys(_NOT_TAKEN)
        rows += [{**common, **row} for row in list(_not_taken(observed)) or [nothing]]
    rows += feed_rows(done.feeds, columns)
    instants = [file.dated.date.at for file in done.files]
    latest = min(done.now, max([*instants, *(each.end or 0 for each in done.feeds)]))
    return Answer("import", twin.as_of(valid=latest), columns, tuple(rows))


def _column(count: str) -> str:
    return count.replace(" ", "_")


def _not_taken(observed: Observed) -> Iterator[Row]:
    for each in observed.not_understood:
        yield _part(each.line, "not understood", each.text, each.why, each.number)
    for passed in observed.passed_over:
        text = f"{passed.command}({passed.name})" if passed.name else passed.command
        yield _part(passed.line, "passed over", text, _why_passed(observed), passed.number)


def _part(line: int, became: str, text: str, why: str, count: int) -> Row:
    """Return the row of a part that was not taken, or of several of a kind."""
    row: Row = dict(zip(_NOT_TAKEN, (line, became, text, why), strict=True))
    return {**row, "count": count} if count > 1 else row


def _why_passed(observed: Observed) -> str:
    return "shows nothing that twin takes from answers yet" if _answers(observed) else _PASSED_OVER


def _answers(observed: Observed) -> CapturesObserved | None:
    """Return what was observed of saved answers to DISPLAY; None of any other file."""
    from twin.app.observing import CapturesObserved

    return observed if isinstance(observed, CapturesObserved) else None


def import_refusals(imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Return one line for each file: why nothing of it was read."""
    yield from (f"{path} {_why_not_read(observed)}" for path, observed, _ in imported)


def line_of_nothing(file: ImportedFile) -> str:
    """Return why nothing was taken of a file that was read, in one line."""
    observed = file.observed
    why = dict.fromkeys(problem.why for problem in observed.not_understood)
    if observed.passed_over:
        why[_passed_over(observed)] = None
    return f"{file.path}: {observed.format}: nothing recorded: {'; '.join(why)}"


def import_lines(imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Return lines about each file; of one that was not read, one line alone."""
    for file in imported:
        path, observed, counts = file.path, file.observed, file.observed.counts
        if not file.is_read:
            yield f"{path}: nothing read: {_why_not_read(observed)}"
            continue
        of = f" of {observed.qmgr}" if observed.qmgr else ""
        yield (
            f"{path}: {observed.format}{of}: {counted(counts['commands'], 'command')}, "
            f"{counts['taken']} taken, {counts['passed over']} passed over, "
            f"{counted(counts['recorded'], 'fact')} recorded"
            f"{_confirmations(counts)}"
        )
        yield from _problem_lines(path, observed.not_understood)
        if observed.passed_over:
            yield f"{path}: {_passed_over(observed)}"
        answers = _answers(observed)
        for note in answers.notes if answers else ():
            yield f"{path}: {note}"


def _passed_over(observed: Observed) -> str:
    """Return what was passed over; of answers, also how many objects they show."""
    tally: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for passed in observed.passed_over:
        tally[passed.command] += passed.number
        rows[passed.command] += passed.rows
    if _answers(observed):
        shown = [f"{tally[each]} {each} ({counted(rows[each], 'row')})" for each in tally]
        return f"recognised, no fact taken: {', '.join(shown)}"
    shown = [f"{tally[each]} {each}" for each in tally]
    return f"passed over, because it {_PASSED_OVER}: {', '.join(shown)}"


def _confirmations(counts: Mapping[str, int]) -> str:
    """Return what was appended although it says nothing new: what is known, of another instant."""
    appended = counts.get("appended", 0)
    if counts["recorded"] or not appended:
        return ""
    confirm = "confirms" if appended == 1 else "confirm"
    return f"; {counted(appended, 'statement')} appended that {confirm} what is known"


def _why_not_read(observed: Observed) -> str:
    if _answers(observed):
        return "holds no answer that twin reads"
    if observed.format.readable and not observed.qmgr:
        return "names no queue manager; name it with --qmgr QM"
    return "; ".join(dict.fromkeys(problem.why for problem in observed.not_understood))


def _problem_lines(path: str, problems: Sequence[NotRecorded]) -> Iterator[str]:
    """Yield a line for each problem; of many for one reason, the first ones and how many follow."""
    alike: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for problem in problems:
        alike[problem.why] += problem.number
        if problem.number > 1:
            continue
        shown[problem.why] += 1
        if shown[problem.why] <= _ALIKE:
            text = f": {problem.text}" if problem.text else ""
            yield f"{path}:{problem.line}: {problem.why}{text}"
    for why, number in alike.items():
        if number > _ALIKE:
            yield f"{path}: {number - _ALIKE} more: {why}"


_FEW: Final = 40
"""The number of positions that are listed."""


def said_of_dates(files: Sequence[DatedFile], now: Instant) -> Iterator[str]:
    """Yield lines about the instants of files: what dates them, and what is doubtful about it."""
    from twin.app.dated_files import DatedBy

    if all(_is_plain(file) for file in files):
        return
    for (at, by, is_local), group in groupby(sorted(files, key=_order), key=attrgetter("date")):
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


def said_of_several_zones(files: Iterable[ImportedFile]) -> Iterator[str]:
    """Yield a line about the zones in which local times were read, if there are several."""
    found: dict[str, set[str]] = {}
    for file in files:
        if file.is_read and not file.dated.is_script:
            zone = getattr(file.dated.file.zone, "key", "UTC, as none was given,")
            found.setdefault(zone, set()).update(file.observed.qmgrs)
    if len(found) > 1:
        each = (f"{zone} for {', '.join(sorted(names))}" for zone, names in sorted(found.items()))
        yield f"the files have several zones: {'; '.join(each)}"


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


def _path(file: DatedFile) -> str:
    return name_of(file.file.file or "-")
