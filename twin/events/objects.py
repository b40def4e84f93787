"""MQ objects: defined, altered and deleted by commands, or observed to exist or not."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from twin.events.base import Event, Observation, StatedObservation, Values, event, family, value
from twin.model.instants import Instant


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


@value
class StatedObject:
    """What an observation says of one object.

    Attributes:
        act: `define`: the object exists, with these values over those of `base`; `alter`: it has
            these values and otherwise those that it had, if it exists; `delete`: it does not exist.
        name: its name; '' for the queue manager itself.
        type: its type; '' if the observation does not say it.
        base: of `define`: the object whose values it has besides; '' for the defaults of the type.
            Of `delete`: `*` for all records whose names begin with these words.
        values: attributes by MQSC keyword.
        altered: when it was last altered, if the observation says it.
        created: when it was created, if the observation says it.
    """

    act: Literal["define", "alter", "delete"] = "define"
    name: str
    type: str = ""
    base: str = ""
    values: Values = Field(default_factory=dict)
    altered: Instant | None = None
    created: Instant | None = None


@event
class ObjectsObserved(StatedObservation):
    """An observation said this of objects of one kind; the fold computes what that changes.

    The kind `QMGR` is the queue manager itself. `platform` is that of the queue manager, if the
    file says it; an unknown queue manager is taken to be running. `assumes_utc`: the zone of its
    dates was unknown, and they were taken as UTC. `undated`: nothing says when it was true, as of a
    script without a date; it yields to every sight, and is none itself.
    """

    understood_since: ClassVar[str] = "0.2.0"

    said: tuple[StatedObject, ...] = ()
    platform: str | None = None
    assumes_utc: bool | None = None
    undated: bool | None = None


@family
class ObjectsShownLater(Event):
    """Objects of one kind, as an observation shows them; `QMGR` is the queue manager.

    `zone` is that of the observation.
    """

    kind: str
    said: tuple[StatedObject, ...]
    zone: str | None = None


@event
class ObjectsDated(ObjectsShownLater):
    """Objects have been so since this instant: a later observation shows when they were altered."""

    understood_since: ClassVar[str] = "0.2.0"


@event
class ObjectsUnsure(ObjectsShownLater):
    """Objects are from here on as they were last seen, or as a later observation shows them.

    It lasts until the instant at which they were altered, or else until they are seen again.
    """

    understood_since: ClassVar[str] = "0.2.0"


@event
class ObjectsImplied(ObjectsShownLater):
    """Objects are so, because a row of DISPLAY CLUSQMGR about the queue manager itself shows it."""

    understood_since: ClassVar[str] = "0.2.0"


@event
class ObjectObserved(Observation):
    """An object was observed with exactly these attributes (up to 0.1.0 also by imports)."""

    kind: str
    name: str
    type: str
    values: Values


@event
class ObjectVanished(Observation):
    """A known object was missing from an observation that lists all objects of its kind."""

    kind: str
    name: str
