"""Checks of CLUSRCVRs: their names, and the addresses that other queue managers use."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.amounts import counted, verb
from twin.model.commands import Command
from twin.model.instants import HOUR, format_instant
from twin.model.names import CHANNEL_NAME_LENGTH, DEFAULT_PORT, connection
from twin.model.objects import Definition, Subject, number_of, text_of
from twin.model.platforms import ZOS
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.sender_targets import LOCAL
from twin.questions.doctor.checks.stale_addresses import is_told_apart
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Cluster, Index, OwnedObject, Site
from twin.questions.known_holdings import is_surely_held
from twin.questions.proofs_of_death import ProofOfDeath, own_sight

_CONTAINER: Final = re.compile(r"172\.17\.\d+\.\d+|[0-9a-f]{12}")
"""An address of Docker's default network, or the host name that Docker makes for a container."""


def duplicate_names(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs of one name at several members of a cluster."""
    for cluster in index.clusters:
        for name, places in sorted(cluster.receivers.items()):
            if len(places) > 1:
                members = [site.name for site, _ in places]
                yield Finding(
                    subject=cluster.about("CHANNEL", name),
                    text=f"{some(members)} have a CLUSRCVR of this name. Records of one replace "
                    "those of the other, and messages can go to either.",
                    evidence=tuple(site.place(definition) for site, definition in places),
                    on=tuple(members),
                    cluster=cluster.name,
                    fix=tuple(each for place in places[1:] for each in _renamed(cluster, *place)),
                    probe=probes.member(cluster, places[1][0].name, "CHANNEL"),
                )


def _renamed(cluster: Cluster, site: Site, definition: Definition) -> tuple[Command, ...]:
    """Return the commands that replace a CLUSRCVR by one with the name of its queue manager."""
    wanted = (f"{cluster.name}.{site.name}", f"TO.{site.name}")
    short = [name[:CHANNEL_NAME_LENGTH] for name in wanted]
    free = [name for name in short if ("CHANNEL", name) not in site.qmgr.definitions]
    if not free:
        return ()
    like = {"CHLTYPE": "CLUSRCVR", "LIKE": definition.name}
    made = fixes.command(site, "DEFINE", "CHANNEL", free[0], **like)
    gone = {"CLUSNL": " "} if definition.values.get("CLUSNL") else {"CLUSTER": " "}
    return (made, fixes.alter(site, definition, **gone))


def shared_address(index: Index) -> Iterator[Finding]:
    """Find members of a cluster whose CLUSRCVRs have the same host and port."""
    for cluster in index.clusters:
        for (host, port), places in sorted(index.by_address[cluster.name].items()):
            names = sorted({site.name for site, _ in places})
            if len(names) > 1:
                yield Finding(
                    subject=cluster.about(aspect=f"{host}({port})"),
                    text=f"{some(names)} give the same address in their CLUSRCVRs. Only one queue "
                    "manager can listen there.",
                    evidence=tuple(site.place(definition) for site, definition in places),
                    on=tuple(names),
                    cluster=cluster.name,
                    severity=Severity.INFO if host in LOCAL else None,
                )


def local_address(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs with localhost as CONNAME, unless all members run on one machine."""
    for cluster in index.clusters:
        local = [place for place in _places(cluster) if _hosts(place[1]) & LOCAL]
        ports = [port for _, each in local for _, port in connection(text_of(each, "CONNAME"))]
        members = {site.name for site, _ in local}
        one_machine = members == cluster.members.keys() and len(set(ports)) == len(ports)
        for site, definition in local if not one_machine else ():
            yield Finding(
                subject=site.called(definition),
                text=f"The CONNAME is {text_of(definition, 'CONNAME')}. A member on "
                "another machine would connect to its own machine.",
                evidence=(site.place(definition),),
                on=(site.name,),
                cluster=cluster.name,
            )


def container_address(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs whose CONNAME looks like the address of a container."""
    for cluster in index.clusters:
        for site, definition in _places(cluster):
            found = sorted(host for host in _hosts(definition) if _CONTAINER.fullmatch(host))
            if found:
                yield Finding(
                    subject=site.called(definition),
                    text=f"{found[0]} looks like the address of a container. It may change when "
                    "the container is started again.",
                    evidence=(site.place(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                )


def blank_address(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs without a CONNAME."""
    for cluster in index.clusters:
        for site, definition in _places(cluster):
            is_blank = (
                not text_of(definition, "CONNAME") and text_of(definition, "TRPTYPE") == "TCP"
            )
            if is_blank and not site.qmgr.lacks_address(definition):
                yield Finding(
                    subject=site.called(definition),
                    text="The CLUSRCVR has no CONNAME: the queue manager publishes the address of "
                    "its machine with port 1414.",
                    evidence=(site.place(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                )


def wrong_port(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs whose port no listener of their queue manager has."""
    for site in index:
        ports = {_port(listener) for listener in site.listeners if _is_tcp(listener)}
        if not ports:
            continue
        for definition, clusters in site.receivers:
            said = text_of(definition, "CONNAME")
            used = {port for _, port in connection(said)} or {DEFAULT_PORT}
            if used & ports or not clusters:
                continue
            explicit = "(" in said
            port = min(ports)
            name = said or "its machine"
            host = next((host for host, _ in connection(said)), "")
            yield Finding(
                subject=site.called(definition),
                text=f"Other queue managers connect to {name}, port {some(map(str, used))}; its "
                f"listeners have port {some(map(str, ports))}.",
                evidence=(
                    site.place(definition),
                    *(site.place(listener) for listener in site.listeners),
                ),
                on=(site.name,),
                cluster=clusters[0],
                severity=Severity.INFO if explicit else None,
                fix=(fixes.alter(site, definition, CONNAME=f"{host}({port})"),)
                if host and not explicit
                else (),
            )


def _port(listener: Definition) -> int:
    return number_of(listener, "PORT") or DEFAULT_PORT


def _is_tcp(listener: Definition) -> bool:
    return text_of(listener, "TRPTYPE") in ("", "TCP")


def manual_listener(index: Index) -> Iterator[Finding]:
    """Find members whose listeners do not start with the queue manager."""
    for site in index:
        tcp = [listener for listener in site.listeners if _is_tcp(listener)]
        if not site.receivers or not tcp or site.qmgr.platform == ZOS:
            continue
        if all(text_of(listener, "CONTROL") == "MANUAL" for listener in tcp):
            yield Finding(
                subject=site.called(tcp[0]),
                text="No listener starts with the queue manager (CONTROL(MANUAL)). After a restart "
                "no channel reaches it until somebody starts one.",
                evidence=tuple(site.place(listener) for listener in tcp),
                on=(site.name,),
                fix=(
                    fixes.command(
                        site, "ALTER", "LISTENER", tcp[0].name, TRPTYPE="TCP", CONTROL="QMGR"
                    ),
                ),
            )


def no_listener(index: Index) -> Iterator[Finding]:
    """Find, in one finding for the estate, members for which no listener is defined or running."""
    found = [site for site in index if site.receivers and _has_no_listener(site)]
    if found:
        yield Finding(
            subject=Subject(kind="LISTENER"),
            text=f"No listener is defined at {counted(len(found), 'member')}: "
            f"{some(site.name for site in found)}. Unless something else starts runmqlsr, no "
            f"channel reaches {'it' if len(found) == 1 else 'them'}.",
            evidence=tuple(site.place() for site in found[:20]),
            on=tuple(site.name for site in found),
        )


def _has_no_listener(site: Site) -> bool:
    running = site.listeners or site.qmgr.activity.listeners
    return not running and site.qmgr.platform != ZOS and site.knows_all("LISTENER")


def stopped(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs that are STOPPED: nobody can send to the queue manager."""
    for site in index:
        for definition, clusters in site.receivers:
            state = site.qmgr.activity.channels.get(definition.name)
            if state is None or state.status != "STOPPED" or not site.qmgr.running:
                continue
            suspended = set(clusters) & site.qmgr.suspended.keys()
            first = [
                fixes.command(site, "RESUME", "QMGR", CLUSTER=each) for each in sorted(suspended)
            ]
            yield Finding(
                subject=site.called(definition),
                text="The CLUSRCVR is STOPPED: channels of other members to it end in RETRYING"
                + (f", while {site.name} is suspended." if suspended else "."),
                evidence=(state.position,),
                on=(site.name,),
                cluster=clusters[0] if clusters else "",
                severity=Severity.INFO if suspended else None,
                fix=(*first, fixes.command(site, "START", "CHANNEL", definition.name)),
                probe=probes.status(site, definition.name),
            )


def duplicate_qmgr_names(index: Index) -> Iterator[Finding]:
    """Find queue manager names of which repositories hold two QMIDs in one cluster."""
    seen: dict[tuple[str, str], dict[str, list[tuple[str, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for site in index:
        for key, belief in site.qmgr.repository.of_kind("qmgr"):
            if not _is_made(index, belief.owner) and is_surely_held(
                index.estate, site.qmgr, key, belief
            ):
                seen[key[0], belief.owner_name][belief.owner].append((site.name, belief.position))
    for (cluster, name), qmids in sorted(seen.items()):
        if len(qmids) == 1:
            continue
        proofs = {qmid: proof for qmid in qmids if (proof := index.proof_of_death(qmid))}
        gone = sorted(proofs)
        full = index.cluster(cluster).serving
        held = Counter(holder for each in gone or qmids for holder, _ in qmids[each])
        holders = sorted(name for name in held if gone or held[name] > 1) or sorted(held)
        says = {qmid: _says(index, qmid, proofs.get(qmid)) for qmid in sorted(qmids)}
        unknown = "Whether {} exists is not known: only records of it were seen"
        which = "Which of them exists is not known"
        if any(says.values()):
            which = ". ".join(said or unknown.format(qmid) for qmid, said in says.items())
        yield Finding(
            subject=Subject(kind="QMGR", name=name, cluster=cluster),
            text=f"{some(holders)} {verb(len(holders), 'hold')} two queue managers of this name: "
            f"{some(qmids)}. {which}. Messages can be sent to both.",
            evidence=(
                *(proof.position for proof in proofs.values() if proof.position),
                *[at for each in qmids.values() for _, at in each][:20],
            ),
            on=(name, *holders),
            qmids=tuple(qmids),
            cluster=cluster,
            otherwise=tuple(
                fixes.force_removal(full[0], cluster, qmid) for qmid in (gone if full else ())
            ),
            grounds=index.known_at(holders) if gone else None,
        )


def _says(index: Index, qmid: str, proof: ProofOfDeath | None) -> str:
    """Say whether the queue manager of a QMID is known to exist, or not to; '' if neither."""
    if proof is not None:
        return f"{qmid} {proof.why}"
    own = index.estate.qmgrs.get(index.estate.names.get(qmid, ""))
    if own is not None and own.qmid == qmid and not own.observed:
        return f"{qmid} exists"
    seen = own_sight(index.estate, qmid)
    return f"{qmid} was itself seen last at {format_instant(seen)}" if seen else ""


def _is_made(index: Index, qmid: str) -> bool:
    """Return whether the twin made a QMID because nothing says it."""
    known = index.sites.get(index.estate.names.get(qmid, ""))
    return known is not None and known.qmgr.qmid == qmid and known.qmgr.made_qmid


def qmid_at_two_addresses(index: Index) -> Iterator[Finding]:
    """Find CLUSRCVRs of which full repositories, or their owner, hold different addresses."""
    for (cluster, qmid), held in sorted(index.member_records.items()):
        full = set(index.cluster(cluster).full)
        addresses: dict[str, dict[str, list[tuple[str, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for site, key, belief in held:
            if (
                site.name in full
                and belief.since + HOUR <= index.at
                and is_surely_held(index.estate, site.qmgr, key, belief)
            ):
                said = str(belief.values.get("CONNAME", "")).replace(" ", "").lower()
                addresses[key[2]][said].append((site.name, belief.position))
        owner = index.sites.get(held[0][2].owner_name)
        is_known = owner is not None and owner.qmgr.qmid == qmid and owner.knows_all("CHANNEL")
        for definition, clusters in owner.receivers if owner and is_known else ():
            changed = definition.altered or definition.created or 0
            if cluster in clusters and definition.name in addresses and changed + HOUR <= index.at:
                own = text_of(definition, "CONNAME").replace(" ", "").lower()
                place = (definition.name, definition.position)
                addresses[definition.name][own].append(place)
        for channel, places in sorted(addresses.items()):
            if len(places) > 1 and not is_told_apart(index, cluster, qmid, channel):
                yield Finding(
                    subject=Subject("", "QMID", qmid, cluster, f"CHANNEL({channel})"),
                    text=f"For more than an hour, queue managers have held {len(places)} addresses "
                    f"for this one: {some(places)}. A copy of it may run elsewhere.",
                    evidence=tuple(at for each in places.values() for _, at in each)[:20],
                    on=(held[0][2].owner_name,),
                    qmids=(qmid,),
                    cluster=cluster,
                )


def _places(cluster: Cluster) -> Iterator[OwnedObject]:
    for _, places in sorted(cluster.receivers.items()):
        yield from places


def _hosts(definition: Definition) -> set[str]:
    return {host for host, _ in connection(text_of(definition, "CONNAME"))}
