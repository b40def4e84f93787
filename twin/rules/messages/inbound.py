"""What comes over a channel: put on the queue it is for, sent on, dead-lettered, or given back.

Sources: IBM MQ, "Cluster-administration considerations", "What happens if I put-disable a cluster
queue?" (another instance, the dead-letter queue, or back to the sender); IBM MQ 9.0, "CLWLUSEQ
queue attribute" (what came over a cluster channel stays at a local instance); 9.4, "Queue manager
aliases and clusters"; USEDLQ and NPMSPEED of "Channel attributes".

Only what came over a cluster channel, is bound to nothing, and was not sent to another instance
before, goes to one [inferred]. What came from outside the clusters, or was put for this queue
manager by name, is for the object of its name here: only where a definition leads into a cluster,
such as a queue manager alias with a blank RQMNAME, does the cluster choose. What definitions send
round and round ends as an unknown queue manager behind so many of them.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final, TypeAlias

from twin.events import MessagesArrived, MessagesLost, Parcel
from twin.fold.estate import QueueManager
from twin.fold.queue_contents import split
from twin.model import reasons
from twin.model.amounts import MOST_AT_ONCE
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.messages import destinations, inbound_routing, resolution
from twin.rules.messages.resolved import Resolved, inhibits
from twin.rules.queues.local_queues import depth_left, is_put_inhibited

MOST_HOPS: Final = 16
"""So many queue managers send a message on by their definitions, and no more [inferred]."""

Returned: TypeAlias = tuple[tuple[Parcel, ...], int]
"""Messages that could be put nowhere, and the reason code."""


def arrive(
    draft: Draft,
    receiver: QueueManager,
    sender: QueueManager,
    channel: str,
    parcels: tuple[Parcel, ...],
) -> list[Returned]:
    """Put what came over a channel; return what could be put nowhere, with the reason codes."""
    came = inbound_routing.Arrival(draft, receiver, sender, channel)
    returned: list[Returned] = []
    for _, alike in groupby(parcels, key=_kind):
        returned += _take_in(came, list(alike))
    return returned


def _kind(parcel: Parcel) -> tuple[str, str, bool, bool, bool]:
    many = parcel.hops >= MOST_HOPS
    free = not parcel.fixed and not parcel.redirected
    return parcel.queue, parcel.named, free, parcel.persistent, many


def _take_in(came: inbound_routing.Arrival, parcels: list[Parcel]) -> list[Returned]:
    """Put messages of one kind; return what is to go back."""
    first = parcels[0]
    resolver = resolution.Resolver(came.draft, came.receiver)
    resolved, reason = resolved_here(came, resolver, first)
    if not reason and resolved.local:
        parcels = _lay(came, resolved.local, parcels, 0)
        reason = reasons.QUEUE_FULL
    elif not reason:
        parcels, reason = inbound_routing.send_on(came, resolved, parcels, 0)
    if parcels and came.is_free(first):
        parcels, _ = inbound_routing.send_on(came, resolver.instances(first.queue), parcels, reason)
    return _nowhere(came, parcels, reason) if parcels else []


def resolved_here(
    came: inbound_routing.Arrival, resolver: resolution.Resolver, first: Parcel
) -> tuple[Resolved, int]:
    """Resolve the name that messages are for, as it is here; or give the reason code."""
    home = first.named in ("", came.receiver.name)
    resolved = (
        _at_home(came.receiver, resolver, first.queue)
        if home
        else resolver.resolve(first.queue, first.named)
    )
    reason = resolved.reason or (reasons.PUT_INHIBITED if resolved.inhibited else 0)
    if first.hops >= MOST_HOPS and not resolved.local:
        reason = reasons.UNKNOWN_REMOTE_QMGR
    elif home and not reason and resolved.local and came.is_free(first):
        resolved = _outranking(came, first) or resolved
    return resolved, reason


def taken(
    draft: Draft, receiver: QueueManager, sender: QueueManager, channel: str, parcel: Parcel
) -> int:
    """Say how many such messages a receiver would take at the least before it gave one back.

    Those which lie there then, also on its dead-letter queue; nobody is asked for what is not here.
    """
    came = inbound_routing.Arrival(draft, receiver, sender, channel)
    if not parcel.persistent and came.is_fast:
        return MOST_AT_ONCE
    resolver = resolution.Resolver(draft, receiver, asks=False)
    resolved, reason = resolved_here(came, resolver, parcel)
    queues = {resolved.local if not reason else "", _dead_letter_queue(receiver, came.receiving)}
    return sum(depth_left(receiver, receiver.definitions["QUEUE", name]) for name in queues if name)


def takes(
    draft: Draft, receiver: QueueManager, sender: QueueManager, channel: str, parcel: Parcel
) -> bool:
    """Say whether a receiver that gave such a message back would take it now.

    Where there is room, or what is defined there leads it on: whether there is room on that way is
    seen as it comes.
    """
    if taken(draft, receiver, sender, channel, parcel):
        return True
    came = inbound_routing.Arrival(draft, receiver, sender, channel)
    resolved, reason = resolved_here(came, resolution.Resolver(draft, receiver, asks=False), parcel)
    return not reason and not resolved.local


def _at_home(receiver: QueueManager, resolver: resolution.Resolver, queue: str) -> Resolved:
    """Resolve a name by what is defined here; an alias of a local queue leads there at once."""
    local = receiver.definitions.get(("QUEUE", queue))
    if local is None or local.type == "QMODEL":
        return Resolved(name=queue, reason=reasons.UNKNOWN_OBJECT)
    base = receiver.definitions.get(("QUEUE", text_of(local, "TARGET")))
    if local.type == "QALIAS" and base is not None and base.type == "QLOCAL":
        found = resolver.local(base)
        return found._replace(inhibited=inhibits(local) or found.inhibited)
    return resolver.local(local)


def _outranking(came: inbound_routing.Arrival, parcel: Parcel) -> Resolved | None:
    """Return what there is of a name where an instance elsewhere goes before the local one.

    The choice is made again where messages come in: from 8.0 on rank goes before the local
    instance, so that a gateway passes them on ("Cluster Workload management attributes and
    algorithm", its two clusters). No repository is asked [inferred].
    """
    found = resolution.Resolver(came.draft, came.receiver, asks=False).resolve(parcel.queue)
    if not found.instances[1:]:
        return None
    plan = destinations.candidates(came.receiver, found, arrived=True).plan()
    if plan.reason or any(route.local for route in plan.left):
        return None
    return found


def _lay(
    came: inbound_routing.Arrival, queue: str, parcels: list[Parcel], reason: int
) -> list[Parcel]:
    """Put as many messages as fit on a local queue; return the rest."""
    receiver = came.receiver
    some, rest = split(parcels, depth_left(receiver, receiver.definitions["QUEUE", queue]))
    if some:
        came.draft.emit(
            MessagesArrived(
                qmgr=receiver.name,
                sender=came.sender.name,
                channel=came.channel,
                queue=queue,
                parcels=tuple(some),
                reason=reason,
            )
        )
    return rest


def _nowhere(came: inbound_routing.Arrival, parcels: list[Parcel], reason: int) -> list[Returned]:
    """Deal with what cannot be put: dead-letter queue, loss where that is allowed, or back."""
    if dead := _dead_letter_queue(came.receiver, came.receiving):
        parcels = _lay(came, dead, parcels, reason)
    kept: list[Parcel] = []
    for parcel in parcels:
        if parcel.persistent or not came.is_fast:
            kept.append(parcel)
            continue
        came.draft.emit(
            MessagesLost(
                qmgr=came.receiver.name,
                queue=parcel.queue,
                count=parcel.count,
                why="discarded",
                channel=came.channel,
                sender=came.sender.name,
            )
        )
    return [(tuple(kept), reason)] if kept else []


def _dead_letter_queue(qmgr: QueueManager, receiving: Definition | None) -> str:
    """Name the dead-letter queue that a channel may use, '' where there is none to be put to."""
    name = str(qmgr.values.get("DEADQ", ""))
    queue = qmgr.definitions.get(("QUEUE", name))
    if queue is None or queue.type != "QLOCAL" or is_put_inhibited(queue):
        return ""
    if receiving is not None and receiving.values.get("USEDLQ") == "NO":
        return ""
    return name
