"""Measures of clusters: the membership of each queue manager, and how many members there are.

Source: ibm-messaging/mq-golang, package mqmetric (cluster status: a queue manager's record of
itself, as INQUIRE CLUSTER QMGR answers).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant
from twin.questions.belief import members
from twin.questions.measures.channels import INACTIVE, known_arrivals
from twin.questions.measures.queue_managers import is_available
from twin.rules import membership, standing


class Membership(NamedTuple):
    """A queue manager as a member of one cluster; None for what is not known.

    Attributes:
        qmgr, cluster: the queue manager, and the name of the cluster.
        full: whether it is a full repository of the cluster.
        status: the status of its own CLUSRCVR.
        suspended: whether it is suspended.
    """

    qmgr: QueueManager
    cluster: str
    full: bool
    status: str | None
    suspended: bool | None


class ClusterSize(NamedTuple):
    """A cluster: how many members and full repositories are known, and names with several QMIDs."""

    cluster: str
    members: int
    full_repositories: int
    duplicates: int


def memberships(estate: Estate, at: Instant, *, observed: bool) -> Iterator[Membership]:
    """Go through the queue managers that run and are in clusters, by name.

    Those that are only observed are passed over unless `observed`.
    """
    running = {(each.receiver, each.channel) for each in known_arrivals(estate, at)}
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if not is_available(qmgr, observed=observed):
            continue
        receivers = {
            cluster: definition.name
            for definition, clusters in membership.channels_of(qmgr, "CLUSRCVR")
            for cluster in clusters
        }
        for cluster, channel in sorted(receivers.items()):
            yield Membership(
                qmgr,
                cluster,
                full=membership.is_full(qmgr, cluster),
                status=_status(qmgr, channel, runs=(name, channel) in running),
                suspended=_suspended(qmgr, cluster),
            )


def _status(qmgr: QueueManager, channel: str, *, runs: bool) -> str | None:
    if qmgr.is_only_observed:
        seen = standing.seen_status(qmgr, channel)
        return None if seen is None else seen.status
    own = qmgr.activity.channels.get(channel)
    if own is not None:
        return own.status
    return "RUNNING" if runs else INACTIVE


def _suspended(qmgr: QueueManager, cluster: str) -> bool | None:
    """Return whether a queue manager is suspended; None if that was never observed."""
    if cluster in qmgr.suspended:
        return True
    if not qmgr.is_only_observed:
        return False
    complete = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED).complete
    shown = any(
        name[:2] == (cluster, "qmgr") and owner == qmgr.qmid
        for name, owner in qmgr.repository.shown
    )
    return False if complete or shown else None


def cluster_sizes(estate: Estate, as_of: AsOf) -> Iterator[ClusterSize]:
    """Go through the clusters that any queue manager knows, by name."""
    known: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for row in members(estate, as_of, basis=Basis.DERIVED).rows:
        known[str(row["cluster"])].append((str(row["qmgr"]), row["qmtype"] == "REPOS"))
    for cluster, names in sorted(known.items()):
        qmids = Counter(name for name, _ in names)
        yield ClusterSize(
            cluster,
            len(names),
            sum(full for _, full in names),
            sum(count > 1 for count in qmids.values()),
        )
