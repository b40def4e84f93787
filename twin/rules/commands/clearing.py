"""Messages that are lost by CLEAR QLOCAL and DELETE QLOCAL.

Source: IBM MQ 9.4, "CLEAR QLOCAL" and "DELETE queues": both are refused for a queue that is open,
by a handle or by a running channel. A queue with messages is deleted only with PURGE.
"""

from __future__ import annotations

from typing import Literal

from twin.events import MessagesLost
from twin.fold.estate import QueueManager
from twin.model.channel_types import UNCLUSTERED
from twin.model.instants import Instant
from twin.model.messages import NOT_FOUND
from twin.rules.channels import disconnecting
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues
from twin.rules.replies import Reply, done, refused

IN_USE = "AMQ8148"
NOT_EMPTY = "AMQ8143"


def clear(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Remove all messages from a local queue that is not open."""
    name = command.name
    queue = qmgr.definitions.get(("QUEUE", name))
    if queue is None or queue.type != "QLOCAL":
        return refused(NOT_FOUND, name)
    if is_open(qmgr, name, draft.at):
        return refused(IN_USE)
    lose(draft, qmgr, name, "cleared")
    return done("AMQ8022")


def refusal(qmgr: QueueManager, queue: str, at: Instant, *, purge: bool) -> Reply | None:
    """Return why a local queue cannot be deleted at an instant; None if it can."""
    if is_open(qmgr, queue, at):
        return refused(IN_USE)
    return (
        None
        if purge or not qmgr.has_messaging or not qmgr.messaging.depth(queue)
        else refused(NOT_EMPTY)
    )


def lose(draft: Draft, qmgr: QueueManager, queue: str, why: Literal["cleared", "deleted"]) -> None:
    """Lose all messages on a queue."""
    if not qmgr.has_messaging:
        return
    lying = [("", qmgr.messaging.local.get(queue, ()))]
    lying += qmgr.messaging.waiting.get(queue, {}).items()
    for channel, parcels in lying:
        if count := sum(parcel.count for parcel in parcels):
            draft.emit(
                MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why=why, channel=channel)
            )


def is_open(qmgr: QueueManager, queue: str, at: Instant) -> bool:
    """Return whether an application or a running channel has a queue open at an instant.

    A handle opens the local object of its name.
    """
    if qmgr.has_messaging:
        handles = qmgr.messaging.handles.values()
        if any(queue in (handle.queue, handle.base) for handle in handles):
            return True
    return any(
        state.status == "RUNNING"
        and _has(qmgr, channel, queue)
        and not disconnecting.is_idle(qmgr, channel, state, at)
        for channel, state in qmgr.activity.channels.items()
    )


def _has(qmgr: QueueManager, channel: str, queue: str) -> bool:
    """Return whether a channel gets its messages from a queue."""
    kind = qmgr.channels.get(channel, "CLUSSDR")
    if kind in UNCLUSTERED:
        return qmgr.definitions["CHANNEL", channel].values.get("XMITQ") == queue
    return kind == "CLUSSDR" and transmission_queues.in_use(qmgr, channel) == queue
