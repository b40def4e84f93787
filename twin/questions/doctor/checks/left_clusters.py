"""A check of clusters that a queue manager has left, and still puts to."""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import NEVER_CONFIRMED
from twin.model.amounts import counted, verb
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import messaging_of
from twin.rules import membership
from twin.rules.messages.destinations import leading_into
from twin.rules.queues.left_clusters import left_cluster


def still_used(index: Index) -> Iterator[Finding]:
    """Find clusters that a queue manager has left, and that messages or definitions lead into.

    That it has left is known from all its channels, or from a complete DISPLAY CLUSQMGR without a
    row of its own.
    """
    for site in index:
        shown = site.qmgr.confirmed.get("qmgr", NEVER_CONFIRMED)
        if not (shown.complete or site.knows_all("CHANNEL")):
            continue
        joined = membership.clusters_joined(site.qmgr)
        for cluster in sorted(site.qmgr.repository.clusters.keys() - joined):
            finding = _of(index, site, cluster)
            if finding is not None:
                yield finding


def _of(index: Index, site: Site, cluster: str) -> Finding | None:
    waiting = [
        parcel
        for channels in messaging_of(site.qmgr).waiting.values()
        for channel, parcels in channels.items()
        if left_cluster(site.qmgr, channel) == cluster
        for parcel in parcels
    ]
    leading = list(leading_into(index.estate, index.at, site.qmgr, {cluster}))
    if not waiting and not leading:
        return None
    count = sum(parcel.count for parcel in waiting)
    says = [f"{counted(count, 'message')} {verb(count, 'wait')} for its members"] if count else []
    if leading:
        names = some(each.name for each in leading)
        says.append(f"{names} {verb(len(leading), 'lead')} into it: what is put there waits")
    return Finding(
        subject=site.about(cluster=cluster, aspect="left"),
        text=f"{site.name} has left {cluster} and still holds records of it; {'; '.join(says)}.",
        evidence=(
            *sorted({each.put for each in waiting})[:20],
            *map(site.place, leading[:20]),
        ),
        on=(site.name,),
        cluster=cluster,
        severity=Severity.ERROR if waiting else Severity.WARNING,
        grounds=index.grounds((site, "CHANNEL")),
    )
