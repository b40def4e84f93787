"""Transmission queues that are GET(DISABLED): their channels end and send nothing.

Sources: the error log of such a channel (AMQ9549); IBM MQ, "API reason codes", 2016. The channel
becomes INACTIVE, as if it had nothing to send. A message or START CHANNEL starts it again [memory,
unverified]. Repository commands wait as well.
"""

from __future__ import annotations

from typing import Final

from twin.events import ErrorLogged
from twin.fold.estate import QueueManager
from twin.model.objects import UNCLUSTERED, Definition, text_of
from twin.rules import standing
from twin.rules.channels import channel_status, disconnecting, stopping
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import is_get_inhibited

GET_INHIBITED: Final = "AMQ9549"
"""The error log message of a channel whose transmission queue is GET(DISABLED)."""


def inhibited_queue(qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel if it is GET(DISABLED), otherwise ''."""
    queue = _queue_of(qmgr, channel)
    return queue if queue and is_get_inhibited(qmgr, queue) else ""


def _queue_of(qmgr: QueueManager, channel: str) -> str:
    """Return the queue that a channel gets from; '' for a channel that only receives."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        return transmission_queues.queues(qmgr, channel)[0]
    return transmission_queues.queue_of(qmgr, channel) if definition.type in UNCLUSTERED else ""


def start_for_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let an INACTIVE channel start if messages wait for it.

    A held channel does not start now, but with the next message or when it is released. A channel
    whose queue is GET(DISABLED) starts with the next message or START CHANNEL after the queue is
    enabled (decision 14).
    """
    if channel in qmgr.messaging.held or inhibited_queue(qmgr, channel):
        return
    if disconnecting.current_state(qmgr, channel, draft.at) is None:
        channel_status.note_outcome(draft, qmgr, channel, "ran")


def end_if_inhibited(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """End a started channel if its queue is GET(DISABLED); return whether it sends nothing now."""
    queue = inhibited_queue(qmgr, channel)
    if not queue:
        return False
    if standing.stands(qmgr, channel):
        return True
    if channel in qmgr.activity.channels:
        stopping.stop(draft, qmgr, channel, status="INACTIVE", mode="QUIESCE")
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=GET_INHIBITED, inserts=(queue,)))
    return True


def get_changed(
    draft: Draft, qmgr: QueueManager, was: Definition | None, now: Definition | None
) -> None:
    """End the channels of a queue that became GET(DISABLED), or let them send again.

    If messages wait, GET(ENABLED) and TRIGGER are trigger events for sender and server channels
    [memory, unverified].
    """
    if now is None:
        return
    for channel in transmission_queues.servers(qmgr, now.name):
        idle = disconnecting.current_state(qmgr, channel, draft.at) is None
        if idle and transmission_queues.is_triggered(qmgr, channel):
            channel_status.note_outcome(draft, qmgr, channel, "ran")
    before, after = (text_of(queue, "GET") if queue is not None else "" for queue in (was, now))
    if before == after:
        return
    for channel, state in list(qmgr.activity.channels.items()):
        if state.status != "RUNNING" or _queue_of(qmgr, channel) != now.name:
            continue
        if after == "ENABLED":  # it was observed RUNNING although disabled
            channel_status.note_outcome(draft, qmgr, channel, "ran")
        elif disconnecting.is_idle(qmgr, channel, state, draft.at):  # it has disconnected
            stopping.stop(draft, qmgr, channel, status="INACTIVE", mode="QUIESCE")
        else:
            end_if_inhibited(draft, qmgr, channel)
