"""Sending channels stop, and their status is dropped once nothing needs it.

What a channel has sent and what was not confirmed is its batch: these messages are in doubt, or at
risk of being lost.

Sources: IBM MQ 8.0, "STOP CHANNEL" (QUIESCE finishes the batch, FORCE and TERMINATE do not and may
leave it in doubt); IBM MQ 9.4, "Example of a cluster with more than one instance of a queue" (on
z/OS a channel stops after all its messages were rerouted, and a forced stop interrupts that).

Source: IBM MQ, "What happens when a queue manager fails?".

A sender or server channel has its transmission queue alone, and takes it along when it stops.

A second channel that starts on the same queue cannot open it (2042, AMQ9509) and retries. If a
channel is STOPPED, MQ sets its queue GET(DISABLED) and NOTRIGGER; a successful start restores both.
Cluster transmission queues are shared by their channels and are left as they are.

Sources: IBM MQ, "Channel errors" (a stopped sender or server channel); "API reason codes", 2042;
for the second channel [memory, unverified]. Decided here: while another channel runs on the queue,
a STOPPED channel leaves it as it is, and the start of any of its channels restores it. At an
observed queue manager the queue stays as it was observed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from twin.events import (
    ChannelBatchInDoubt,
    ChannelRetryAwaited,
    ChannelStatusChanged,
    ErrorLogged,
    MessagesAtRisk,
    MessagesLost,
    Portion,
    TransmissionQueueInhibited,
    TransmissionQueueKept,
    TransmissionQueueRestored,
)
from twin.fold.estate import QueueManager
from twin.fold.seen_retries import retries_of
from twin.model.messages import CANNOT_OPEN
from twin.model.objects import UNCLUSTERED, Definition, text_of
from twin.model.platforms import ZOS
from twin.model.readings import pace_of
from twin.model.reasons import OBJECT_IN_USE
from twin.rules import membership, standing
from twin.rules.channels import channel_status
from twin.rules.draft import ChannelOutcome, Draft
from twin.rules.path import partners
from twin.rules.queues import put_times, transmission_queues
from twin.rules.workload import counters


class BatchEnding(NamedTuple):
    """A happening: a channel is about to stop, and first finishes the batch it has partly sent."""

    qmgr: QueueManager
    channel: str


def stop(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    *,
    status: str,
    mode: str,
    requested: bool | None = None,
) -> None:
    """Stop a channel: MODE(QUIESCE) finishes its batch first, any other mode interrupts the batch.

    Over a silent link too a channel is STOPPED at once, and its batch stays in doubt (decision 12).
    On z/OS it is STOPPING until its pass is done, if that takes time; a forced stop ends the pass
    where it stands. The status of a stopped channel still shows its partner
    (IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels", its
    example).
    """
    if qmgr.has_messaging and channel in qmgr.messaging.at_risk:
        if mode == "QUIESCE" and not _is_silent(qmgr, channel):
            draft.react(BatchEnding(qmgr, channel))
        else:
            lose_at_risk(draft, qmgr, channel)
    counters.status_changes(draft, qmgr, channel, status)
    forced = qmgr.platform == ZOS and mode != "QUIESCE"
    if status == "INACTIVE" or forced:
        put_times.record(draft, qmgr, channel)
    partner = _partner(draft, qmgr, channel) if status == "STOPPED" else ""
    rerouting = channel_status.is_rerouting(qmgr, channel)
    if rerouting and forced:
        put_times.keep(draft, qmgr, channel)
    elif rerouting:
        portion = replace(qmgr.activity.portions[channel, "pass"], then=status)
        channel_status.await_portion(draft, qmgr, channel, "pass", portion)
        return
    if not forced and reroute_first(
        draft, qmgr, channel, partner, then=status, requested=status == "STOPPED" or requested
    ):
        return
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name, channel=channel, status=status, partner=partner, requested=requested
        )
    )
    if status == "STOPPED":
        inhibit_queue(draft, qmgr, channel)
    queue_freed(draft, qmgr, channel)
    outcome: ChannelOutcome = "cut short" if rerouting else "forced" if forced else "stopped"
    channel_status.note_outcome(draft, qmgr, channel, outcome)


def reroute_first(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    partner: str,
    *,
    then: str,
    reason: str = "",
    requested: bool | None = None,
) -> bool:
    """Set a channel to STOPPING until its pass is done, if that takes time; return whether it does.

    That is so on z/OS, if a pass waits between its portions. `then` is the status that follows.
    """
    pace, waiting = pace_of(draft.estate.readings, "pass"), 0
    if qmgr.platform == ZOS and pace.wait and qmgr.has_messaging:
        waiting = sum(each.parcel.count for each in put_times.eligible(qmgr, channel))
    if waiting <= pace.portion:
        return False
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="STOPPING",
            partner=partner,
            reason=reason,
            requested=requested,
        )
    )
    first = Portion(at=draft.at, left=waiting, then=then)
    channel_status.await_portion(draft, qmgr, channel, "pass", first)
    return True


def _is_silent(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel gets no answer, so that it cannot finish its batch."""
    state = qmgr.activity.channels.get(channel)
    return state is not None and state.silence is not None


def _partner(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Return the partner that a sending channel has, or had when it last ran; '' if none."""
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.partner:
        return state.partner
    return partners.leads_to(draft.estate, qmgr, channel) if channel in qmgr.activity.saved else ""


def drop_unused_status(
    draft: Draft, qmgr: QueueManager, channel: str, *, undefined: bool = False
) -> None:
    """Drop the status of a channel that is no longer defined nor known from a cluster.

    The status is kept while messages or repository commands wait for the channel (IBM MQ 9.2,
    "REFRESH CLUSTER"). A status that was seen stands, unless a definition was seen to be gone.
    """
    if not undefined and standing.stands(qmgr, channel):
        return
    if channel not in qmgr.activity.channels or channel in qmgr.repository.waiting:
        return
    if qmgr.has_messaging and qmgr.messaging.waits_for(channel):
        return
    if not membership.knows_channel(qmgr, channel):
        draft.emit(ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="INACTIVE"))


def clear(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Clear the counts of messages in doubt and at risk, because their channel runs again."""
    if channel in qmgr.messaging.in_doubt:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=0))
    if channel in qmgr.messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))


def lose_at_risk(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Lose the nonpersistent messages that a fast channel has sent outside syncpoint."""
    if not qmgr.has_messaging or channel not in qmgr.messaging.at_risk:
        return
    at_risk = qmgr.messaging.at_risk[channel]
    for queue, count in first_messages(qmgr, channel, at_risk, only_nonpersistent=True):
        draft.emit(
            MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why="fast", channel=channel)
        )
    draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    limit_in_doubt(draft, qmgr, channel)


def limit_in_doubt(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Reduce the number of messages in doubt to the number that still wait for the channel."""
    count = qmgr.messaging.in_doubt.get(channel, 0)
    if not count:
        return
    waiting = sum(parcel.count for _, parcel in transmission_queues.waiting(qmgr, channel))
    if count > waiting:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=waiting))


def first_messages(
    qmgr: QueueManager, channel: str, count: int, *, only_nonpersistent: bool = False
) -> list[tuple[str, int]]:
    """Return (queue, number) pairs: where the first `count` messages for a channel wait."""
    by_queue: dict[str, int] = {}
    for queue, parcel in transmission_queues.waiting(qmgr, channel):
        taken = 0 if only_nonpersistent and parcel.persistent else min(parcel.count, count)
        count -= taken
        if taken:
            by_queue[queue] = by_queue.get(queue, 0) + taken
    return list(by_queue.items())


def queue_holder(draft: Draft, qmgr: QueueManager, channel: str) -> str:
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
            and (state := channel_status.current_state(qmgr, other, draft.at)) is not None
            and state.status == "RUNNING"
        ),
        "",
    )


def report_queue_in_use(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Log that a channel cannot open its transmission queue."""
    inserts = (transmission_queues.defined_queue(qmgr, channel), qmgr.name, str(OBJECT_IN_USE))
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=CANNOT_OPEN, inserts=inserts))


def await_queue(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Put that retry of a channel on the agenda at which its queue may be free."""
    state = qmgr.activity.channels[channel]
    holding = queue_holder(draft, qmgr, channel)
    ends = qmgr.activity.channels[holding].ends if holding else draft.at
    if ends is None:  # the other channel never disconnects
        return
    retry = retries_of(qmgr, channel, state).next_after(state.since, max(draft.at, ends - 1))
    if retry is not None and retry != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=retry))


def queue_freed(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the channels that wait for the queue of a channel that ended have their turn."""
    if not transmission_queues.is_sender(qmgr, channel):
        return
    for other, state in list(qmgr.activity.channels.items()):
        waits = state.status == "RETRYING" and state.reason == CANNOT_OPEN
        if waits and other != channel and transmission_queues.is_sender(qmgr, other):
            await_queue(draft, qmgr, other)


def inhibit_queue(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Set the queue of a channel that is STOPPED to GET(DISABLED) and NOTRIGGER."""
    if not transmission_queues.is_sender(qmgr, channel) or qmgr.observed:
        return
    queue = transmission_queues.defined_queue(qmgr, channel)
    known = ("QUEUE", queue) in qmgr.definitions and queue not in qmgr.messaging.inhibited
    if known and not queue_holder(draft, qmgr, channel):
        draft.emit(TransmissionQueueInhibited(qmgr=qmgr.name, channel=channel, queue=queue))


def restore_queue(draft: Draft, qmgr: QueueManager, channel: str) -> None:
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
    state = channel_status.current_state(qmgr, name, draft.at)
    runs = state is not None and state.status == "RUNNING"
    if runs and before != text_of(now, "XMITQ") and name not in qmgr.messaging.kept:
        draft.emit(TransmissionQueueKept(qmgr=qmgr.name, channel=name, queue=before))
