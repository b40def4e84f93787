"""What is expected of a step, read and checked: each key has its kind of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from twin.model.instants import SECOND
from twin.stories import fields
from twin.stories.document import Node
from twin.stories.forms import Form
from twin.stories.story import Expectation

_NEEDS: Final = {"exact": ("rows", "errors"), "at": ("reason",)}
"""Keys that mean something beside one of others only."""


def expectation(node: Node | None, form: Form, verb: str) -> Expectation:
    """Read what is expected of a step of this form; nothing, where nothing is written.

    Raises:
        MalformedStory: for what cannot be expected of such a step.
    """
    if node is None:
        return Expectation()
    given = fields.mapping(node)
    for key, value in given.items():
        if key in KINDS and key not in form.expects:
            known = ", ".join(sorted(form.expects))
            value.refuse(f"this cannot be expected of {verb}, only {known}")
    fields.entries(node, form.expects)
    if not given:
        node.refuse("nothing is expected")
    for key, others in _NEEDS.items():
        if key in given and not given.keys() & set(others):
            given[key].refuse(f"this says something beside {' or '.join(others)} only")
    values = {key: KINDS[key](value) for key, value in given.items()}
    return Expectation(values, {key: value.plain() for key, value in given.items()})


def _texts(node: Node) -> tuple[str, ...]:
    return fields.each(fields.text)(node) if isinstance(node.value, tuple) else (fields.text(node),)


def _seconds(node: Node) -> int:
    """Read how long something took: a bare number counts seconds."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return fields.number(node) * SECOND
    return fields.duration(node)


def _order(node: Node) -> tuple[str, ...] | int:
    """Read an order of destinations, or the length of the rotation they come in."""
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
"""Every key of an expectation, and how its value is read."""
