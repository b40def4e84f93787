"""Fold definitions of MQ objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin import events
from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Value
from twin.model.instants import Instant
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE
from twin.model.objects import Definition

_CLUSTER_QUEUES: Final = frozenset({COMMAND_QUEUE, CLUSTER_TRANSMISSION_QUEUE})


def defined(
    estate: Estate,
    event: events.ObjectDefined | events.ObjectObserved,
    at: Instant,
    position: int,
) -> None:
    """Set a whole definition; if it replaces one of the same type, its creation instant is kept.

    An observation of an unknown queue manager is ignored: a late fact may have removed the queue
    manager, or its creation may be derived again at a higher position.
    """
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        return
    before = qmgr.definitions.get((event.kind, event.name))
    created = at if before is None or before.type != event.type else before.created
    definition = Definition(event.kind, event.name, event.type, event.values, created, at, position)
    add_definition(estate, qmgr, definition)


def altered(estate: Estate, event: events.ObjectAltered, at: Instant, position: int) -> None:
    """Set some attributes of a definition.

    If the definition is unknown, it vanished at the same instant: the event that says so has a
    higher position.
    """
    qmgr = estate.qmgrs[event.qmgr]
    key = (event.kind, event.name)
    before = qmgr.definitions.get(key)
    if before is None:
        return
    kind, name, type_, values, created, _, _ = before
    values = {**values, **event.values}
    # Not _replace: most events of a long log are alterations, and it takes twice as long. The type
    # stays, so that the indexes of channels are right.
    qmgr.definitions[key] = Definition(kind, name, type_, values, created, at, position)
    if _is_for_clusters(name, type_, values):
        qmgr.cluster_queues_changed = True
    qmgr.changed.add("definitions")
    if (unsure := qmgr.unsure.get(event.kind, {}).get(event.name)) is not None:
        now = unsure._replace(values={**unsure.values, **event.values})
        qmgr.unsure[event.kind][event.name] = now


def deleted(
    estate: Estate,
    event: events.ObjectDeleted | events.ObjectVanished,
    at: Instant,
    position: int,
) -> None:
    """Remove a definition, if it exists."""
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is not None:
        drop_definition(estate, qmgr, event.kind, event.name)
        if event.kind == "QUEUE" and isinstance(event, events.ObjectDeleted):
            forget_depth(estate, qmgr, event.name)


def forget_depth(estate: Estate, qmgr: QueueManager, queue: str) -> None:
    """Forget the depth that was seen of a queue which a command cleared or deleted."""
    if qmgr.observed and queue in qmgr.activity.seen.depths:
        seen = estate.changing(qmgr.name, "activity").activity.seen
        del seen.depths[queue]
        seen.queues.pop(queue, None)


def drop_definition(estate: Estate, qmgr: QueueManager, kind: str, name: str) -> None:
    """Remove a definition of a queue manager, if it exists."""
    qmgr.definitions.pop((kind, name), None)
    qmgr.unsure.get(kind, {}).pop(name, None)
    if kind == "CHANNEL" and name in qmgr.channels:
        forget_channel(estate, qmgr, name)
        if qmgr.observed and name in qmgr.activity.seen.channels:
            seen = estate.changing(qmgr.name, "activity").activity.seen
            del seen.channels[name]
            seen.rows.pop(name, None)
    qmgr.changed.add("definitions")


def add_definition(estate: Estate, qmgr: QueueManager, definition: Definition) -> None:
    """Set a definition of a queue manager; add a channel to the indexes of channels."""
    name = definition.name
    qmgr.definitions[definition.kind, name] = definition
    qmgr.unsure.get(definition.kind, {}).pop(name, None)
    if _is_for_clusters(name, definition.type, definition.values):
        qmgr.cluster_queues_changed = True
    if definition.kind == "CHANNEL":
        if name in qmgr.channels:
            forget_channel(estate, qmgr, name)
        qmgr.channels[name] = definition.type
        estate.ends.setdefault((name, definition.type), {})[qmgr.name] = None
    qmgr.changed.add("definitions")


def forget_channel(estate: Estate, qmgr: QueueManager, name: str) -> None:
    """Remove a channel from the indexes of channels."""
    channel_type = qmgr.channels.pop(name)
    del estate.ends[name, channel_type][qmgr.name]


def _is_for_clusters(name: str, type_: str, values: Mapping[str, Value]) -> bool:
    """Return whether a queue is one that a cluster's channels and repository manager use."""
    return type_ == "QLOCAL" and (name in _CLUSTER_QUEUES or values.get("USAGE") == "XMITQ")
