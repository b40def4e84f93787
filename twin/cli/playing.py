"""`twin play`: stories, a line for each step, and whether they hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import Format
from twin.cli.output import complain, emit
from twin.cli.place import MAIN, Place, place_of
from twin.cli.table import bold, width_of
from twin.errors import TwinError

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.stories.play import Played
    from twin.stories.story import Story

HELD: Final = 0
FAILED: Final = 10
BROKEN: Final = 20


def play(
    context: Context,
    paths: Annotated[
        list[str], Argument(metavar="STORY.yaml...", help="The stories, one or more a file")
    ],
    *,
    output: Annotated[
        Format, Option("--format", metavar="text|json", help="How the outcome is written")
    ] = Format.TEXT,
) -> int:
    """Play stories and check what they expect.

    One with queue managers plays on a log of its own in virtual time; one without plays on the
    branch, from its latest instant. Exit code 0 when all hold, 10 when an expectation failed, 20
    when a story could not be played.
    """
    if output not in {Format.TEXT, Format.JSON}:
        raise BadUsage(command="play", problem=f"--format {output} is not one of text, json")
    from twin.stories.report import story_json, total_line

    stories = _read(paths)
    if stories is None:
        return BROKEN
    as_text = output is Format.TEXT
    told: list[dict[str, Any]] = []
    failed = broken = 0
    for story in stories:
        steps = _play(story, place_of(context), emit if as_text else _keep_quiet)
        if steps is None:
            broken += 1
            continue
        told.append(story_json(story, steps))
        failed += not told[-1]["held"]
    if len(stories) == 1:
        emit([] if as_text else [json.dumps(each, indent=2) for each in told])
    else:
        total = bold(total_line(len(stories), failed, broken))
        emit([total if as_text else json.dumps(told, indent=2)])
    return BROKEN if broken else FAILED if failed else HELD


def _read(paths: list[str]) -> list[Story] | None:
    """Read every file before anything is played; None where one of them cannot be."""
    from twin.cli.files import demand_regular, read_text
    from twin.stories.read import read

    stories: list[Story] | None = []
    for path in paths:
        try:
            demand_regular(path)
            found = read(read_text(path), file="standard input" if path == "-" else path)
        except TwinError as error:
            complain(str(error))
            stories = None
        else:
            stories = None if stories is None else [*stories, *found]
    return stories


def _play(story: Story, place: Place, tell: Callable[[Iterable[str]], None]) -> list[Played] | None:
    """Play one story and tell of it; return its steps, None where it could not be played."""
    from twin.stories.play import play
    from twin.stories.report import moment_column, step_lines, story_line, title_lines

    width = width_of(sys.stdout)
    steps: list[Played] = []
    tell(map(bold, title_lines(story, width=width)))
    try:
        with _branch_for(story, place) as twin:
            for played in play(story, twin=twin):
                steps.append(played)
                moments = moment_column(story, played.start)
                tell(step_lines(played, width=width, moments=moments))
    except TwinError as error:
        complain(str(error))
        return None
    tell([story_line(story, steps), ""])
    return steps


def _keep_quiet(lines: Iterable[str]) -> None:
    del lines


@contextmanager
def _branch_for(story: Story, place: Place) -> Iterator[Twin | None]:
    """Open the branch that a story without queue managers plays on; main for reading only."""
    if story.scripts is not None:
        yield None
        return
    with place.reader() if place.branch == MAIN else place.writer() as twin:
        yield twin


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(play)
