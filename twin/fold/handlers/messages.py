"""Fold messages: put, sent, arrived, taken, moved and lost; and what is counted of routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from twin import events
from twin.events import Parcel, Share
from twin.fold import messaging_index, parcels, queue_contents
from twin.fold.estate import Estate
from twin.fold.handlers import channels
from twin.fold.messaging import Handle, Messaging, RouteUse
from twin.model.instants import Instant


def opened(estate: Estate, event: events.HandleOpened, at: Instant, position: int) -> None:
    """Keep an open handle, and count the choice that bound it."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    if event.handle:
        messaging.handles[event.handle] = Handle(
            event.queue, event.base, event.to, event.bind, event.profile, event.bound
        )
    if event.bound is not None:
        _count(messaging, [event.bound])


def closed(estate: Estate, event: events.HandleClosed, at: Instant, position: int) -> None:
    """Remove a handle."""
    del at, position
    messaging_index.to_change(estate, event.qmgr).handles.pop(event.handle, None)


def put(estate: Estate, event: events.MessagesPut, at: Instant, position: int) -> None:
    """Add messages to the queues they were put on, and count the choice."""
    messaging = messaging_index.to_change(estate, event.qmgr)
    for share in event.shares:
        if share.count:
            parcel = parcels.put(event, share, position=position, at=at)
            queue_contents.lay(messaging, share.lies_on, parcel)
    _count(messaging, event.shares)
    messaging_index.note_waiting(estate, event.qmgr, messaging)
    handle = messaging.handles.get(event.handle)
    if handle is not None and event.fixed == "bind-on-group" and len(event.shares) == 1:
        bound = replace(event.shares[0], before=None, after=None)
        messaging.handles[event.handle] = handle._replace(group=event.group, grouped=bound)


def history_reset(
    estate: Estate, event: events.WorkloadHistoryReset, at: Instant, position: int
) -> None:
    """Set all weight factors back to zero; the order of use stays."""
    del at, position
    uses = messaging_index.to_change(estate, event.qmgr).workload.uses
    for route, use in uses.items():
        uses[route] = use._replace(factor=0)


def sent(estate: Estate, event: events.MessagesSent, at: Instant, position: int) -> None:
    """Take messages off a transmission queue as a channel sends them."""
    del position
    messaging = messaging_index.to_change(estate, event.qmgr)
    queue_contents.take(
        messaging, event.queue, event.channel, event.count, nonpersistent=event.fast
    )
    messaging_index.note_waiting(estate, event.qmgr, messaging)
    channels.used(estate, event.qmgr, event.over or event.channel, at, sent=event.count)


def arrived(estate: Estate, event: events.MessagesArrived, at: Instant, position: int) -> None:
    """Add messages that arrived over a channel to a queue."""
    del position
    messaging = messaging_index.to_change(estate, event.qmgr)
    for parcel in event.parcels:
        queue_contents.lay(messaging, event.queue, replace(parcel, channel=""))
    _count_arrivals(estate, event, at)


def redirected(
    estate: Estate, event: events.MessagesRedirected, at: Instant, position: int
) -> None:
    """Add messages that arrived over a channel, and go on, to the queues they go on from."""
    del position
    messaging = messaging_index.to_change(estate, event.qmgr)
    rest: Iterable[Parcel] = event.parcels
    for share in event.shares:
        going, rest = parcels.split(rest, share.count)
        for parcel in going:
            on = parcels.sent_on(parcel, share, at, reason=event.reason, fixed=event.fixed)
            queue_contents.lay(messaging, share.lies_on, on)
    _count(messaging, event.shares)
    messaging_index.note_waiting(estate, event.qmgr, messaging)
    _count_arrivals(estate, event, at)


def _count_arrivals(
    estate: Estate, event: events.MessagesArrived | events.MessagesRedirected, at: Instant
) -> None:
    """Count at the sender's channel what arrived: an observer of the receiver knows only this."""
    count = parcels.count_of(event.parcels)
    channels.used(estate, event.sender, event.channel, at, arrived=count)


def returned(estate: Estate, event: events.MessagesReturned, at: Instant, position: int) -> None:
    """Put messages back at the head of the transmission queue that they had left."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    queue_contents.return_to_head(messaging, event.queue, event.channel, event.parcels)
    messaging_index.note_waiting(estate, event.qmgr, messaging)


def reallocated(
    estate: Estate, event: events.MessagesReallocated, at: Instant, position: int
) -> None:
    """Move messages to the queues of their new routes, and count the choices."""
    del position
    messaging = messaging_index.to_change(estate, event.qmgr)
    waiting = messaging.waiting[event.queue].get(event.channel, [])
    for move in event.moves:
        staying: list[Parcel] = []
        count = move.share.count
        for parcel in waiting:
            if not count or parcel.put != move.put or parcel.fixed:
                staying.append(parcel)
                continue
            (going,), rest = parcels.split([parcel], count)
            count -= going.count
            moved = parcels.readdressed(going, move.share, at)
            queue_contents.lay(messaging, move.share.lies_on, moved)
            staying += rest
        waiting = staying
    queue_contents.leave(messaging, event.queue, event.channel, waiting)
    _count(messaging, [move.share for move in event.moves])
    messaging_index.note_waiting(estate, event.qmgr, messaging)


def renewed(estate: Estate, event: events.MessagesRenewed, at: Instant, position: int) -> None:
    """Change the put time of messages that stay; this may divide the messages of one put."""
    del at, position
    waiting = messaging_index.to_change(estate, event.qmgr).waiting[event.queue]
    change = partial(parcels.renewed, event=event)
    waiting[event.channel] = parcels.cut_out(waiting[event.channel], event.spans, change)


def got(estate: Estate, event: events.MessagesGot, at: Instant, position: int) -> None:
    """Take messages off a queue for an application."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    if not event.channel:
        queue_contents.take(messaging, event.queue, "", event.count)
        return
    waiting = messaging.waiting[event.queue][event.channel]
    rest = parcels.cut_out(waiting, event.spans)
    queue_contents.leave(messaging, event.queue, event.channel, rest)
    messaging_index.note_waiting(estate, event.qmgr, messaging)


def lost(estate: Estate, event: events.MessagesLost, at: Instant, position: int) -> None:
    """Take lost messages off their queue."""
    del position
    messaging = messaging_index.to_change(estate, event.qmgr)
    if event.why == "discarded":  # on arrival: they were on no queue here
        channels.used(estate, event.sender, event.channel, at, arrived=event.count)
        return
    nonpersistent = event.why in _NOT_PERSISTENT
    queue_contents.take(
        messaging, event.queue, event.channel, event.count, nonpersistent=nonpersistent
    )
    if event.channel and not messaging.waits_for(event.channel):
        messaging.in_doubt.pop(event.channel, None)
        messaging.at_risk.pop(event.channel, None)
        messaging_index.note_holding(estate, event.qmgr, messaging)
    messaging_index.note_waiting(estate, event.qmgr, messaging)


_NOT_PERSISTENT: Final = ("fast", "restarted")
"""Why messages are lost of which only those that are not persistent are lost."""


def _count(messaging: Messaging, shares: Iterable[Share]) -> None:
    """Set the counters of the routes that shares used."""
    workload = messaging.workload
    for share in shares:
        if share.after is not None:
            workload.uses[share.to, share.route] = RouteUse(*share.after)
            workload.last = max(workload.last, share.after[0])
