"""Cluster channels: where a CLUSSDR leads, and whether it can run.

Where it leads [inferred; IBM MQ 9.x, "How cluster channels are defined"]: a CLUSSDR reaches the
running queue manager that has a CLUSRCVR of the same name in that cluster; of several, the one
with the same CONNAME. With none it is RETRYING with AMQ9202.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.events import (
    ChannelBatchInDoubt,
    ChannelStatusChanged,
    MessagesAtRisk,
    MessagesLost,
)
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.channel_types import PARTNERS
from twin.model.instants import Instant
from twin.model.names import connection
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.rules import (
    association,
    awaiting,
    disconnecting,
    history,
    inhibiting,
    membership,
    renewing,
    switching,
)
from twin.rules.draft import Draft, Turn

HOST_NOT_AVAILABLE: Final = "AMQ9202"


def partner_of(draft: Draft, qmgr: QueueManager, sender: Definition) -> QueueManager | None:
    """Return the queue manager at the other end of a defined channel, if there is one.

    Of several that have the receiving end the one with the same CONNAME, one that runs first.
    """
    wanted = PARTNERS.get(sender.type, ())
    clusters = set(membership.clusters(qmgr, sender))
    found: list[tuple[Definition, QueueManager]] = []
    ends = draft.estate.ends
    names = [name for end in wanted for name in ends.get((sender.name, end), ())]
    for name in names:
        other = draft.estate.qmgrs[name]
        if other is qmgr:
            continue
        receiver = other.definitions["CHANNEL", sender.name]
        if clusters and not clusters.intersection(membership.clusters(other, receiver)):
            continue
        found.append((receiver, other))
    if len(found) > 1:
        found.sort(
            key=lambda each: (not each[1].running, not _same_address(sender, each[0]), each[1].name)
        )
    return found[0][1] if found else None


def _same_address(sender: Definition, receiver: Definition) -> bool:
    there, here = (
        connection(str(definition.values.get("CONNAME", ""))) for definition in (sender, receiver)
    )
    return bool(set(there) & set(here))


def status_of(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return the status of a channel at an instant, MQSC's word."""
    state = disconnecting.current(qmgr, channel, at)
    return state.status if state is not None else "INACTIVE"


def can_reach(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Say whether a queue manager is up, with the other end of this channel not stopped.

    One that is not defined at the sender was made from a CLUSRCVR.
    """
    other = draft.estate.qmgrs.get(target)
    wanted = PARTNERS.get(sender.channels.get(channel, ""), PARTNERS["CLUSSDR"])
    if other is None or not other.running or other.channels.get(channel) not in wanted:
        return False
    if draft.estate.links and draft.estate.link(sender.name, target).cut:
        return False
    state = other.activity.channels.get(channel)
    return state is None or state.status != "STOPPED"


def usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Say whether a channel runs, or would if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        if state.status != "RUNNING":
            return False
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return (state is None or state.status != "STOPPED") and can_reach(
        draft, sender, channel, target.name
    )


def ensure_running(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Start a channel if it is inactive; say whether it runs now.

    A STOPPED channel does not start by itself, and one that is RETRYING waits for its next retry
    (IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval"). One that has disconnected is used as
    if it ran, and nothing is recorded, where it can reach its partner.
    """
    state = sender.activity.channels.get(channel)
    if state is None:
        return start(draft, sender, channel, target)
    if state.status != "RUNNING":
        return False
    if state.partner == target:
        ends = state.ends
        if ends is None or draft.at < ends or can_reach(draft, sender, channel, target):
            return True
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return start(draft, sender, channel, target)


def passes(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Say whether repository commands pass over a channel that has disconnected."""
    state = sender.activity.channels.get(channel)
    return (
        state is not None
        and state.partner == target
        and disconnecting.is_idle(sender, channel, state, draft.at)
        and can_reach(draft, sender, channel, target)
    )


def start(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Start a sending channel to a partner, '' where it has none; say whether it runs now.

    As it starts, its transmission queue is looked at anew, whether or not it finds its partner; and
    a batch that was in doubt is settled with a partner that it finds: in the twin none of it has
    arrived. One that may get nothing off its transmission queue ends at once.
    """
    associate(draft, qmgr, channel)
    if partner and can_reach(draft, qmgr, channel, partner):
        if inhibiting.ends(draft, qmgr, channel):
            return False
        _run(draft, qmgr, channel, partner)
        return True
    retry_later(draft, qmgr, channel, partner, reason=HOST_NOT_AVAILABLE)
    return False


def associate(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Look at the transmission queue of a cluster-sender channel that is started."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        switching.start(draft, qmgr, channel)


def run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Let a sending channel run, as it started and found its partner."""
    associate(draft, qmgr, channel)
    _run(draft, qmgr, channel, partner)


def _run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    history.status_changes(draft, qmgr, channel, "RUNNING")
    renewing.keep(draft, qmgr, channel)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RUNNING",
            partner=partner,
            discint=disconnecting.interval(attributes_of(draft, qmgr, channel, partner)),
        )
    )
    if qmgr.busy:
        _begin_batch(draft, qmgr, channel)
    draft.turned.pop((qmgr.name, channel), None)
    if qmgr.busy:
        draft.turned[qmgr.name, channel] = "ran"


def start_defined(draft: Draft, qmgr: QueueManager, definition: Definition) -> bool:
    """Start a sending channel by its definition; say whether it runs now."""
    partner = partner_of(draft, qmgr, definition)
    return start(draft, qmgr, definition.name, partner.name if partner is not None else "")


def _begin_batch(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    if channel in qmgr.messaging.in_doubt:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=0))
    if channel in qmgr.messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))


def fail(draft: Draft, qmgr: QueueManager, channel: str, *, reason: str) -> None:
    """Let a running channel fail: what a fast one had sent outside syncpoint is lost.

    Source: IBM MQ, "What happens when a queue manager fails?" (non-persistent messages on a fast
    channel might be lost; in the twin those that were seen to be sent are).
    """
    lose_at_risk(draft, qmgr, channel)
    partner = qmgr.activity.channels[channel].partner
    retry_later(draft, qmgr, channel, partner, reason=reason)


def lose_at_risk(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Lose the non-persistent messages that a fast channel had sent outside syncpoint."""
    if not qmgr.busy or channel not in qmgr.messaging.at_risk:
        return
    left = qmgr.messaging.at_risk[channel]
    for queue, count in fast_ones(qmgr, channel, left):
        draft.emit(
            MessagesLost(qmgr=qmgr.name, queue=queue, count=count, why="fast", channel=channel)
        )
    draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=0))
    keep_in_doubt(draft, qmgr, channel)


def keep_in_doubt(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let no more messages of a channel be in doubt than wait for it, once some are gone."""
    count = qmgr.messaging.in_doubt.get(channel, 0)
    there = sum(parcel.count for _, parcel in association.waiting(qmgr, channel)) if count else 0
    if count > there:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=there))


def fast_ones(qmgr: QueueManager, channel: str, count: int) -> list[tuple[str, int]]:
    """List where the first so many non-persistent messages for a channel lie."""
    found: dict[str, int] = {}
    for queue, parcel in association.waiting(qmgr, channel):
        taken = 0 if parcel.persistent else min(parcel.count, count)
        count -= taken
        if taken:
            found[queue] = found.get(queue, 0) + taken
    return list(found.items())


def retry_later(
    draft: Draft, qmgr: QueueManager, channel: str, partner: str, *, reason: str
) -> None:
    """Let a channel that could not start, or failed, be RETRYING, with the retries of now."""
    turn: Turn = "failed" if status_of(qmgr, channel, draft.at) == "RUNNING" else "tried"
    retries = retries_of(draft, qmgr, channel, partner)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RETRYING",
            partner=partner,
            reason=reason,
            retries=None if retries == Retries() else retries,
            gives_up=retries.end(draft.at),
        )
    )
    awaiting.await_switches(draft, qmgr, only=channel)
    note(draft, qmgr, channel, turn)


def note(draft: Draft, qmgr: QueueManager, channel: str, turn: Turn) -> None:
    """Note what became of a channel, if there are messages that this could concern."""
    if qmgr.name in draft.estate.stuck:
        draft.turned.pop((qmgr.name, channel), None)
        draft.turned[qmgr.name, channel] = turn


def attributes_of(
    draft: Draft, qmgr: QueueManager, channel: str, partner: str
) -> Mapping[str, Value]:
    """Return the attributes of a sending channel: its partner's CLUSRCVR's, once it is known.

    Source: IBM MQ 9.x, "How cluster channels are defined".
    """
    other, repository = draft.estate.qmgrs.get(partner), qmgr.repository
    for cluster in membership.clusters_joined(qmgr) if other else ():
        if other and channel in repository.routes.get((cluster, other.qmid), ()):
            return repository.beliefs[cluster, "qmgr", channel][other.qmid].values
    definition = qmgr.definitions.get(("CHANNEL", channel))
    return definition.values if definition is not None else {}


def retries_of(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> Retries:
    """Return the retries of a sending channel, were it to fail now."""
    return Retries.of(attributes_of(draft, qmgr, channel, partner))


def leads_to(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Name the queue manager a sending channel leads to, '' where nobody knows one."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None:
        partner = partner_of(draft, qmgr, definition)
        return partner.name if partner is not None else ""
    for (_, _, name), belief in qmgr.repository.of_kind("qmgr"):
        if name == channel and belief.owner != qmgr.qmid:
            return belief.owner_name
    return ""


def release(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the status of a channel go that is neither defined nor known from a cluster any more.

    One that something waits for is kept (IBM MQ 9.2, "REFRESH CLUSTER").
    """
    if channel not in qmgr.activity.channels or channel in qmgr.repository.waiting:
        return
    if qmgr.busy and qmgr.messaging.waits_for(channel):
        return
    elsewhere = ("CHANNEL", channel) in qmgr.definitions or any(
        name[2] == channel for name, _ in qmgr.repository.of_kind("qmgr")
    )
    if not elsewhere:
        draft.emit(ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="INACTIVE"))
