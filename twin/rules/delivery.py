"""What comes over a channel: put on the queue it is for, sent on, dead-lettered, or given back.

Sources: IBM MQ, "Cluster-administration considerations", "What happens if I put-disable a cluster
queue?" (another instance, the dead-letter queue, or back to the sender); IBM MQ 9.0, "CLWLUSEQ
queue attribute" (what came over a cluster channel stays at a local instance); 9.4, "Queue manager
aliases and clusters"; USEDLQ and NPMSPEED of "Channel attributes".

Only what is bound to nothing, and was not sent to another instance before, goes to one [inferred].
What definitions send round and round ends as an unknown queue manager behind so many of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from twin.events import MessagesArrived, MessagesLost, MessagesRedirected, Parcel, Share
from twin.fold.estate import QueueManager
from twin.fold.lying import split
from twin.model import reasons
from twin.model.objects import Definition, number_of, text_of
from twin.rules import destinations, forwarding
from twin.rules.draft import Draft
from twin.rules.resolution import Resolver
from twin.rules.resolved import Resolved, is_inhibited
from twin.rules.workload.choosing import Plan
from twin.rules.workload.rules import VERSION

MOST_HOPS: Final = 16
"""So many queue managers send a message on by their definitions, and no more [inferred]."""

Returned: TypeAlias = tuple[tuple[Parcel, ...], int]
"""Messages that could be put nowhere, and the reason code."""


class _Arrival(NamedTuple):
    """Messages of one name that came over a channel together."""

    draft: Draft
    receiver: QueueManager
    sender: QueueManager
    channel: str


def arrive(
    draft: Draft,
    receiver: QueueManager,
    sender: QueueManager,
    channel: str,
    parcels: tuple[Parcel, ...],
) -> list[Returned]:
    """Put what came over a channel; return what could be put nowhere, with the reason codes."""
    came = _Arrival(draft, receiver, sender, channel)
    returned: list[Returned] = []
    for _, alike in groupby(parcels, key=_kind):
        returned += _take_in(came, list(alike))
    return returned


def _kind(parcel: Parcel) -> tuple[str, str, bool, bool, bool]:
    many = parcel.hops >= MOST_HOPS
    return parcel.queue, parcel.named, _is_free(parcel), parcel.persistent, many


def _is_free(parcel: Parcel) -> bool:
    """Say whether messages may go to another instance."""
    return not parcel.fixed and not parcel.redirected


def _take_in(came: _Arrival, parcels: list[Parcel]) -> list[Returned]:
    """Put messages of one kind; return what is to go back."""
    first = parcels[0]
    home = first.named in ("", came.receiver.name)
    resolver = Resolver(came.draft, came.receiver)
    resolved = (
        _at_home(came.receiver, resolver, first.queue)
        if home
        else resolver.resolve(first.queue, first.named)
    )
    reason = resolved.reason or (reasons.PUT_INHIBITED if resolved.inhibited else 0)
    if first.hops >= MOST_HOPS and not resolved.local:
        reason = reasons.UNKNOWN_REMOTE_QMGR
    elif home and not reason and resolved.local and _is_free(first):
        resolved = _outranking(came, first) or resolved
    if not reason and resolved.local:
        parcels = _lay(came, resolved.local, parcels, 0)
        reason = reasons.QUEUE_FULL
    elif not reason:
        reason = _send_on(came, resolved, parcels, 0)
        if not reason:
            return []
    if not parcels:
        return []
    if _is_free(first) and not _send_on(came, resolver.instances(first.queue), parcels, reason):
        return []
    return _nowhere(came, parcels, reason)


def _at_home(receiver: QueueManager, resolver: Resolver, queue: str) -> Resolved:
    """Resolve a name by what is defined here; an alias of a local queue leads there at once."""
    local = receiver.definitions.get(("QUEUE", queue))
    if local is None or local.type == "QMODEL":
        return Resolved(name=queue, reason=reasons.UNKNOWN_OBJECT)
    base = receiver.definitions.get(("QUEUE", text_of(local, "TARGET")))
    if local.type == "QALIAS" and base is not None and base.type == "QLOCAL":
        found = resolver.local(base)
        return replace(found, inhibited=found.inhibited or is_inhibited(local))
    return resolver.local(local)


def _outranking(came: _Arrival, parcel: Parcel) -> Resolved | None:
    """Return what there is of a name where an instance elsewhere goes before the local one.

    The choice is made again where messages come in: from 8.0 on rank goes before the local
    instance, so that a gateway passes them on ("Cluster Workload management attributes and
    algorithm", its two clusters). No repository is asked [inferred].
    """
    found = Resolver(came.draft, came.receiver, asks=False).resolve(parcel.queue)
    if not found.instances[1:]:
        return None
    plan = destinations.candidates(came.receiver, found, arrived=True).plan()
    if plan.reason or any(route.local for route in plan.left):
        return None
    return found


def _lay(came: _Arrival, queue: str, parcels: list[Parcel], reason: int) -> list[Parcel]:
    """Put as many messages as fit on a local queue; return the rest."""
    receiver = came.receiver
    definition = receiver.definitions["QUEUE", queue]
    room = number_of(definition, "MAXDEPTH") - receiver.messaging.depth(queue)
    fitting, rest = split(parcels, max(0, room))
    if fitting:
        came.draft.emit(
            MessagesArrived(
                qmgr=receiver.name,
                sender=came.sender.name,
                channel=came.channel,
                queue=queue,
                parcels=tuple(fitting),
                reason=reason,
            )
        )
    return rest


def _send_on(came: _Arrival, resolved: Resolved, parcels: list[Parcel], reason: int) -> int:
    """Send messages on: as definitions say, or for a reason to another instance than this.

    Return the reason code where there is no way on, 0 where they went.
    """
    if resolved.reason:
        return resolved.reason
    draft, receiver = came.draft, came.receiver
    count = sum(parcel.count for parcel in parcels)
    profile = ""
    if resolved.clustered:
        without = {receiver.qmid} if reason else set()
        arrived = receiver.channels.get(came.channel) == "CLUSRCVR"
        found = destinations.candidates(receiver, resolved, arrived=arrived, without=without)
        plan = found.plan()
        if plan.reason:
            return plan.reason
        profile = plan.context.profile
        shares = tuple(_shares(came, resolved, plan, count))
    else:
        shares = (destinations.unclustered(receiver, resolved, count),)
    draft.emit(
        MessagesRedirected(
            qmgr=receiver.name,
            sender=came.sender.name,
            channel=came.channel,
            parcels=tuple(parcels),
            shares=shares,
            reason=reason,
            profile=profile,
            version=VERSION,
        )
    )
    for channel, to in dict.fromkeys((share.channel, share.to) for share in shares):
        if channel:
            forwarding.forward(draft, receiver, channel, to)
    return 0


def _shares(came: _Arrival, resolved: Resolved, plan: Plan, count: int) -> Iterator[Share]:
    for portion in destinations.take(came.receiver, resolved, plan, count):
        yield destinations.share_of(came.draft, came.receiver, resolved, portion)


def _nowhere(came: _Arrival, parcels: list[Parcel], reason: int) -> list[Returned]:
    """Deal with what cannot be put: dead-letter queue, loss where that is allowed, or back."""
    receiving = came.receiver.definitions.get(("CHANNEL", came.channel))
    sending = came.sender.definitions.get(("CHANNEL", came.channel))
    if dead := _dead_letter_queue(came.receiver, receiving):
        parcels = _lay(came, dead, parcels, reason)
    by = sending if sending is not None and sending.type != "CLUSSDR" else receiving
    fast = by is None or text_of(by, "NPMSPEED") == "FAST"
    kept: list[Parcel] = []
    for parcel in parcels:
        if parcel.persistent or not fast:
            kept.append(parcel)
            continue
        came.draft.emit(
            MessagesLost(
                qmgr=came.receiver.name,
                queue=parcel.queue,
                count=parcel.count,
                why="discarded",
                channel=came.channel,
            )
        )
    return [(tuple(kept), reason)] if kept else []


def _dead_letter_queue(qmgr: QueueManager, receiving: Definition | None) -> str:
    """Name the dead-letter queue that a channel may use, '' where there is none to be put to."""
    name = str(qmgr.values.get("DEADQ", ""))
    queue = qmgr.definitions.get(("QUEUE", name))
    if queue is None or queue.type != "QLOCAL" or is_inhibited(queue):
        return ""
    if receiving is not None and receiving.values.get("USEDLQ") == "NO":
        return ""
    return name
