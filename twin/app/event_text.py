"""Recorded events as text: their fields, what an observation says, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from twin.errors import TwinError, did_you_mean

if TYPE_CHECKING:
    from twin.log import StoredEvent
    from twin.log.visibility import Visibility

_SHOWN_APART: Final = {"qmgr", "origin", "said", "lines"}
"""Fields of events that are not shown among the others."""


class NoSuchEventType(TwinError, LookupError, message="unknown event type {}{}"):
    """The name of an event type that does not exist."""


def columns_named(types: Sequence[str]) -> list[str]:
    """Return event types as the log stores them; a name without `@2` means all its schemas.

    Raises:
        NoSuchEventType: if one is unknown.
    """
    from twin.events.catalogue import EVENTS, columns_of  # noqa: PLC0415 - few commands need it

    columns: list[str] = []
    for name in types:
        event = EVENTS.get(name.partition("@")[0])
        if event is None:
            raise NoSuchEventType(name, did_you_mean(name, EVENTS) or "; docs/events.md lists them")
        columns += [name] if "@" in name else columns_of(event)
    return columns


def mark_of(event: StoredEvent, visibility: Visibility) -> str | None:
    """Return why an event no longer counts; None if it counts."""
    derived = event.cause is not None
    if not visibility.hides(event.position, event.occurred_at, event.type, derived=derived):
        return None
    return "withdrawn" if derived else "retracted"


def text_of(event: StoredEvent) -> str:
    """Return the fields of an event that are not empty, its source and its origin, in one line."""
    place = origin_of(event)
    return " ".join(filter(None, (fields_of(event), place and f"from {place}")))


def fields_of(event: StoredEvent) -> str:
    """Return the fields of an event that are not empty, and its source, in one line."""
    fields: dict[str, Any] = json.loads(event.body)
    own = [
        f"{name}={_value(value)}"
        for name, value in fields.items()
        if name not in _SHOWN_APART and not is_empty(value)
    ]
    own += _objects(fields)
    source = [f"({event.source})"] if event.source.startswith("observation:") else []
    return " ".join([*own, *source])


def is_empty(value: object) -> bool:
    """Return whether the value of a field says nothing; false and 0 say something."""
    return value in ("", None, [], {})


def _objects(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an observation says: each act, and its object with its line in the file.

    A record that a queue manager holds has its cluster and its owner instead of an act. A row that
    a file said again has its type.
    """
    said = fields.get("said", ())
    for each, line in zip_longest(said, fields.get("lines", ())):
        place = f" ({line})" if line else ""
        if "act" in each:
            yield f"{each['act']} {each['name'] or fields['qmgr']}{place}"
        elif "owner_name" in each:
            yield f"{each['name']} of {each['owner_name']} in {each['cluster']}{place}"
        else:
            yield f"{each['type'].partition('@')[0]} {each['name']}".rstrip() + place


def origin_of(event: StoredEvent) -> str | None:
    """Return where a primary fact came from, in one line; None if it is unknown."""
    from twin.events import Origin  # noqa: PLC0415 - few commands need it

    stated = json.loads(event.body).get("origin")
    return str(Origin(**stated)) if stated else None


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())
