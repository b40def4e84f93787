"""Playing stories: steps in their order, time before each, and what is expected of it after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace

from twin.app.origins import recording_from
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.events import Origin
from twin.model.instants import Instant
from twin.stories.checking import Difference, check
from twin.stories.demands import timetable
from twin.stories.errors import CannotPlay, MalformedStory
from twin.stories.outcome import Outcome
from twin.stories.stage import MAIN, BranchStage, RecordStage, Stage, own_stage
from twin.stories.steps import acts, errors_between, perform
from twin.stories.story import Step, Story


@dataclass(frozen=True, slots=True)
class Played:
    """A step that was played.

    Attributes:
        at: its instant.
        start: the start of its story.
        differences: what is not as it was expected; none when it held.
    """

    step: Step
    at: Instant
    start: Instant
    outcome: Outcome
    differences: tuple[Difference, ...]

    @property
    def held(self) -> bool:
        """Whether everything that was expected is so."""
        return not self.differences


def play(story: Story, *, twin: Twin | None = None) -> Iterator[Played]:
    """Play a story, and give each step as soon as it is done.

    Args:
        story: one with queue managers plays on a log of its own, which is gone afterwards.
        twin: the branch that a story without queue managers plays on.

    Raises:
        MalformedStory: when its times do not fit the branch; nothing was played then.
        CannotPlay: when it runs into something that no expectation can speak of.
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
        problem = "without queue managers a story plays on a branch, and there is none"
        raise MalformedStory(story.place, "story", problem)
    if twin.branch == MAIN:
        for step in story.steps:
            if acts(step.action):
                problem = "no story acts on main: play it on a branch (twin --branch NAME play)"
                raise MalformedStory(step.place, step.verb, problem)
        return RecordStage(twin, story)
    return BranchStage(twin, story)


def _played(step: Step, stage: Stage, before: Instant, at: Instant) -> Played:
    try:
        position = stage.twin.log.head(stage.twin.branch).position
        stage.advance(at)
        with recording_from(_origin(step)):
            outcome = perform(step.action, stage, at)
        if "errors" in step.expect.values:
            errors = errors_between(stage, before, at, behind=position)
            outcome = replace(outcome, errors=errors)
        differences = tuple(check(step.expect, outcome))
    except TwinError as error:
        raise CannotPlay(step.place, step.verb or "at", str(error)) from None
    return Played(step, at, stage.start, outcome, differences)


def _origin(step: Step) -> Origin:
    return Origin(file=step.place.file, line=step.place.line, step=step.number)
