"""`twin play`: plays stories, and prints a line for each step."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from twin.cli.errors import BadUsage
from twin.cli.files import check_regular, name_of, read_text
from twin.cli.output import BAD_INPUT, DONE, FAILED, complain, emit
from twin.cli.table import bold, width_of
from twin.cli.target import Format, Target, target_of, typed_about_log
from twin.errors import TwinError
from twin.model.harmless import visible_json
from twin.model.instants import MAIN

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.stories.play import Played, StoryRun
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
) -> int:
    """Play stories and check their expectations.

    docs/stories.md describes stories. A story with queue managers plays on a temporary log in
    virtual time. A story without queue managers plays on the branch, from its latest instant. On
    main, it may only read.

    Prints each step, and for a failed step the expected and the actual values.

    Exit codes: 0 all stories held; 10 an expectation failed; 20 a story could not be played.
    """
    if output not in {Format.TEXT, Format.JSON}:
        raise BadUsage(command="play", problem=f"unknown --format {output}; expected text or json")
    as_text = output is Format.TEXT
    write: Callable[[Iterable[str]], None] = emit if as_text else lambda _: None
    stories, is_whole = _read(paths)
    if not is_whole:
        return BAD_INPUT
    _demand_log_is_used(context, stories)
    runs = [_play(story, target_of(context), write) for story in stories]
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


def _read(paths: list[str]) -> tuple[list[Story], bool]:
    """Read all files, and return whether each could be read: else no story is played."""
    from twin.stories.read import read

    stories: list[Story] = []
    is_whole = True
    for path in paths:
        try:
            check_regular(path)
            stories += read(read_text(path), file=name_of(path))
        except TwinError as error:
            complain(str(error), error.values)
            is_whole = False
    return stories, is_whole


def _play(story: Story, target: Target, write: Callable[[Iterable[str]], None]) -> StoryRun:
    """Play one story and print it; a story that could not be played is one line, too."""
    from twin.stories.play import StoryRun, play
    from twin.stories.report import moment_column, step_lines, story_line, title_lines

    width = width_of(sys.stdout)
    steps: list[Played] = []
    write(map(bold, title_lines(story, width=width)))
    try:
        with _branch_for(story, target) as twin:
            for played in play(story, twin=twin):
                steps.append(played)
                moments = moment_column(story, played.start)
                write(step_lines(played, width=width, moments=moments))
    except TwinError as error:
        complain(str(error), error.values)
        return StoryRun(story, steps, str(error))
    write([story_line(story, steps), ""])
    return StoryRun(story, steps)


@contextmanager
def _branch_for(story: Story, target: Target) -> Iterator[Twin | None]:
    """Open the branch for a story without queue managers; main is opened read-only."""
    if story.scripts is not None:
        yield None
        return
    with target.reader() if target.branch == MAIN else target.writer() as twin:
        yield twin
