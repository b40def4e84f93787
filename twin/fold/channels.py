"""Fold how channels and listeners run."""

from __future__ import annotations

from twin import events
from twin.fold.estate import ChannelState, Estate
from twin.model.instants import Instant


def status_changed(
    estate: Estate, event: events.ChannelStatusChanged, at: Instant, position: int
) -> None:
    """Note a channel's status; an inactive one has none."""
    qmgr = estate.qmgrs[event.qmgr]
    channels = qmgr.activity.channels
    if event.status == "INACTIVE":
        channels.pop(event.channel, None)
    else:
        channels[event.channel] = ChannelState(
            event.status, event.partner, at, event.reason, position
        )
    qmgr.changed.add("activity")


def listener_started(
    estate: Estate, event: events.ListenerStarted, at: Instant, position: int
) -> None:
    """Note a listener as running since this instant."""
    del position
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.activity.listeners[event.listener] = at
    qmgr.changed.add("activity")


def listener_stopped(
    estate: Estate, event: events.ListenerStopped, at: Instant, position: int
) -> None:
    """Note a listener as stopped."""
    del at, position
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.activity.listeners.pop(event.listener, None)
    qmgr.changed.add("activity")
