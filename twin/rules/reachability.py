"""Channels lose their partner, and find it again.

Channels to a queue manager fail as it ends, or as a link or the receiving end goes. If it can be
reached, at first or again, it sends what waits, and others send to it. A channel that has never
found its partner is started as soon as the partner's end is defined. A channel that lost its
partner finds it again at its next retry [inferred; decisions 4 and 8].

A cut of a link is a reset: both ends know at once. After a silent cut the channels run on, until
each end has noticed (`twin.rules.channels.silence`).

Decided here: if the link is healed before an end has noticed, its session lives on, and the open
batch is confirmed then. If the receiving end has ended meanwhile, the sending end is reset as the
link is healed. A channel that was already retrying when the link fell silent does not wait for
answers: its retries fail at once.

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Stopping a channel", "Long retry interval"; 9.4, "Short
retry interval"; 9.2, "Checking that the other end of the channel is still available".
"""

from __future__ import annotations

from twin.events import (
    ChannelEndHeard,
    ChannelRetryAwaited,
    ChannelStatusChanged,
    LinkChanged,
    QueueManagerResumed,
    ReceivingEndEnded,
)
from twin.fold.agenda import TimerKey, TimerKind
from twin.fold.estate import ChannelState, QueueManager
from twin.model.messages import HOST_NOT_AVAILABLE, NOT_AVAILABLE, RESET, TIMED_OUT
from twin.model.objects import PARTNERS, Definition
from twin.rules import membership, standing
from twin.rules.channels import (
    channel_status,
    retrying,
    silence,
    starting,
    stopping,
)
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import connecting, delivery, publication
from twin.rules.repository.connecting import connect, revive


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
    for other, name, state in channels_to(draft, qmgr):
        if channel not in (None, name) or only not in (None, other.name):
            continue
        if channel_status.is_silent(draft, other.name, qmgr.name) or standing.stands(other, name):
            continue
        if state.status == "RUNNING":
            if channel_status.is_idle(other, name, state, draft.at):
                continue
            retrying.fail(draft, other, name, reason=reason)
        elif state.status == "BINDING":
            retrying.retry_later(draft, other, name, qmgr.name, reason=reason)
        elif state.status == "RETRYING":
            _fail_retry(draft, other, name, state)
    for partner in ended:  # a new session of it is no longer refused
        if partner in draft.estate.qmgrs:
            await_retries(draft, qmgr, only=partner)


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
            reason=starting.refusal(draft, qmgr, channel, partner),
        )
    )
    stopping.inhibit_queue(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "tried")


def await_retries(
    draft: Draft, partner: QueueManager, *, only: str | None = None, refused: bool = False
) -> None:
    """Put the next retries of other queue managers' channels to a reachable partner on the agenda.

    With `only`, do this only for the channels of that queue manager; with `refused`, also for those
    that the partner will refuse. A channel that was observed RUNNING although its partner was gone
    sends at once. A disconnected channel needs no retry. A channel whose status stands as it was
    seen sends what waited for its partner, if it can.
    """
    send_over_standing(draft, partner, only=only)
    for other, channel, state in channels_to(draft, partner, only=only):
        obstacle = channel_status.obstacle(draft, other, channel, partner.name)
        if not other.running or (obstacle and not (refused and obstacle == NOT_AVAILABLE)):
            continue
        if state.status == "RETRYING":
            retrying.await_retry(draft, other, channel, state)
        elif state.status == "RUNNING" and not obstacle:
            channel_status.note_outcome(draft, other, channel, "ran")


def send_over_standing(draft: Draft, partner: QueueManager, *, only: str | None = None) -> None:
    """Send the commands for a partner that wait for channels whose status stands as it was seen.

    With `only`, do this only for the channels of that queue manager.
    """
    qmgrs = draft.estate.qmgrs
    for other in list(qmgrs.values()) if only is None else [qmgrs[only]]:
        if not other.is_only_observed or _surely_sent_all(other):
            continue
        for channel, commands in list(other.repository.waiting.items()):
            if commands[0].to == partner.qmid and standing.stands(other, channel):
                revive(draft, other, channel, partner.name)


def _surely_sent_all(qmgr: QueueManager) -> bool:
    """Return whether no command of a queue manager waits, without loading its repository."""
    return "repository" not in vars(qmgr) and TimerKind.QUEUED not in qmgr.earliest_timers


def channels_to(
    draft: Draft, partner: QueueManager, *, only: str | None = None
) -> list[tuple[QueueManager, str, ChannelState]]:
    """Return the channels to a partner, sorted; with `only`, those of that queue manager."""
    qmgrs = draft.estate.qmgrs
    channels = [
        (other.name, channel, state)
        for other in (qmgrs.values() if only is None else [qmgrs[only]])
        for channel, state in other.activity.channels.items()
        if state.partner == partner.name
    ]
    return [(qmgrs[name], channel, state) for name, channel, state in sorted(channels)]


def running_senders(draft: Draft, qmgr: QueueManager, channel: str) -> list[QueueManager]:
    """Return the queue managers whose channel with this name runs to `qmgr`.

    This includes those for which only the receiving end is left.
    """
    left = {partner for name, partner, _ in silence.left_over(qmgr) if name == channel}
    running = [
        other
        for other, name, state in channels_to(draft, qmgr)
        if name == channel
        and state.status == "RUNNING"
        and not channel_status.is_idle(other, name, state, draft.at)
    ]
    names = left.difference(other.name for other in running)
    return [*running, *(draft.estate.qmgrs[name] for name in sorted(names & {*draft.estate.qmgrs}))]


def wake_partners(draft: Draft, qmgr: QueueManager) -> None:
    """Let other queue managers' manual CLUSSDRs to `qmgr` find it, now or at their next retry."""
    estate = draft.estate
    manual = {
        name
        for channel, channel_type in qmgr.channels.items()
        if channel_type == "CLUSRCVR"
        for name in estate.ends.get((channel, "CLUSSDR"), ())
    }
    await_retries(draft, qmgr)
    for name in sorted(manual - {qmgr.name}):
        other = estate.qmgrs[name]
        for sender, _ in list(membership.channels_of(other, "CLUSSDR")) if other.running else ():
            if sender.name in qmgr.channels:
                state = other.activity.channels.get(sender.name)
                if state is None or (state.status, state.partner) != ("RETRYING", qmgr.name):
                    connect(draft, other, sender)


def await_new_end(draft: Draft, qmgr: QueueManager, receiver: Definition) -> None:
    """Let channels outside clusters find a receiving end that was just defined, at the next retry.

    A channel that starts before its partner or its end there exists is RETRYING, and leads nowhere
    yet (AMQ9202, AMQ9520). IBM MQ 9.1, "Short retry interval", "Long retry interval": it tries
    again until it succeeds or its retries are used up.
    """
    kinds = [kind for kind, ends in PARTNERS.items() if receiver.type in ends]
    ends = draft.estate.ends
    names = {name for kind in kinds for name in ends.get((receiver.name, kind), ())}
    for name in sorted(names - {qmgr.name}):
        other = draft.estate.qmgrs[name]
        state = other.activity.channels.get(receiver.name)
        if not other.running or state is None or state.status != "RETRYING":
            continue
        leads_here = partners.leads_to(draft.estate, other, receiver.name) == qmgr.name
        if leads_here and state.partner in {"", qmgr.name}:
            retrying.await_retry(draft, other, receiver.name, state)


def bring_up_to_date(draft: Draft, qmgr: QueueManager) -> None:
    """Send what a queue manager has to send after its role, address or state changed.

    Start its channels that commands or messages wait for, publish changed records, and connect its
    CLUSSDRs and the CLUSSDRs of others to it.
    """
    if not qmgr.running:
        return
    for channel, commands in list(qmgr.repository.waiting.items()):
        revive(draft, qmgr, channel, draft.estate.names[commands[0].to])
    for channel in qmgr.messaging.channels() if qmgr.has_messaging else ():
        channel_status.note_outcome(draft, qmgr, channel, "ran")
    _end_suspensions(draft, qmgr)
    publication.publish_changes(draft, qmgr, only=None)
    for sender, _ in list(membership.channels_of(qmgr, "CLUSSDR")):
        connect(draft, qmgr, sender)
    wake_partners(draft, qmgr)


def _end_suspensions(draft: Draft, qmgr: QueueManager) -> None:
    """End the suspension of a queue manager in each cluster that it has left.

    So a member that joins again is not suspended [inferred: SUSPEND QMGR is for members only].
    """
    joined = membership.clusters_joined(qmgr) if qmgr.suspended else ()
    for cluster in [name for name in qmgr.suspended if name not in joined]:
        draft.emit(QueueManagerResumed(qmgr=qmgr.name, cluster=cluster))


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
            fail_channels_to(draft, partner, only=sender.name)
        else:
            _hear_again(draft, sender, partner)
            await_retries(draft, partner, only=sender.name, refused=True)


def address_changed(draft: Draft, qmgr: QueueManager) -> None:
    """Fail the channels to addresses that lead no longer to a queue manager; others find it."""
    for other, channel, state in channels_to(draft, qmgr):
        runs = state.status == "RUNNING" and not standing.stands(other, channel)
        if runs and not channel_status.can_reach(draft, other, channel, qmgr.name):
            retrying.fail(draft, other, channel, reason=HOST_NOT_AVAILABLE)
    await_retries(draft, qmgr)


def _fall_silent(draft: Draft, sender: QueueManager, partner: QueueManager) -> None:
    """Let the channels of a queue manager to a partner run on without an answer."""
    for channel, state in list(sender.activity.channels.items()):
        if state.partner != partner.name or state.silence is not None:
            continue
        if state.status == "RUNNING":
            if not channel_status.is_idle(sender, channel, state, draft.at):
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
        if state.status == "RUNNING" and not channel_status.is_idle(
            sender, channel, state, draft.at
        ):
            _go_on(draft, sender, channel, partner)
            continue
        draft.emit(ChannelEndHeard(qmgr=sender.name, channel=channel, partner=partner.name))
        if state.status == "BINDING":
            connecting.reconnect(draft, sender, channel, partner.name)


def _go_on(draft: Draft, sender: QueueManager, channel: str, partner: QueueManager) -> None:
    """Continue the session of a channel if its receiving end is still there, or reset it."""
    lives = channel_status.is_active(partner, channel, sender.name)
    silence.forget(draft, partner, channel, sender.name)
    if not lives:
        retrying.fail(draft, sender, channel, reason=RESET)
        return
    draft.emit(ChannelEndHeard(qmgr=sender.name, channel=channel, partner=partner.name))
    if sender.has_messaging:
        stopping.clear(draft, sender, channel)
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
            await_retries(draft, qmgr, only=partner)
        return
    state = qmgr.activity.channels[channel]
    if state.status == "BINDING":
        retrying.retry_later(draft, qmgr, channel, state.partner, reason=HOST_NOT_AVAILABLE)
    elif channel_status.is_idle(qmgr, channel, state, draft.at):
        draft.emit(ChannelEndHeard(qmgr=qmgr.name, channel=channel, partner=state.partner))
    else:
        retrying.fail(draft, qmgr, channel, reason=TIMED_OUT)
