"""Fold the transmission queue, the batch and the holding of sending channels."""

from __future__ import annotations

from twin import events
from twin.fold.estate import Estate
from twin.fold.handlers import objects
from twin.fold.messaging import Switch
from twin.model.instants import Instant
from twin.model.objects import text_of


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


def kept(estate: Estate, event: events.TransmissionQueueKept, at: Instant, position: int) -> None:
    """Record that a channel keeps its transmission queue, although its XMITQ was altered."""
    estate.messaging_to_change(event.qmgr).kept[event.channel] = event.queue


def inhibited(
    estate: Estate, event: events.TransmissionQueueInhibited, at: Instant, position: int
) -> None:
    """Set a transmission queue GET(DISABLED) and NOTRIGGER, and keep the values before."""
    messaging = estate.messaging_to_change(event.qmgr)
    definition = estate.qmgrs[event.qmgr].definitions.get(("QUEUE", event.queue))
    if definition is not None:
        messaging.inhibited[event.queue] = (
            text_of(definition, "GET"),
            text_of(definition, "TRIGGER"),
        )
        _set(estate, event, ("DISABLED", "NO"))


def restored(
    estate: Estate, event: events.TransmissionQueueRestored, at: Instant, position: int
) -> None:
    """Give a transmission queue the GET and TRIGGER that it had before its channel was STOPPED."""
    before = estate.messaging_to_change(event.qmgr).inhibited.pop(event.queue, None)
    if before is not None:
        _set(estate, event, before)


def _set(
    estate: Estate,
    event: events.TransmissionQueueInhibited | events.TransmissionQueueRestored,
    get_and_trigger: tuple[str, str],
) -> None:
    qmgr = estate.qmgrs[event.qmgr]
    definition = qmgr.definitions.get(("QUEUE", event.queue))
    if definition is not None:
        get, trigger = get_and_trigger
        values = {**definition.values, "GET": get, "TRIGGER": trigger}
        objects.add_definition(estate, qmgr, definition._replace(values=values))


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
