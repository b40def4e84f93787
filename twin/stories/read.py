"""Reads stories from YAML; every key and value is checked before anything is played.

Checks of a whole story: times never go back, and queue managers exist before they are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from twin.errors import BadInstant
from twin.model.instants import Instant
from twin.model.readings import READINGS, expected_of, is_legal
from twin.stories import fields
from twin.stories.checking import EXPECTATIONS
from twin.stories.document import YamlNode, load
from twin.stories.errors import FileLine, MalformedStory
from twin.stories.fields import Moment
from twin.stories.story import (
    DEFAULT_START,
    Action,
    Expectation,
    LinkLatency,
    Step,
    Story,
)
from twin.stories.verbs import ALL, PAUSE, VERBS
from twin.stories.verbs.queue_managers import made_by, scripts_of
from twin.stories.verbs.verb import Verb


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


QUEUE_MANAGERS: Final = "queue managers"

COMMON: Final = frozenset({"at", "expect"})
"""The keys that every step may have."""

STORY_KEYS: Final = ("story", "start", QUEUE_MANAGERS, "latency", "links", "readings", "steps")


def read(text: str, *, file: str) -> list[Story]:
    """Read the stories of a file, one in each document.

    Raises:
        MalformedStory: at the first error, with file, line and key.
    """
    documents = load(text, file=file)
    if not documents:
        raise MalformedStory(FileLine(file, 1), "story", "the file contains no story")
    return [_story(document) for document in documents]


def _story(document: YamlNode) -> Story:
    entries = fields.entries(document, STORY_KEYS, required=("story", "steps"))
    own = QUEUE_MANAGERS in entries
    scripts = scripts_of(entries[QUEUE_MANAGERS]) if own else None
    for key in ("latency", "links", "readings"):
        if key in entries and not own:
            entries[key].refuse(f"only a story with {QUEUE_MANAGERS} sets this at its start")
    story = Story(
        name=fields.text(entries["story"]),
        place=document.place,
        start=_start(entries["start"]) if "start" in entries else (DEFAULT_START if own else None),
        scripts=scripts,
        latency=fields.duration(entries["latency"]) if "latency" in entries else 0,
        links=tuple(_links(entries["links"])) if "links" in entries else (),
        readings=_readings(entries["readings"]) if "readings" in entries else {},
        steps=tuple(
            _step(number, node) for number, node in enumerate(_items(entries["steps"]), start=1)
        ),
    )
    demand_known_names(story)
    if story.start is not None:
        timetable(story, story.start)
    return story


def _start(node: YamlNode) -> Instant:
    start = fields.moment(node)
    if start.offset is not None:
        node.refuse("expected an instant such as 2026-01-01T00:00:00Z")
    return start.instant


def _items(node: YamlNode) -> tuple[YamlNode, ...]:
    if not (steps := fields.items(node)):
        node.refuse("expected at least one step")
    return steps


def _links(node: YamlNode) -> Iterator[LinkLatency]:
    for ends, value in fields.mapping(node).items():
        names = [end.strip() for end in ends.split(" - ")]
        if len(names) != 2 or len(set(names)) != len(names) or not all(names):  # noqa: PLR2004
            value.refuse("expected two queue managers: QM1 - QM2")
        latency = value
        if isinstance(value.value, Mapping):
            latency = fields.entries(value, ("latency",), required=("latency",))["latency"]
        yield LinkLatency((names[0], names[1]), fields.duration(latency))


def _readings(node: YamlNode) -> dict[str, str]:
    values = fields.entries(node, READINGS)
    for name, value in values.items():
        if not is_legal(name, value.text):
            value.refuse(f"unknown value {value.text!r}; expected one of {expected_of(name)}")
    return {name: value.text for name, value in values.items()}


def _step(number: int, node: YamlNode) -> Step:
    entries = fields.mapping(node)
    verbs = [key for key in entries if key in VERBS]
    if len(verbs) > 1:
        entries[verbs[1]].refuse(f"a step has one verb; this one already has {verbs[0]}")
    if not entries:
        node.refuse("this step is empty")
    if not verbs and (extra := [key for key in entries if key not in COMMON]):
        side = {"on", *(key for verb in VERBS.values() for key in verb.beside)}
        fields.entries(node, {*VERBS, *COMMON, *side})
        entries[extra[0]].refuse("the verb is missing, such as runmqsc or open")
    name = verbs[0] if verbs else PAUSE
    verb = ALL[name]
    fields.entries(node, [*COMMON, *verb.beside, *verbs, *(["on"] if verb.on else [])])
    action = verb.action(name, entries) if verbs else Action(node.place, PAUSE, "", {})
    return Step(
        number=number,
        place=node.place,
        at=fields.moment(entries["at"]) if "at" in entries else None,
        title=verb.title(action),
        action=action,
        expect=expectation(entries.get("expect"), verb, name or "a pause"),
    )


def expectation(node: YamlNode | None, verb: Verb, name: str) -> Expectation:
    """Read the expected outcome of a step; without a node, nothing is expected.

    Raises:
        MalformedStory: if a key cannot be expected of this verb.
    """
    if node is None:
        return Expectation()
    entries = fields.mapping(node)
    for key, value in entries.items():
        if key in EXPECTATIONS and key not in verb.expects:
            known = ", ".join(sorted(verb.expects))
            value.refuse(f"unknown expectation of {name}; expected one of {known}")
    fields.entries(node, verb.expects)
    if not entries:
        node.refuse("this is empty; name an expectation")
    for key, value in entries.items():
        if (others := EXPECTATIONS[key].only_beside) and not entries.keys() & set(others):
            value.refuse(f"write this together with {' or '.join(others)}")
    values = {key: EXPECTATIONS[key].read(value) for key, value in entries.items()}
    return Expectation(values, {key: value.plain() for key, value in entries.items()})
