"""Fold messages: put, sent, arrived, taken, moved, lost; and what is counted of routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin import events
from twin.events import Parcel, Share
from twin.fold.estate import Estate
from twin.fold.messaging import Handle, Messaging, Switch, Use
from twin.model.instants import Instant


def of(estate: Estate, name: str) -> Messaging:
    """Return what a queue manager has of messages, to be changed."""
    qmgr = estate.qmgrs[name]
    qmgr.busy = True
    qmgr.changed.add("messaging")
    return qmgr.messaging


def opened(estate: Estate, event: events.HandleOpened, at: Instant, position: int) -> None:
    """Keep an open handle, and count the choice that bound it."""
    del at, position
    messaging = of(estate, event.qmgr)
    if event.handle:
        messaging.handles[event.handle] = Handle(
            event.queue, event.base, event.to, event.bind, event.profile, event.bound
        )
    if event.bound is not None:
        _count(messaging, [event.bound])


def closed(estate: Estate, event: events.HandleClosed, at: Instant, position: int) -> None:
    """Forget a handle."""
    del at, position
    of(estate, event.qmgr).handles.pop(event.handle, None)


def put(estate: Estate, event: events.MessagesPut, at: Instant, position: int) -> None:
    """Lay messages on the queues they were put on, and count the choice."""
    messaging = of(estate, event.qmgr)
    for share in event.shares:
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
        )
        _lay(messaging, share.lies_on, parcel)
    _count(messaging, event.shares)
    handle = messaging.handles.get(event.handle)
    if handle is not None and event.bind == "group" and len(event.shares) == 1:
        kept = replace(event.shares[0], before=None, after=None)
        messaging.handles[event.handle] = handle._replace(group=event.group, grouped=kept)


def history_reset(
    estate: Estate, event: events.WorkloadHistoryReset, at: Instant, position: int
) -> None:
    """Begin to count weights anew; who was used when stays."""
    del at, position
    uses = of(estate, event.qmgr).workload.uses
    for route, use in uses.items():
        uses[route] = use._replace(factor=0)


def sent(estate: Estate, event: events.MessagesSent, at: Instant, position: int) -> None:
    """Take messages off a transmission queue."""
    del at, position
    _take(of(estate, event.qmgr), event.queue, event.channel, event.count)


def arrived(estate: Estate, event: events.MessagesArrived, at: Instant, position: int) -> None:
    """Lay what came over a channel on a queue."""
    del at, position
    messaging = of(estate, event.qmgr)
    for parcel in event.parcels:
        _lay(messaging, event.queue, replace(parcel, channel=""))


def redirected(
    estate: Estate, event: events.MessagesRedirected, at: Instant, position: int
) -> None:
    """Lay what came over a channel, and is for another instance, where it goes on from."""
    del position
    messaging = of(estate, event.qmgr)
    coming = list(event.parcels)
    for share in event.shares:
        taken, coming = split(coming, share.count)
        for parcel in taken:
            _lay(messaging, share.lies_on, _for(parcel, share, at, redirected=True))
    _count(messaging, event.shares)


def returned(estate: Estate, event: events.MessagesReturned, at: Instant, position: int) -> None:
    """Lay messages back at the head of the transmission queue they had left."""
    del at, position
    messaging = of(estate, event.qmgr)
    lying = messaging.waiting.setdefault(event.queue, {}).setdefault(event.channel, [])
    lying[:0] = event.parcels


def reallocated(
    estate: Estate, event: events.MessagesReallocated, at: Instant, position: int
) -> None:
    """Lay messages that were chosen another route where that leads, and count the choices."""
    del position
    messaging = of(estate, event.qmgr)
    lying = messaging.waiting[event.queue].get(event.channel, [])
    for move in event.moves:
        left: list[Parcel] = []
        wanted = move.share.count
        for parcel in lying:
            taken = min(parcel.count, wanted) if parcel.put == move.put and not parcel.fixed else 0
            wanted -= taken
            if taken:
                gone = replace(parcel, count=taken)
                _lay(messaging, move.share.lies_on, _for(gone, move.share, at))
            if taken < parcel.count:
                left.append(replace(parcel, count=parcel.count - taken) if taken else parcel)
        lying = left
    _leave(messaging, event.queue, event.channel, lying)
    _count(messaging, [move.share for move in event.moves])


def switched(estate: Estate, event: events.MessagesSwitched, at: Instant, position: int) -> None:
    """Move messages from the queue a channel is switched from to the one it is switched to."""
    del at, position
    messaging = of(estate, event.qmgr)
    switch = messaging.switching[event.channel]
    for parcel in _take(messaging, switch.queue, event.channel, event.count):
        _lay(messaging, switch.to, parcel)


def switch_began(
    estate: Estate, event: events.TransmissionQueueSwitchBegan, at: Instant, position: int
) -> None:
    """Note that a channel is being switched."""
    del at
    messaging = of(estate, event.qmgr)
    messaging.switching[event.channel] = Switch(event.queue, event.to, position)


def assigned(
    estate: Estate,
    event: events.TransmissionQueueAssigned | events.TransmissionQueueSwitched,
    at: Instant,
    position: int,
) -> None:
    """Note which transmission queue a channel has."""
    del at, position
    messaging = of(estate, event.qmgr)
    messaging.assigned[event.channel] = event.queue
    messaging.switching.pop(event.channel, None)


def got(
    estate: Estate, event: events.MessagesGot | events.MessagesLost, at: Instant, position: int
) -> None:
    """Take messages off a queue: by an application, or because they are lost."""
    del at, position
    messaging = of(estate, event.qmgr)
    if isinstance(event, events.MessagesLost) and event.channel:
        taken = _take(messaging, event.queue, event.channel, event.count)
        del taken
        return
    _, left = split(messaging.local.get(event.queue, []), event.count)
    if left:
        messaging.local[event.queue] = left
    else:
        messaging.local.pop(event.queue, None)


def in_doubt(estate: Estate, event: events.ChannelBatchInDoubt, at: Instant, position: int) -> None:
    """Note how many messages of a channel are in doubt."""
    del at, position
    _note(of(estate, event.qmgr).in_doubt, event.channel, event.count)


def at_risk(estate: Estate, event: events.MessagesAtRisk, at: Instant, position: int) -> None:
    """Note how many messages of a channel may be lost."""
    del at, position
    _note(of(estate, event.qmgr).at_risk, event.channel, event.count)


def held(estate: Estate, event: events.ChannelHeld, at: Instant, position: int) -> None:
    """Note that a channel is held back."""
    del at, position
    messaging = of(estate, event.qmgr)
    (messaging.held_switch if event.switch else messaging.held)[event.channel] = None


def released(estate: Estate, event: events.ChannelReleased, at: Instant, position: int) -> None:
    """Note that a channel is held back no longer."""
    del at, position
    messaging = of(estate, event.qmgr)
    (messaging.held_switch if event.switch else messaging.held).pop(event.channel, None)


def split(parcels: Iterable[Parcel], count: int) -> tuple[list[Parcel], list[Parcel]]:
    """Divide messages into the first `count` and the rest."""
    first: list[Parcel] = []
    rest: list[Parcel] = []
    for parcel in parcels:
        taken = min(count, parcel.count)
        count -= taken
        if taken:
            first.append(parcel if taken == parcel.count else replace(parcel, count=taken))
        if taken < parcel.count:
            rest.append(replace(parcel, count=parcel.count - taken) if taken else parcel)
    return first, rest


def _for(parcel: Parcel, share: Share, at: Instant, *, redirected: bool = False) -> Parcel:
    """Address messages anew, as they were chosen another route."""
    return replace(
        parcel,
        queue=share.queue,
        to=share.to,
        channel=share.channel,
        cluster=share.cluster,
        at=at,
        redirected=parcel.redirected or redirected,
    )


def _lay(messaging: Messaging, queue: str, parcel: Parcel) -> None:
    if parcel.channel:
        messaging.waiting.setdefault(queue, {}).setdefault(parcel.channel, []).append(parcel)
    else:
        messaging.local.setdefault(queue, []).append(parcel)


def _take(messaging: Messaging, queue: str, channel: str, count: int) -> list[Parcel]:
    taken, left = split(messaging.waiting.get(queue, {}).get(channel, []), count)
    _leave(messaging, queue, channel, left)
    return taken


def _leave(messaging: Messaging, queue: str, channel: str, left: list[Parcel]) -> None:
    channels = messaging.waiting.get(queue, {})
    if left:
        channels[channel] = left
        return
    channels.pop(channel, None)
    if not channels:
        messaging.waiting.pop(queue, None)


def _count(messaging: Messaging, shares: Iterable[Share]) -> None:
    workload = messaging.workload
    for share in shares:
        if share.after is not None:
            workload.uses[share.to, share.route] = Use(*share.after)
            workload.last = max(workload.last, share.after[0])


def _note(counts: dict[str, int], channel: str, count: int) -> None:
    if count:
        counts[channel] = count
    else:
        counts.pop(channel, None)
