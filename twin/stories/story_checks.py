"""Checks of a whole story: times never go back, and queue managers exist before they are named."""

from __future__ import annotations

from collections.abc import Sequence

from twin.errors import BadInstant
from twin.model.instants import Instant
from twin.stories.errors import FileLine, MalformedStory
from twin.stories.moments import Moment
from twin.stories.story import Action, Story
from twin.stories.verbs import ALL
from twin.stories.verbs.queue_managers import made_by


def timetable(story: Story, start: Instant) -> Sequence[Instant]:
    """Return the instant of each step, given the start of the story.

    Raises:
        MalformedStory: if a step lies before the previous one, or names a time that is too late.
    """
    instants, now = [], start
    for step in story.steps:
        try:
            now, before = step.at.at(start) if step.at else now, now
            dated = [when.at(start) for when in _moments(step.action)]
        except BadInstant as error:
            raise MalformedStory(step.place, "at", str(error)) from None
        if now < before:
            what = "the start of the story" if step.number == 1 else "the previous step"
            text = step.at.text if step.at else ""
            raise MalformedStory(step.place, "at", f"{text} lies before {what}")
        key, problem = ALL[step.action.verb].not_later
        if key and any(when > now for when in dated):
            raise MalformedStory(step.place, key, problem)
        instants.append(now)
    return instants


def _moments(action: Action) -> list[Moment]:
    """Return the times among the options of an action."""
    backups = [when for _, when in action.options.get("backups", ())]
    return [*backups, *(when for when in action.options.values() if isinstance(when, Moment))]


def demand_known_names(story: Story) -> None:
    """Check that a story creates the queue managers that it names.

    Raises:
        MalformedStory: at the first step that names another queue manager.
    """
    if story.scripts is None:
        return
    known = {script.qmgr for script in story.scripts}
    for link in story.links:
        _demand(known, link.between, story.place, "links")
    for step in story.steps:
        action = step.action
        known |= made_by(action)
        _demand(
            known, ALL[action.verb].qmgrs(action), step.place, "on" if action.on else action.verb
        )


def _demand(known: set[str], wanted: Sequence[str], place: FileLine, key: str) -> None:
    for qmgr in wanted:
        if qmgr not in known:
            problem = f"the story has no queue manager {qmgr}"
            raise MalformedStory(place, key, problem)
