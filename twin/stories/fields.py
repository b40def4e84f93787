"""Reads typed values of a document; a wrong value is an error with line and key.

Times as stories write them: durations such as 27d, and moments that may be relative.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from twin.errors import BadInstant
from twin.model.amounts import MOST_AT_ONCE
from twin.model.instants import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    SECOND,
    Instant,
    is_instant,
    length_of,
    parse_instant,
)
from twin.model.names import CHANNEL_NAME_LENGTH, legal_generic, legal_name
from twin.stories.document import Scalar, YamlNode

_UNITS: Final = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND, "ms": MILLISECOND}


def shown_duration(microseconds: int) -> str:
    """Write a duration as stories do, to the millisecond: 26d23h59m59s."""
    parts, rest = "", abs(microseconds)
    for unit, length in _UNITS.items():
        number, rest = divmod(rest, length)
        parts += f"{number}{unit}" if number else ""
    return parts or "0s"


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant as a story writes it: absolute, or an offset from the story's start.

    Attributes:
        text: the text in the story.
        offset: microseconds after the start, negative before it; None for an absolute moment.
        instant: the absolute instant; 0 for a relative moment.
    """

    text: str
    offset: int | None
    instant: Instant = 0

    def at(self, start: Instant) -> Instant:
        """Return the instant, given the start of the story.

        Raises:
            BadInstant: if the result lies outside the calendar.
        """
        if self.offset is None:
            return self.instant
        instant = start + self.offset
        if not is_instant(instant):
            raise BadInstant(self.text)
        return instant


def moment_of(text: str) -> Moment | None:
    """Read a moment; +27d and -2h are relative to the start. None if it is malformed."""
    text = text.strip()
    if text[:1] in {"+", "-"}:
        offset = length_of(text[1:])
        if offset is None:
            return None
        return Moment(text, -offset if text.startswith("-") else offset)
    try:
        return None if text == "now" else Moment(text, None, parse_instant(text, now=0))
    except BadInstant:
        return None


def shown_moment(instant: Instant, start: Instant) -> str:
    """Write an instant as stories do, relative to the start."""
    sign = "-" if instant < start else "+"
    return sign + shown_duration(instant - start)


Value = TypeVar("Value")
ExpectedValue: TypeAlias = Scalar | tuple[Scalar, ...]
"""A value of an expected row: a single value, or a list of them."""

_SHOWN: Final = 40


def text(node: YamlNode) -> str:
    """Read a text that is not blank."""
    if isinstance(node.value, tuple | Mapping) or not node.text.strip():
        node.refuse(f"expected a text, not {kind(node)}")
    return node.text


def script(node: YamlNode) -> str:
    """Read a text that may also be empty or missing."""
    return (
        ""
        if node.value is None or (node.text == "" and not isinstance(node.value, tuple | Mapping))
        else text(node)
    )


def name(node: YamlNode) -> str:
    """Read the name of a queue manager or another object."""
    word = text(node)
    if not legal_name(word):
        node.refuse(f"invalid name {word!r}; expected 1 to 48 characters of A-Z a-z 0-9 . / _ %")
    return word


def channel(node: YamlNode) -> str:
    """Read the name of a channel."""
    word = text(node)
    if not legal_name(word, limit=CHANNEL_NAME_LENGTH):
        node.refuse(
            f"invalid channel name {word!r}; expected 1 to {CHANNEL_NAME_LENGTH} characters of "
            "A-Z a-z 0-9 . / _ %"
        )
    return word


def generic_channel(node: YamlNode) -> str:
    """Read the name of a channel, one with an asterisk at its end, or an asterisk alone."""
    word = text(node)
    if not legal_generic(word, limit=CHANNEL_NAME_LENGTH):
        node.refuse(f"invalid channel name {word!r}; expected a name, generic* or *")
    return word


def flag(node: YamlNode) -> bool:
    """Read true or false."""
    if not isinstance(node.value, bool):
        node.refuse(f"expected true or false, not {kind(node)}")
    return node.value


def number(node: YamlNode) -> int:
    """Read a whole number, zero or more."""
    return _at_least(node, 0)


def positive(node: YamlNode) -> int:
    """Read a whole number, one or more."""
    return _at_least(node, 1)


def _at_least(node: YamlNode, least: int) -> int:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int):
        node.refuse(f"expected a whole number, not {kind(node)}")
    if value < least:
        node.refuse(f"this must be {least} or more")
    return value


def amount(node: YamlNode) -> int:
    """Read the number of messages of one put."""
    if (value := positive(node)) > MOST_AT_ONCE:
        node.refuse(f"this must be {MOST_AT_ONCE:,} or less")
    return value


def moment(node: YamlNode) -> Moment:
    """Read an instant: ISO 8601, or relative to the start of the story."""
    value = moment_of(text(node))
    if value is None:
        node.refuse(
            f"invalid time {node.text!r}; write ISO 8601 (2026-01-31T02:13:00Z) or relative to "
            "the start (+27d, +1d12h)"
        )
    return value


def duration(node: YamlNode) -> int:
    """Read a duration in microseconds: 500ms, 5s, 2m, 1h, 27d; 0 is no duration."""
    value = 0 if node.value == 0 and not isinstance(node.value, bool) else length_of(text(node))
    if value is None:
        node.refuse(f"invalid duration {node.text!r}; write 500ms, 5s, 2m, 1h or 27d")
    return value


def choice(*words: str) -> Callable[[YamlNode], str]:
    """Make the reader of a value that is one of these words."""

    def read(node: YamlNode) -> str:
        word = text(node)
        if word not in words:
            node.refuse(f"unknown value {word!r}; expected one of {', '.join(words)}")
        return word

    return read


def row_value(node: YamlNode) -> ExpectedValue:
    """Read a value of a row: a single value, or a list of them."""
    if isinstance(node.value, Mapping):
        node.refuse("expected a value or a list of values, not a mapping")
    if isinstance(node.value, tuple):
        return tuple(scalar(item) for item in node.value)
    return node.value


def scalar(node: YamlNode) -> Scalar:
    """Read a single value of any type."""
    if isinstance(node.value, tuple | Mapping):
        node.refuse(f"expected a single value, not {kind(node)}")
    return node.value


def items(node: YamlNode) -> tuple[YamlNode, ...]:
    """Read a list."""
    if not isinstance(node.value, tuple):
        node.refuse(f"expected a list, not {kind(node)}")
    return node.value


def each(read: Callable[[YamlNode], Value]) -> Callable[[YamlNode], tuple[Value, ...]]:
    """Make the reader of a list of these values."""
    return lambda node: tuple(read(item) for item in items(node))


def one_or_more(read: Callable[[YamlNode], Value]) -> Callable[[YamlNode], tuple[Value, ...]]:
    """Make the reader of one of these values, or of a list of them that is not empty."""

    def read_all(node: YamlNode) -> tuple[Value, ...]:
        if not isinstance(node.value, tuple):
            return (read(node),)
        if not node.value:
            node.refuse("this list is empty")
        return tuple(read(item) for item in node.value)

    return read_all


def members(node: YamlNode) -> Sequence[str] | Mapping[str, Sequence[str]]:
    """Read the groups of a user, or those of several users by their names."""
    read = one_or_more(text)
    if isinstance(node.value, Mapping):
        return {user: read(groups) for user, groups in node.value.items()}
    return read(node)


def pair(node: YamlNode) -> tuple[str, str]:
    """Read the names of two different queue managers."""
    names = each(name)(node)
    if len(names) != len(set(names)) or len(names) != 2:  # noqa: PLR2004 - a link has two ends
        node.refuse("write the names of two queue managers: [QM1, QM2]")
    return names[0], names[1]


def mapping(node: YamlNode) -> Mapping[str, YamlNode]:
    """Read a mapping with any keys."""
    if not isinstance(node.value, Mapping):
        node.refuse(f"expected a mapping, not {kind(node)}")
    return node.value


def counts(node: YamlNode) -> Mapping[str, int]:
    """Read a number for each of several names."""
    return {key: number(value) for key, value in mapping(node).items()}


def entries(
    node: YamlNode, known: Collection[str], *, required: Collection[str] = ()
) -> Mapping[str, YamlNode]:
    """Read a mapping that has these keys and no others.

    Raises:
        MalformedStory: at the first key that is unknown, or for one that is missing.
    """
    values = mapping(node)
    for key, value in values.items():
        if key not in known:
            value.refuse(f"unknown key; {_hint(key, known)}")
    for key in required:
        if key not in values:
            node.refuse(f"{key} is missing")
    return values


def row(node: YamlNode) -> Mapping[str, ExpectedValue]:
    """Read a partial row: keys in lower case, with their expected values."""
    values = {}
    for key, value in mapping(node).items():
        if key != key.lower():
            value.refuse(f"the keys of rows are lower case: {key.lower()}")
        values[key] = row_value(value)
    if not values:
        node.refuse("an empty row matches anything; name a key")
    return values


def kind(node: YamlNode) -> str:
    """Describe a value in a few words."""
    if isinstance(node.value, Mapping):
        return "a mapping"
    if isinstance(node.value, tuple):
        return "a list"
    if node.value is None or not node.text.strip():
        return "nothing"
    short = " ".join(node.text.split())
    return repr(short if len(short) <= _SHOWN else f"{short[:_SHOWN]}...")


def _hint(key: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(key.lower().replace("_", " "), known, n=1)
    close = close or difflib.get_close_matches(key.lower(), known, n=1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(sorted(known))}"
