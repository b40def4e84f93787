"""Channels to a queue manager fail as it ends, or as a link or the receiving end goes.

Sources: IBM MQ 9.1, "Stopping a channel", "Long retry interval"; 9.4, "Short retry interval".
"""

from __future__ import annotations

from twin.events import ChannelRetryAwaited, ChannelStatusChanged
from twin.fold.estate import ChannelState, QueueManager
from twin.model.messages import HOST_NOT_AVAILABLE
from twin.model.objects import Definition
from twin.rules import standing
from twin.rules.channels import (
    channel_status,
    disconnecting,
    exclusive_queues,
    reaching,
    refusing,
    retrying,
    silence,
    starting,
    stopping,
)
from twin.rules.draft import Draft
from twin.rules.reachability import reachable_again


def fail_channels_to(
    draft: Draft,
    qmgr: QueueManager,
    *,
    channel: str | None = None,
    only: str | None = None,
    reason: str = HOST_NOT_AVAILABLE,
) -> None:
    """Let other queue managers' channels to a queue manager fail with a message, and retry.

    With `channel`, only the channels of that name fail; with `only`, only those of that queue
    manager. A disconnected channel does not fail now, but when it is used next. Over a silent link
    only the receiving end ends: the other end is not told.
    """
    ended = silence.end_receiving(draft, qmgr, channel=channel, only=only)
    for other, name, state in reachable_again.channels_to(draft, qmgr):
        if channel not in (None, name) or only not in (None, other.name):
            continue
        if reaching.is_silent(draft, other.name, qmgr.name) or standing.stands(other, name):
            continue
        if state.status == "RUNNING":
            if disconnecting.is_idle(other, name, state, draft.at):
                continue
            retrying.fail(draft, other, name, reason=reason)
        elif state.status == "BINDING":
            retrying.retry_later(draft, other, name, qmgr.name, reason=reason)
        elif state.status == "RETRYING":
            _fail_retry(draft, other, name, state)
    for partner in ended:  # a new session of it is no longer refused
        if partner in draft.estate.qmgrs:
            reachable_again.await_retries(draft, qmgr, only=partner)


def _fail_retry(draft: Draft, qmgr: QueueManager, channel: str, state: ChannelState) -> None:
    """Drop the next retry, whose partner is gone; one that waits for an answer fails now."""
    if state.retries.hangs and qmgr.running:
        retrying.await_retry(draft, qmgr, channel, state)
    elif state.retry is not None:
        draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel))
        retrying.await_switches(draft, qmgr, only=channel)


def channel_removed(draft: Draft, qmgr: QueueManager, channel: Definition) -> None:
    """Drop the status of a deleted channel; fail other channels that ran to a deleted CLUSRCVR."""
    if channel.type == "CLUSRCVR":
        fail_channels_to(draft, qmgr, channel=channel.name)
    stopping.drop_unused_status(draft, qmgr, channel.name, undefined=True)


def give_up(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Set a channel to STOPPED after its last retry has failed.

    Source: IBM MQ 9.1, "Long retry interval": it must then be started manually. A status that was
    seen stands.
    """
    if standing.stands(qmgr, channel):
        return
    partner = qmgr.activity.channels[channel].partner
    starting.check_transmission_queue(draft, qmgr, channel)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="STOPPED",
            partner=partner,
            reason=refusing.refusal(draft, qmgr, channel, partner),
        )
    )
    exclusive_queues.inhibit(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "tried")
