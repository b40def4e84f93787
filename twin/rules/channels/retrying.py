"""Sending channels fail, become RETRYING (error AMQ9202 or another), and retry later.

Only retries that will change something are put on the agenda and recorded. A retry changes
something if it will find the channel's partner, reroute waiting messages, or give the channel
another transmission queue. See decisions 8 and 12.

Sources: IBM MQ 9.1, "Short retry interval", "Long retry interval"; IBM MQ, "What happens when a
queue manager fails?".

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

from twin.events import (
    ChannelRetryAwaited,
    ChannelStatusChanged,
    ErrorLogged,
    TransmissionQueueInhibited,
    TransmissionQueueKept,
    TransmissionQueueRestored,
)
from twin.fold.estate import ChannelState, QueueManager
from twin.fold.seen_retries import retries_of
from twin.model.messages import CANNOT_OPEN
from twin.model.objects import UNCLUSTERED, Definition, text_of
from twin.model.reasons import OBJECT_IN_USE
from twin.model.retries import Retries
from twin.rules import standing
from twin.rules.channels import (
    channel_status,
    moving,
    reaching,
    silence,
    stopping,
    switching,
)
from twin.rules.draft import Draft
from twin.rules.queues import transmission_queues


def fail(draft: Draft, qmgr: QueueManager, channel: str, *, reason: str) -> None:
    """Let a running channel fail; messages that it had sent outside syncpoint are lost.

    Source: IBM MQ, "What happens when a queue manager fails?": nonpersistent messages on a fast
    channel might be lost. In the twin, those that were observed as sent are lost. A status that was
    seen stands.
    """
    if standing.stands(qmgr, channel):
        return
    stopping.lose_at_risk(draft, qmgr, channel)
    partner = qmgr.activity.channels[channel].partner
    retry_later(draft, qmgr, channel, partner, reason=reason)


def retry_later(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    partner: str,
    *,
    reason: str,
    observed: bool = False,
) -> None:
    """Set a channel that failed or could not start to RETRYING; its retries begin now.

    `observed` says that the failure was observed: then the retries that were seen to be left count.
    """
    was_running = channel_status.status_of(qmgr, channel, draft.at) == "RUNNING"
    retries = Retries.of(reaching.attributes_of(draft, qmgr, channel, partner))
    if observed:
        retries = standing.retries_left(qmgr, channel, retries)
    hangs = silence.connect_timeout(qmgr) if reaching.is_silent(draft, qmgr.name, partner) else 0
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
    freed(draft, qmgr, channel)
    if reason == CANNOT_OPEN:
        await_turn(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "failed" if was_running else "tried")


def answered(draft: Draft, qmgr: QueueManager, channel: str, *, taken: bool) -> None:
    """Let a retry fail at once, because its link is not silent any more; the next ones do so too.

    This retry, and those that were made before, still count. If the channel's queue is `taken` by
    another channel, it now waits for that (AMQ9509).
    """
    state = qmgr.activity.channels[channel]
    if taken:
        report(draft, qmgr, channel)
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
    if reaching.is_silent(draft, qmgr.name, state.partner):
        retry = retries.next_failure(state.since, draft.at)
    elif retries.is_hanging(state.since, draft.at):
        retry = draft.at
    else:
        retry = retries.next_after(state.since, draft.at)
    if retry is not None and retry != state.retry:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, at=retry))


def await_switches(draft: Draft, qmgr: QueueManager, *, only: str | None = None) -> None:
    """Put those next retries on the agenda that will switch the channel's transmission queue.

    `only` limits this to one channel. Whether a retry switches the queue depends on the
    definitions. So this is called when definitions change, when a channel begins to retry, and when
    messages leave a queue that a switch has stopped at.
    """
    held_switches = qmgr.messaging.held_switch if qmgr.has_messaging else {}
    for channel, state in list(qmgr.activity.channels.items()):
        if only not in (None, channel) or state.status != "RETRYING" or channel in held_switches:
            continue
        if moving.is_stuck(qmgr, channel):
            continue
        is_next = (state.retry or 0) <= draft.at
        kind = qmgr.channels.get(channel, "CLUSSDR")
        if is_next and kind == "CLUSSDR" and switching.pending_queue(qmgr, channel):
            await_retry(draft, qmgr, channel, state)


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


def report(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Log that a channel cannot open its transmission queue."""
    queue = transmission_queues.defined_queue(qmgr, channel)
    inserts = (queue, qmgr.name, str(OBJECT_IN_USE))
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=CANNOT_OPEN, inserts=inserts))


def await_turn(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Put that retry of a channel on the agenda at which its queue may be free."""
    state = qmgr.activity.channels[channel]
    holding = queue_holder(draft, qmgr, channel)
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
