"""Messages leave their transmission queue: the moment their channel runs, unless it is held.

Sources: IBM MQ 8.0, "STOP CHANNEL" (a message for an INACTIVE channel starts it, a STOPPED one
stays stopped); IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels".
In the twin they take no time, also on a slow link.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from twin.events import MessagesAtRisk, MessagesReturned, MessagesSent, Parcel
from twin.fold.estate import QueueManager
from twin.fold.queue_contents import split
from twin.rules.channels import batches, disconnecting, failing, get_inhibited, reaching, starting
from twin.rules.channels.stopping import BatchEnding
from twin.rules.draft import Draft
from twin.rules.messages import inbound
from twin.rules.repository import connecting

NOT_PUT: Final = "AMQ9544"
"""Why a channel fails whose partner can put its messages nowhere."""


def forward(draft: Draft, qmgr: QueueManager, channel: str, to: str) -> None:
    """Let what waits for a channel to a queue manager, by QMID, leave; start an INACTIVE channel.

    One that has disconnected starts anew, and looks at its transmission queue as it does.

    Nothing leaves one that is stopped, retrying, held or in doubt. Outside the clusters, where `to`
    is '', it is the channel's definition that says where it leads.
    """
    if disconnecting.current_state(qmgr, channel, draft.at) is None:
        definition = qmgr.definitions.get(("CHANNEL", channel))
        if to:
            connecting.revive(draft, qmgr, channel, draft.estate.names[to])
        elif definition is not None:
            starting.start_defined(draft, qmgr, definition)
    flush(draft, qmgr, channel)


def resume(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let what waits for a channel leave, if anything does, wherever it is for."""
    if disconnecting.current_state(qmgr, channel, draft.at) is not None:
        flush(draft, qmgr, channel)
        return
    first = next(disconnecting.waiting_messages(qmgr, channel), None)
    if first is not None:
        forward(draft, qmgr, channel, first.to)


def flush(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Send what waits for a channel that runs and is kept back by nothing.

    While it is switched it forwards from its new queue.
    """
    messaging = qmgr.messaging
    if channel in messaging.held or channel in messaging.in_doubt:
        return
    if not can_send(draft, qmgr, channel) or get_inhibited.inhibited_queue(qmgr, channel):
        return
    if channel in messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    for queue, label in disconnecting.sources(qmgr, channel):
        parcels = _going(draft, qmgr, channel, queue, label)
        if not send(draft, qmgr, channel, queue, parcels, label=label):
            return


def can_send(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """Say whether a channel runs, and its partner is there: what is observed may contradict it."""
    state = qmgr.activity.channels.get(channel)
    return (
        state is not None
        and state.status == "RUNNING"
        and reaching.can_reach(draft, qmgr, channel, state.partner)
    )


def _going(draft: Draft, qmgr: QueueManager, channel: str, queue: str, label: str) -> list[Parcel]:
    """List what can go to a channel's partner, first things first.

    What is for another queue manager, which is gone, stays, and so does what is behind it
    [inferred].
    """
    partner = qmgr.activity.channels[channel].partner
    messaging = qmgr.messaging
    lying = messaging.waiting.get(queue, {}).get(label, []) if label else messaging.local[queue]
    return list(
        takewhile(
            lambda parcel: not parcel.to or draft.estate.names[parcel.to] == partner,
            lying,
        )
    )


def is_welcome(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """Say whether the partner of a channel can put again what it gave back before.

    That is asked for the first that waits.
    """
    state = qmgr.activity.channels[channel]
    if state.reason != NOT_PUT or not reaching.can_reach(draft, qmgr, channel, state.partner):
        return False
    first = next(disconnecting.waiting_messages(qmgr, channel), None)
    return first is not None and inbound.takes(
        draft, draft.qmgr(state.partner), qmgr, channel, first
    )


def finish_batch(draft: Draft, ending: BatchEnding) -> None:
    """Let the non-persistent messages arrive that a channel had sent outside syncpoint.

    It ends its batch before it stops (STOP CHANNEL MODE(QUIESCE)).
    """
    qmgr, channel = ending
    sent = qmgr.messaging.at_risk[channel]
    draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    if not can_send(draft, qmgr, channel):
        return
    for queue, label in disconnecting.sources(qmgr, channel):
        going = _going(draft, qmgr, channel, queue, label)
        fast, _ = split((each for each in going if not each.persistent), sent)
        sent -= sum(each.count for each in fast)
        send(draft, qmgr, channel, queue, fast, label=label, fast=True)
    batches.limit_in_doubt(draft, qmgr, channel)


def confirm(draft: Draft, qmgr: QueueManager, channel: str, count: int) -> None:
    """Let the first so many messages for a channel arrive: their batch was confirmed."""
    if not can_send(draft, qmgr, channel):
        return
    for queue, label in disconnecting.sources(qmgr, channel):
        first, _ = split(_going(draft, qmgr, channel, queue, label), count)
        count -= sum(each.count for each in first)
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
    """Send messages that lie on a queue for `label` to the partner; say if it could put them all.

    What it could put nowhere is back at the head of the queue, and the channel fails: it is tried
    again once something changed at the partner.
    """
    going = tuple(parcels)
    if not going:
        return True
    partner = draft.qmgr(qmgr.activity.channels[channel].partner)
    count = sum(parcel.count for parcel in going)
    draft.emit(
        MessagesSent(
            qmgr=qmgr.name,
            channel=label,
            queue=queue,
            count=count,
            fast=fast,
            over="" if label == channel else channel,
        )
    )
    back = inbound.arrive(draft, partner, qmgr, channel, going)
    for returned, reason in reversed(back):
        draft.emit(
            MessagesReturned(
                qmgr=qmgr.name, channel=label, queue=queue, parcels=returned, reason=reason
            )
        )
    if back and channel in qmgr.activity.channels:
        failing.fail(draft, qmgr, channel, reason=NOT_PUT)
    return not back
