"""Stories out of YAML: every key and value is checked before anything is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.model.instants import Instant
from twin.stories import fields
from twin.stories.actions import action_of, scripts_of
from twin.stories.demands import demand_known_names, timetable
from twin.stories.document import Node, load
from twin.stories.errors import MalformedStory, Place
from twin.stories.expectations import expectation
from twin.stories.forms import COMMON, FORMS, PASSING
from twin.stories.story import (
    DEFAULT_START,
    Link,
    Pass,
    Step,
    Story,
)
from twin.stories.titles import title

QUEUE_MANAGERS: Final = "queue managers"
STORY_KEYS: Final = ("story", "start", QUEUE_MANAGERS, "latency", "links", "steps")


def read(text: str, *, file: str) -> list[Story]:
    """Read the stories of a file, one a document.

    Raises:
        MalformedStory: at the first thing that is wrong, with file, line and key.
    """
    documents = load(text, file=file)
    if not documents:
        raise MalformedStory(Place(file, 1), "story", "there is no story in this file")
    return [_story(document) for document in documents]


def _story(document: Node) -> Story:
    found = fields.entries(document, STORY_KEYS, required=("story", "steps"))
    own = QUEUE_MANAGERS in found
    scripts = scripts_of(found[QUEUE_MANAGERS]) if own else None
    for key in ("latency", "links"):
        if key in found and not own:
            found[key].refuse(f"only a story with {QUEUE_MANAGERS} sets this at its start")
    story = Story(
        name=fields.text(found["story"]),
        place=document.place,
        start=_start(found["start"]) if "start" in found else (DEFAULT_START if own else None),
        scripts=scripts,
        latency=fields.duration(found["latency"]) if "latency" in found else 0,
        links=tuple(_links(found["links"])) if "links" in found else (),
        steps=tuple(
            _step(number, node) for number, node in enumerate(_items(found["steps"]), start=1)
        ),
    )
    demand_known_names(story)
    if story.start is not None:
        timetable(story, story.start)
    return story


def _start(node: Node) -> Instant:
    start = fields.moment(node)
    if start.offset is not None:
        node.refuse("the start of a story is an instant, 2026-01-01T00:00:00Z say")
    return start.instant


def _items(node: Node) -> tuple[Node, ...]:
    if not (found := fields.items(node)):
        node.refuse("a story has one step or more")
    return found


def _links(node: Node) -> Iterator[Link]:
    for ends, value in fields.mapping(node).items():
        names = [end.strip() for end in ends.split(" - ")]
        if len(names) != 2 or len(set(names)) != len(names) or not all(names):  # noqa: PLR2004
            value.refuse("a link is written QM1 - QM2")
        given = value
        if isinstance(value.value, Mapping):
            given = fields.entries(value, ("latency",), required=("latency",))["latency"]
        yield Link("delay", (names[0], names[1]), fields.duration(given))


def _step(number: int, node: Node) -> Step:
    given = fields.mapping(node)
    verbs = [key for key in given if key in FORMS]
    if len(verbs) > 1:
        given[verbs[1]].refuse(f"a step does one thing, and this one has {verbs[0]} already")
    form = FORMS[verbs[0]] if verbs else PASSING
    known = [*COMMON, *form.beside, *verbs, *(["on"] if form.on else [])]
    if not given:
        node.refuse("this step is empty")
    if not verbs and (extra := [key for key in given if key not in COMMON]):
        side = {"on", *(key for each in FORMS.values() for key in each.beside)}
        fields.entries(node, {*FORMS, *COMMON, *side})
        given[extra[0]].refuse("what is done is missing: runmqsc, open or another verb")
    fields.entries(node, known)
    action = action_of(verbs[0], given) if verbs else Pass()
    return Step(
        number=number,
        place=node.place,
        at=fields.moment(given["at"]) if "at" in given else None,
        verb=verbs[0] if verbs else "",
        title=title(action),
        action=action,
        expect=expectation(given.get("expect"), form, verbs[0] if verbs else "a pause"),
    )
