"""All event classes by name, how they are written to the log, and how old ones are read.

A stored event's type column is its class name, and `Name@N` from schema N = 2 on. An old schema
is brought up to date one step at a time by the functions in `UPCASTS`, before it is checked.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from pydantic import TypeAdapter, ValidationError

from twin import events
from twin.errors import TwinError
from twin.events.base import Event

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

EVENTS: Final[dict[str, type[Event]]] = {
    name: cls
    for name in events.__all__
    if isinstance(cls := getattr(events, name), type)
    and issubclass(cls, Event)
    and cls not in (Event, events.Observation)
}
"""Every event class by its name."""

SCHEMAS: Final[dict[str, int]] = {"ChannelStatusChanged": 2, "SubscriptionReceived": 2}
"""The current schema number of the events that have had more than one."""


def _one_ask_of_many(body: dict[str, Any]) -> dict[str, Any]:
    """Turn a note of one subscription into one of several."""
    kind, name = body.pop("kind"), body.pop("name")
    return {**body, "asks": [[kind, name]]}


def _never_disconnects(body: dict[str, Any]) -> dict[str, Any]:
    """Let a channel run on that was recorded before its disconnect interval meant anything."""
    return {**body, "discint": 0} if body["status"] == "RUNNING" else body


UPCASTS: Final[dict[tuple[str, int], Upcast]] = {
    ("ChannelStatusChanged", 1): _never_disconnects,
    ("SubscriptionReceived", 1): _one_ask_of_many,
}
"""(name, schema N) -> the function that turns a body of schema N into one of N + 1."""


class UnknownEvent(TwinError, LookupError):
    """The log holds an event type or schema that this version does not know."""

    def __init__(self, column: str) -> None:
        super().__init__(f"the log holds {column!r} events, which this version of twin cannot read")


class UnreadableEvent(TwinError, ValueError):
    """A stored body does not fit its event type."""

    def __init__(self, column: str, problem: str) -> None:
        super().__init__(f"a stored {column!r} event cannot be read: {problem}")


def column_of(cls: type[Event]) -> str:
    """Return what the type column says of events of this class."""
    schema = SCHEMAS.get(cls.__name__, 1)
    return cls.__name__ if schema == 1 else f"{cls.__name__}@{schema}"


def columns_of(cls: type[Event]) -> list[str]:
    """Return all that the type column may say of events of this class, of any schema."""
    return [
        cls.__name__ if schema == 1 else f"{cls.__name__}@{schema}"
        for schema in range(1, SCHEMAS.get(cls.__name__, 1) + 1)
    ]


def encode(event: Event) -> str:
    """Write an event's body as JSON text; a field that is None is left out."""
    serializer = event.__pydantic_serializer__  # type: ignore[attr-defined]
    text: bytes = serializer.to_json(event, exclude_none=True)
    return text.decode()


def decode(column: str, body: str) -> Event:
    """Read one event; see `decode_all`."""
    return decode_all([column], [body])[0]


def decode_all(columns: Sequence[str], bodies: Sequence[str]) -> list[Event]:
    """Read events, given their type columns and bodies, and keep their order.

    Bodies of one type are joined and checked in one go, so that a body needs no discriminator.

    Raises:
        UnknownEvent: for a type or schema this version does not know.
        UnreadableEvent: for a body that does not fit.
    """
    if len(set(columns)) == 1:
        return _decode_alike(columns[0], bodies)
    places: dict[str, list[int]] = defaultdict(list)
    for place, column in enumerate(columns):
        places[column].append(place)
    decoded: list[Any] = [None] * len(bodies)
    for column, where in places.items():
        alike = _decode_alike(column, [bodies[place] for place in where])
        for place, event in zip(where, alike, strict=True):
            decoded[place] = event
    return decoded


def _decode_alike(column: str, bodies: Iterable[str]) -> list[Event]:
    name, schema = _split(column)
    if name not in EVENTS:
        raise UnknownEvent(column)
    current = SCHEMAS.get(name, 1)
    if schema > current:
        raise UnknownEvent(column)
    if schema < current:
        bodies = [_upcast(name, schema, current, body) for body in bodies]
    try:
        return _reader(name).validator.validate_json(f"[{','.join(bodies)}]")  # type: ignore[no-any-return]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UnreadableEvent(column, f"{first['msg']} at {first['loc']}") from None


def _split(column: str) -> tuple[str, int]:
    name, _, schema = column.partition("@")
    return name, int(schema) if schema.isdecimal() else 1


def _upcast(name: str, schema: int, current: int, body: str) -> str:
    fields = json.loads(body)
    for step in range(schema, current):
        fields = UPCASTS[name, step](fields)
    return json.dumps(fields)


@cache
def _reader(name: str) -> TypeAdapter[Any]:
    """Make what reads a list of events of one class; few commands meet every class."""
    cls = EVENTS[name]
    return TypeAdapter(list[cls])  # type: ignore[valid-type]
