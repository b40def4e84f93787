"""`twin import`: files as observations, and a report of what was not taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import Argument, Context, Option, Typer

from twin.cli.errors import FileTooLong, NoFile, NotText, UnreadableFile
from twin.cli.files import STANDARD_INPUT, demand_regular, read_text
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import complain, show_lines
from twin.cli.place import instant, place_of

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.feeds.observed import Observed
    from twin.model.instants import Instant
    from twin.mqsc.statement import Statement
    from twin.questions.answer import Answer, Row

ALL_RECORDED: Final = 0
PARTLY: Final = 10
NOTHING_READ: Final = 20

_COUNTS: Final = ("commands", "taken", "passed over", "not understood", "recorded")
_NOT_TAKEN: Final = ("line", "became", "text", "why")
_PASSED_OVER: Final = "defines nothing"
_DEFINING: Final = frozenset({"DEFINE", "ALTER", "DELETE"})


class Source(NamedTuple):
    """One file, read."""

    path: str
    text: str

    @property
    def stem(self) -> str:
        """The file's name without its last ending, '' for standard input."""
        return "" if self.path == STANDARD_INPUT else Path(self.path).stem


class Taken(NamedTuple):
    """What came of one file: what is in the log now, and the commands that define nothing."""

    path: str
    seen: Observed
    passed_over: Sequence[tuple[int, str, str]]
    """Where each starts, its verb and object word, and the name it gives in brackets."""

    @property
    def read(self) -> bool:
        """Whether anything could be read from it at all."""
        return bool(self.seen.counts["commands"])


def import_files(
    context: Context,
    paths: Annotated[list[str], Argument(metavar="PATH...", help="Files or folders; - for input")],
    *,
    qmgr: Annotated[
        str | None,
        Option(metavar="QM", help="Whose definitions they are [as a dump says, else see above]"),
    ] = None,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Record what scripts and dumps say was true.

    MQSC scripts and dmpmqcfg dumps are read, of 64 MiB at most. An instant in the past is fine.
    Of a folder or several files, one that names no queue manager is of the one it is named after:
    QM1.mqsc of QM1.
    Exit code 0 when all was recorded or known, 10 when parts were not understood, 20 when nothing
    could be read.
    """
    files = [name for path in paths for name in _files_of(path)]
    sources = list(_sources(files))
    if not sources:
        return NOTHING_READ
    by_name = len(files) > 1 or files != paths
    with place_of(context).writer(at, create=True) as twin:
        now = twin.as_of().valid
        when = now if at is None else instant(twin, at) or now
        taken = [_taken(twin, each, qmgr, when, by_name=by_name) for each in sources]
        answer = _answer(twin, taken, min(when, now))
    show_lines(answer, _report(taken), output)
    if not any(each.read for each in taken):
        return NOTHING_READ
    whole = len(sources) == len(files) and not any(each.seen.not_understood for each in taken)
    return ALL_RECORDED if whole else PARTLY


def _files_of(path: str) -> list[str]:
    if path == STANDARD_INPUT or not Path(path).is_dir():
        return [path]
    try:
        inside = sorted(Path(path).iterdir())
    except OSError:
        return [path]
    found = [str(each) for each in inside if each.is_file() and not each.name.startswith(".")]
    if not found:
        complain(f"{path} holds no file")
    return found


def _sources(files: Sequence[str]) -> Iterator[Source]:
    for name in files:
        try:
            demand_regular(name)
            yield Source(name, read_text(name))
        except (UnreadableFile, NoFile, FileTooLong, NotText) as error:
            complain(str(error))


def _taken(twin: Twin, source: Source, qmgr: str | None, when: Instant, *, by_name: bool) -> Taken:
    """Take one file; where nobody says whose it is, its name may."""
    from twin.model.names import legal_name

    file = None if source.path == STANDARD_INPUT else source.path
    seen = twin.ingest(source.text, qmgr=qmgr, at=when, file=file)
    if by_name and seen.format.readable and not seen.qmgr and legal_name(source.stem):
        seen = twin.ingest(source.text, qmgr=source.stem, at=when, file=file)
    passed_over = list(_passed_over(source.text)) if seen.counts["passed over"] else []
    return Taken(source.path, seen, passed_over)


def _passed_over(text: str) -> Iterator[tuple[int, str, str]]:
    """Name the commands that define nothing: only what they are about, which is no secret."""
    from twin.feeds.commands import commands
    from twin.mqsc.statement import Malformed

    for command in commands(text):
        statement = command.parsed
        if not isinstance(statement, Malformed) and not _defines(statement):
            name = f"({statement.name.text})" if statement.name else ""
            yield command.line, f"{statement.verb} {statement.object}", name


def _defines(statement: Statement) -> bool:
    from twin.model.records import RECORDS

    verb = statement.verb
    return verb in _DEFINING or (verb == "SET" and statement.object in RECORDS)


def _answer(twin: Twin, taken: Sequence[Taken], when: Instant) -> Answer:
    from twin.questions.answer import Answer

    columns = ("file", "qmgr", "format", *map(_column, _COUNTS), *_NOT_TAKEN)
    rows: list[Row] = []
    for each in taken:
        common: Row = {
            "file": each.path,
            "qmgr": each.seen.qmgr or None,
            "format": str(each.seen.format),
            **{_column(count): each.seen.counts[count] for count in _COUNTS},
        }
        nothing: Row = dict.fromkeys(_NOT_TAKEN)
        rows += [{**common, **row} for row in list(_not_taken(each)) or [nothing]]
    return Answer("ingest", twin.as_of(valid=when), columns, tuple(rows))


def _column(count: str) -> str:
    return count.replace(" ", "_")


def _not_taken(taken: Taken) -> Iterator[Row]:
    for problem in taken.seen.not_understood:
        values = (problem.line, "not understood", problem.text, problem.why)
        yield dict(zip(_NOT_TAKEN, values, strict=True))
    for line, words, name in taken.passed_over:
        values = (line, "passed over", f"{words}{name}", _PASSED_OVER)
        yield dict(zip(_NOT_TAKEN, values, strict=True))


def _report(taken: Sequence[Taken]) -> Iterator[str]:
    for each in taken:
        path, seen, counts = each.path, each.seen, each.seen.counts
        if not each.read:
            yield f"{path}: nothing read"
        else:
            yield (
                f"{path}: {seen.format} of {seen.qmgr}: {counts['commands']} commands, "
                f"{counts['taken']} taken, {counts['passed over']} passed over, "
                f"{counts['recorded']} facts recorded"
            )
        for problem in seen.not_understood:
            text = f": {problem.text}" if problem.text else ""
            yield f"{path}:{problem.line}: {problem.why}{text}"
        if seen.format.readable and not seen.qmgr:
            yield f"{path}: name its queue manager by --qmgr QM"
        if each.passed_over:
            tally = Counter(words for _, words, _ in each.passed_over)
            shown = ", ".join(f"{number} {words}" for words, number in tally.items())
            yield f"{path}: passed over, because it {_PASSED_OVER}: {shown}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("import")(import_files)
