"""Channels that were seen, and channels that are held back.

An observed status stands for the steps of its instant: a channel seen RETRYING that ran has failed,
one seen STOPPED was stopped, and its messages are chosen another route for then. Sources: IBM MQ
9.1, "DISPLAY CHSTATUS" (INDOUBT, CURMSGS); IBM MQ, "What happens when a queue manager fails?" (what
is in doubt stays; non-persistent messages on a fast channel may be lost).
"""

from __future__ import annotations

from typing import Final

from twin.events import (
    ChannelBatchInDoubt,
    ChannelHeld,
    ChannelObserved,
    ChannelReleased,
    ChannelStatusChanged,
    MessagesAtRisk,
)
from twin.fold.estate import QueueManager
from twin.model.channel_types import RECEIVING
from twin.model.instants import Instant
from twin.rules.channels import (
    batches,
    channel_status,
    disconnecting,
    failing,
    get_inhibited,
    reaching,
    starting,
    stopping,
    switching,
)
from twin.rules.channels.stopping import BatchEnding
from twin.rules.draft import Draft
from twin.rules.messages import outbound
from twin.rules.queues import put_times, transmission_queues
from twin.rules.repository import connecting
from twin.rules.workload import counter_resets

BATCH: Final = 50
"""BATCHSZ as it is by default: how many are in doubt where that was not seen [inferred]."""

_NOT_SENDING: Final = frozenset({"RETRYING", "STOPPED"})


def observed(draft: Draft, qmgr: QueueManager, seen: ChannelObserved) -> None:
    """Take in what was seen of a channel.

    A batch is what the channel had under way when it failed or stopped, or has as it runs.
    """
    if qmgr.channels.get(seen.channel) in RECEIVING:
        if seen.status is not None:
            _receiving_status(draft, qmgr, seen.channel, seen.status)
        return
    before = channel_status.status_of(qmgr, seen.channel, draft.at)
    if seen.status is not None and seen.status not in _NOT_SENDING:
        _sending_status(draft, qmgr, seen.channel, before, seen.status)
    if seen.indoubt is not None:
        _in_doubt(draft, qmgr, seen.channel, seen.curmsgs if seen.indoubt else 0)
    if seen.sent is not None and before not in _NOT_SENDING:
        _at_risk(draft, qmgr, seen.channel, seen.sent)
    if seen.status in _NOT_SENDING:
        _sending_status(draft, qmgr, seen.channel, before, seen.status)


def _receiving_status(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Note the status of a receiving end: one that stops fails its partners' channels."""
    if channel_status.status_of(qmgr, channel, draft.at) == status:
        return
    counter_resets.status_changes(draft, qmgr, channel, status)
    definition = qmgr.definitions["CHANNEL", channel]
    interval = disconnecting.interval(definition.values) if status == "RUNNING" else None
    draft.emit(
        ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status=status, discint=interval)
    )
    if status == "STOPPED":
        connecting.fail_channels_to(draft, qmgr, channel=channel)
    else:
        connecting.await_retries(draft, qmgr)


def _sending_status(
    draft: Draft, qmgr: QueueManager, channel: str, before: str, status: str
) -> None:
    """Let the steps happen that brought a channel to the status it was seen in."""
    if before == status:
        return
    state = qmgr.activity.channels.get(channel)
    partner = state.partner if state and state.partner else reaching.leads_to(draft, qmgr, channel)
    match status:
        case "RUNNING":
            starting.run(draft, qmgr, channel, partner)
        case "RETRYING":
            put_times.record(draft, qmgr, channel)
            batches.lose_at_risk(draft, qmgr, channel)
            failing.retry_later(
                draft, qmgr, channel, partner, reason=channel_status.HOST_NOT_AVAILABLE
            )
        case "STOPPED":
            stopping.stop(draft, qmgr, channel, status=status, mode="QUIESCE")
        case _:
            counter_resets.status_changes(draft, qmgr, channel, status)
            put_times.record(draft, qmgr, channel)
            draft.emit(
                ChannelStatusChanged(
                    qmgr=qmgr.name, channel=channel, status=status, partner=partner
                )
            )
            get_inhibited.start_for_waiting(draft, qmgr, channel)


def _in_doubt(draft: Draft, qmgr: QueueManager, channel: str, count: int | None) -> None:
    """Note how many messages are in doubt: none any more means that they were confirmed."""
    messaging = qmgr.messaging
    known = messaging.in_doubt.get(channel, 0)
    there = sum(parcel.count for _, parcel in transmission_queues.waiting(qmgr, channel))
    wanted = max(0, min(known or BATCH if count is None else count, there))
    if wanted == known:
        return
    with put_times.eligibility_changing(draft, qmgr, channel):
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=wanted))
    if not wanted:
        outbound.confirm(draft, qmgr, channel, known)
        channel_status.note_outcome(draft, qmgr, channel, "ran")


def _at_risk(draft: Draft, qmgr: QueueManager, channel: str, count: int) -> None:
    """Note what a fast channel has sent outside syncpoint: none any more means that it arrived.

    With NPMSPEED(NORMAL) nothing is sent so.
    """
    known = qmgr.messaging.at_risk.get(channel, 0)
    if known and not count:
        outbound.finish_batch(draft, BatchEnding(qmgr, channel))
        return
    partner = reaching.leads_to(draft, qmgr, channel)
    if reaching.attributes_of(draft, qmgr, channel, partner).get("NPMSPEED") == "NORMAL":
        return
    wanted = sum(
        number
        for _, number in batches.first_messages(qmgr, channel, count, only_nonpersistent=True)
    )
    if wanted != known:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=wanted))


def _is_active(qmgr: QueueManager, channel: str, at: Instant) -> bool:
    """Say whether a channel is started at an instant: then its switch goes on, else when it is."""
    return channel_status.status_of(qmgr, channel, at) not in ("INACTIVE", "STOPPED")


def held(draft: Draft, primary: ChannelHeld) -> None:
    """Hold a channel's messages back, or its switch."""
    draft.qmgr(primary.qmgr)
    draft.emit(primary)


def released(draft: Draft, primary: ChannelReleased) -> None:
    """Let go on what a channel was held back from: its switch ends, its messages leave."""
    qmgr = draft.qmgr(primary.qmgr)
    draft.emit(primary)
    if not qmgr.running:
        return
    if primary.channel in qmgr.messaging.switching and _is_active(qmgr, primary.channel, draft.at):
        switching.finish(draft, qmgr, primary.channel)
    outbound.resume(draft, qmgr, primary.channel)
