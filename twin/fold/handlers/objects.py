"""Fold definitions of MQ objects."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.model.objects import Definition


def defined(
    estate: Estate,
    event: events.ObjectDefined | events.ObjectObserved,
    at: Instant,
    position: int,
) -> None:
    """Set a whole definition; one that replaces another of its type keeps the creation instant.

    An observation of an unknown queue manager is ignored: a late fact may have removed the queue
    manager, or its creation may be derived again at a higher position.
    """
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        return
    definitions = qmgr.definitions
    key = (event.kind, event.name)
    before = definitions.get(key)
    created = at if before is None or before.type != event.type else before.created
    definitions[key] = Definition(
        event.kind, event.name, event.type, event.values, created, at, position
    )
    if event.kind == "CHANNEL":
        note_channel(estate, qmgr, event.name, event.type)
    qmgr.changed.add("definitions")


def altered(estate: Estate, event: events.ObjectAltered, at: Instant, position: int) -> None:
    """Set some attributes of a definition.

    An unknown definition vanished at this very instant; an event at a higher position says so.
    """
    qmgr = estate.qmgrs[event.qmgr]
    definitions = qmgr.definitions
    key = (event.kind, event.name)
    before = definitions.get(key)
    if before is None:
        return
    values = {**before.values, **event.values}
    if event.kind == "CHANNEL":
        note_channel(estate, qmgr, event.name, before.type)
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
    """Remove a definition, if it exists."""
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        return
    qmgr.definitions.pop((event.kind, event.name), None)
    if event.kind == "CHANNEL" and event.name in qmgr.channels:
        forget_channel(estate, qmgr, event.name)
    qmgr.changed.add("definitions")


def note_channel(estate: Estate, qmgr: QueueManager, name: str, channel_type: str) -> None:
    """Add a channel to the indexes of channels."""
    if name in qmgr.channels:
        forget_channel(estate, qmgr, name)
    qmgr.channels[name] = channel_type
    estate.ends.setdefault((name, channel_type), {})[qmgr.name] = None


def forget_channel(estate: Estate, qmgr: QueueManager, name: str) -> None:
    """Remove a channel from the indexes of channels."""
    channel_type = qmgr.channels.pop(name)
    del estate.ends[name, channel_type][qmgr.name]
