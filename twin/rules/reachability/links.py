"""Links between queue managers are cut and healed; ends of channels notice a silent cut.

A cut is a reset: both ends know at once. After a silent cut the channels run on, until each end has
noticed (`twin.rules.channels.silence`).

Decided here: if the link is healed before an end has noticed, its session lives on, and the open
batch is confirmed then. If the receiving end has ended meanwhile, the sending end is reset as the
link is healed. A channel that was already retrying when the link fell silent does not wait for
answers: its retries fail at once.

Source: IBM MQ 9.2, "Checking that the other end of the channel is still available".
"""

from __future__ import annotations

from twin.events import ChannelEndHeard, ChannelRetryAwaited, LinkChanged, ReceivingEndEnded
from twin.fold.agenda import TimerKey
from twin.fold.estate import QueueManager
from twin.model.messages import HOST_NOT_AVAILABLE, RESET, TIMED_OUT
from twin.rules.channels import (
    batches,
    channel_status,
    disconnecting,
    reaching,
    retrying,
    silence,
)
from twin.rules.draft import Draft
from twin.rules.reachability import reachable_again
from twin.rules.repository import connecting, delivery


def link_changed(draft: Draft, changed: LinkChanged) -> None:
    """Fail the channels over a link that is cut; let them retry when the link is healed."""
    if changed.cut is None:
        return
    one, other = draft.qmgr(changed.qmgr), draft.qmgr(changed.other)
    for sender, partner in ((one, other), (other, one)):
        if changed.cut and changed.silent:
            _fall_silent(draft, sender, partner)
        elif changed.cut:
            for channel, name in list(partner.activity.silent):
                if name == sender.name:
                    silence.forget(draft, partner, channel, name)
            reachable_again.fail_channels_to(draft, partner, only=sender.name)
        else:
            _hear_again(draft, sender, partner)
            reachable_again.await_retries(draft, partner, only=sender.name, refused=True)


def _fall_silent(draft: Draft, sender: QueueManager, partner: QueueManager) -> None:
    """Let the channels of a queue manager to a partner run on without an answer."""
    for channel, state in list(sender.activity.channels.items()):
        if state.partner != partner.name or state.silence is not None:
            continue
        if state.status == "RUNNING":
            if not disconnecting.is_idle(sender, channel, state, draft.at):
                silence.begin(draft, sender, channel)
        elif state.status == "RETRYING" and state.retry is not None:
            draft.emit(ChannelRetryAwaited(qmgr=sender.name, channel=channel))
            retrying.await_switches(draft, sender, only=channel)


def _hear_again(draft: Draft, sender: QueueManager, partner: QueueManager) -> None:
    """Let the channels of a queue manager that got no answer from a partner get it."""
    for channel, state in list(sender.activity.channels.items()):
        if state.partner != partner.name:
            continue
        if state.status == "RETRYING" and state.retries.hangs and sender.running:
            retrying.await_retry(draft, sender, channel, state)
        if state.silence is None:
            continue
        if state.status == "RUNNING" and not disconnecting.is_idle(
            sender, channel, state, draft.at
        ):
            _go_on(draft, sender, channel, partner)
            continue
        draft.emit(ChannelEndHeard(qmgr=sender.name, channel=channel, partner=partner.name))
        if state.status == "BINDING":
            connecting.reconnect(draft, sender, channel, partner.name)


def _go_on(draft: Draft, sender: QueueManager, channel: str, partner: QueueManager) -> None:
    """Continue the session of a channel if its receiving end is still there, or reset it."""
    lives = reaching.is_active(partner, channel, sender.name)
    silence.forget(draft, partner, channel, sender.name)
    if not lives:
        retrying.fail(draft, sender, channel, reason=RESET)
        return
    draft.emit(ChannelEndHeard(qmgr=sender.name, channel=channel, partner=partner.name))
    if sender.has_messaging:
        batches.clear(draft, sender, channel)
    delivery.deliver_waiting(draft, sender, channel)
    channel_status.note_outcome(draft, sender, channel, "ran")


def noticed(draft: Draft, qmgr: QueueManager, key: TimerKey) -> None:
    """Let an end of a channel give up: (channel,), or (channel, partner) for a receiving end.

    After a receiving end has ended, its partner can connect again.
    """
    channel = key[0]
    if len(key) > 1:
        partner = key[1]
        draft.emit(
            ReceivingEndEnded(qmgr=qmgr.name, channel=channel, partner=partner, reason=TIMED_OUT)
        )
        if partner in draft.estate.qmgrs:
            reachable_again.await_retries(draft, qmgr, only=partner)
        return
    state = qmgr.activity.channels[channel]
    if state.status == "BINDING":
        retrying.retry_later(draft, qmgr, channel, state.partner, reason=HOST_NOT_AVAILABLE)
    elif disconnecting.is_idle(qmgr, channel, state, draft.at):
        draft.emit(ChannelEndHeard(qmgr=qmgr.name, channel=channel, partner=state.partner))
    else:
        retrying.fail(draft, qmgr, channel, reason=TIMED_OUT)
