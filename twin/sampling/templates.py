"""Templates: event bodies with placeholders for the parts that differ in each copy of a cell.

The annotations of an event's fields say which fields hold an instant or the position of a put. Any
text may contain names. The writer of a class is made once, from its fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from json.encoder import encode_basestring as quoted
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from twin.events.base import Position
from twin.events.repository import INSTANT_KEYWORDS
from twin.model.instants import Instant

FieldWriter: TypeAlias = Callable[[Any], str]
"""Writes the value of one field as JSON text."""

MARKED: Final = (Instant, Position)
"""The annotations of fields that become placeholders."""


@dataclass(slots=True)
class Templates:
    """Writes event bodies as the log does, with placeholders for names, instants and positions.

    Attributes:
        name: returns a JSON string with placeholders in its names.
        instant: returns the placeholder of an instant.
        position: returns the placeholder of the position of a put.
    """

    name: Callable[[str], str]
    instant: Callable[[Instant], str]
    position: Callable[[Position], str]
    _texts: dict[str, str] = field(default_factory=dict)
    _classes: dict[type[Any], list[tuple[str, str, FieldWriter]]] = field(default_factory=dict)

    def body(self, value: Any) -> str:
        """Write an event, or a part of one; a field that is None is left out."""
        cls = type(value)
        writers = self._classes.get(cls) or self._classes.setdefault(cls, self._writers(cls))
        parts = []
        for attribute, key, write in writers:
            content = getattr(value, attribute)
            if content is not None:
                parts.append(key + write(content))
        return "{" + ",".join(parts) + "}"

    def _writers(self, cls: type[Any]) -> list[tuple[str, str, FieldWriter]]:
        hints = get_type_hints(cls, include_extras=True)
        special = {Instant: self._instant, Position: self._positions}
        writers: list[tuple[str, str, FieldWriter]] = []
        for each in fields(cls):
            mark = mark_of(hints[each.name])
            writer = self._plain if mark is None else special[mark]
            writers.append((each.name, f"{quoted(each.name)}:", writer))
        return writers

    def _positions(self, value: Position | tuple[Position, ...]) -> str:
        """Write the position of a put, or several."""
        if isinstance(value, tuple):
            return "[" + ",".join(map(self.position, value)) + "]"
        return self.position(value)

    def _instant(self, value: Instant) -> str:
        """Write an instant; 0 and negative numbers are not instants and stay unchanged."""
        return self.instant(value) if value > 0 else str(value)

    def _item(self, key: str, value: Any) -> str:
        return self._instant(value) if key in INSTANT_KEYWORDS else self._plain(value)

    def _plain(self, value: Any) -> str:
        if isinstance(value, str):
            text = self._texts.get(value)
            return text or self._texts.setdefault(value, self.name(quoted(value)))
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, dict):
            items = (f"{self._plain(key)}:{self._item(key, item)}" for key, item in value.items())
            return "{" + ",".join(items) + "}"
        if is_dataclass(value):
            return self.body(value)
        return "[" + ",".join(map(self._plain, value)) + "]"


def mark_of(hint: Any) -> Any:
    """Return which of `MARKED` a field is annotated as, alone or beside None; None if neither."""
    if get_origin(hint) is Annotated:
        return next((mark for mark in MARKED if mark == hint), None)
    return next((hit for each in get_args(hint) if (hit := mark_of(each)) is not None), None)
