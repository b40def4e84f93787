"""Fold repository commands in transit: kept, on queues, and on links with a delay."""

from __future__ import annotations

from twin import events
from twin.fold import parcels
from twin.fold.agenda import RERUN, TimerKind
from twin.fold.beliefs import CommandsInTransit, QueuedCommands, Trouble
from twin.fold.estate import Estate, QueueManager
from twin.fold.handlers.information import note_sent
from twin.model.instants import Instant
from twin.model.names import COMMAND_QUEUE


def queued(estate: Estate, event: events.ClusterCommandsQueued, at: Instant, position: int) -> None:
    """Add repository commands that wait for a channel."""
    qmgr = estate.changing(event.qmgr, "repository")
    qmgr.repository.waiting.setdefault(event.channel, []).append(_queued(event, at, position))
    estate.agenda.add(TimerKind.QUEUED, at, qmgr.name, (event.channel,))
    _note_sent(estate, qmgr, event)


def _queued(event: events.CommandsEvent, at: Instant, position: int) -> QueuedCommands:
    return QueuedCommands(
        event.cluster,
        event.to,
        at,
        position,
        event.items,
        event.asks,
        event.removals,
        event.answers,
    )


def _note_sent(
    estate: Estate,
    qmgr: QueueManager,
    event: events.CommandsEvent,
) -> None:
    """Record which of its own publications a queue manager sent, so that none is sent twice."""
    for item in event.items:
        if item.owner == qmgr.qmid:
            note_sent(estate, event.qmgr, event.cluster, event.to, item.sequence)


def sent(estate: Estate, event: events.ClusterCommandsSent, at: Instant, position: int) -> None:
    """Remove the commands that waited for a channel: the first ones, or all."""
    qmgr = estate.changing(event.qmgr, "repository")
    waiting = qmgr.repository.waiting.pop(event.channel, [])
    if event.count is not None and (rest := waiting[event.count :]):
        qmgr.repository.waiting[event.channel] = rest


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
        event.cluster,
        event.to,
        event.arrives,
        position,
        event.items,
        event.asks,
        event.removals,
        event.answers,
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


def kept(estate: Estate, event: events.ClusterCommandsKept, at: Instant, position: int) -> None:
    """Add repository commands that their repository manager keeps."""
    qmgr = estate.changing(event.qmgr, "repository")
    qmgr.repository.kept.append((event.channel, _queued(event, at, position)))
    _note_sent(estate, qmgr, event)


def resumed(
    estate: Estate, event: events.ClusterCommandsResumed, at: Instant, position: int
) -> None:
    """Remove the first commands that the repository manager kept."""
    del estate.changing(event.qmgr, "repository").repository.kept[0]


def put(estate: Estate, event: events.ClusterCommandsPut, at: Instant, position: int) -> None:
    """Add a repository command that arrived to a queue."""
    command, messaging = event.command, estate.messaging_to_change(event.qmgr)
    sender = estate.names[command.sender]
    parcel = events.Parcel(
        put=position,
        count=1,
        queue=COMMAND_QUEUE,
        at=at,
        by=sender,
        cluster=command.cluster,
        reason=event.reason,
        command=command,
    )
    messaging.place(event.queue, parcel)
    receiver = estate.qmgrs[event.qmgr].qmid
    for item in command.items:
        if item.owner == command.sender:
            note_sent(estate, sender, command.cluster, receiver, item.sequence)


def taken(estate: Estate, event: events.ClusterCommandsTaken, at: Instant, position: int) -> None:
    """Take repository commands off a local queue."""
    messaging = estate.messaging_to_change(event.qmgr)
    rest = parcels.cut_out(messaging.local[event.queue], [(event.place, event.count)])
    messaging.leave(event.queue, "", rest)


def exhausted(
    estate: Estate, event: events.RepositoryStorageExhausted, at: Instant, position: int
) -> None:
    """Record that a repository ran out of storage."""
    qmgr = estate.changing(event.qmgr, "repository")
    qmgr.repository.exhausted = qmgr.cluster_queues_changed = True


def page_set_filled(
    estate: Estate, event: events.PageSetFilled, at: Instant, position: int
) -> None:
    """Record that a page set is full, or has room again."""
    estate.changing(event.qmgr, "repository").cluster_queues_changed = True
    full = estate.messaging_to_change(event.qmgr).full_classes
    full.pop(event.stgclass, None)
    if event.full:
        full[event.stgclass] = None


def failed(
    estate: Estate, event: events.RepositoryManagerFailed, at: Instant, position: int
) -> None:
    """Record a failed operation of a repository manager, and start the timer of its rerun."""
    qmgr = estate.changing(event.qmgr, "repository")
    before, after, left = qmgr.repository.trouble, event.after, event.left
    said = qmgr.activity.seen.failing.get(qmgr.name) if event.seen else None
    seen = bool(event.seen or (before is not None and before.seen))
    qmgr.repository.trouble = Trouble(
        None if after is None else at + after,
        None if left is None else at + left,
        storage=not event.queue and not seen,
        since=said.since if said else before.since if before else at,
        queue=event.queue,
        reason=event.reason,
        seen=seen,
        position=said.position if said else position,
    )
    qmgr.cluster_queues_changed = True
    if after is not None:
        estate.agenda.add(TimerKind.RERUN, at + after, qmgr.name, RERUN)


def postponed(
    estate: Estate, event: events.RepositoryManagerPostponed, at: Instant, position: int
) -> None:
    """Stop the clock of a failed operation: record how much time is left."""
    repository = estate.changing(event.qmgr, "repository").repository
    if repository.trouble is not None and repository.trouble.ends is not None:
        left = repository.trouble.ends - at
        repository.trouble = repository.trouble._replace(retry=None, ends=left)


def restarted(
    estate: Estate, event: events.RepositoryManagerRestarted, at: Instant, position: int
) -> None:
    """Record that the failed operation succeeded."""
    estate.changing(event.qmgr, "repository").repository.trouble = None
