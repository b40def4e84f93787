"""Checks of manual CLUSSDRs: how many there are, and where they lead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.commands import parameters_text
from twin.model.objects import Definition, Subject, text_of, value_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.near_names import misspelt_receivers
from twin.questions.doctor.checks.sender_targets import leads_elsewhere
from twin.questions.doctor.finding import Finding, FixClass, Severity, some
from twin.questions.doctor.index import Cluster, Index, OwnedObject, Site

_SEVERAL: Final = 2
"""How many manual CLUSSDRs a partial repository may have without a remark."""


_WORKLOAD: Final = {"CLWLRANK": 0, "CLWLPRTY": 0, "CLWLWGHT": 50}
"""The workload attributes of channels, with their defaults."""


def none(index: Index) -> Iterator[Finding]:
    """Find partial repositories without a manual CLUSSDR in their cluster."""
    for cluster in index.clusters:
        having = {site.name for site, _ in cluster.senders}
        for name in sorted(cluster.members.keys() - having - set(cluster.full)):
            site = index.sites[name]
            if len(cluster.members) == 1 or not site.qmgr.running:
                continue
            to = next((index.receiver_of(cluster, each) for each in cluster.serving), None)
            fix = fixes.sender_to(site, to, cluster.name) if to else ()
            yield Finding(
                subject=cluster.about(qmgr=name),
                text=f"{name} has a CLUSRCVR in {cluster.name} and no CLUSSDR. It publishes "
                "nothing and learns nothing.",
                evidence=(site.place(cluster.members[name][0]),),
                on=(name,),
                cluster=cluster.name,
                fix=fix,
                fix_class=fixes.alters_channels(fix),
                severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                because=(cluster.about(), *_in_another(site, cluster)),
                probe=probes.member(cluster, name),
            )


def _in_another(site: Site, cluster: Cluster) -> Iterator[Subject]:
    """Yield the CLUSSDRs that lead to members of a cluster and are in another one."""
    for sender, clusters in site.senders:
        if sender.name in cluster.receivers and cluster.name not in clusters:
            yield site.called(sender)


def several(index: Index) -> Iterator[Finding]:
    """Find partial repositories with more manual CLUSSDRs than they need."""
    for cluster in index.clusters:
        by_site: dict[str, list[Definition]] = defaultdict(list)
        for site, sender in cluster.senders:
            by_site[site.name].append(sender)
        for name, senders in sorted(by_site.items()):
            if len(senders) > _SEVERAL and name not in cluster.full:
                site = index.sites[name]
                yield Finding(
                    subject=cluster.about(qmgr=name),
                    text=f"{name} has {len(senders)} manual CLUSSDRs in {cluster.name}: "
                    f"{some(sender.name for sender in senders)}. One is enough to join.",
                    evidence=tuple(site.place(sender) for sender in senders),
                    grounds=index.grounds((site, "CHANNEL")),
                    on=(name,),
                    cluster=cluster.name,
                )


def workload_attributes(index: Index) -> Iterator[Finding]:
    """Find workload attributes on manual CLUSSDRs, where they have no effect."""
    for cluster, site, sender in index.senders():
        given = {
            keyword: value_of(sender, keyword)
            for keyword, default in _WORKLOAD.items()
            if value_of(sender, keyword) != default
        }
        if given:
            yield Finding(
                subject=site.called(sender),
                attributes=tuple(given),
                text="The CLUSSDR has "
                f"{parameters_text((key, str(value)) for key, value in given.items())}. The "
                "choice uses the values of the CLUSRCVR at the other end.",
                evidence=(site.place(sender),),
                on=(site.name,),
                cluster=cluster.name,
                fix=(fixes.alter(site, sender, **{key: _WORKLOAD[key] for key in given}),),
            )


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs of queue managers that have no CLUSRCVR in the cluster."""
    for cluster in index.clusters:
        for site, sender in cluster.senders:
            if site.name not in cluster.members and site.name not in cluster.full:
                elsewhere = leads_elsewhere(index, cluster, sender) and not cluster.members
                because = (*misspelt_receivers(index, site, cluster), *_without_names(site))
                yield Finding(
                    subject=site.called(sender),
                    text=f"{site.name} has no CLUSRCVR in {cluster.name}: it is no member of it.",
                    evidence=(site.place(sender),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=() if elsewhere or because else fixes.receiver_of(site, cluster),
                    because=because,
                    probe=probes.member(cluster, site.name),
                    fix_class=FixClass.OWNER,
                    severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                )


def _without_names(site: Site) -> Iterator[Subject]:
    """Yield the namelists that its CLUSRCVRs name and that give them no cluster."""
    for receiver, clusters in site.receivers:
        if not clusters and (name := text_of(receiver, "CLUSNL")):
            yield site.about("NAMELIST", name)


def addresses_differ(index: Index) -> Iterator[Finding]:
    """Find CLUSSDRs of one name that members define with different addresses."""
    for cluster in index.clusters:
        addresses: dict[str, dict[str, list[OwnedObject]]] = defaultdict(lambda: defaultdict(list))
        for site, sender in cluster.senders:
            said = text_of(sender, "CONNAME").replace(" ", "").lower()
            addresses[sender.name][said].append((site, sender))
        for name, places in sorted(addresses.items()):
            if len(places) < _SEVERAL or cluster.receivers.get(name):
                continue
            each = "; ".join(
                f"{said} at {some(site.name for site, _ in at)}"
                for said, at in sorted(places.items())
            )
            yield Finding(
                subject=cluster.about("CHANNEL", name),
                text=f"Members define this CLUSSDR with {len(places)} addresses: {each}.",
                evidence=tuple(at[0][0].place(at[0][1]) for at in places.values()),
                on=tuple(sorted({site.name for at in places.values() for site, _ in at})),
                cluster=cluster.name,
            )


def never_connected(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose queue manager is still unknown: SYSTEM.TEMPQMGR.

    Of an imported queue manager only a complete answer to DISPLAY CLUSQMGR shows that. A record
    that it showed and that is gone by now, as nothing renewed it, is none.
    """
    for cluster, site, sender in index.senders():
        repository, record = site.qmgr.repository, (cluster.name, "qmgr", sender.name)
        if not site.qmgr.running or site.name not in cluster.members:
            continue
        if repository.instances(*record):
            continue
        was_shown = any(name == record for name, _ in repository.shown)
        if site.qmgr.is_only_observed and (was_shown or not site.knows_all("qmgr")):
            continue
        yield Finding(
            subject=site.called(sender),
            text="DISPLAY CLUSQMGR shows the channel with the queue manager name "
            f"SYSTEM.TEMPQMGR.{text_of(sender, 'CONNAME')}: it has never connected to a "
            f"full repository of {cluster.name}.",
            evidence=(site.place(sender),),
            on=(site.name,),
            cluster=cluster.name,
            because=(cluster.about(qmgr=site.name), cluster.about()),
            probe=probes.sender(site, sender.name),
        )
