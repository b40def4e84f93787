"""Checks of the full repositories of clusters: their number, their connection, what they hold."""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import QueueManager
from twin.model.amounts import counted
from twin.model.commands import Command
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks import near_names, sender_targets
from twin.questions.doctor.checks.disagreeing_repositories import ENOUGH, islands
from twin.questions.doctor.finding import Finding, FixClass, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.rules import membership


def none(index: Index) -> Iterator[Finding]:
    """Find clusters with several members and no full repository."""
    for cluster in index.clusters:
        if cluster.full or len(cluster.members) < ENOUGH:
            continue
        outside = sorted(_named_outside(index, cluster))
        text = f"None of its {len(cluster.members)} members is a full repository of it."
        if outside:
            text += f" {some(outside)} may be one; no queue manager of the twin has this channel."
        best = index.sites[_best_known(cluster)]
        misspelt = near_names.misspelt_repositories(index, cluster)
        made = fixes.full_of(best, (*membership.full_repository_of(best.qmgr), cluster.name))
        yield Finding(
            subject=cluster.about(),
            text=text,
            evidence=index.evidence_of(cluster, cluster.members),
            on=tuple(sorted(cluster.members)),
            named=(),
            cluster=cluster.name,
            severity=Severity.INFO if outside else _unless_unsaid(index, cluster),
            fix=() if outside or misspelt else made,
            because=misspelt,
            probe=probes.shown(best.name, "DISPLAY CLUSQMGR(*) QMTYPE"),
        )


def _unless_unsaid(index: Index, cluster: Cluster) -> Severity | None:
    """Return the severity if the attributes of some member were never observed, else None."""
    said = all(index.sites[name].says("QMGR") for name in cluster.members)
    return None if said else Severity.WARNING


def ended(index: Index) -> Iterator[Finding]:
    """Find clusters whose full repositories have all ended while another member runs."""
    for cluster in index.clusters:
        full = cluster.among(cluster.full)
        running = {name for name in cluster.members if index.sites[name].qmgr.running}
        if not full or running & {*full} or not running or _named_outside(index, cluster):
            continue
        yield Finding(
            subject=cluster.about(),
            text=f"No full repository runs: {some(full)} ended.",
            evidence=index.evidence_of(cluster, full),
            on=tuple(full),
            cluster=cluster.name,
        )


def single(index: Index) -> Iterator[Finding]:
    """Find clusters with one full repository."""
    for cluster in index.clusters:
        full = cluster.among(cluster.full) or sorted(cluster.full)
        everyone = cluster.members.keys() | set(full)
        if len(full) != 1 or len(everyone) <= ENOUGH or _named_outside(index, cluster):
            continue
        yield Finding(
            subject=cluster.about(),
            text=f"{full[0]} is the only full repository; the cluster has {len(everyone)} members.",
            evidence=index.evidence_of(cluster, cluster.among(full))
            or (index.sites[full[0]].place(),),
            on=tuple(full),
            cluster=cluster.name,
            because=near_names.misspelt_repositories(index, cluster),
        )


def many(index: Index) -> Iterator[Finding]:
    """Find clusters with more than two full repositories."""
    for cluster in index.clusters:
        for island in islands(cluster):
            full = cluster.among(island & set(cluster.full))
            if len(full) > ENOUGH:
                yield Finding(
                    subject=cluster.about(aspect=f"full repositories {full[0]}"),
                    text=f"{len(full)} full repositories: {some(full)}. Each member sends "
                    "its records to two of them.",
                    evidence=tuple(index.sites[each].place() for each in full),
                    on=tuple(full),
                    cluster=cluster.name,
                )


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find full repositories without a CLUSRCVR in their cluster, and misspelt names in REPOS."""
    for cluster in index.clusters:
        for name in cluster.full:
            if name not in cluster.members:
                site = index.sites[name]
                meant = near_names.meant_repository(site, cluster)
                display = probes.shown(name, "DISPLAY CLUSQMGR(*) DEFTYPE")
                yield Finding(
                    subject=cluster.about(qmgr=name),
                    text=f"{name} is set to be a full repository of {cluster.name} and has no "
                    "CLUSRCVR in it. No other queue manager can send to it."
                    + (f" It is a member of {meant}: the name may be misspelt." if meant else ""),
                    evidence=(site.place(),),
                    on=(name,),
                    cluster=cluster.name,
                    fix=_renamed(site, cluster, meant)
                    if meant
                    else fixes.receiver_of(site, cluster),
                    fix_class=FixClass.OWNER if meant else None,
                    probe=probes.member(index.cluster(meant), name) if meant else display,
                    severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                )


def _renamed(site: Site, cluster: Cluster, meant: str) -> tuple[Command, ...]:
    """Return the commands that correct a cluster in REPOS or REPOSNL."""
    names = [each for each in membership.full_repository_of(site.qmgr) if each != cluster.name]
    return fixes.full_of(site, (*names, meant))


def on_application_queue_manager(index: Index) -> Iterator[Finding]:
    """Find full repositories that share application queues."""
    for cluster in index.clusters:
        for name in cluster.among(cluster.full):
            site = index.sites[name]
            shared = [each for each, _ in site.clustered if each.kind == "QUEUE"]
            queues = [each.name for each in shared]
            others = len(cluster.members) - len(cluster.full)
            if queues and others > ENOUGH:
                yield Finding(
                    subject=cluster.about(qmgr=name),
                    text=f"Full repository {name} also shares {counted(len(queues), 'queue')}: "
                    f"{some(queues)}.",
                    evidence=tuple(map(site.place, shared[:20])),
                    on=(name,),
                    cluster=cluster.name,
                )


def older_level(index: Index) -> Iterator[Finding]:
    """Find full repositories with a lower command level than a member."""
    for cluster in index.clusters:
        known = [
            site.qmgr
            for name in cluster.members
            if (site := index.sites[name]).knows_all("QMGR")  # a script does not say the level
        ]
        newest = max(known, key=_level, default=None)
        for name in cluster.among(cluster.full):
            site = index.sites[name]
            if site.qmgr in known and newest and site.qmgr.cmdlevel < newest.cmdlevel:
                yield Finding(
                    subject=cluster.about(qmgr=name),
                    text=f"Full repository {name} has command level {site.qmgr.cmdlevel}, and "
                    f"{newest.name} has {newest.cmdlevel}. {name} cannot store newer attributes.",
                    evidence=(site.place(), index.sites[newest.name].place()),
                    on=(name, newest.name),
                    cluster=cluster.name,
                )


def _level(qmgr: QueueManager) -> int:
    return qmgr.cmdlevel


def _named_outside(index: Index, cluster: Cluster) -> set[str]:
    """Return the manual CLUSSDRs of observed members that lead to nothing in the twin."""
    return {
        sender.name
        for site, sender in cluster.senders
        if index.may_have_target(site, sender.name)
        and not sender_targets.unready(index, cluster, sender)
    }


def _best_known(cluster: Cluster) -> str:
    """Return the member to which most manual CLUSSDRs lead."""
    counts = dict.fromkeys(sorted(cluster.members), 0)
    for _, sender in cluster.senders:
        for site, _ in cluster.receivers.get(sender.name, ()):
            counts[site.name] += 1
    return max(counts, key=lambda name: counts[name])
