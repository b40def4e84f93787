"""Fold the state of sending channels: transmission queue, batch, and whether they are held."""

from __future__ import annotations

from twin import events
from twin.fold import messaging_index, queue_contents
from twin.fold.estate import Estate
from twin.fold.messaging import Switch
from twin.model.instants import Instant


def switched(estate: Estate, event: events.MessagesSwitched, at: Instant, position: int) -> None:
    """Move messages from the old transmission queue of a channel to the new one."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    switch = messaging.switching[event.channel]
    for parcel in queue_contents.take(messaging, switch.queue, event.channel, event.count):
        queue_contents.lay(messaging, switch.to, parcel)


def switch_began(
    estate: Estate, event: events.TransmissionQueueSwitchBegan, at: Instant, position: int
) -> None:
    """Record that a channel is being switched."""
    del at
    messaging = messaging_index.to_change(estate, event.qmgr)
    messaging.switching[event.channel] = Switch(event.queue, event.to, position)


def assigned(
    estate: Estate,
    event: events.TransmissionQueueAssigned | events.TransmissionQueueSwitched,
    at: Instant,
    position: int,
) -> None:
    """Record which transmission queue a channel has."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    messaging.assigned[event.channel] = event.queue
    messaging.switching.pop(event.channel, None)


def in_doubt(estate: Estate, event: events.ChannelBatchInDoubt, at: Instant, position: int) -> None:
    """Record how many messages of a channel are in doubt."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    _note(messaging.in_doubt, event.channel, event.count)
    messaging_index.note_holding(estate, event.qmgr, messaging)


def at_risk(estate: Estate, event: events.MessagesAtRisk, at: Instant, position: int) -> None:
    """Record how many messages of a channel may be lost."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    _note(messaging.at_risk, event.channel, event.count)
    messaging_index.note_holding(estate, event.qmgr, messaging)


def held(estate: Estate, event: events.ChannelHeld, at: Instant, position: int) -> None:
    """Record that a channel is held back."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    (messaging.held_switch if event.switch else messaging.held)[event.channel] = None
    messaging_index.note_holding(estate, event.qmgr, messaging)


def released(estate: Estate, event: events.ChannelReleased, at: Instant, position: int) -> None:
    """Record that a channel is no longer held back."""
    del at, position
    messaging = messaging_index.to_change(estate, event.qmgr)
    (messaging.held_switch if event.switch else messaging.held).pop(event.channel, None)
    messaging_index.note_holding(estate, event.qmgr, messaging)


def _note(counts: dict[str, int], channel: str, count: int) -> None:
    if count:
        counts[channel] = count
    else:
        counts.pop(channel, None)
