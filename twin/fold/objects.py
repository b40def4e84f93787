"""Fold definitions of MQ objects."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.model.objects import Definition


def defined(
    estate: Estate,
    event: events.ObjectDefined | events.ObjectObserved,
    at: Instant,
    position: int,
) -> None:
    """Put a whole definition in place; one that is replaced keeps its creation instant."""
    qmgr = estate.qmgrs[event.qmgr]
    definitions = qmgr.definitions
    key = (event.kind, event.name)
    before = definitions.get(key)
    created = at if before is None or before.type != event.type else before.created
    definitions[key] = Definition(
        event.kind, event.name, event.type, event.values, created, at, position
    )
    qmgr.changed.add("definitions")


def altered(estate: Estate, event: events.ObjectAltered, at: Instant, position: int) -> None:
    """Set some attributes of a definition."""
    qmgr = estate.qmgrs[event.qmgr]
    definitions = qmgr.definitions
    key = (event.kind, event.name)
    before = definitions[key]
    values = {**before.values, **event.values}
    definitions[key] = Definition(
        event.kind, event.name, before.type, values, before.created, at, position
    )
    qmgr.changed.add("definitions")


def deleted(
    estate: Estate,
    event: events.ObjectDeleted | events.ObjectVanished,
    at: Instant,
    position: int,
) -> None:
    """Remove a definition."""
    del at, position
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.definitions.pop((event.kind, event.name), None)
    qmgr.changed.add("definitions")
