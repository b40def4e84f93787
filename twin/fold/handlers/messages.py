"""Fold messages: put, sent, arrived, taken, moved, lost; and what is counted of routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from twin import events
from twin.events import Parcel, Share
from twin.fold import messaging_index, queue_contents
from twin.fold.estate import Estate
from twin.fold.handlers import channels
from twin.fold.messaging import Handle, Messaging, RouteUse
from twin.model.instants import Instant


def opened(estate: Estate, event: events.HandleOpened, at: Instant, position: int) -> None:
    """Keep an open handle, and count the choice that bound it."""
    del at, position
    messaging = messaging_index.of(estate, event.qmgr)
    if event.handle:
        messaging.handles[event.handle] = Handle(
            event.queue, event.base, event.to, event.bind, event.profile, event.bound
        )
    if event.bound is not None:
        _count(messaging, [event.bound])


def closed(estate: Estate, event: events.HandleClosed, at: Instant, position: int) -> None:
    """Forget a handle."""
    del at, position
    messaging_index.of(estate, event.qmgr).handles.pop(event.handle, None)


def put(estate: Estate, event: events.MessagesPut, at: Instant, position: int) -> None:
    """Lay messages on the queues they were put on, and count the choice."""
    messaging = messaging_index.of(estate, event.qmgr)
    for share in filter(lambda share: share.count, event.shares):
        parcel = Parcel(
            put=position,
            count=share.count,
            queue=share.queue,
            at=at,
            by=event.qmgr,
            to=share.to,
            channel=share.channel,
            cluster=share.cluster,
            fixed=event.fixed,
            persistent=event.persistent,
            group=event.group,
            name=event.name,
            named=share.named,
        )
        queue_contents.lay(messaging, share.lies_on, parcel)
    _count(messaging, event.shares)
    messaging_index.note_stuck(estate, event.qmgr, messaging)
    handle = messaging.handles.get(event.handle)
    if handle is not None and event.fixed == "bind-on-group" and len(event.shares) == 1:
        kept = replace(event.shares[0], before=None, after=None)
        messaging.handles[event.handle] = handle._replace(group=event.group, grouped=kept)


def history_reset(
    estate: Estate, event: events.WorkloadHistoryReset, at: Instant, position: int
) -> None:
    """Begin to count weights anew; who was used when stays."""
    del at, position
    uses = messaging_index.of(estate, event.qmgr).workload.uses
    for route, use in uses.items():
        uses[route] = use._replace(factor=0)


def sent(estate: Estate, event: events.MessagesSent, at: Instant, position: int) -> None:
    """Take messages off a transmission queue, as they go over a channel."""
    del position
    messaging = messaging_index.of(estate, event.qmgr)
    if event.channel:
        queue_contents.take(messaging, event.queue, event.channel, event.count, fast=event.fast)
    else:
        queue_contents.take_local(messaging, event.queue, event.count)
    messaging_index.note_stuck(estate, event.qmgr, messaging)
    channels.used(estate, event.qmgr, event.over or event.channel, at, sent=event.count)


def arrived(estate: Estate, event: events.MessagesArrived, at: Instant, position: int) -> None:
    """Lay what came over a channel on a queue."""
    del position
    messaging = messaging_index.of(estate, event.qmgr)
    for parcel in event.parcels:
        queue_contents.lay(messaging, event.queue, replace(parcel, channel=""))
    _came(estate, event, at, event.parcels)


def redirected(
    estate: Estate, event: events.MessagesRedirected, at: Instant, position: int
) -> None:
    """Lay what came over a channel, and is for another instance, where it goes on from."""
    del position
    messaging = messaging_index.of(estate, event.qmgr)
    coming = list(event.parcels)
    for share in event.shares:
        taken, coming = queue_contents.split(coming, share.count)
        for parcel in taken:
            moved = _for(parcel, share, at)
            sent_on = replace(
                moved,
                redirected=parcel.redirected or bool(event.reason),
                hops=parcel.hops + 1,
                fixed=parcel.fixed or event.fixed,
            )
            queue_contents.lay(messaging, share.lies_on, sent_on)
    _count(messaging, event.shares)
    messaging_index.note_stuck(estate, event.qmgr, messaging)
    _came(estate, event, at, event.parcels)


def _came(
    estate: Estate,
    event: events.MessagesArrived | events.MessagesRedirected,
    at: Instant,
    parcels: Iterable[Parcel],
) -> None:
    """Note at the sender's channel what came over it: who sees its own end alone has only this."""
    count = sum(parcel.count for parcel in parcels)
    channels.used(estate, event.sender, event.channel, at, arrived=count)


def returned(estate: Estate, event: events.MessagesReturned, at: Instant, position: int) -> None:
    """Lay messages back at the head of the transmission queue they had left."""
    del at, position
    messaging = messaging_index.of(estate, event.qmgr)
    if event.channel:
        there = messaging.waiting.setdefault(event.queue, {}).setdefault(event.channel, [])
    else:
        there = messaging.local.setdefault(event.queue, [])
    there[:0] = event.parcels
    messaging_index.note_stuck(estate, event.qmgr, messaging)


def reallocated(
    estate: Estate, event: events.MessagesReallocated, at: Instant, position: int
) -> None:
    """Lay messages that were chosen another route where that leads, and count the choices."""
    del position
    messaging = messaging_index.of(estate, event.qmgr)
    there = messaging.waiting[event.queue].get(event.channel, [])
    for move in event.moves:
        left: list[Parcel] = []
        wanted = move.share.count
        for parcel in there:
            taken = min(parcel.count, wanted) if parcel.put == move.put and not parcel.fixed else 0
            wanted -= taken
            if taken:
                gone = replace(parcel, count=taken)
                queue_contents.lay(messaging, move.share.lies_on, _for(gone, move.share, at))
            if taken < parcel.count:
                left.append(replace(parcel, count=parcel.count - taken) if taken else parcel)
        there = left
    queue_contents.leave(messaging, event.queue, event.channel, there)
    _count(messaging, [move.share for move in event.moves])
    messaging_index.note_stuck(estate, event.qmgr, messaging)


def renewed(estate: Estate, event: events.MessagesRenewed, at: Instant, position: int) -> None:
    """Date messages anew that stay where they are; messages of one put may be divided by it."""
    del at, position
    messaging = messaging_index.of(estate, event.qmgr)
    left = messaging.waiting[event.queue][event.channel]
    lying_there: list[Parcel] = []
    gone = 0
    for place, count in event.spans:
        before, left = queue_contents.split(left, place - gone)
        span, left = queue_contents.split(left, count)
        gone = place + count
        lying_there += [*before, *(_renewed(parcel, event) for parcel in span)]
    messaging.waiting[event.queue][event.channel] = [*lying_there, *left]


def _renewed(parcel: Parcel, event: events.MessagesRenewed) -> Parcel:
    return replace(
        parcel,
        at=parcel.at if event.at is None else event.at,
        passes=parcel.passes if event.passes is None else event.passes,
    )


def got(estate: Estate, event: events.MessagesGot, at: Instant, position: int) -> None:
    """Take messages off a queue, as an application does."""
    del at, position
    messaging = messaging_index.of(estate, event.qmgr)
    if not event.channel:
        queue_contents.take_local(messaging, event.queue, event.count)
        return
    _, left = queue_contents.cut_out(messaging.waiting[event.queue][event.channel], event.spans)
    queue_contents.leave(messaging, event.queue, event.channel, left)
    messaging_index.note_stuck(estate, event.qmgr, messaging)


def lost(estate: Estate, event: events.MessagesLost, at: Instant, position: int) -> None:
    """Take messages off a queue that are lost."""
    del position
    messaging = messaging_index.of(estate, event.qmgr)
    if event.why == "discarded":  # which never lay here
        channels.used(estate, event.sender, event.channel, at, arrived=event.count)
        return
    fast = event.why in _NOT_PERSISTENT
    if not event.channel:
        queue_contents.take_local(messaging, event.queue, event.count, fast=fast)
        return
    queue_contents.take(messaging, event.queue, event.channel, event.count, fast=fast)
    if not messaging.waits_for(event.channel):
        messaging.in_doubt.pop(event.channel, None)
        messaging.at_risk.pop(event.channel, None)
        messaging_index.note_holding(estate, event.qmgr, messaging)
    messaging_index.note_stuck(estate, event.qmgr, messaging)


_NOT_PERSISTENT: Final = ("fast", "restarted")
"""Why messages are lost, but not the persistent ones that lie between them."""


def _for(parcel: Parcel, share: Share, at: Instant) -> Parcel:
    """Address messages anew, as they were chosen another route."""
    return replace(
        parcel,
        queue=share.queue,
        to=share.to,
        channel=share.channel,
        cluster=share.cluster,
        named=share.named,
        at=at,
        passes=0,
    )


def _count(messaging: Messaging, shares: Iterable[Share]) -> None:
    workload = messaging.workload
    for share in shares:
        if share.after is not None:
            workload.uses[share.to, share.route] = RouteUse(*share.after)
            workload.last = max(workload.last, share.after[0])
