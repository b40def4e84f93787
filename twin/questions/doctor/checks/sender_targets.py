"""Checks of where manual CLUSSDRs lead, and whether what SDRs and SVRs call has the other end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, TypeAlias

from twin.model.commands import Command
from twin.model.names import connection
from twin.model.objects import PARTNERS, UNCLUSTERED, Definition, Subject, text_of
from twin.questions.completeness import deleted_partners
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks import near_names
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import SYSTEM, Cluster, Index, OwnedObject, Site


def to_partial(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs that lead to a partial repository."""
    for cluster, site, sender in index.senders():
        targets = cluster.receivers.get(sender.name, [])
        if not targets or sender.name in _own(site):
            continue
        said = all(other.says("QMGR") for other, _ in targets)
        if not cluster.full and not (said and cluster.name in index.in_part):
            continue
        partial = [other for other, _ in targets if other.name not in cluster.full]
        if len(partial) < len(targets):
            continue
        misspelt = (near_names.misspelt_repository(index, cluster, other) for other, _ in targets)
        because = tuple(filter(None, misspelt))
        better = _better(index, cluster, site) if not because else None
        yield Finding(
            subject=site.called(sender),
            text=f"The channel leads to {partial[0].name}, which is no full repository of "
            f"{cluster.name}."
            + (" The cluster in its REPOS or REPOSNL may be misspelt." if because else ""),
            evidence=(site.place(sender), partial[0].place()),
            on=(site.name, partial[0].name),
            cluster=cluster.name,
            severity=None if said else Severity.WARNING,
            fix=(*better, fixes.delete(site, sender)) if better is not None else (),
            destroys=True,
            grounds=index.grounds((site, "CHANNEL"), *((other, "QMGR") for other, _ in targets)),
            because=because,
            probe=probes.defined(probes.sender(site, sender.name)),
        )


def _better(index: Index, cluster: Cluster, site: Site) -> tuple[Command, ...] | None:
    """Return what gives a member a CLUSSDR to a full repository; None if that is not known."""
    full = [name for name in cluster.serving if name != site.name]
    for definition, clusters in site.senders:
        leads = {other.name for other, _ in cluster.receivers.get(definition.name, ())}
        if cluster.name in clusters and leads & set(full):
            return ()
    if not full:
        return () if site.name in cluster.full else None
    return fixes.sender_to(site, index.receiver_of(cluster, full[0]), cluster.name) or None


def without_target(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose name no CLUSRCVR of the cluster has."""
    for cluster, site, sender in index.senders():
        if cluster.receivers.get(sender.name) or leads_elsewhere(index, cluster, sender):
            continue
        if _at_address(index, cluster, site, sender):
            continue
        because = unready(index, cluster, sender)
        deleted = deleted_partners(index.estate, sender.name, "CLUSSDR")
        other_way = bool(cluster.serving) and _better(index, cluster, site) == ()
        yield Finding(
            subject=site.called(sender),
            text=f"No queue manager in the twin has a CLUSRCVR {sender.name} in {cluster.name}, "
            + (
                f"and none has the address {text_of(sender, 'CONNAME') or '(blank)'}."
                if not because
                else f"not even {because[0].qmgr}, whose address it has."
            )
            + (f" It was that of {some(deleted)}, now deleted." if deleted else ""),
            evidence=(site.place(sender),),
            on=(site.name,),
            cluster=cluster.name,
            severity=Severity.INFO if index.may_have_target(site, sender.name) else None,
            fix=(fixes.delete(site, sender),) if other_way and not because else (),
            destroys=True,
            grounds=index.grounds((site, "CHANNEL")) if deleted else None,
            because=because,
            deleted=deleted,
            probe=probes.defined(probes.sender(site, sender.name)),
        )


def unready(index: Index, cluster: Cluster, sender: Definition) -> tuple[Subject, ...]:
    """Return the full repositories without a CLUSRCVR at the address of a CLUSSDR, as findings.

    Their address is that of a CLUSRCVR in another cluster.
    """
    said = set(connection(text_of(sender, "CONNAME")))
    sites = [index.sites[name] for name in cluster.full if name not in cluster.members]
    return tuple(
        cluster.about(qmgr=site.name)
        for site in sites
        if any(said & set(connection(text_of(each, "CONNAME"))) for each, _ in site.receivers)
    )


def wrong_name(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs to the address of a CLUSRCVR that has another name."""
    for cluster, site, sender in index.senders():
        if cluster.receivers.get(sender.name) or leads_elsewhere(index, cluster, sender):
            continue
        for other, receiver in _at_address(index, cluster, site, sender)[:1]:
            made = fixes.sender_to(site, (other, receiver), cluster.name)
            yield Finding(
                subject=site.called(sender),
                text=f"The CONNAME is that of {receiver.name} at {other.name}. No CLUSRCVR in "
                f"{cluster.name} is called {sender.name}, so it cannot start (AMQ9520).",
                evidence=(site.place(sender), other.place(receiver)),
                on=(site.name, other.name),
                cluster=cluster.name,
                fix=(*made, fixes.delete(site, sender)),
                destroys=True,
                grounds=index.grounds((site, "CHANNEL"), (other, "CHANNEL")),
                fix_class=fixes.alters_channels(made),
                probe=probes.sender(site, receiver.name),
            )


def wrong_address(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs whose CONNAME is not that of the CLUSRCVR of their name."""
    for cluster, site, sender in index.senders():
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
        text = f"The CONNAME is {text_of(sender, 'CONNAME')}; {other.name} has "
        text += f"{text_of(receiver, 'CONNAME')} in its CLUSRCVR."
        if elsewhere:
            text += f" The address is that of {elsewhere[0][0].name}."
        mild = Severity.INFO if same_ports else Severity.WARNING
        yield Finding(
            subject=site.called(sender),
            text=text,
            evidence=(site.place(sender), other.place(receiver)),
            on=(site.name, other.name),
            cluster=cluster.name,
            severity=None if elsewhere else mild,
            fix=(fixes.alter(site, sender, CONNAME=text_of(receiver, "CONNAME")),),
        )


def other_cluster(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs that are in another cluster than the CLUSRCVR they lead to."""
    for cluster, site, sender in index.senders():
        places = leads_elsewhere(index, cluster, sender)
        if cluster.receivers.get(sender.name) or not places:
            continue
        if sender in senders_of_misspelt(index, cluster):
            continue
        (other, receiver), names = places[0]
        joins = any(cluster.name in each for _, each in other.receivers)
        fits = not joins and set(names) & {each for _, some_ in site.receivers for each in some_}
        yield Finding(
            subject=site.called(sender),
            text=f"The channel is in {cluster.name}; CLUSRCVR {receiver.name} of {other.name} is "
            f"in {some(names) or 'no cluster'} (AMQ9433)."
            + (" The name may be misspelt." if _is_misspelt(cluster, names) else ""),
            evidence=(site.place(sender), other.place(receiver)),
            on=(site.name, other.name),
            cluster=cluster.name,
            fix=(fixes.alter(site, sender, CLUSTER=min(fits)),) if fits else (),
            probe=probes.sender(site, sender.name),
        )


def senders_of_misspelt(index: Index, cluster: Cluster) -> list[Definition]:
    """Return the CLUSSDRs in a misspelt cluster that lead into the one that is meant.

    They are those of its only member. If CLUSTER is misspelt at its CLUSRCVR, too, the two are one
    fault.
    """
    meant = index.cluster(near_names.meant_cluster(index, cluster))
    return [
        sender
        for site, sender in cluster.senders
        if site.name in cluster.members
        and sender.name in meant.receivers
        and all(text_of(each, "CLUSTER") for each in (sender, *cluster.members[site.name]))
    ]


def _is_misspelt(cluster: Cluster, names: Sequence[str]) -> bool:
    """Return whether a cluster without members has a name like one of others."""
    return not cluster.members and bool(get_close_matches(cluster.name, names, n=1))


def to_itself(index: Index) -> Iterator[Finding]:
    """Find manual CLUSSDRs to the address of a CLUSRCVR of the same queue manager."""
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
                    subject=site.called(sender),
                    text=f"The CONNAME {text_of(sender, 'CONNAME')} is that of {site.name} itself.",
                    evidence=(site.place(sender),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.delete(site, sender),),
                    destroys=True,
                    grounds=index.grounds((site, "CHANNEL")),
                    probe=probes.defined(probes.sender(site, sender.name)),
                )


def _own(site: Site) -> set[str]:
    return {definition.name for definition, _ in site.receivers}


def leads_elsewhere(
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


_Answering: TypeAlias = Mapping[tuple[str, int], set[str]]
"""Host and port -> the queue managers that have it in the CONNAME of a CLUSRCVR."""


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find SDRs and SVRs to the address of a queue manager that has no such receiving channel."""
    for site, sender, other in unmatched(index):
        yield Finding(
            subject=site.called(sender),
            text=f"The CONNAME is that of {other.name}, which has no receiving channel "
            f"{sender.name}, so the {sender.type} cannot start (AMQ9520).",
            evidence=(site.place(sender), other.place()),
            on=(site.name, other.name),
            severity=None if other.knows_all("CHANNEL") else Severity.WARNING,
            probe=probes.status(site, sender.name),
        )


def unmatched(index: Index) -> Iterator[tuple[Site, Definition, Site]]:
    """Yield the SDRs and SVRs whose queue manager at their address has no such receiving channel.

    The address is that of a CLUSRCVR: a listener of the same queue manager answers there.
    """
    ends, answering = index.estate.ends, _answering(index)
    for site in index:
        for name, type_ in sorted(site.qmgr.channels.items()):
            if type_ not in UNCLUSTERED or name.startswith(SYSTEM):
                continue
            sender = site.qmgr.definitions["CHANNEL", name]
            other = _called_by(index, answering, sender)
            if other and not any(
                other.name in ends.get((name, end), ()) for end in PARTNERS[type_]
            ):
                yield site, sender, other


def _answering(index: Index) -> _Answering:
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for site in index:
        for receiver, _ in site.receivers:
            for host, port in connection(text_of(receiver, "CONNAME")):
                if host not in LOCAL:
                    found[host, port].add(site.name)
    return found


def _called_by(index: Index, answering: _Answering, sender: Definition) -> Site | None:
    """Return the queue manager at the address of a channel; None if none or several are."""
    said = connection(text_of(sender, "CONNAME"))
    names = {name for address in said for name in answering.get(address, ())}
    return index.sites[names.pop()] if len(names) == 1 else None
