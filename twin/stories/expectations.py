"""Reads what is expected of a step: each key has its kind of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from twin.model.instants import SECOND
from twin.stories import fields
from twin.stories.document import Node
from twin.stories.story import Expectation
from twin.stories.verbs.verb import Verb

_NEEDS: Final = {"exact": ("rows", "errors"), "at": ("reason",)}
"""Keys that have a meaning only beside one of others."""


def expectation(node: Node | None, verb: Verb, name: str) -> Expectation:
    """Read what is expected of a step; without a node, nothing is expected.

    Raises:
        MalformedStory: if a key cannot be expected of this verb.
    """
    if node is None:
        return Expectation()
    given = fields.mapping(node)
    for key, value in given.items():
        if key in KINDS and key not in verb.expects:
            known = ", ".join(sorted(verb.expects))
            value.refuse(f"unknown expectation of {name}; expected one of {known}")
    fields.entries(node, verb.expects)
    if not given:
        node.refuse("nothing is expected")
    for key, others in _NEEDS.items():
        if key in given and not given.keys() & set(others):
            given[key].refuse(f"this has a meaning only beside {' or '.join(others)}")
    values = {key: KINDS[key](value) for key, value in given.items()}
    return Expectation(values, {key: value.plain() for key, value in given.items()})


def _texts(node: Node) -> tuple[str, ...]:
    return fields.each(fields.text)(node) if isinstance(node.value, tuple) else (fields.text(node),)


def _seconds(node: Node) -> int:
    """Read a duration; a number counts seconds."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return fields.number(node) * SECOND
    return fields.duration(node)


def _order(node: Node) -> tuple[str, ...] | int:
    """Read an order of destinations, or the length of their rotation."""
    if isinstance(node.value, Mapping):
        found = fields.entries(node, ("cycle",), required=("cycle",))
        return fields.positive(found["cycle"])
    return fields.each(fields.name)(node)


KINDS: Final[Mapping[str, Callable[[Node], Any]]] = {
    "messages": _texts,
    "rows": fields.each(fields.row),
    "exact": fields.flag,
    "count": fields.number,
    "absent": fields.each(fields.row),
    "says": _texts,
    "reason": fields.one_or_more(fields.number),
    "bound_to": fields.name,
    "waited": _seconds,
    "errors": fields.each(fields.row),
    "to": fields.counts,
    "via": fields.counts,
    "order": _order,
    "at": fields.choice("open", "put"),
}
"""Every key of an expectation, with the reader of its value."""
