"""Send messages from transmission queues as soon as their channel runs, unless it is held.

In the twin messages take no time, even on a link with a delay.

Sources: IBM MQ 8.0, "STOP CHANNEL" (a message for an INACTIVE channel starts it, a STOPPED one
stays stopped); IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import takewhile

from twin.events import MessagesAtRisk, MessagesReturned, MessagesSent, Parcel, Share
from twin.fold.beliefs import Names
from twin.fold.estate import QueueManager
from twin.fold.parcels import count_of, split
from twin.model.messages import NOT_PUT
from twin.rules.channels import (
    channel_status,
    command_queue,
    retrying,
    silence,
    starting,
    stopping,
)
from twin.rules.draft import Draft
from twin.rules.messages import inbound
from twin.rules.messages.arrival import Arrival
from twin.rules.queues import left_clusters, transmission_queues
from twin.rules.repository import answers, connecting, delivery


def forward_shares(draft: Draft, qmgr: QueueManager, shares: Iterable[Share]) -> None:
    """Send the messages of some shares, which were just put on transmission queues."""
    for channel, to in dict.fromkeys((share.channel, share.to) for share in shares):
        if channel:
            forward(draft, qmgr, channel, to)


def forward(draft: Draft, qmgr: QueueManager, channel: str, to: str) -> None:
    """Send all messages that wait for a channel; start an INACTIVE channel.

    A sender or server channel starts only if its queue is triggered.
    A disconnected channel starts again, and its transmission queue is checked. Nothing is sent if
    the channel is stopped, retrying, held or in doubt, or leads into a cluster that this queue
    manager has left. To a queue manager that is only named nothing is sent either, and the channel
    is left as it is: whether it would reach it is not known (decision 54).

    `to` is the QMID that the messages are for; '' outside the clusters, where the definition of the
    channel says where it leads.
    """
    if left_clusters.left_cluster(qmgr, channel) or to in draft.estate.named:
        return
    if channel_status.current_state(qmgr, channel, draft.at) is None:
        definition = qmgr.definitions.get(("CHANNEL", channel))
        if to:
            connecting.revive(draft, qmgr, channel, draft.estate.names[to])
        elif definition is None or not transmission_queues.is_triggered(qmgr, channel):
            return
        else:
            starting.start_defined(draft, qmgr, definition)
    flush(draft, qmgr, channel)


def resume(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Start a channel if necessary and send all messages that wait for it."""
    if channel_status.current_state(qmgr, channel, draft.at) is not None:
        flush(draft, qmgr, channel)
        return
    first = next(channel_status.waiting_messages(qmgr, channel), None)
    if first is not None:
        forward(draft, qmgr, channel, first.to)


def portion_moved(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let a channel send what a switch moved, and commands if the switch has ended."""
    if can_send(draft, qmgr, channel):
        delivery.deliver_waiting(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "ran")


def flush(draft: Draft, qmgr: QueueManager, channel: str, *, answered: Names = ()) -> None:
    """Send all messages that wait for a channel, if it runs and is neither held nor in doubt.

    During a switch the channel sends from its new queue. A channel that gets no answer sends one
    batch into the void. While the receiver waits for an answer of its full repositories, it holds
    up the channel; it does not wait for `answered` names again.
    """
    messaging = qmgr.messaging
    if _sends_nothing(qmgr, channel):
        return
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.silence is not None:
        if any(channel_status.waiting_messages(qmgr, channel)):
            silence.send(draft, qmgr, channel)
        return
    if not can_send(draft, qmgr, channel) or starting.inhibited_queue(qmgr, channel):
        return
    partner = draft.qmgr(qmgr.activity.channels[channel].partner)
    if answers.holds_up(draft.estate, partner, qmgr.name, channel):
        return
    if channel in messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    for queue, label in channel_status.sources(qmgr, channel):
        parcels = _sendable(draft, qmgr, channel, queue, label)
        going, awaited = _until_wait(Arrival(draft, partner, qmgr, channel), parcels, answered)
        if not send(draft, qmgr, channel, queue, going, label=label):
            return
        if awaited:
            answers.begin(draft, partner, awaited, sender=qmgr.name, channel=channel)
            return


def _sends_nothing(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel is held, in doubt, or leads into a cluster that was left."""
    messaging = qmgr.messaging
    kept = channel in messaging.held or channel in messaging.in_doubt
    return kept or bool(left_clusters.left_cluster(qmgr, channel))


def _until_wait(
    arrival: Arrival, parcels: list[Parcel], answered: Names
) -> tuple[list[Parcel], Names]:
    """Return the messages before the first for which the receiver must wait, and its names."""
    seen: set[tuple[str, str, bool]] = set()
    for index, parcel in enumerate(parcels):
        kind = (parcel.queue, parcel.named, arrival.is_free(parcel))
        if kind not in seen:
            seen.add(kind)
            awaited = arrival.asks_for(parcel)
            if awaited and not set(awaited) <= set(answered):
                return parcels[:index], awaited
    return parcels, ()


def can_send(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel runs, is not held up by its partner, and reaches it.

    An observed status may be wrong.
    """
    state = qmgr.activity.channels.get(channel)
    return (
        state is not None
        and state.status == "RUNNING"
        and state.message_retry is None
        and channel_status.can_reach(draft, qmgr, channel, state.partner)
    )


def _sendable(
    draft: Draft, qmgr: QueueManager, channel: str, queue: str, label: str
) -> list[Parcel]:
    """Return the messages that can go to a channel's partner, in order.

    Messages for another queue manager than the partner stay, and so do all messages after them: the
    queue manager that they are for no longer exists [inferred].
    """
    partner = qmgr.activity.channels[channel].partner
    messaging = qmgr.messaging
    waiting = messaging.waiting.get(queue, {}).get(label, []) if label else messaging.local[queue]
    return list(
        takewhile(lambda parcel: not parcel.to or draft.estate.names[parcel.to] == partner, waiting)
    )


def is_welcome(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """Return whether the partner of a channel would now take any of the messages that it returned.

    It is the retry itself, on a copy of the estate. If nothing can be put, all messages return.
    """
    state = qmgr.activity.channels[channel]
    if state.reason != NOT_PUT or not channel_status.can_reach(draft, qmgr, channel, state.partner):
        return False
    if channel in qmgr.repository.waiting and command_queue.refusal_of_put(
        draft.qmgr(state.partner)
    ):
        return False
    before = count_of(channel_status.waiting_messages(qmgr, channel))
    trial = draft.trial()
    there = trial.qmgr(qmgr.name)
    connecting.retry(trial, there, channel)
    flush(trial, there, channel)
    after = there.activity.channels.get(channel)
    return (
        after is None
        or after.status != "RETRYING"
        or count_of(channel_status.waiting_messages(there, channel)) < before
    )


def finish_batch(draft: Draft, ending: stopping.BatchEnding) -> None:
    """Deliver the nonpersistent messages that a stopping channel has sent outside syncpoint.

    A channel finishes its batch before it stops (STOP CHANNEL MODE(QUIESCE)).
    """
    qmgr, channel = ending
    sent = qmgr.messaging.at_risk[channel]
    draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    if not can_send(draft, qmgr, channel):
        return
    for queue, label in channel_status.sources(qmgr, channel):
        waiting = _sendable(draft, qmgr, channel, queue, label)
        fast, _ = split((parcel for parcel in waiting if not parcel.persistent), sent)
        sent -= count_of(fast)
        send(draft, qmgr, channel, queue, fast, label=label, fast=True)
    stopping.limit_in_doubt(draft, qmgr, channel)


def confirm(draft: Draft, qmgr: QueueManager, channel: str, count: int) -> None:
    """Deliver the first `count` messages for a channel, because their batch was confirmed."""
    if not can_send(draft, qmgr, channel):
        return
    for queue, label in channel_status.sources(qmgr, channel):
        first, _ = split(_sendable(draft, qmgr, channel, queue, label), count)
        count -= count_of(first)
        send(draft, qmgr, channel, queue, first, label=label)


def send(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    queue: str,
    parcels: Iterable[Parcel],
    *,
    label: str,
    fast: bool = False,
) -> bool:
    """Send messages to the partner of a channel; return whether it could put all of them.

    Messages that it could not put anywhere return to the head of the queue, and the channel fails.
    It is retried once something changes at the partner.

    Args:
        draft: the decision.
        qmgr: the sender.
        channel: the channel that sends.
        queue: the transmission queue that the messages are on.
        parcels: the messages.
        label: the channel that they wait for; '' if they wait for no particular channel.
        fast: whether they are the first nonpersistent messages, sent outside syncpoint.
    """
    going = tuple(parcels)
    if not going:
        return True
    partner = draft.qmgr(qmgr.activity.channels[channel].partner)
    draft.emit(
        MessagesSent(
            qmgr=qmgr.name,
            channel=label,
            queue=queue,
            count=count_of(going),
            fast=fast,
            over="" if label == channel else channel,
        )
    )
    arrival = Arrival(draft, partner, qmgr, channel)
    back = inbound.arrive(arrival, going, partial(forward_shares, draft, partner))
    draft.follow_up()  # messages may have arrived on the command queue
    for returned, reason in reversed(back):
        draft.emit(
            MessagesReturned(
                qmgr=qmgr.name, channel=label, queue=queue, parcels=returned, reason=reason
            )
        )
    if back and channel in qmgr.activity.channels:
        retrying.fail(draft, qmgr, channel, reason=NOT_PUT)
    if qmgr.messaging.switching:  # there is space on the queue, and a switch may go on
        retrying.await_switches(draft, qmgr)
    return not back
