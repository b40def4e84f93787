"""Fold the transmission queue, the batch and the holding of sending channels."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Estate
from twin.fold.messaging import Switch
from twin.model.instants import Instant


def switched(estate: Estate, event: events.MessagesSwitched, at: Instant, position: int) -> None:
    """Move messages from the old transmission queue of a channel to the new one."""
    messaging = estate.messaging_to_change(event.qmgr)
    switch = messaging.switching[event.channel]
    for parcel in messaging.take(switch.queue, event.channel, event.count):
        messaging.place(switch.to, parcel)


def switch_began(
    estate: Estate, event: events.TransmissionQueueSwitchBegan, at: Instant, position: int
) -> None:
    """Record that a channel is being switched."""
    messaging = estate.messaging_to_change(event.qmgr)
    messaging.switching[event.channel] = Switch(event.queue, event.to, position)


def switch_stopped(
    estate: Estate, event: events.TransmissionQueueSwitchStopped, at: Instant, position: int
) -> None:
    """Record why the switch of a channel has stopped."""
    switching = estate.messaging_to_change(event.qmgr).switching
    switching[event.channel] = switching[event.channel]._replace(stopped=event.reason)


def assigned(
    estate: Estate,
    event: events.TransmissionQueueAssigned | events.TransmissionQueueSwitched,
    at: Instant,
    position: int,
) -> None:
    """Record which transmission queue a channel has."""
    messaging = estate.messaging_to_change(event.qmgr)
    messaging.assigned[event.channel] = event.queue
    messaging.switching.pop(event.channel, None)


def in_doubt(estate: Estate, event: events.ChannelBatchInDoubt, at: Instant, position: int) -> None:
    """Record how many messages of a channel are in doubt."""
    messaging = estate.messaging_to_change(event.qmgr)
    _note(messaging.in_doubt, event.channel, event.count)
    estate.note_holding(event.qmgr, messaging)


def at_risk(estate: Estate, event: events.MessagesAtRisk, at: Instant, position: int) -> None:
    """Record how many messages of a channel may be lost."""
    messaging = estate.messaging_to_change(event.qmgr)
    _note(messaging.at_risk, event.channel, event.count)
    estate.note_holding(event.qmgr, messaging)


def held(estate: Estate, event: events.ChannelHeld, at: Instant, position: int) -> None:
    """Record that a channel is held."""
    messaging = estate.messaging_to_change(event.qmgr)
    (messaging.held_switch if event.switch else messaging.held)[event.channel] = None
    estate.note_holding(event.qmgr, messaging)


def released(estate: Estate, event: events.ChannelReleased, at: Instant, position: int) -> None:
    """Record that a channel is no longer held."""
    messaging = estate.messaging_to_change(event.qmgr)
    (messaging.held_switch if event.switch else messaging.held).pop(event.channel, None)
    estate.note_holding(event.qmgr, messaging)


def _note(counts: dict[str, int], channel: str, count: int) -> None:
    if count:
        counts[channel] = count
    else:
        counts.pop(channel, None)
