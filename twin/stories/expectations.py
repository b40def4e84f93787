"""Reads the expected outcome of a step."""

from __future__ import annotations

from twin.stories import fields
from twin.stories.checking import EXPECTATIONS
from twin.stories.document import YamlNode
from twin.stories.story import Expectation
from twin.stories.verbs.verb import Verb


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
