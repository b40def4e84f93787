"""Fold messages (put, sent, arrived, got, rerouted, lost) and the counters of routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from twin import events
from twin.events import Parcel, Share
from twin.fold import agenda, parcels
from twin.fold.beliefs import AnswerWait, WaitingCall
from twin.fold.estate import Estate
from twin.fold.handlers import channels, objects
from twin.fold.messaging import Handle, Messaging, RouteUse
from twin.model.instants import Instant


def opened(estate: Estate, event: events.HandleOpened, at: Instant, position: int) -> None:
    """Add an open handle, and count the choice that bound it."""
    messaging = estate.messaging_to_change(event.qmgr)
    if event.handle:
        messaging.handles[event.handle] = Handle(
            event.queue,
            event.base,
            event.to,
            event.bind,
            event.profile,
            event.bound,
            caller=event.caller,
        )
    if event.bound is not None:
        _count(messaging, [event.bound])


def exit_failed(
    estate: Estate, event: events.WorkloadExitFailed, at: Instant, position: int
) -> None:
    """Mark a handle whose workload exit failed: the exit is not called for it again."""
    handles = estate.messaging_to_change(event.qmgr).handles
    if event.handle in handles:
        handles[event.handle] = handles[event.handle]._replace(exit_failed=True)


def closed(estate: Estate, event: events.HandleClosed, at: Instant, position: int) -> None:
    """Remove a handle."""
    estate.messaging_to_change(event.qmgr).handles.pop(event.handle, None)


def answer_awaited(estate: Estate, event: events.AnswerAwaited, at: Instant, position: int) -> None:
    """Add a call that waits for full repositories, to a wait for the same names if there is one."""
    waits = estate.changing(event.qmgr, "activity").activity.waits
    call = WaitingCall(position, at, event)
    before = waits.get(event.names)
    if before is None:
        waits[event.names] = AnswerWait(at, (call,))
        estate.agenda.add(agenda.TimerKind.AWAITED, at, event.qmgr, event.names)
    else:
        waits[event.names] = before._replace(calls=(*before.calls, call))


def answer_wait_ended(
    estate: Estate, event: events.AnswerWaitEnded, at: Instant, position: int
) -> None:
    """Remove the calls that waited."""
    estate.changing(event.qmgr, "activity").activity.waits.pop(event.names, None)


def put(estate: Estate, event: events.MessagesPut, at: Instant, position: int) -> None:
    """Add messages to the queues they were put on, and count the choice."""
    messaging = estate.messaging_to_change(event.qmgr)
    for share in event.shares:
        if share.count:
            messaging.place(share.lies_on, parcels.put(event, share, position=position, at=at))
    _count(messaging, event.shares)
    estate.note_waiting(event.qmgr, messaging)
    handle = messaging.handles.get(event.handle)
    if handle is not None and event.fixed == "bind-on-group" and len(event.shares) == 1:
        bound = replace(event.shares[0], before=None, after=None)
        messaging.handles[event.handle] = handle._replace(group=event.group, grouped=bound)


def history_reset(
    estate: Estate, event: events.WorkloadHistoryReset, at: Instant, position: int
) -> None:
    """Reset all weight factors to zero; the order of use stays."""
    uses = estate.messaging_to_change(event.qmgr).workload.uses
    for route, use in uses.items():
        uses[route] = use._replace(factor=0)


def sent(estate: Estate, event: events.MessagesSent, at: Instant, position: int) -> None:
    """Take messages that a channel sends off its transmission queue."""
    messaging = estate.messaging_to_change(event.qmgr)
    messaging.take(event.queue, event.channel, event.count, nonpersistent=event.fast)
    estate.note_waiting(event.qmgr, messaging)
    channels.used(estate, event.qmgr, event.over or event.channel, at, sent=event.count)


def arrived(estate: Estate, event: events.MessagesArrived, at: Instant, position: int) -> None:
    """Add messages that arrived over a channel to a queue."""
    messaging = estate.messaging_to_change(event.qmgr)
    for parcel in event.parcels:
        messaging.place(event.queue, replace(parcel, channel="", reason=event.reason))
    _count_arrivals(estate, event, at)


def redirected(
    estate: Estate, event: events.MessagesRedirected, at: Instant, position: int
) -> None:
    """Add messages that arrived and are forwarded to the transmission queues of their routes."""
    messaging = estate.messaging_to_change(event.qmgr)
    rest: Iterable[Parcel] = event.parcels
    for share in event.shares:
        going, rest = parcels.split(rest, share.count)
        for parcel in going:
            on = parcels.sent_on(parcel, share, at, reason=event.reason, fixed=event.fixed)
            messaging.place(share.lies_on, on)
    _count(messaging, event.shares)
    estate.note_waiting(event.qmgr, messaging)
    _count_arrivals(estate, event, at)


def circulated(
    estate: Estate, event: events.MessagesCirculated, at: Instant, position: int
) -> None:
    """Count messages that go round for ever at the channel that brought them; they lie nowhere."""
    _count_arrivals(estate, event, at)


def _count_arrivals(
    estate: Estate,
    event: events.MessagesArrived | events.MessagesRedirected | events.MessagesCirculated,
    at: Instant,
) -> None:
    """Count arrived messages at the sender's channel.

    A replay of the receiver alone sees only their arrival, not that they were sent.
    """
    channels.used(estate, event.sender, event.channel, at, arrived=parcels.count_of(event.parcels))


def returned(estate: Estate, event: events.MessagesReturned, at: Instant, position: int) -> None:
    """Put messages back at the head of their transmission queue."""
    messaging = estate.messaging_to_change(event.qmgr)
    messaging.return_to_head(event.queue, event.channel, event.parcels)
    estate.note_waiting(event.qmgr, messaging)


def reallocated(
    estate: Estate, event: events.MessagesReallocated, at: Instant, position: int
) -> None:
    """Move messages to the queues of their new routes, and count the choices."""
    messaging = estate.messaging_to_change(event.qmgr)
    waiting = messaging.waiting[event.queue].get(event.channel, [])
    coming: list[tuple[str, Parcel]] = []
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
            coming.append((move.share.lies_on, moved))
            staying += rest
        waiting = staying
    messaging.leave(event.queue, event.channel, waiting)
    for queue, moved in coming:  # the new route may have the same queue and channel
        messaging.place(queue, moved)
    _count(messaging, [move.share for move in event.moves])
    estate.note_waiting(event.qmgr, messaging)


def dead_letters_handled(
    estate: Estate, event: events.DeadLettersHandled, at: Instant, position: int
) -> None:
    """Take messages off a dead-letter queue; put them where they go, and count the choice."""
    messaging = estate.messaging_to_change(event.qmgr)
    first, rest = parcels.split(messaging.local[event.queue], event.place)
    going, rest = parcels.split(rest, event.count)
    messaging.leave(event.queue, "", [*first, *rest])
    for share in event.shares:
        some, going = parcels.split(going, share.count)
        for parcel in some:
            messaging.place(share.lies_on, parcels.put_again(parcel, share, at, fixed=event.fixed))
    _count(messaging, event.shares)
    estate.note_waiting(event.qmgr, messaging)


def renewed(estate: Estate, event: events.MessagesRenewed, at: Instant, position: int) -> None:
    """Change the put time of messages that stay; this may split the parcel of one put."""
    waiting = estate.messaging_to_change(event.qmgr).waiting[event.queue]
    change = partial(parcels.renewed, event=event)
    waiting[event.channel] = parcels.cut_out(waiting[event.channel], event.spans, change)


def got(estate: Estate, event: events.MessagesGot, at: Instant, position: int) -> None:
    """Take messages off a queue for an application."""
    messaging = estate.messaging_to_change(event.qmgr)
    if not event.channel:
        messaging.take(event.queue, "", event.count)
        return
    waiting = messaging.waiting[event.queue][event.channel]
    rest = parcels.cut_out(waiting, event.spans)
    messaging.leave(event.queue, event.channel, rest)
    estate.note_waiting(event.qmgr, messaging)


def lost(estate: Estate, event: events.MessagesLost, at: Instant, position: int) -> None:
    """Take lost messages off their queue."""
    messaging = estate.messaging_to_change(event.qmgr)
    if event.why == "discarded":  # on arrival, before they were on a queue here
        channels.used(estate, event.sender, event.channel, at, arrived=event.count)
        return
    nonpersistent = event.why in _NOT_PERSISTENT
    messaging.take(event.queue, event.channel, event.count, nonpersistent=nonpersistent)
    if event.why == "cleared":
        objects.forget_depth(estate, estate.qmgrs[event.qmgr], event.queue)
    if event.channel and not messaging.waits_for(event.channel):
        messaging.in_doubt.pop(event.channel, None)
        messaging.at_risk.pop(event.channel, None)
        estate.note_holding(event.qmgr, messaging)
    estate.note_waiting(event.qmgr, messaging)


_NOT_PERSISTENT: Final = ("fast", "restarted")
"""The causes of loss that affect only nonpersistent messages."""


def _count(messaging: Messaging, shares: Iterable[Share]) -> None:
    """Set the counters of the routes that shares used."""
    workload = messaging.workload
    for share in shares:
        if share.after is not None:
            workload.uses[share.to, share.route] = RouteUse(*share.after)
            workload.last = max(workload.last, share.after[0])
