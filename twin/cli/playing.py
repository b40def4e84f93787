"""`twin play`: plays stories, and prints a line for each step."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.exit_codes import BAD_INPUT, DONE, FAILED
from twin.cli.options import Format
from twin.cli.output import complain, emit
from twin.cli.table import bold, width_of
from twin.cli.target import Target, target_of
from twin.errors import TwinError
from twin.model.asof import MAIN
from twin.model.harmless import visible_json

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.stories.play import Played
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
    """Play stories and check their expectations (docs/stories.md).

    A story with queue managers plays on a temporary log in virtual time. A story without queue
    managers plays on the branch, from its latest instant. On main, it may only read.

    Prints each step, and for a failed step the expected and the actual values.

    Exit codes: 0 all stories held; 10 an expectation failed; 20 a story could not be played.
    """
    if output not in {Format.TEXT, Format.JSON}:
        raise BadUsage(command="play", problem=f"unknown --format {output}; expected text or json")
    from twin.stories.report import story_json, total_line

    stories = _read(paths)
    if stories is None:
        return BAD_INPUT
    as_text = output is Format.TEXT
    reports: list[dict[str, Any]] = []
    failed = broken = 0
    for story in stories:
        steps = _play(story, target_of(context), emit if as_text else _write_nothing)
        if steps is None:
            broken += 1
            continue
        reports.append(story_json(story, steps))
        failed += not reports[-1]["held"]
    if len(stories) == 1:
        emit([] if as_text else [visible_json(json.dumps(each, indent=2)) for each in reports])
    else:
        total = bold(total_line(len(stories), failed, broken))
        emit([total if as_text else visible_json(json.dumps(reports, indent=2))])
    return BAD_INPUT if broken else FAILED if failed else DONE


def _read(paths: list[str]) -> list[Story] | None:
    """Read all files before any story is played; return None if one cannot be read."""
    from twin.cli.files import check_regular, name_of, read_text
    from twin.stories.read import read

    stories: list[Story] | None = []
    for path in paths:
        try:
            check_regular(path)
            read_stories = read(read_text(path), file=name_of(path))
        except TwinError as error:
            complain(str(error))
            stories = None
        else:
            stories = None if stories is None else [*stories, *read_stories]
    return stories


def _play(
    story: Story, target: Target, write: Callable[[Iterable[str]], None]
) -> list[Played] | None:
    """Play one story and report it; return its steps, or None if it could not be played."""
    from twin.stories.play import play
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
        complain(str(error))
        return None
    write([story_line(story, steps), ""])
    return steps


def _write_nothing(lines: Iterable[str]) -> None:
    del lines


@contextmanager
def _branch_for(story: Story, target: Target) -> Iterator[Twin | None]:
    """Open the branch for a story without queue managers; main is opened read-only."""
    if story.scripts is not None:
        yield None
        return
    with target.reader() if target.branch == MAIN else target.writer() as twin:
        yield twin


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(play)
