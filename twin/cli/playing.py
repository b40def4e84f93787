"""`twin play`: plays stories, and prints a line for each step."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic_ns
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.cli.errors import BadUsage, UnwritableFile
from twin.cli.files import STANDARD_INPUT, check_regular, name_of, read_text
from twin.cli.output import BAD_INPUT, DONE, FAILED, complain, emit
from twin.cli.table import bold, width_of
from twin.cli.target import Format, Target, target_of, typed_about_log
from twin.errors import TwinError, reason_of
from twin.model.harmless import visible_json
from twin.model.instants import MAIN
from twin.output_files import whole_file

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.stories.play import Played, StoryRun, UnplayedFile
    from twin.stories.story import Story


def play(
    context: Context,
    paths: Annotated[
        list[str], Argument(metavar="STORY.yaml...", help="Story files; - is standard input")
    ],
    *,
    output: Annotated[
        Format, Option("--format", metavar="text|json", help="Format of the outcome")
    ] = Format.TEXT,
    junit: Annotated[
        str | None,
        Option("--junit", metavar="FILE", help="Write a report in JUnit XML to this file, too"),
    ] = None,
) -> int:
    """Play stories and check their expectations.

    docs/stories.md describes stories. A story with queue managers plays on a temporary log in
    virtual time. A story without queue managers plays on the branch, from its latest instant. On
    main, it may only read.

    Prints each step, and for a failed step the expected and the actual values.

    With --junit, FILE gets a test suite for each story file and a test case for each step, also for
    stories that could not be read or played. It is replaced at the end, and not before.

    Exit codes: 0 all stories held; 10 an expectation failed; 20 a story could not be played.
    """
    if output not in {Format.TEXT, Format.JSON}:
        raise BadUsage(command="play", problem=f"unknown --format {output}; expected text or json")
    as_text = output is Format.TEXT
    write: Callable[[Iterable[str]], None] = emit if as_text else lambda _: None
    with _report_file(junit, paths) as write_report:
        stories, unplayed = _read(paths)
        if unplayed:
            write_report(unplayed)
            return BAD_INPUT
        _demand_log_is_used(context, stories)
        runs = [_play(story, target_of(context), write) for story in stories]
        write_report(runs)
    _emit_total(runs, as_text=as_text)
    broken, failed = any(run.problem for run in runs), any(run.failed for run in runs)
    return BAD_INPUT if broken else FAILED if failed else DONE


def _demand_log_is_used(context: Context, stories: Sequence[Story]) -> None:
    """Check that an option about the log has an effect on any story.

    Raises:
        BadUsage: if one is given, and each story plays on a log of its own.
    """
    typed = typed_about_log(context)
    if typed and all(story.scripts is not None for story in stories):
        problem = f"a story with queue managers plays on a log of its own: leave out {typed[0]}"
        raise BadUsage(command="play", problem=problem)


def _emit_total(runs: Sequence[StoryRun], *, as_text: bool) -> None:
    """Write the totals of several stories, or the JSON of those that were played."""
    from twin.stories.report import story_json, total_line

    reports = [story_json(run.story, run.steps) for run in runs if not run.problem]
    broken = len(runs) - len(reports)
    failed = sum(not report["held"] for report in reports)
    if len(runs) == 1:
        emit([] if as_text else [visible_json(json.dumps(each, indent=2)) for each in reports])
    else:
        total = bold(total_line(len(runs), failed, broken))
        emit([total if as_text else visible_json(json.dumps(reports, indent=2))])


@contextmanager
def _report_file(
    name: str | None, stories: Sequence[str]
) -> Iterator[Callable[[Sequence[StoryRun | UnplayedFile]], object]]:
    """Yield a function that writes the report; the file is replaced at the end.

    Raises:
        BadUsage: if the file would be standard output, or one of the stories.
        UnwritableFile: if it cannot be written; nothing was played then.
        OutputIsLink: if there is a link in its place.
    """
    if name is None:
        yield lambda _: None
        return
    from twin.stories.report import junit_xml

    path = Path(name)
    if name == STANDARD_INPUT or path.resolve() in {Path(each).resolve() for each in stories}:
        what = "standard output" if name == STANDARD_INPUT else "a story"
        raise BadUsage(command="play", problem=f"--junit {name} is {what}; name a file of its own")
    if path.is_dir():
        raise UnwritableFile(name, "it is a folder")
    try:
        with whole_file(path) as file:
            yield lambda runs: file.write(junit_xml(runs).encode())
    except OSError as error:
        if isinstance(error, TwinError):
            raise
        raise UnwritableFile(name, reason_of(error) or str(error)) from None


def _read(paths: list[str]) -> tuple[list[Story], list[UnplayedFile]]:
    """Read all files before any story is played; if one cannot be read, none is played."""
    from twin.app.clocks import system_clock
    from twin.stories.play import UnplayedFile
    from twin.stories.read import read

    stories: list[Story] = []
    files: list[UnplayedFile] = []
    for path in paths:
        began, problem = system_clock(), ""
        try:
            check_regular(path)
            stories += read(read_text(path), file=name_of(path))
        except TwinError as error:
            problem = str(error)
            complain(problem, error.values)
        files.append(UnplayedFile(name_of(path), began, problem))
    return (stories, files) if any(file.problem for file in files) else (stories, [])


def _play(story: Story, target: Target, write: Callable[[Iterable[str]], None]) -> StoryRun:
    """Play one story and print it; a story that could not be played is one line, too."""
    from twin.app.clocks import system_clock
    from twin.stories.play import StoryRun, play
    from twin.stories.report import moment_column, step_lines, story_line, title_lines

    width = width_of(sys.stdout)
    steps: list[Played] = []
    lasted: list[int] = []
    began, before = system_clock(), monotonic_ns()
    write(map(bold, title_lines(story, width=width)))
    try:
        with _branch_for(story, target) as twin:
            for played in play(story, twin=twin):
                now = monotonic_ns()
                steps.append(played)
                lasted.append((now - before) // 1000)
                write(step_lines(played, width=width, moments=moment_column(story, played.start)))
                before = now
    except TwinError as error:
        complain(str(error), error.values)
        return StoryRun(story, began, steps, lasted, str(error))
    write([story_line(story, steps), ""])
    return StoryRun(story, began, steps, lasted)


@contextmanager
def _branch_for(story: Story, target: Target) -> Iterator[Twin | None]:
    """Open the branch for a story without queue managers; main is opened read-only."""
    if story.scripts is not None:
        yield None
        return
    with target.reader() if target.branch == MAIN else target.writer() as twin:
        yield twin
