"""MQ objects: defined, altered and deleted by command, or seen and missed by observation."""

from __future__ import annotations

from twin.events.base import Event, Observation, Values, event


@event
class ObjectDefined(Event):
    """An object was created, or replaced whole; `values` differ from the type's defaults."""

    kind: str
    name: str
    type: str
    values: Values


@event
class ObjectAltered(Event):
    """Attributes of an object were set to `values`."""

    kind: str
    name: str
    values: Values


@event
class ObjectDeleted(Event):
    """An object was deleted."""

    kind: str
    name: str


@event
class ObjectObserved(Observation):
    """An object was seen with these attributes, whole."""

    kind: str
    name: str
    type: str
    values: Values


@event
class ObjectVanished(Observation):
    """An object known before was not in an observation that lists all of its kind."""

    kind: str
    name: str
