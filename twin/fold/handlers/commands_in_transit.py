"""Fold repository commands in transit: on transmission queues and on links with a delay."""

from __future__ import annotations

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import CommandsInTransit, QueuedCommands
from twin.fold.estate import Estate, QueueManager
from twin.fold.handlers.information import note_sent
from twin.model.instants import Instant


def queued(estate: Estate, event: events.ClusterCommandsQueued, at: Instant, position: int) -> None:
    """Add repository commands that wait for a channel."""
    qmgr = estate.changing(event.qmgr, "repository")
    waiting = QueuedCommands(
        event.cluster, event.to, at, position, event.items, event.asks, event.removals
    )
    qmgr.repository.waiting.setdefault(event.channel, []).append(waiting)
    estate.agenda.add(TimerKind.QUEUED, at, qmgr.name, (event.channel,))
    _note_sent(estate, qmgr, event)


def _note_sent(
    estate: Estate,
    qmgr: QueueManager,
    event: events.ClusterCommandsQueued | events.ClusterCommandsUnderWay,
) -> None:
    """Record which of its own publications a queue manager sent, so that none is sent twice."""
    for item in event.items:
        if item.owner == qmgr.qmid:
            note_sent(estate, event.qmgr, event.cluster, event.to, item.sequence)


def sent(estate: Estate, event: events.ClusterCommandsSent, at: Instant, position: int) -> None:
    """Remove all commands that waited for a channel."""
    qmgr = estate.changing(event.qmgr, "repository")
    qmgr.repository.waiting.pop(event.channel, None)


def expired(
    estate: Estate, event: events.ClusterCommandsExpired, at: Instant, position: int
) -> None:
    """Remove the commands that waited too long for a channel."""
    qmgr = estate.changing(event.qmgr, "repository")
    waiting = qmgr.repository.waiting.pop(event.channel, [])
    if rest := [commands for commands in waiting if commands.since > event.since]:
        qmgr.repository.waiting[event.channel] = rest


def under_way(
    estate: Estate, event: events.ClusterCommandsUnderWay, at: Instant, position: int
) -> None:
    """Add repository commands that were sent but have not arrived yet."""
    qmgr = estate.changing(event.qmgr, "repository")
    parcel = CommandsInTransit(
        event.cluster, event.to, event.arrives, position, event.items, event.asks, event.removals
    )
    qmgr.repository.under_way.setdefault(event.channel, []).append(parcel)
    estate.agenda.add(TimerKind.UNDER_WAY, event.arrives, qmgr.name, (event.channel,))
    _note_sent(estate, qmgr, event)


def arrived(
    estate: Estate, event: events.ClusterCommandsArrived, at: Instant, position: int
) -> None:
    """Remove the commands that arrived."""
    qmgr = estate.changing(event.qmgr, "repository")
    moving = qmgr.repository.under_way.pop(event.channel, [])
    if rest := [commands for commands in moving if commands.arrives > at]:
        qmgr.repository.under_way[event.channel] = rest
