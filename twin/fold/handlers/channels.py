"""Fold channels (status, transmission queue, batch, holding), links, listeners and services."""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.estate import DISCINT, ChannelState, Estate, Link, Silence
from twin.fold.handlers import objects
from twin.fold.messaging import Switch
from twin.model.instants import Instant
from twin.model.objects import text_of
from twin.model.retries import Retries
from twin.model.silence import HBINT


def status_changed(
    estate: Estate, event: events.ChannelStatusChanged, at: Instant, position: int
) -> None:
    """Record a channel's status; an inactive channel has no entry.

    A pass ends with the status that it belongs to. A switch is interrupted as its channel ends. The
    message that says why a STOPPING channel failed still says so when it has stopped.
    """
    qmgr = estate.changing(event.qmgr, "activity")
    channels = qmgr.activity.channels
    before = channels.get(event.channel)
    failed = before.reason if before is not None and before.status == "STOPPING" else ""
    qmgr.activity.portions.pop((event.channel, "pass"), None)
    if event.status in {"INACTIVE", "STOPPED", "STOPPING"}:
        qmgr.activity.portions.pop((event.channel, "switch"), None)
    if event.status == "INACTIVE":
        channels.pop(event.channel, None)
    else:
        channels[event.channel] = ChannelState(
            event.status,
            event.partner,
            at,
            event.reason or failed,
            position,
            retries=_retries(event),
            gives_up=event.gives_up,
            discint=DISCINT if event.discint is None else event.discint,
            observed=event.observed,
            hbint=HBINT if event.hbint is None else event.hbint,
        )
    if qmgr.has_messaging and event.channel in qmgr.messaging.kept:
        estate.messaging_to_change(event.qmgr).kept.pop(event.channel)
    if event.status == "RUNNING":
        qmgr.activity.saved[event.channel] = at
        qmgr.activity.tried.pop(event.channel, None)
    elif event.status == "RETRYING" and event.channel not in qmgr.activity.saved:
        qmgr.activity.tried[event.channel] = None
    if event.gives_up is not None:
        estate.agenda.add(TimerKind.GIVING_UP, event.gives_up, qmgr.name, (event.channel,))


def _retries(event: events.ChannelStatusChanged) -> Retries:
    if event.retries is None and not event.hangs:
        return USUAL
    return Retries(*(event.retries or USUAL[:4]), event.hangs)


def end_silent(estate: Estate, event: events.ChannelEndSilent, at: Instant, position: int) -> None:
    """Record that an end of a channel gets no answer, and when it will notice."""
    qmgr = estate.changing(event.qmgr, "activity")
    silence = Silence(event.heard, event.notices, event.waits, event.since, position=position)
    if event.receiving:
        qmgr.activity.silent[event.channel, event.partner] = silence
    else:
        state = qmgr.activity.channels[event.channel]
        qmgr.activity.channels[event.channel] = state._replace(silence=silence)
    if event.notices is not None:
        key = (event.channel, event.partner) if event.receiving else (event.channel,)
        estate.agenda.add(TimerKind.SILENT, event.notices, qmgr.name, key)


def end_heard(estate: Estate, event: events.ChannelEndHeard, at: Instant, position: int) -> None:
    """Record that an end of a channel is not silent any more."""
    activity = estate.changing(event.qmgr, "activity").activity
    if event.receiving:
        activity.silent.pop((event.channel, event.partner), None)
    elif (state := activity.channels.get(event.channel)) is not None:
        activity.channels[event.channel] = state._replace(silence=None)


def receiving_end_ended(
    estate: Estate, event: events.ReceivingEndEnded, at: Instant, position: int
) -> None:
    """Record that a receiving end has ended; its partner still believes that it runs."""
    silent = estate.changing(event.qmgr, "activity").activity.silent
    key = (event.channel, event.partner)
    silent[key] = silent.get(key, Silence(at, None))._replace(ended=True, position=position)


def used(
    estate: Estate, name: str, channel: str, at: Instant, *, sent: int = 0, arrived: int = 0
) -> None:
    """Record that a channel sent messages, if the queue manager and the channel's status exist."""
    qmgr = estate.qmgrs.get(name)
    state = qmgr.activity.channels.get(channel) if qmgr is not None else None
    if qmgr is None or state is None:
        return
    qmgr.activity.channels[channel] = state._replace(
        used=at, sent=state.sent + sent, arrived=state.arrived + arrived
    )
    qmgr.changed.add("activity")


USUAL: Final = Retries()
"""The retry counts and intervals of a channel if its event gives none."""


def retry_awaited(
    estate: Estate, event: events.ChannelRetryAwaited, at: Instant, position: int
) -> None:
    """Record the next retry that will have an effect, and why the last one failed if it says so.

    An event without an instant clears the next retry.
    """
    qmgr = estate.changing(event.qmgr, "activity")
    state = qmgr.activity.channels[event.channel]
    qmgr.activity.channels[event.channel] = state._replace(
        retry=event.at, reason=event.reason or state.reason
    )
    if event.at is not None:
        estate.agenda.add(TimerKind.RETRYING, event.at, qmgr.name, (event.channel,))


def message_retry_awaited(
    estate: Estate, event: events.MessageRetryAwaited, at: Instant, position: int
) -> None:
    """Record the next and the last attempt of a partner to put a message, or that it ended."""
    qmgr = estate.changing(event.qmgr, "activity")
    retry = None if event.at is None or event.last is None else (event.at, event.last)
    state = qmgr.activity.channels[event.channel]
    qmgr.activity.channels[event.channel] = state._replace(message_retry=retry)
    if retry is not None:
        estate.agenda.add(TimerKind.MESSAGE_RETRY, retry[0], qmgr.name, (event.channel,))


def link_changed(estate: Estate, event: events.LinkChanged, at: Instant, position: int) -> None:
    """Record the network between two queue managers; fields that the event leaves out stay."""
    pair = (min(event.qmgr, event.other), max(event.qmgr, event.other))
    before = estate.links.get(pair, Link())
    cut = before.cut if event.cut is None else event.cut
    latency = before.latency if event.latency is None else event.latency
    silent = before.silent if event.cut is None else event.silent
    estate.links[pair] = Link(cut, latency, silent)
    if event.cut is False:
        estate.healed[pair] = at


def listener_started(
    estate: Estate, event: events.ListenerStarted, at: Instant, position: int
) -> None:
    """Record that a listener has been running since this instant."""
    estate.changing(event.qmgr, "activity").activity.listeners[event.listener] = at


def listener_stopped(
    estate: Estate, event: events.ListenerStopped, at: Instant, position: int
) -> None:
    """Record that a listener is stopped."""
    estate.changing(event.qmgr, "activity").activity.listeners.pop(event.listener, None)


def service_started(
    estate: Estate, event: events.ServiceStarted, at: Instant, position: int
) -> None:
    """Record that a service has been running since this instant."""
    estate.changing(event.qmgr, "activity").activity.services[event.service] = at


def service_stopped(
    estate: Estate, event: events.ServiceStopped, at: Instant, position: int
) -> None:
    """Record that a service is stopped."""
    estate.changing(event.qmgr, "activity").activity.services.pop(event.service, None)


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
    _no_portion(estate, event)


def portion_awaited(
    estate: Estate, event: events.PortionAwaited, at: Instant, position: int
) -> None:
    """Record when a switch or a pass goes on with its next portion, if one follows."""
    activity, key = estate.changing(event.qmgr, "activity").activity, (event.channel, event.work)
    if event.portion is None:
        activity.portions.pop(key, None)
        return
    activity.portions[key] = event.portion
    estate.agenda.add(TimerKind.PORTION, event.portion.at, event.qmgr, key)
    if event.work == "switch":
        switching = estate.messaging_to_change(event.qmgr).switching
        switching[event.channel] = switching[event.channel]._replace(stopped=0)


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
    _no_portion(estate, event)


def _no_portion(estate: Estate, event: events.ChannelEvent) -> None:
    """Record that no portion of a switch follows, because it has ended or stopped."""
    qmgr = estate.qmgrs[event.qmgr]
    if qmgr.activity.portions.pop((event.channel, "switch"), None) is not None:
        qmgr.changed.add("activity")


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
