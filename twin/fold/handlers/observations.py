"""Fold what feeds say of a running estate: it is noted, and changes nothing that a rule reads."""

from __future__ import annotations

from collections.abc import Iterable

from twin import events
from twin.fold.estate import Estate, QueueManager
from twin.fold.seen_states import SeenDepth, SeenStates, SeenStatus, note
from twin.model.instants import Instant
from twin.model.names import generic


def told(estate: Estate, event: events.Observation, at: Instant, position: int) -> None:
    """Note that something was observed of a queue manager of which nothing is defined."""
    if event.qmgr and event.qmgr not in estate.qmgrs:
        estate.undefined.setdefault(event.qmgr, position)


def channel(estate: Estate, event: events.ChannelObserved, at: Instant, position: int) -> None:
    """Note the status of a channel, known or not."""
    seen = _seen(estate, event, at, position)
    if seen is not None and event.status is not None:
        note(seen.channels, event.channel, SeenStatus(at, event.status, position))


def listed(estate: Estate, event: events.ChannelsListed, at: Instant, position: int) -> None:
    """Note that the channels that are known are inactive, because they were not listed."""
    if (seen := _seen(estate, event, at, position)) is not None:
        listed_elsewhere(estate, event, at, position)
        _not_listed(seen, event, _known_channels(estate.qmgrs[event.qmgr]), at, position)


def listed_elsewhere(
    estate: Estate, event: events.ChannelsListed, at: Instant, position: int
) -> None:
    """Note that channels with a status are inactive, without reading what else is known.

    That is enough for other queue managers.
    """
    if (seen := _seen(estate, event, at, position)) is not None:
        active = estate.qmgrs[event.qmgr].activity.channels
        _not_listed(seen, event, {*active, *seen.channels}, at, position)


def _not_listed(
    seen: SeenStates,
    event: events.ChannelsListed,
    known: Iterable[str],
    at: Instant,
    position: int,
) -> None:
    for name in known:
        if name not in event.shown and generic(event.complete, name):
            note(seen.channels, name, SeenStatus(at, "INACTIVE", position))


def queue_manager(
    estate: Estate, event: events.QueueManagerStatusObserved, at: Instant, position: int
) -> None:
    """Note the status of a queue manager."""
    if (seen := _seen(estate, event, at, position)) is not None:
        note(seen.qmgr, event.qmgr, SeenStatus(at, event.status, position))


def depths(estate: Estate, event: events.DepthsObserved, at: Instant, position: int) -> None:
    """Note the depths of queues."""
    if (seen := _seen(estate, event, at, position)) is not None:
        for each in event.depths:
            if each.depth is not None:
                note(seen.depths, each.queue, SeenDepth(at, each.depth, position))


def listeners(estate: Estate, event: events.ListenersObserved, at: Instant, position: int) -> None:
    """Note the listeners that ran, and the names of which an answer was complete."""
    if (seen := _seen(estate, event, at, position)) is not None:
        for name in event.running:
            note(seen.listeners, name, SeenStatus(at, "RUNNING", position))
        if event.complete is not None:
            note(seen.listeners, event.complete, SeenStatus(at, "LISTED", position))


def zone(estate: Estate, event: events.ZoneStated, at: Instant, position: int) -> None:
    """Note the zone of a queue manager, known or not."""
    estate.zones[event.qmgr] = event.zone


def _known_channels(qmgr: QueueManager) -> set[str]:
    """Return the channels that are defined, and those that are known from a cluster."""
    records = qmgr.repository.of_kind("qmgr")
    return {
        *(name for kind, name in qmgr.definitions if kind == "CHANNEL"),
        *(name[2] for name, belief in records if belief.owner != qmgr.qmid),
    }


def _seen(
    estate: Estate, event: events.Observation, at: Instant, position: int
) -> SeenStates | None:
    """Return what was seen at a queue manager, to change it; None for an unknown one."""
    if event.qmgr not in estate.qmgrs:
        told(estate, event, at, position)
        return None
    return estate.changing(event.qmgr, "activity").activity.seen
