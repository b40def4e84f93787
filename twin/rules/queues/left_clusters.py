"""Channels into clusters that their queue manager has left: what is put there waits.

Names of such a cluster still resolve, for up to 90 days: until then an application that used them
goes on to write to a transmission queue (IBM MQ 9.4, "Restoring a queue manager to its pre-cluster
state"). No source says that these messages are sent. Decided here: they wait, whatever the status
of the channel, until the queue manager joins the cluster again (decision 52). Repository commands
are sent: the queue manager has to say that it leaves.
"""

from __future__ import annotations

from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.rules import membership


def left_cluster(qmgr: QueueManager, channel: str) -> str:
    """Return the cluster of a cluster-sender channel if its queue manager has left it, else ''.

    A channel in several clusters is used as long as its queue manager is in one of them. Of several
    clusters that it has left, the first one by name is returned. At an observed queue manager it
    must be known that there is no CLUSRCVR.
    """
    repository = qmgr.repository
    former = repository.clusters.keys() - membership.clusters_joined(qmgr)
    if not former or not _knows_its_receivers(qmgr):
        return ""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None and definition.type != "CLUSSDR":
        return ""
    clusters = {
        cluster
        for (cluster, owner), channels in repository.routes.items()
        if owner != qmgr.qmid and channel in channels
    }
    if definition is not None:
        clusters.update(membership.clusters(qmgr, definition))
    return min(clusters, default="") if clusters <= former else ""


def _knows_its_receivers(qmgr: QueueManager) -> bool:
    return not qmgr.observed or bool(qmgr.confirmed.get("CHANNEL", NEVER_CONFIRMED).complete)
