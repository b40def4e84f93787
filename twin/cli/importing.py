"""`twin import`: records files as observations, and reports what was not recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import Argument, Context, Option, Typer

from twin.cli.errors import FileTooLong, NoFile, NotText, UnreadableFile
from twin.cli.exit_codes import BAD_INPUT, DONE, FAILED
from twin.cli.files import STANDARD_INPUT, check_regular, name_of, read_bytes, text_in
from twin.cli.options import Format, FormatOption
from twin.cli.output import complain, show_lines
from twin.cli.target import instant, target_of
from twin.model.amounts import counted

if TYPE_CHECKING:
    from twin.app.observations import Observed
    from twin.app.twin import Twin
    from twin.model.instants import Instant
    from twin.questions.answer import Answer, Row

_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded")
_NOT_TAKEN: Final = ("line", "became", "text", "why")
_PASSED_OVER: Final = "defines nothing that twin models"


class SourceFile(NamedTuple):
    """The text of one file."""

    path: str
    text: str

    @property
    def stem(self) -> str:
        """The file's name without its last ending, '' for standard input."""
        return "" if self.path == STANDARD_INPUT else Path(self.path).stem


class ImportedFile(NamedTuple):
    """One file that was imported, and what it says."""

    path: str
    observed: Observed

    @property
    def is_read(self) -> bool:
        """Whether the file has any commands."""
        return bool(self.observed.counts["commands"])


def import_files(
    context: Context,
    paths: Annotated[
        list[str],
        Argument(metavar="PATH...", help="Files or folders to read; - is standard input"),
    ],
    *,
    qmgr: Annotated[
        str | None,
        Option(metavar="QM", help="Queue manager that the definitions belong to"),
    ] = None,
    at: Annotated[
        str | None,
        Option(metavar="T", help="Time at which the definitions were true: ISO 8601 or -3d [now]"),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Import MQSC scripts and dmpmqcfg dumps as observations.

    A file may have 64 MiB at most. --at may be in the past.

    A dump names its queue manager. For a script, name the queue manager with --qmgr. If you import
    several files without --qmgr, each script belongs to the queue manager in its file name
    (QM1.mqsc: QM1).

    Prints how many commands of each file were recorded, and which were not.

    Exit codes: 0 all facts are recorded or were known; 10 parts were not understood; 20 nothing
    could be read.
    """
    files = [file for path in paths for file in _files_of(path)]
    sources = list(_sources(files))
    if not sources:
        return BAD_INPUT
    by_name = len(files) > 1 or files != paths
    with target_of(context).writer(at, create=True) as twin:
        now = twin.as_of().valid
        when = now if at is None else instant(twin, at) or now
        imported = _import(twin, sources, qmgr, when, by_name=by_name)
        answer = _answer(twin, imported, min(when, now))
    if not any(file.is_read for file in imported):
        for line in _refusals(imported):
            complain(line)
        return BAD_INPUT
    show_lines(answer, _report(imported), output)
    understood = not any(file.observed.not_understood for file in imported)
    return DONE if understood and len(sources) == len(files) else FAILED


def _files_of(path: str) -> list[str]:
    if path == STANDARD_INPUT or not Path(path).is_dir():
        return [path]
    try:
        entries = sorted(Path(path).iterdir())
    except OSError:
        return [path]
    files = [str(file) for file in entries if file.is_file() and not file.name.startswith(".")]
    if not files:
        complain(f"{path} contains no files")
    return files


def _sources(files: Sequence[str]) -> Iterator[SourceFile]:
    for path in files:
        try:
            check_regular(path)
            raw = read_bytes(path)
        except (UnreadableFile, NoFile, FileTooLong) as error:
            complain(str(error))
            continue
        try:
            yield SourceFile(path, text_in(raw, path))
        except NotText:
            complain(f"{name_of(path)} {_why_not_text(raw)}")


def _why_not_text(raw: bytes) -> str:
    from twin.app.observations import why_not_text

    return why_not_text(raw)


def _import(
    twin: Twin, sources: Sequence[SourceFile], qmgr: str | None, when: Instant, *, by_name: bool
) -> list[ImportedFile]:
    """Import files; if nothing else names the queue manager of one, its file name may."""
    from twin.app.observing import FileText
    from twin.model.names import legal_name

    files = [
        FileText(
            source.text,
            qmgr,
            otherwise=source.stem if by_name and legal_name(source.stem) else "",
            file=None if source.path == STANDARD_INPUT else source.path,
        )
        for source in sources
    ]
    observed = twin.ingest_files(files, at=when)
    return [ImportedFile(source.path, each) for source, each in zip(sources, observed, strict=True)]


def _answer(twin: Twin, imported: Sequence[ImportedFile], when: Instant) -> Answer:
    from twin.questions.answer import Answer

    columns = ("file", "qmgr", "format", *map(_column, _COUNTS), *_NOT_TAKEN)
    rows: list[Row] = []
    for path, observed in imported:
        common: Row = {
            "file": path,
            "qmgr": observed.qmgr or None,
            "format": str(observed.format),
            **{_column(count): observed.counts[count] for count in _COUNTS},
        }
        nothing: Row = dict.fromkeys(_NOT_TAKEN)
        rows += [{**common, **row} for row in list(_not_taken(observed)) or [nothing]]
    return Answer("ingest", twin.as_of(valid=when), columns, tuple(rows))


def _column(count: str) -> str:
    return count.replace(" ", "_")


def _not_taken(observed: Observed) -> Iterator[Row]:
    problems = [(line, "not understood", text, why) for line, text, why in observed.not_understood]
    passed_over = [
        (line, "passed over", f"{command}({name})" if name else command, _PASSED_OVER)
        for line, command, name in observed.passed_over
    ]
    for values in (*problems, *passed_over):
        yield dict(zip(_NOT_TAKEN, values, strict=True))


def _refusals(imported: Sequence[ImportedFile]) -> Iterator[str]:
    """Return one line for each file: why nothing of it was read."""
    for path, observed in imported:
        if observed.format.readable and not observed.qmgr:
            yield f"{path} names no queue manager; name it with --qmgr QM"
        else:
            yield f"{path} {'; '.join(problem.why for problem in observed.not_understood)}"


def _report(imported: Sequence[ImportedFile]) -> Iterator[str]:
    for file in imported:
        path, observed, counts = file.path, file.observed, file.observed.counts
        if not file.is_read:
            yield f"{path}: nothing read"
        else:
            yield (
                f"{path}: {observed.format} of {observed.qmgr}: {counts['commands']} commands, "
                f"{counts['taken']} taken, {counts['passed over']} passed over, "
                f"{counted(counts['recorded'], 'fact')} recorded"
            )
        for problem in observed.not_understood:
            text = f": {problem.text}" if problem.text else ""
            yield f"{path}:{problem.line}: {problem.why}{text}"
        if observed.format.readable and not observed.qmgr:
            yield f"{path}: name the queue manager with --qmgr QM"
        if observed.passed_over:
            tally = Counter(passed.command for passed in observed.passed_over)
            shown = ", ".join(f"{number} {command}" for command, number in tally.items())
            yield f"{path}: passed over, because it {_PASSED_OVER}: {shown}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("import")(import_files)
