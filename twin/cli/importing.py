"""`twin import`: files as observations, and a report of what was not understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import Argument, Context, Option, Typer

from twin.cli.errors import NotText, UnreadableFile
from twin.cli.files import STANDARD_INPUT, read_text
from twin.cli.options import At, Format, FormatOption
from twin.cli.output import complain, show_lines
from twin.cli.place import instant, place_of

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.feeds.observed import Observed
    from twin.questions.answer import Answer, Row

ALL_RECORDED: Final = 0
PARTLY: Final = 10
NOTHING_READ: Final = 20

_COLUMNS: Final = ("file", "qmgr", "format", "recorded", "line", "text", "why")


class Source(NamedTuple):
    """One file, read."""

    path: str
    text: str


class Taken(NamedTuple):
    """What came of one file."""

    path: str
    seen: Observed

    @property
    def read(self) -> bool:
        """Whether anything could be read from it at all."""
        return bool(self.seen.counts["commands"])


def import_files(
    context: Context,
    paths: Annotated[list[str], Argument(metavar="PATH...", help="Files or folders; - for input")],
    *,
    qmgr: Annotated[
        str | None, Option(metavar="QM", help="Whose definitions they are [as a dump says]")
    ] = None,
    at: At = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Record what scripts and dumps say was true.

    MQSC scripts and dmpmqcfg dumps are read. An instant in the past is fine.
    Exit code 0 when all was recorded or known, 10 when parts were not understood, 20 when nothing
    could be read.
    """
    sources = list(_sources(paths))
    if not sources:
        return NOTHING_READ
    with place_of(context).writer(at, create=True) as twin:
        when = instant(twin, at)
        taken = [Taken(each.path, twin.ingest(each.text, qmgr=qmgr, at=when)) for each in sources]
        answer = _answer(twin, taken)
    show_lines(answer, _report(taken), output)
    if not any(each.read for each in taken):
        return NOTHING_READ
    complete = len(sources) == len(paths) or all(Path(path).is_dir() for path in paths)
    whole = complete and not any(each.seen.not_understood for each in taken)
    return ALL_RECORDED if whole else PARTLY


def _sources(paths: Sequence[str]) -> Iterator[Source]:
    for path in paths:
        for name in _files_of(path):
            try:
                yield Source(name, read_text(name))
            except (UnreadableFile, NotText) as error:
                complain(str(error))


def _files_of(path: str) -> list[str]:
    if path == STANDARD_INPUT or not Path(path).is_dir():
        return [path]
    inside = sorted(Path(path).iterdir())
    return [str(each) for each in inside if each.is_file() and not each.name.startswith(".")]


def _answer(twin: Twin, taken: Sequence[Taken]) -> Answer:
    from twin.questions.answer import Answer

    rows: list[Row] = []
    for path, seen in taken:
        common: Row = {
            "file": path,
            "qmgr": seen.qmgr or None,
            "format": str(seen.format),
            "recorded": seen.counts["recorded"],
        }
        problems: list[Row] = [
            {"line": each.line, "text": each.text, "why": each.why} for each in seen.not_understood
        ]
        nothing: Row = {"line": None, "text": None, "why": None}
        rows += [{**common, **problem} for problem in problems or [nothing]]
    return Answer("ingest", twin.as_of(), _COLUMNS, tuple(rows))


def _report(taken: Sequence[Taken]) -> Iterator[str]:
    for path, seen in taken:
        counts = seen.counts
        if not counts["commands"]:
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


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command("import")(import_files)
