"""How events are written to the log, and how old ones are read.

A stored event's type column is its class name, and `Name@N` from schema N = 2 on. A body of an old
schema is converted one schema at a time by the `upcasts` of its class before it is checked.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from twin.errors import SubjectError, TwinError
from twin.events.base import EVENTS, Event, Upcast
from twin.model.versions import FIRST, VERSION

__all__ = [
    "EVENTS",
    "UnknownEvent",
    "UnreadableEvent",
    "column_of",
    "columns_of",
    "columns_of_all",
    "decode",
    "decode_all",
    "encode",
    "newer_columns",
]


class UnknownEvent(
    SubjectError,
    LookupError,
    message=f"the log holds {{!r}} events, which need a newer version of twin than {VERSION}",
):
    """The log holds an event type or schema that this version does not know."""


class UnreadableEvent(TwinError, ValueError, message="a stored {!r} event cannot be read: {}"):
    """A stored body does not fit its event type."""


def column_of(cls: type[Event]) -> str:
    """Return the type column of events of this class, in its current schema."""
    return _columns(cls.__name__)[-1]


def columns_of(cls: type[Event]) -> list[str]:
    """Return every type column that events of this class may have, oldest schema first."""
    return list(_columns(cls.__name__))


def columns_of_all(classes: Iterable[type[Event]]) -> list[str]:
    """Return every type column that events of these classes may have."""
    return [column for cls in classes for column in columns_of(cls)]


@cache
def _columns(name: str) -> tuple[str, ...]:
    later = range(2, len(EVENTS[name].upcasts) + 2)
    return (name, *(f"{name}@{schema}" for schema in later))


@cache
def newer_columns() -> dict[str, str]:
    """Return the type columns that the first version did not understand, and since which one."""
    return {
        column_of(cls): cls.understood_since
        for cls in EVENTS.values()
        if cls.understood_since != FIRST
    }


def encode(event: Event) -> str:
    """Write an event's body as JSON text; a field that is None is left out."""
    serializer = event.__pydantic_serializer__  # type: ignore[attr-defined]
    text: bytes = serializer.to_json(event, exclude_none=True)
    return text.decode()


def decode(column: str, body: str) -> Event:
    """Read one event; see `decode_all`."""
    return decode_all([column], [body])[0]


def decode_all(columns: Sequence[str], bodies: Sequence[str]) -> list[Event]:
    """Read events from their type columns and bodies; return them in the same order.

    Bodies of one type are joined and checked together, so that a body needs no discriminator.

    Raises:
        UnknownEvent: for a type or schema this version does not know.
        UnreadableEvent: for a body that does not fit.
    """
    if len(set(columns)) == 1:
        return _decode_alike(columns[0], bodies)
    indexes: dict[str, list[int]] = defaultdict(list)
    for index, column in enumerate(columns):
        indexes[column].append(index)
    decoded: list[Any] = [None] * len(bodies)
    for column, chosen in indexes.items():
        alike = _decode_alike(column, [bodies[index] for index in chosen])
        for index, event in zip(chosen, alike, strict=True):
            decoded[index] = event
    return decoded


def _decode_alike(column: str, bodies: Iterable[str]) -> list[Event]:
    name, _, number = column.partition("@")
    schema = int(number) if number.isdecimal() else 1
    if name not in EVENTS or schema > len(EVENTS[name].upcasts) + 1:
        raise UnknownEvent(column)
    if upcasts := EVENTS[name].upcasts[schema - 1 :]:
        bodies = [_upcast(body, upcasts) for body in bodies]
    try:
        return _reader(name).validator.validate_json(f"[{','.join(bodies)}]")  # type: ignore[no-any-return]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UnreadableEvent(column, f"{first['msg']} at {first['loc']}") from None


def _upcast(body: str, upcasts: Iterable[Upcast]) -> str:
    fields = json.loads(body)
    for upcast in upcasts:
        fields = upcast(fields)
    return json.dumps(fields)


@cache
def _reader(name: str) -> TypeAdapter[Any]:
    """Make the reader of lists of one event class; few commands meet every class."""
    cls = EVENTS[name]
    return TypeAdapter(list[cls])  # type: ignore[valid-type]
