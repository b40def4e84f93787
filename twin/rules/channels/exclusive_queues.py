"""A sender or server channel has its transmission queue alone, and takes it along when it stops.

A second channel that starts on the same queue cannot open it (2042, AMQ9509) and retries. If a
channel is STOPPED, MQ sets its queue GET(DISABLED) and NOTRIGGER; a successful start restores both.
Cluster transmission queues are shared by their channels and are left as they are.

Sources: IBM MQ, "Channel errors" (a stopped sender or server channel); "API reason codes", 2042;
for the second channel [memory, unverified]. Decided here: while another channel runs on the queue,
a STOPPED channel leaves it as it is, and the start of any of its channels restores it. At an
observed queue manager the queue stays as it was observed.
"""

from __future__ import annotations

from twin.events import (
    ChannelRetryAwaited,
    ErrorLogged,
    TransmissionQueueInhibited,
    TransmissionQueueKept,
    TransmissionQueueRestored,
)
from twin.fold.estate import QueueManager
from twin.fold.seen_retries import retries_of
from twin.model.messages import CANNOT_OPEN
from twin.model.objects import UNCLUSTERED, Definition, text_of
from twin.model.reasons import OBJECT_IN_USE
from twin.rules.channels import disconnecting
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues


def holder(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return another channel that has the queue of a sender or server channel open; '' if none."""
    if not transmission_queues.is_sender(qmgr, channel):
        return ""
    queue = transmission_queues.defined_queue(qmgr, channel)
    return next(
        (
            other
            for other in transmission_queues.servers(qmgr, queue)
            if other != channel
            and transmission_queues.queue_of(qmgr, other) == queue
            and (state := disconnecting.current_state(qmgr, other, draft.at)) is not None
            and state.status == "RUNNING"
        ),
        "",
    )


def report(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Log that a channel cannot open its transmission queue."""
    queue = transmission_queues.defined_queue(qmgr, channel)
    inserts = (queue, qmgr.name, str(OBJECT_IN_USE))
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=CANNOT_OPEN, inserts=inserts))


def await_turn(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Put that retry of a channel on the agenda at which its queue may be free."""
    state = qmgr.activity.channels[channel]
    holding = holder(draft, qmgr, channel)
    ends = qmgr.activity.channels[holding].ends if holding else draft.at
    if ends is None:  # the other channel never disconnects
        return
    retry = retries_of(qmgr, channel, state).next_after(state.since, max(draft.at, ends - 1))
    if retry is not None and retry != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=retry))


def freed(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the channels that wait for the queue of a channel that ended have their turn."""
    if not transmission_queues.is_sender(qmgr, channel):
        return
    for other, state in list(qmgr.activity.channels.items()):
        waits = state.status == "RETRYING" and state.reason == CANNOT_OPEN
        if waits and other != channel and transmission_queues.is_sender(qmgr, other):
            await_turn(draft, qmgr, other)


def inhibit(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Set the queue of a channel that is STOPPED to GET(DISABLED) and NOTRIGGER."""
    if not transmission_queues.is_sender(qmgr, channel) or qmgr.observed:
        return
    queue = transmission_queues.defined_queue(qmgr, channel)
    known = ("QUEUE", queue) in qmgr.definitions and queue not in qmgr.messaging.inhibited
    if known and not holder(draft, qmgr, channel):
        draft.emit(TransmissionQueueInhibited(qmgr=qmgr.name, channel=channel, queue=queue))


def restore(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Restore GET and TRIGGER of the queue of a channel that starts."""
    if not transmission_queues.is_sender(qmgr, channel) or not qmgr.has_messaging:
        return
    queue = transmission_queues.defined_queue(qmgr, channel)
    if queue in qmgr.messaging.inhibited:
        draft.emit(TransmissionQueueRestored(qmgr=qmgr.name, channel=channel, queue=queue))


def channel_altered(
    draft: Draft, qmgr: QueueManager, was: Definition | None, now: Definition | None
) -> None:
    """Let a running channel whose XMITQ was altered keep its queue until it starts again."""
    if was is None or now is None or now.type not in UNCLUSTERED or was.type not in UNCLUSTERED:
        return
    before, name = text_of(was, "XMITQ"), now.name
    state = disconnecting.current_state(qmgr, name, draft.at)
    runs = state is not None and state.status == "RUNNING"
    if runs and before != text_of(now, "XMITQ") and name not in qmgr.messaging.kept:
        draft.emit(TransmissionQueueKept(qmgr=qmgr.name, channel=name, queue=before))
