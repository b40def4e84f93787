"""Where a sending channel leads: the queue manager that has its other end.

A CLUSSDR leads to the running queue manager that has a CLUSRCVR of the same name in that cluster;
of several, to the one with the same CONNAME [inferred; IBM MQ 9.x, "How cluster channels are
defined"].
"""

from __future__ import annotations

from itertools import chain

from twin.fold.estate import Estate, QueueManager
from twin.model.names import connection
from twin.model.objects import PARTNERS, Definition, text_of
from twin.rules import membership


def partner_of(estate: Estate, qmgr: QueueManager, sender: Definition) -> QueueManager | None:
    """Return the queue manager at the other end of a defined channel; None if there is none.

    If several have the receiving end, running ones are preferred, then those with the same CONNAME.
    Decided here: a channel also runs to a CLUSRCVR in other clusters, if that has the same CONNAME
    and no other is in its clusters; the channel carries nothing then.
    """
    receiving_types = PARTNERS.get(sender.type, ())
    clusters = set(membership.clusters(qmgr, sender))
    partners: list[tuple[Definition, QueueManager]] = []
    strangers: list[QueueManager] = []
    ends = (estate.ends.get((sender.name, end), ()) for end in receiving_types)
    for name in chain.from_iterable(ends):
        other = estate.qmgrs[name]
        if other is qmgr:
            continue
        receiver = other.definitions["CHANNEL", sender.name]
        if clusters and not clusters.intersection(membership.clusters(other, receiver)):
            if _same_address(sender, receiver):
                strangers.append(other)
            continue
        partners.append((receiver, other))
    if len(partners) > 1:
        partners.sort(
            key=lambda each: (not each[1].running, not _same_address(sender, each[0]), each[1].name)
        )
    if not partners:
        return min(strangers, key=lambda each: (not each.running, each.name), default=None)
    return partners[0][1]


def leads_to(estate: Estate, qmgr: QueueManager, channel: str) -> str:
    """Return the queue manager that a sending channel leads to; '' if none is known."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None:
        partner = partner_of(estate, qmgr, definition)
        return partner.name if partner is not None else ""
    for (_, _, name), belief in qmgr.repository.of_kind("qmgr"):
        if name == channel and belief.owner != qmgr.qmid:
            return belief.owner_name
    return ""


def may_lead_outside(estate: Estate, qmgr: QueueManager, sender: Definition) -> bool:
    """Return whether a channel that leads to nobody known may lead to one that was not imported.

    That one may well run, so nothing follows for the channel. One that was deleted is known
    (decision 54).
    """
    ends = PARTNERS.get(sender.type, ())
    gone = (each.channels.get(sender.name) for each in estate.departed.values())
    return qmgr.observed and not any(end in ends for end in gone)


def _same_address(sender: Definition, receiver: Definition) -> bool:
    named, own = (connection(text_of(each, "CONNAME")) for each in (sender, receiver))
    return not set(named).isdisjoint(own)
