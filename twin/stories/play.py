"""Plays stories: for each step, lets time pass, performs the action, and checks the outcome."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final

from twin.app.batch import recording_from
from twin.app.refusals import ControlRefused, NoSuchQueueManager
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.events import Origin
from twin.model.instants import MAIN, Instant
from twin.stories.checking import Difference, check
from twin.stories.errors import CannotPlay, MalformedStory
from twin.stories.read import timetable
from twin.stories.stage import BranchStage, RecordStage, Stage, own_stage
from twin.stories.story import Action, Step, StepOutcome, Story
from twin.stories.verbs import ALL
from twin.stories.verbs.questions import errors_between

_ID: Final = re.compile(r"([A-Z]{3}\w{4,5}):")


@dataclass(frozen=True, slots=True)
class Played:
    """A step that was played.

    Attributes:
        at: its instant.
        start: the start of its story.
        differences: expected values beside actual ones; empty if the step held.
    """

    step: Step
    at: Instant
    start: Instant
    outcome: StepOutcome
    differences: tuple[Difference, ...]

    @property
    def held(self) -> bool:
        """Whether the outcome is as expected."""
        return not self.differences


def play(story: Story, *, twin: Twin | None = None) -> Iterator[Played]:
    """Play a story; yield each step when it is done.

    Args:
        story: with queue managers of its own it plays on a temporary log.
        twin: the branch for a story without queue managers.

    Raises:
        MalformedStory: if its times do not fit the branch; nothing was played.
        CannotPlay: if an error occurs that is no possible outcome of a step.
    """
    with ExitStack() as opened:
        own = story.scripts is not None
        stage = opened.enter_context(own_stage(story)) if own else _on_branch(story, twin)
        instants = timetable(story, stage.start)
        for step, before, at in zip(story.steps, [stage.start, *instants], instants, strict=False):
            yield _played(step, stage, before, at)
        if instants:
            stage.finish(instants[-1])


def _on_branch(story: Story, twin: Twin | None) -> Stage:
    if twin is None:
        problem = "a story without queue managers needs a branch to play on"
        raise MalformedStory(story.place, "story", problem)
    if twin.branch == MAIN:
        for step in story.steps:
            if ALL[step.action.verb].changes(step.action):
                problem = (
                    "a story must not change main; play it on a branch (twin --branch NAME play), "
                    "or add `queue managers:` to play it on a log of its own"
                )
                raise MalformedStory(step.place, step.action.verb, problem)
        return RecordStage(twin, story)
    return BranchStage(twin, story)


def _played(step: Step, stage: Stage, before: Instant, at: Instant) -> Played:
    try:
        position = stage.twin.log.head(stage.twin.branch).position
        stage.advance(at)
        with recording_from(Origin(file=step.place.file, line=step.place.line, step=step.number)):
            outcome = _perform(step.action, stage, at)
        if "errors" in step.expect.values:
            outcome = replace(outcome, errors=errors_between(stage, before, at, after=position))
        differences = tuple(check(step.expect.values, outcome))
    except TwinError as error:
        raise CannotPlay(step.place, step.action.verb or "at", str(error)) from None
    return Played(step, at, stage.start, outcome, differences)


def _perform(action: Action, stage: Stage, at: Instant) -> StepOutcome:
    """Perform an action; a refusal by MQ is an outcome, too.

    Raises:
        TwinError: if something is wrong with the story or its log.
    """
    try:
        return ALL[action.verb].perform(action, stage, at)
    except (ControlRefused, NoSuchQueueManager) as error:
        text = str(error)
        answer = _ID.match(text)
        return StepOutcome(
            done=False, problem=text, messages=[answer[1]] if answer else [], lines=[text]
        )


@dataclass(frozen=True, slots=True)
class StoryRun:
    """A story that was played, or not to its end.

    Attributes:
        began: the instant of the wall clock at which it began.
        steps: the steps that were played.
        lasted: how long each of them took, in microseconds.
        problem: why it could not be played to its end; '' if it was.
    """

    story: Story
    began: Instant
    steps: Sequence[Played]
    lasted: Sequence[int]
    problem: str = ""

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.story.place.file

    @property
    def failed(self) -> int:
        """The number of steps that did not hold."""
        return sum(not played.held for played in self.steps)


@dataclass(frozen=True, slots=True)
class UnplayedFile:
    """A story file of which nothing was played, because it or another file cannot be read.

    Attributes:
        file: its name.
        began: the instant of the wall clock at which it was read.
        problem: why it cannot be read; '' if another file cannot be.
    """

    file: str
    began: Instant
    problem: str = ""
