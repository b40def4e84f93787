"""Where a channel leads, and whether it can get there.

A CLUSSDR reaches [inferred; IBM MQ 9.x, "How cluster channels are defined"] the running queue
manager that has a CLUSRCVR of the same name in that cluster; of several, the one with the same
CONNAME.
"""

from __future__ import annotations

from collections.abc import Mapping

from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.channel_types import PARTNERS
from twin.model.names import connection
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.rules import membership
from twin.rules.draft import Draft


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
