"""Reads YAML with the line of every value, as YAML 1.2 does: `on` and YES are text.

Stories need mappings with text keys, lists and scalars only. Anchors work, tags do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

import yaml

from twin.stories.errors import FileLine, MalformedStory

Scalar: TypeAlias = str | int | float | bool | None

MAX_DEPTH: Final = 20
"""The deepest nesting of a document."""

MAX_VALUES: Final = 200_000
"""The most values of a document; an alias counts as often as it is used."""

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
class YamlNode:
    """One value of a document.

    Attributes:
        place: the file, and the line of its key; in a list, its own line.
        key: its key; '' for a whole document.
        value: a scalar, the items of a list, or the entries of a mapping.
        text: a scalar as it was written; '' for anything else.
    """

    place: FileLine
    key: str
    value: Scalar | tuple[YamlNode, ...] | Mapping[str, YamlNode]
    text: str = ""

    def refuse(self, problem: str) -> NoReturn:
        """Refuse this value.

        Raises:
            MalformedStory: always, with file, line and key.
        """
        raise MalformedStory(self.place, self.key, problem)

    def plain(self) -> object:
        """Return the value without places, as scalars, lists and dictionaries."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: node.plain() for key, node in self.value.items()}
        return self.value


def load(text: str, *, file: str) -> list[YamlNode]:
    """Read the documents of a file, without the empty ones.

    Raises:
        MalformedStory: if it is not YAML, or contains something that stories cannot have.
    """
    documents = []
    try:
        for root in yaml.compose_all(text, Loader=yaml.BaseLoader):
            node = _Reader(file).node(root, "", root.start_mark.line + 1)
            if node.value is not None:
                documents.append(node)
    except yaml.MarkedYAMLError as error:
        raise _invalid_yaml(error, file) from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise MalformedStory(FileLine(file, 1), "", f"invalid YAML: {problem}") from None
    except RecursionError:
        raise MalformedStory(FileLine(file, 1), "", "this is nested too deeply") from None
    return documents


def _invalid_yaml(error: yaml.MarkedYAMLError, file: str) -> MalformedStory:
    mark = error.problem_mark or error.context_mark
    problem = " ".join(filter(None, [error.context, error.problem])) or "it cannot be read"
    return MalformedStory(
        FileLine(file, mark.line + 1 if mark else 1), "", f"invalid YAML: {problem}"
    )


class _Reader:
    """Turns the nodes of a YAML document into nodes with places."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._remaining = MAX_VALUES

    def node(self, raw: yaml.Node, key: str, line: int, depth: int = 0) -> YamlNode:
        place = FileLine(self._file, line)
        self._remaining -= 1
        if depth > MAX_DEPTH or self._remaining < 0:
            problem = "this is nested too deeply" if depth > MAX_DEPTH else "this is too large"
            raise MalformedStory(place, key, problem)
        if raw.tag not in _PLAIN_TAGS:
            raise MalformedStory(place, key, f"stories cannot have tags such as {raw.tag}")
        if isinstance(raw, yaml.MappingNode):
            return YamlNode(place, key, dict(self._entries(raw, key, depth + 1)))
        if isinstance(raw, yaml.SequenceNode):
            lines = [(item, item.start_mark.line + 1) for item in raw.value]
            items = tuple(self.node(item, key, line, depth + 1) for item, line in lines)
            return YamlNode(place, key, items)
        assert isinstance(raw, yaml.ScalarNode)  # noqa: S101 - YAML has three kinds of nodes
        text: str = raw.value
        return YamlNode(place, key, scalar(text) if raw.style is None else text, text)

    def _entries(
        self, raw: yaml.MappingNode, key: str, depth: int
    ) -> Iterator[tuple[str, YamlNode]]:
        keys: set[str] = set()
        for name, value in raw.value:
            line: int = name.start_mark.line + 1
            if not isinstance(name, yaml.ScalarNode):
                raise MalformedStory(FileLine(self._file, line), key, "a key must be text")
            word: str = name.value
            if word in keys:
                raise MalformedStory(FileLine(self._file, line), word, "this key occurs twice")
            keys.add(word)
            yield word, self.node(value, word, line, depth)


def scalar(text: str) -> Scalar:
    """Read a scalar without quotes: null, true, false, a decimal number, or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else text
