"""YAML with the line of every value, read as YAML 1.2 reads it: `on` and YES are text.

Only what stories need: mappings with text keys, lists and scalars; anchors work, tags do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

import yaml

from twin.stories.errors import MalformedStory, Place

Scalar: TypeAlias = str | int | float | bool | None

DEEPEST: Final = 20
LARGEST: Final = 200_000
"""Values of a document, aliases counted as often as they are used."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
_FRACTION: Final = re.compile(
    r"[-+]?(\.[0-9]{1,18}|[0-9]{1,18}(\.[0-9]{0,18})?)([eE][-+]?[0-9]{1,2})?", re.ASCII
)
_TEXT: Final = "tag:yaml.org,2002:str"
_PLAIN_TAGS: Final = {_TEXT, "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"}


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document.

    Attributes:
        place: the file, and the line of its key (of itself, in a list).
        key: the key it stands under, '' for the document.
        value: a scalar, the items of a list, or the entries of a mapping.
        text: a scalar as it was written, '' for anything else.
    """

    place: Place
    key: str
    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    text: str = ""

    def refuse(self, problem: str) -> NoReturn:
        """Say what is wrong with this value.

        Raises:
            MalformedStory: always, with file, line and key.
        """
        raise MalformedStory(self.place, self.key, problem)

    def plain(self) -> object:
        """Return the value without places: scalars, lists and dictionaries."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: node.plain() for key, node in self.value.items()}
        return self.value


def load(text: str, *, file: str) -> list[Node]:
    """Read the documents of a file; those that hold nothing are left out.

    Raises:
        MalformedStory: where it is no YAML, or says more than stories can.
    """
    found = []
    try:
        for root in yaml.compose_all(text, Loader=yaml.BaseLoader):
            node = _Reader(file).node(root, "", root.start_mark.line + 1)
            if node.value is not None:
                found.append(node)
    except yaml.MarkedYAMLError as error:
        raise _no_yaml(error, file) from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise MalformedStory(Place(file, 1), "", f"this is no YAML: {problem}") from None
    except RecursionError:
        raise MalformedStory(Place(file, 1), "", "this is nested too deeply") from None
    return found


def _no_yaml(error: yaml.MarkedYAMLError, file: str) -> MalformedStory:
    mark = error.problem_mark or error.context_mark
    said = " ".join(filter(None, [error.context, error.problem])) or "it cannot be read"
    return MalformedStory(Place(file, mark.line + 1 if mark else 1), "", f"this is no YAML: {said}")


class _Reader:
    """Turns the nodes of one document into ours."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = LARGEST

    def node(self, raw: yaml.Node, key: str, line: int, depth: int = 0) -> Node:
        place = Place(self._file, line)
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            what = "deeply" if depth > DEEPEST else "much"
            raise MalformedStory(place, key, f"this is nested too {what}")
        if raw.tag not in _PLAIN_TAGS:
            raise MalformedStory(place, key, f"stories have no tags such as {raw.tag}")
        if isinstance(raw, yaml.MappingNode):
            return Node(place, key, dict(self._entries(raw, key, depth + 1)))
        if isinstance(raw, yaml.SequenceNode):
            lines = [(item, item.start_mark.line + 1) for item in raw.value]
            items = tuple(self.node(item, key, line, depth + 1) for item, line in lines)
            return Node(place, key, items)
        assert isinstance(raw, yaml.ScalarNode)  # noqa: S101 - YAML has three kinds of nodes
        text: str = raw.value
        return Node(place, key, scalar(text) if raw.style is None else text, text)

    def _entries(self, raw: yaml.MappingNode, key: str, depth: int) -> Iterator[tuple[str, Node]]:
        seen: set[str] = set()
        for name, value in raw.value:
            line: int = name.start_mark.line + 1
            if not isinstance(name, yaml.ScalarNode):
                raise MalformedStory(Place(self._file, line), key, "a key must be text")
            word: str = name.value
            if word in seen:
                raise MalformedStory(Place(self._file, line), word, "this key is there twice")
            seen.add(word)
            yield word, self.node(value, word, line, depth)


def scalar(text: str) -> Scalar:
    """Read a scalar without quotes: null, true, false, a decimal number, or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else text
