"""Checks of manual CLUSSDRs: how many there are, and where they lead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.names import connection
from twin.model.objects import Definition, text_of, value_of
from twin.questions.answer import FixCommand
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FixClass, Severity, some
from twin.questions.doctor.index import Cluster, Index, OwnedObject, Site

_SEVERAL: Final = 2
"""How many manual CLUSSDRs a partial repository may have without a remark."""

_WORKLOAD: Final = {"CLWLRANK": 0, "CLWLPRTY": 0, "CLWLWGHT": 50}
"""The workload attributes of channels, with their defaults."""


def none(index: Index) -> Iterator[Finding]:
    """Find partial repositories without a manual CLUSSDR in their cluster."""
    for cluster in index.clusters:
        full = [name for name in cluster.full if name in cluster.members]
        having = {site.name for site, _ in cluster.senders}
        for name in sorted(cluster.members.keys() - having - set(cluster.full)):
            site = index.sites[name]
            if len(cluster.members) == 1 or not site.qmgr.running:
                continue
            to = _place(index, cluster, full[0]) if full else None
            yield Finding(
                object=f"{name} {cluster}",
                text=f"{name} has a CLUSRCVR in {cluster.name} and no CLUSSDR. It publishes "
                "nothing and learns nothing.",
                evidence=(site.position(cluster.members[name][0]),),
                on=(name,),
                cluster=cluster.name,
                fix=fixes.sender_to(site, to, cluster.name) if to else (),
                severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                because=(str(cluster),),
                probe=probes.member(cluster, name),
            )


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
                    object=f"{name} {cluster}",
                    text=f"{name} has {len(senders)} manual CLUSSDRs in {cluster.name}: "
                    f"{some(sender.name for sender in senders)}. One is enough to join.",
                    evidence=tuple(site.position(sender) for sender in senders),
                    on=(name,),
                    cluster=cluster.name,
                )


def to_partial(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs that lead to a partial repository."""
    for cluster, site, sender in _all(index):
        targets = cluster.receivers.get(sender.name, [])
        if not targets or not cluster.full or sender.name in _own(site):
            continue
        partial = [other for other, _ in targets if other.name not in cluster.full]
        if len(partial) < len(targets):
            continue
        better = _better(index, cluster, site)
        yield Finding(
            object=site.called(sender),
            text=f"It leads to {partial[0].name}, which is no full repository of {cluster.name}.",
            evidence=(site.position(sender), partial[0].qmgr.position),
            on=(site.name, partial[0].name),
            cluster=cluster.name,
            fix=(*better, fixes.delete(site, sender)) if better is not None else (),
            probe=probes.sender(site, sender.name),
        )


def _better(index: Index, cluster: Cluster, site: Site) -> tuple[FixCommand, ...] | None:
    """Return what gives a member a CLUSSDR to a full repository; None if that is not known."""
    full = [name for name in sorted(cluster.full) if name in cluster.members and name != site.name]
    for definition, clusters in site.senders:
        leads = {other.name for other, _ in cluster.receivers.get(definition.name, ())}
        if cluster.name in clusters and leads & set(full):
            return ()
    if not full:
        return () if site.name in cluster.full else None
    return fixes.sender_to(site, _place(index, cluster, full[0]), cluster.name) or None


def without_target(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose name no CLUSRCVR of the cluster has."""
    for cluster, site, sender in _all(index):
        if cluster.receivers.get(sender.name) or _leads_elsewhere(index, cluster, sender):
            continue
        if _at_address(index, cluster, site, sender):
            continue
        full = [name for name in sorted(cluster.full) if name in cluster.members]
        other_way = bool(full) and _better(index, cluster, site) == ()
        yield Finding(
            object=site.called(sender),
            text=f"No queue manager in the twin has a CLUSRCVR {sender.name} in {cluster.name}, "
            f"and none has the address {text_of(sender, 'CONNAME') or '(blank)'}.",
            evidence=(site.position(sender),),
            on=(site.name,),
            cluster=cluster.name,
            severity=Severity.INFO if site.qmgr.observed else None,
            fix=(fixes.delete(site, sender),) if other_way else (),
            probe=probes.sender(site, sender.name),
        )


def wrong_name(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs to the address of a CLUSRCVR that has another name."""
    for cluster, site, sender in _all(index):
        if cluster.receivers.get(sender.name) or _leads_elsewhere(index, cluster, sender):
            continue
        for other, receiver in _at_address(index, cluster, site, sender)[:1]:
            yield Finding(
                object=site.called(sender),
                text=f"Its CONNAME is that of {receiver.name} at {other.name}. No CLUSRCVR in "
                f"{cluster.name} is called {sender.name}, so it cannot start (AMQ9520).",
                evidence=(site.position(sender), other.position(receiver)),
                on=(site.name, other.name),
                cluster=cluster.name,
                fix=(
                    *fixes.sender_to(site, (other, receiver), cluster.name),
                    fixes.delete(site, sender),
                ),
                probe=probes.sender(site, receiver.name),
            )


def wrong_address(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose CONNAME is not that of the CLUSRCVR of their name."""
    for cluster, site, sender in _all(index):
        targets = cluster.receivers.get(sender.name, [])
        said = set(connection(text_of(sender, "CONNAME")))
        known = {
            address
            for _, receiver in targets
            for address in connection(text_of(receiver, "CONNAME"))
        }
        if len(targets) != 1 or not said or not known or said & known:
            continue
        other, receiver = targets[0]
        elsewhere = [
            place
            for place in _at_address(index, cluster, site, sender)
            if place[0].name != other.name
        ]
        same_ports = {port for _, port in said} == {port for _, port in known}
        text = f"Its CONNAME is {text_of(sender, 'CONNAME')}; {other.name} has "
        text += f"{text_of(receiver, 'CONNAME')} in its CLUSRCVR."
        if elsewhere:
            text += f" The address is that of {elsewhere[0][0].name}."
        mild = Severity.INFO if same_ports else Severity.WARNING
        yield Finding(
            object=site.called(sender),
            text=text,
            evidence=(site.position(sender), other.position(receiver)),
            on=(site.name, other.name),
            cluster=cluster.name,
            severity=None if elsewhere else mild,
            fix=(fixes.alter(site, sender, CONNAME=text_of(receiver, "CONNAME")),),
        )


def other_cluster(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs that are in another cluster than the CLUSRCVR they lead to."""
    for cluster, site, sender in _all(index):
        places = _leads_elsewhere(index, cluster, sender)
        if cluster.receivers.get(sender.name) or not places:
            continue
        (other, receiver), names = places[0]
        joins = any(cluster.name in each for _, each in other.receivers)
        fits = not joins and set(names) & {each for _, some_ in site.receivers for each in some_}
        yield Finding(
            object=site.called(sender),
            text=f"It is in {cluster.name}; CLUSRCVR {receiver.name} of {other.name} is in "
            f"{some(names) or 'no cluster'} (AMQ9433).",
            evidence=(site.position(sender), other.position(receiver)),
            on=(site.name, other.name),
            cluster=cluster.name,
            fix=(fixes.alter(site, sender, CLUSTER=min(fits)),) if fits else (),
            probe=probes.sender(site, sender.name),
        )


def to_itself(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs that have the name of a CLUSRCVR of the same queue manager."""
    for cluster in index.clusters:
        for site, sender in cluster.senders:
            addresses = set(connection(text_of(sender, "CONNAME")))
            own = {
                address
                for receiver, _ in site.receivers
                for address in connection(text_of(receiver, "CONNAME"))
            }
            if addresses & own and not _is_local(addresses):
                yield Finding(
                    object=site.called(sender),
                    text=f"Its CONNAME {text_of(sender, 'CONNAME')} is that of {site.name} itself.",
                    evidence=(site.position(sender),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.delete(site, sender),),
                    probe=probes.sender(site, sender.name),
                )


def workload_attributes(index: Index) -> Iterator[Finding]:
    """Find workload attributes on manual CLUSSDRs, where they have no effect."""
    for cluster, site, sender in _all(index):
        given = {
            keyword: value_of(sender, keyword)
            for keyword, default in _WORKLOAD.items()
            if value_of(sender, keyword) != default
        }
        if given:
            yield Finding(
                object=site.called(sender),
                text="It has "
                f"{fixes.attributes((key, str(value)) for key, value in given.items())}. The "
                "choice uses the values of the CLUSRCVR at the other end.",
                evidence=(site.position(sender),),
                on=(site.name,),
                cluster=cluster.name,
                fix=(fixes.alter(site, sender, **{key: _WORKLOAD[key] for key in given}),),
            )


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs of queue managers that have no CLUSRCVR in the cluster."""
    for cluster in index.clusters:
        for site, sender in cluster.senders:
            if site.name not in cluster.members and site.name not in cluster.full:
                yield Finding(
                    object=site.called(sender),
                    text=f"{site.name} has no CLUSRCVR in {cluster.name}: it is no member of it.",
                    evidence=(site.position(sender),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=fixes.receiver_of(site, cluster.name),
                    probe=probes.member(cluster, site.name),
                    fix_class=FixClass.OWNER,
                    severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                )


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
                object=f"{cluster} CHANNEL({name})",
                text=f"Members define this CLUSSDR with {len(places)} addresses: {each}.",
                evidence=tuple(at[0][0].position(at[0][1]) for at in places.values()),
                on=tuple(sorted({site.name for at in places.values() for site, _ in at})),
                cluster=cluster.name,
            )


def never_connected(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose queue manager is still unknown: SYSTEM.TEMPQMGR."""
    for cluster, site, sender in _all(index):
        if not site.qmgr.running or site.name not in cluster.members:
            continue
        if site.qmgr.repository.instances(cluster.name, "qmgr", sender.name):
            continue
        if index.leads_outside(site, sender.name) and not site.knows_all("qmgr"):
            continue
        yield Finding(
            object=site.called(sender),
            text=f"DISPLAY CLUSQMGR shows it with SYSTEM.TEMPQMGR.{text_of(sender, 'CONNAME')}: it "
            f"has never connected to a full repository of {cluster.name}.",
            evidence=(site.position(sender),),
            on=(site.name,),
            cluster=cluster.name,
            because=(f"{site.name} {cluster}", str(cluster)),
            probe=probes.sender(site, sender.name),
        )


def _all(index: Index) -> Iterator[tuple[Cluster, Site, Definition]]:
    for cluster in index.clusters:
        for site, sender in cluster.senders:
            yield cluster, site, sender


def _own(site: Site) -> set[str]:
    return {definition.name for definition, _ in site.receivers}


def _place(index: Index, cluster: Cluster, name: str) -> OwnedObject:
    return index.sites[name], cluster.members[name][0]


def _leads_elsewhere(
    index: Index, cluster: Cluster, sender: Definition
) -> list[tuple[OwnedObject, tuple[str, ...]]]:
    """Return the CLUSRCVRs of this name that are not in this cluster, with their clusters."""
    return [
        ((site, definition), clusters)
        for name in index.estate.ends.get((sender.name, "CLUSRCVR"), ())
        if (site := index.sites.get(name)) is not None
        for definition, clusters in site.receivers
        if definition.name == sender.name and cluster.name not in clusters
    ]


def _at_address(
    index: Index, cluster: Cluster, site: Site, sender: Definition
) -> list[OwnedObject]:
    """Return the CLUSRCVRs of other members at the address of a CLUSSDR."""
    known = index.by_address.get(cluster.name, {})
    return [
        place
        for address in connection(text_of(sender, "CONNAME"))
        if not _is_local({address})
        for place in known.get(address, ())
        if place[0].name != site.name
    ]


LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0"})  # noqa: S104
"""Hosts that mean the machine itself."""


def _is_local(addresses: set[tuple[str, int]]) -> bool:
    return any(host in LOCAL for host, _ in addresses)
