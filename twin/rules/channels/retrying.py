"""Sending channels fail, become RETRYING (error AMQ9202 or another), and retry later.

Only retries that will change something are put on the agenda and recorded. A retry changes
something if it will find the channel's partner, reroute waiting messages, or give the channel
another transmission queue. See decisions 8 and 12.

Sources: IBM MQ 9.1, "Short retry interval", "Long retry interval"; IBM MQ, "What happens when a
queue manager fails?".
"""

from __future__ import annotations

from twin.events import (
    ChannelRetryAwaited,
    ChannelStatusChanged,
    Portion,
)
from twin.fold.estate import ChannelState, QueueManager
from twin.fold.seen_retries import retries_of
from twin.model.messages import CANNOT_OPEN
from twin.model.reasons import QUEUE_FULL
from twin.model.retries import Retries
from twin.rules import standing
from twin.rules.channels import (
    channel_status,
    silence,
    stopping,
    switching,
)
from twin.rules.draft import Draft


def fail(draft: Draft, qmgr: QueueManager, channel: str, *, reason: str) -> None:
    """Let a running channel fail; messages that it had sent outside syncpoint are lost.

    Source: IBM MQ, "What happens when a queue manager fails?": nonpersistent messages on a fast
    channel might be lost. In the twin, those that were observed as sent are lost. A status that was
    seen stands.
    """
    if standing.stands(qmgr, channel):
        return
    stopping.lose_at_risk(draft, qmgr, channel)
    retry_later(draft, qmgr, channel, qmgr.activity.channels[channel].partner, reason=reason)


def retry_later(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    partner: str,
    *,
    reason: str,
    observed: bool = False,
    rerouted: bool = False,
) -> None:
    """Set a channel that failed or could not start to RETRYING; its retries begin now.

    `observed` says that the failure was observed: then the retries that were seen to be left count.
    On z/OS a channel that ran is STOPPING before, until its messages are `rerouted`, if that takes
    time.
    """
    was_running = channel_status.status_of(qmgr, channel, draft.at) == "RUNNING"
    slow = was_running and not observed
    if slow and stopping.reroute_first(
        draft, qmgr, channel, partner, then="RETRYING", reason=reason
    ):
        return
    retries = Retries.of(channel_status.attributes_of(draft, qmgr, channel, partner))
    if observed:
        retries = standing.retries_left(qmgr, channel, retries)
    hangs = (
        silence.connect_timeout(qmgr) if channel_status.is_silent(draft, qmgr.name, partner) else 0
    )
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RETRYING",
            partner=partner,
            reason=reason,
            retries=None if retries == Retries() else retries[:4],
            gives_up=retries._replace(hangs=hangs).end(draft.at),
            observed=observed,
            hangs=hangs,
        )
    )
    await_switches(draft, qmgr, only=channel)
    stopping.queue_freed(draft, qmgr, channel)
    if reason == CANNOT_OPEN:
        stopping.await_queue(draft, qmgr, channel)
    if not rerouted:
        channel_status.note_outcome(draft, qmgr, channel, "failed" if was_running else "tried")
    elif channel_status.can_reach(draft, qmgr, channel, partner):
        await_retry(draft, qmgr, channel, qmgr.activity.channels[channel])


def stopped_at_last(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Give a STOPPING channel whose pass is done the status that it stopped for."""
    partner = qmgr.activity.channels[channel].partner
    if status == "RETRYING":
        retry_later(draft, qmgr, channel, partner, reason="", rerouted=True)
    else:
        draft.emit(
            ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status=status, partner=partner)
        )


def answered(draft: Draft, qmgr: QueueManager, channel: str, *, taken: bool) -> None:
    """Let a retry fail at once, because its link is not silent any more; the next ones do so too.

    This retry, and those that were made before, still count. If the channel's queue is `taken` by
    another channel, it now waits for that (AMQ9509).
    """
    state = qmgr.activity.channels[channel]
    if taken:
        stopping.report_queue_in_use(draft, qmgr, channel)
    retries = retries_of(qmgr, channel, state)
    ended = retries.next_failure(state.since, draft.at) or draft.at
    short, long = retries.made(state.since, ended)
    left = retries._replace(
        short_count=retries.short_count - short, long_count=retries.long_count - long, hangs=0
    )
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RETRYING",
            partner=state.partner,
            reason=CANNOT_OPEN if taken else state.reason,
            retries=left[:4],
            gives_up=left.end(draft.at),
            observed=state.observed,
        )
    )


def await_retry(draft: Draft, qmgr: QueueManager, channel: str, state: ChannelState) -> None:
    """Put the next retry of a channel on the agenda.

    Over a silent link this is the instant at which it fails. A retry that waits for an answer gets
    it as soon as the link is healed.
    """
    retries = retries_of(qmgr, channel, state)
    if channel_status.is_silent(draft, qmgr.name, state.partner):
        retry = retries.next_failure(state.since, draft.at)
    elif retries.is_hanging(state.since, draft.at):
        retry = draft.at
    else:
        retry = retries.next_after(state.since, draft.at)
    if retry is not None and retry != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=retry))


def await_switches(draft: Draft, qmgr: QueueManager, *, only: str | None = None) -> None:
    """Let switches go on that have space again, and put retries that will switch on the agenda.

    `only` limits this to one channel. Whether a retry switches the queue of its channel depends on
    the definitions. So this is called when definitions change, when a channel begins to retry, and
    when messages leave a queue that a switch has stopped at. A switch that stopped because its
    new queue was full goes on at once if its channel is started.
    """
    held = qmgr.messaging.held_switch if qmgr.has_messaging else {}
    for channel, state in list(qmgr.activity.channels.items()):
        if only not in (None, channel) or state.status in {"STOPPED", "STOPPING"}:
            continue
        if channel in held or switching.awaited(qmgr, channel):
            continue
        if switching.is_stuck(qmgr, channel):
            continue
        if switching.stopped(qmgr, channel) == QUEUE_FULL:
            channel_status.await_portion(draft, qmgr, channel, "switch", Portion(at=draft.at))
            continue
        is_next = state.status == "RETRYING" and (state.retry or 0) <= draft.at
        kind = qmgr.channels.get(channel, "CLUSSDR")
        if is_next and kind == "CLUSSDR" and switching.pending_queue(qmgr, channel):
            await_retry(draft, qmgr, channel, state)
