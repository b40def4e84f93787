"""Cluster channels: where a CLUSSDR leads, and whether it can run.

Where it leads [inferred; IBM MQ 9.x, "How cluster channels are defined"]: a CLUSSDR reaches the
running queue manager that has a CLUSRCVR of the same name in that cluster; of several, the one
with the same CONNAME. With none it is RETRYING with AMQ9202.
"""

from __future__ import annotations

from typing import Final

from twin.events import ChannelStatusChanged
from twin.fold.estate import QueueManager
from twin.model.names import connection
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.rules import membership
from twin.rules.draft import Draft

HOST_NOT_AVAILABLE: Final = "AMQ9202"

_PARTNERS: Final = {
    "CLUSSDR": ("CLUSRCVR",),
    "SDR": ("RCVR", "RQSTR"),
    "SVR": ("RCVR", "RQSTR"),
    "RQSTR": ("SVR", "SDR"),
}
"""Channel type -> the types it can run with."""


_RECEIVING: Final = frozenset(end for ends in _PARTNERS.values() for end in ends)


def partner_of(draft: Draft, qmgr: QueueManager, sender: Definition) -> QueueManager | None:
    """Return the queue manager at the other end of a defined channel, if there is one.

    Of several that have the receiving end the one with the same CONNAME, one that runs first.
    """
    wanted = _PARTNERS.get(sender.type, ())
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


def can_reach(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Say whether a queue manager is up, with the receiving end of this channel not stopped."""
    other = draft.estate.qmgrs.get(target)
    if other is None or not other.running or other.channels.get(channel) not in _RECEIVING:
        return False
    if draft.estate.links and draft.estate.link(sender.name, target).cut:
        return False
    state = other.activity.channels.get(channel)
    return state is None or state.status != "STOPPED"


def usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Say whether a channel runs, or would if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        return state.status == "RUNNING"
    return (state is None or state.status != "STOPPED") and can_reach(
        draft, sender, channel, target.name
    )


def ensure_running(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Start a channel if it is inactive; say whether it runs now.

    A STOPPED channel does not start by itself, and one that is RETRYING waits for its next retry
    (IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval").
    """
    state = sender.activity.channels.get(channel)
    if state is not None and (state.status != "RUNNING" or state.partner == target):
        return state.status == "RUNNING"
    reached = can_reach(draft, sender, channel, target)
    draft.emit(
        ChannelStatusChanged(
            qmgr=sender.name,
            channel=channel,
            status="RUNNING" if reached else "RETRYING",
            partner=target,
            reason="" if reached else HOST_NOT_AVAILABLE,
        )
    )
    return reached


def retries_of(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> Retries:
    """Return the retries of a sending channel: its partner's CLUSRCVR says them, once it is known.

    Source: IBM MQ 9.x, "How cluster channels are defined".
    """
    other, repository = draft.estate.qmgrs.get(partner), qmgr.repository
    for cluster in membership.clusters_joined(qmgr) if other else ():
        if other and channel in repository.routes.get((cluster, other.qmid), ()):
            return Retries.of(repository.beliefs[cluster, "qmgr", channel][other.qmid].values)
    definition = qmgr.definitions.get(("CHANNEL", channel))
    return Retries.of(definition.values if definition is not None else {})


def release(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the status of a channel go that is neither defined nor known from a cluster any more."""
    if channel not in qmgr.activity.channels or channel in qmgr.repository.waiting:
        return
    elsewhere = ("CHANNEL", channel) in qmgr.definitions or any(
        name[2] == channel for name, _ in qmgr.repository.of_kind("qmgr")
    )
    if not elsewhere:
        draft.emit(ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="INACTIVE"))
