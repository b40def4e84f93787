"""What must hold of a story as a whole: times that never go back, names that it knows."""

from __future__ import annotations

from collections.abc import Sequence

from twin.errors import BadInstant
from twin.model.instants import Instant
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import parse
from twin.stories.errors import MalformedStory, Place
from twin.stories.moments import Moment
from twin.stories.story import (
    Action,
    Control,
    Create,
    Link,
    MessageStep,
    Open,
    Restore,
    RunMqsc,
    Story,
)


def timetable(story: Story, start: Instant) -> Sequence[Instant]:
    """Return when each step happens, given the start of the story.

    Raises:
        MalformedStory: for a step before the one above it, or a backup from the future.
    """
    found, now = [], start
    for step in story.steps:
        try:
            now, before = step.at.at(start) if step.at else now, now
            dated = [when.at(start) for when in _moments(step.action)]
        except BadInstant as error:
            raise MalformedStory(step.place, "at", str(error)) from None
        if now < before:
            what = "the start of the story" if step.number == 1 else "the step before"
            text = step.at.text if step.at else ""
            raise MalformedStory(step.place, "at", f"{text} lies before {what}")
        if isinstance(step.action, Restore) and any(when > now for when in dated):
            raise MalformedStory(step.place, "restore", "a backup cannot be of a later instant")
        if step.verb == "observe" and any(when > now for when in dated):
            problem = "what occurs later cannot have been observed"
            raise MalformedStory(step.place, "occurred", problem)
        if isinstance(step.action, RunMqsc) and dated and not only_displays(step.action.text):
            what = "only what displays can be asked of another instant"
            raise MalformedStory(step.place, "runmqsc", what)
        found.append(now)
    return found


def only_displays(text: str) -> bool:
    """Say whether MQSC holds nothing but DISPLAY commands, and what is no command at all."""
    commands = [item.text for item in read(text) if isinstance(item, CommandRead)]
    return {getattr(parse(command), "verb", "DISPLAY") for command in commands} <= {"DISPLAY"}


def _moments(action: Action) -> list[Moment]:
    if isinstance(action, Restore):
        return [when for _, when in action.backups]
    if isinstance(action, MessageStep):
        return [when for when in action.options.values() if isinstance(when, Moment)]
    times = [getattr(action, key, None) for key in ("as_of", "known_at", "since")]
    return [when for when in times if when is not None]


def demand_known_names(story: Story) -> None:
    """Check that the queue managers which a story names are made in it.

    Raises:
        MalformedStory: for one that is not, by the step that names it.
    """
    if story.scripts is None:
        return
    known = {script.qmgr for script in story.scripts}
    for link in story.links:
        _demand(known, link.between or (), story.place, "links")
    for step in story.steps:
        if isinstance(step.action, Create):
            known |= {script.qmgr for script in step.action.scripts}
        at = isinstance(step.action, RunMqsc | Open | MessageStep)
        _demand(known, _named(step.action), step.place, "on" if at else step.verb)


def _named(action: Action) -> Sequence[str]:
    """Name the queue managers that an action is about."""
    if isinstance(action, RunMqsc | Open | MessageStep):
        return [action.on] if action.on else []
    if isinstance(action, Control):
        return action.qmgrs
    if isinstance(action, Link):
        return action.between or ()
    if isinstance(action, Restore):
        return [qmgr for qmgr, _ in action.backups]
    return []


def _demand(known: set[str], wanted: Sequence[str], place: Place, key: str) -> None:
    for qmgr in wanted:
        if qmgr not in known:
            problem = f"the story has no queue manager {qmgr}"
            raise MalformedStory(place, key, problem)
