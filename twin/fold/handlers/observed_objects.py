"""Fold what observations said of objects: the difference to what is known is computed here."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Confirmation, Estate, QueueManager
from twin.fold.handlers import objects, queue_managers
from twin.model.instants import SECOND, Instant, mq_date, mq_time
from twin.model.objects import Definition
from twin.model.observed_objects import ObjectValues, differing, differing_attributes
from twin.model.platforms import DEFAULT_LEVEL, PLATFORMS


def observed(estate: Estate, event: events.ObjectsObserved, at: Instant, position: int) -> None:
    """Set the objects that differ from what is known, and remove those that vanished.

    Objects that do not differ keep their instants and positions; that they were seen again is noted
    once for their kind. An unknown queue manager is added.
    """
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        queue_managers.first_seen(estate, first_seen(estate, event, at), at, position)
        qmgr = estate.qmgrs[event.qmgr]
    before = qmgr.confirmed.get(event.kind, Confirmation(position))
    complete = (position, at) if event.complete == "*" else before[1:]
    qmgr.confirmed[event.kind] = Confirmation(position, *complete)
    if event.kind == "QMGR":
        changed = differing_attributes(qmgr.name, qmgr.cmdlevel, qmgr.values, event.said)
        if changed:
            qmgr.values = {**qmgr.values, **changed}
            qmgr.altered, qmgr.position = at, position
        return
    changes = differing(qmgr.definitions, event.kind, event.said, complete=event.complete)
    for (kind, name), after in changes.items():
        if after is None:
            objects.drop_definition(estate, qmgr, kind, name)
        else:
            definition = _defined(qmgr, kind, name, after, at, position)
            objects.add_definition(estate, qmgr, definition)


def _defined(
    qmgr: QueueManager, kind: str, name: str, after: ObjectValues, at: Instant, position: int
) -> Definition:
    """Return an observed definition; one that replaces another of its type was created with it."""
    before = qmgr.definitions.get((kind, name))
    created = at if before is None or before.type != after.type else before.created
    return Definition(kind, name, after.type, dict(after.values), created, at, position)


def first_seen(
    estate: Estate, event: events.ObjectsObserved, at: Instant
) -> events.QueueManagerFirstSeen:
    """Return what an observation says of an unknown queue manager.

    Without a QMID in it, one is made as crtmqm would make it at that instant.
    """
    moment, qmid = at, event.qmid
    while qmid is None or (event.qmid is None and qmid in estate.names):
        qmid = f"{event.qmgr}_{mq_date(moment)}_{mq_time(moment)}"
        moment += SECOND
    return events.QueueManagerFirstSeen(
        qmgr=event.qmgr,
        qmid=qmid,
        cmdlevel=event.cmdlevel or DEFAULT_LEVEL,
        platform=event.platform or PLATFORMS[0],
    )
