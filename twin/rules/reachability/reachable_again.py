"""A queue manager can be reached, at first or again: what it sends then, and others to it.

A channel that has never found its partner is started as soon as the partner's end is defined. A
channel that lost its partner finds it again at its next retry [inferred; decisions 4 and 8].

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.4, "Short retry interval".
"""

from __future__ import annotations

from twin.events import QueueManagerResumed
from twin.fold.agenda import TimerKind
from twin.fold.estate import ChannelState, QueueManager
from twin.model.messages import NOT_AVAILABLE
from twin.model.objects import PARTNERS, Definition
from twin.rules import membership, standing
from twin.rules.channels import channel_status, disconnecting, reaching, retrying, silence
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import publication
from twin.rules.repository.connecting import connect, revive


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
        obstacle = reaching.obstacle(draft, other, channel, partner.name)
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
        and not disconnecting.is_idle(other, name, state, draft.at)
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
