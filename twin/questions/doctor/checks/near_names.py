"""Names of clusters that are like those in use, and may be misspelt.

MQ does not know that a name is misspelt: it makes another cluster (IBM MQ, "Components of a
cluster"). A name counts as misspelt here only if no CLUSRCVR and no CLUSSDR has it [decided here].
"""

from __future__ import annotations

from difflib import get_close_matches

from twin.model.objects import Subject
from twin.questions.doctor.index import Cluster, Index, Site
from twin.rules import membership


def near_cluster(site: Site, cluster: str) -> str:
    """Return a cluster of the queue manager whose name is like that of another; '' if none is."""
    joined = sorted({name for _, clusters in site.receivers for name in clusters})
    return next(iter(get_close_matches(cluster, joined, n=1)), "")


def meant_cluster(index: Index, cluster: Cluster) -> str:
    """Return the cluster that the only member of another one probably means; '' if none is."""
    others = [each.name for each in index.clusters if each is not cluster]
    near = get_close_matches(cluster.name, others, n=1, cutoff=0.75)
    return near[0] if near and len(cluster.members) == 1 else ""


def misspelt_receivers(index: Index, site: Site, cluster: Cluster) -> tuple[Subject, ...]:
    """Return the findings of CLUSRCVRs that are probably meant to be in a cluster."""
    joined = [index.cluster(name) for _, clusters in site.receivers for name in clusters]
    found = [each for each in joined if meant_cluster(index, each) == cluster.name]
    return tuple(each.about(aspect="members") for each in found)


def meant_repository(site: Site, cluster: Cluster) -> str:
    """Return the cluster that REPOS or REPOSNL probably means instead of one; '' if it is right."""
    if cluster.members or cluster.senders:
        return ""
    near = near_cluster(site, cluster.name)
    return "" if membership.is_full(site.qmgr, near) else near


def misspelt_repository(index: Index, cluster: Cluster, site: Site) -> Subject | None:
    """Return the finding of a member that is probably meant to be a full repository of a cluster.

    It is the subject of that finding; None if it is one, or nothing speaks for it.
    """
    for each in map(index.cluster, membership.full_repository_of(site.qmgr)):
        if each.name != cluster.name and meant_repository(site, each) == cluster.name:
            return each.about(qmgr=site.name)
    return None


def misspelt_repositories(index: Index, cluster: Cluster) -> tuple[Subject, ...]:
    """Return these findings of all members of a cluster."""
    found = (misspelt_repository(index, cluster, index.sites[name]) for name in cluster.members)
    return tuple(sorted(filter(None, found), key=str))
