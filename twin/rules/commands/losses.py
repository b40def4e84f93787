"""Messages that are lost by CLEAR QLOCAL, by DELETE QLOCAL, and at a restart.

- CLEAR and DELETE are refused for a queue that an application or a running channel has open. A
  queue with messages is deleted only with PURGE (IBM MQ 9.4, "CLEAR QLOCAL", "DELETE queues").
- With NPMCLASS(NORMAL), the default, nonpersistent messages are discarded at a restart (IBM MQ 9.1,
  "NonPersistentMessageClass"). Until the restart they remain on their queues.
- With NPMCLASS(HIGH) they survive an orderly end; after any other end they might be lost ("JMS
  persistent messages"). In the twin they always survive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from twin.events import MessagesAtRisk, MessagesLost, Parcel
from twin.fold.estate import QueueManager
from twin.fold.parcels import count_of
from twin.model.instants import Instant
from twin.model.messages import NOT_FOUND
from twin.model.names import CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE
from twin.model.objects import UNCLUSTERED, text_of
from twin.rules.channels import channel_status, stopping
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft, Reply, done, refused
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import local_queue

IN_USE = "AMQ8148"
NOT_EMPTY = "AMQ8143"
_ALWAYS: Final = frozenset({CLUSTER_TRANSMISSION_QUEUE, COMMAND_QUEUE})


def clear(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Remove all messages from a local queue that is not open."""
    name = command.name
    if local_queue(qmgr, name) is None:
        return refused(NOT_FOUND, name)
    if is_open(qmgr, name, draft.at):
        return refused(IN_USE)
    lose_all(draft, qmgr, name, "cleared")
    return done("AMQ8022")


def refusal(qmgr: QueueManager, queue: str, at: Instant, *, purge: bool) -> Reply | None:
    """Return why a local queue cannot be deleted at the instant `at`; None if it can."""
    if is_open(qmgr, queue, at):
        return refused(IN_USE)
    empty = not qmgr.has_messaging or not qmgr.messaging.depth(queue)
    return None if purge or empty else refused(NOT_EMPTY)


def lose_all(
    draft: Draft, qmgr: QueueManager, queue: str, why: Literal["cleared", "deleted"]
) -> None:
    """Lose all messages on a queue, also those of which only the depth was seen."""
    seen = qmgr.activity.seen.depths.get(queue) if qmgr.observed else None
    lose(draft, qmgr, queue, why)
    if seen is not None and seen.depth:
        draft.emit(MessagesLost(qmgr=qmgr.name, queue=queue, count=seen.depth, why=why))


def lose(draft: Draft, qmgr: QueueManager, queue: str, why: Literal["cleared", "deleted"]) -> None:
    """Lose all messages on a queue that the twin knows one by one."""
    if qmgr.has_messaging:
        waiting = qmgr.messaging.waiting.get(queue, {}).items()
        messages = [(queue, "", qmgr.messaging.local.get(queue, []))]
        messages += [(queue, channel, parcels) for channel, parcels in waiting]
        _lose(draft, qmgr, messages, why)


def lose_with_queues(draft: Draft, qmgr: QueueManager) -> None:
    """Lose the messages on queues that a restore, or an observation, shows to be gone.

    Every queue manager has the queues of its repository manager, even if they were not observed.
    """
    messaging = qmgr.messaging if qmgr.has_messaging else None
    for queue in dict.fromkeys((*messaging.local, *messaging.waiting)) if messaging else ():
        if queue not in _ALWAYS and local_queue(qmgr, queue) is None:
            lose(draft, qmgr, queue, "deleted")


def _lose(
    draft: Draft,
    qmgr: QueueManager,
    messages: Iterable[tuple[str, str, list[Parcel]]],
    why: Literal["cleared", "deleted", "restarted"],
) -> None:
    """Lose messages, given as (queue that they are on, channel that they wait for, messages)."""
    for queue, channel, parcels in messages:
        if count := count_of(parcels):
            draft.emit(
                MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why=why, channel=channel)
            )


def discard(draft: Draft, qmgr: QueueManager) -> None:
    """Lose the nonpersistent messages of a queue manager at its restart."""
    if not qmgr.has_messaging:
        return
    messaging = qmgr.messaging
    messages = [(queue, "", parcels) for queue, parcels in messaging.local.items()]
    messages += [
        (queue, channel, parcels)
        for queue, waiting in messaging.waiting.items()
        for channel, parcels in waiting.items()
    ]
    discarded = [
        (queue, channel, [parcel for parcel in parcels if not parcel.persistent])
        for queue, channel, parcels in messages
        if not _keeps(qmgr, queue)
    ]
    _lose(draft, qmgr, discarded, "restarted")
    for channel in list(messaging.in_doubt):
        stopping.limit_in_doubt(draft, qmgr, channel)
    for channel, at_risk in list(messaging.at_risk.items()):
        first = stopping.first_messages(qmgr, channel, at_risk, only_nonpersistent=True)
        remaining = sum(count for _, count in first)
        if remaining < at_risk:
            draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=remaining))


def _keeps(qmgr: QueueManager, name: str) -> bool:
    """Return whether nonpersistent messages on a local queue survive a restart."""
    queue = local_queue(qmgr, name)
    return queue is not None and text_of(queue, "NPMCLASS") == "HIGH"


def is_open(qmgr: QueueManager, queue: str, at: Instant) -> bool:
    """Return whether an application or a running channel has a queue open at the instant `at`.

    A handle counts as opening the local object of its name. The repository manager always has the
    command queue open.
    """
    if queue == COMMAND_QUEUE and qmgr.running:
        return True
    if qmgr.has_messaging:
        handles = qmgr.messaging.handles.values()
        if any(queue in (handle.queue, handle.base) for handle in handles):
            return True
    return any(
        state.status == "RUNNING"
        and _has(qmgr, channel, queue)
        and not channel_status.is_idle(qmgr, channel, state, at)
        for channel, state in qmgr.activity.channels.items()
    )


def _has(qmgr: QueueManager, channel: str, queue: str) -> bool:
    """Return whether a channel gets its messages from a queue, or they are moved from it."""
    kind = qmgr.channels.get(channel, "CLUSSDR")
    if kind in UNCLUSTERED:
        return transmission_queues.queue_of(qmgr, channel) == queue
    return kind == "CLUSSDR" and queue in transmission_queues.queues(qmgr, channel)
