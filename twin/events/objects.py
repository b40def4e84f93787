"""MQ objects: defined, altered and deleted by commands, or observed to exist or not."""

from __future__ import annotations

from twin.events.base import Event, Observation, Values, event


@event
class ObjectDefined(Event):
    """An object was created or replaced; `values` are those that differ from the defaults."""

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
    """An object was observed with exactly these attributes."""

    kind: str
    name: str
    type: str
    values: Values


@event
class ObjectVanished(Observation):
    """A known object was missing from an observation that lists all objects of its kind."""

    kind: str
    name: str
