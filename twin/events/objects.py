"""MQ objects: defined, altered and deleted by commands, or observed to exist or not."""

from __future__ import annotations

from twin.events.base import Event, Observation, Values, event, family


@family
class ObjectEvent(Event):
    """Something that happened to an MQ object: its kind (`QUEUE`, `CHANNEL`) and its name."""

    kind: str
    name: str


@event
class ObjectDefined(ObjectEvent):
    """An object was created or replaced; `values` are those that differ from the defaults."""

    type: str
    values: Values


@event
class ObjectAltered(ObjectEvent):
    """Attributes of an object were set to `values`."""

    values: Values


@event
class ObjectDeleted(ObjectEvent):
    """An object was deleted."""


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
