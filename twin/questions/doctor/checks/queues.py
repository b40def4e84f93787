"""Checks of queues, aliases and namelists: what they refer to, and in which clusters they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from twin.model.objects import Definition, number_of, text_of
from twin.questions.answer import FixCommand
from twin.questions.completeness import Gap
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FixClass, Probe, Severity, some
from twin.questions.doctor.index import Index, Site
from twin.questions.sender_channels import messaging_of

_NEARLY_FULL: Final = 80
"""The percentage of MAXDEPTH from which a queue is nearly full: the default of QDEPTHHI."""

_WHOLE: Final = 100


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find shared objects of queue managers that are no members of their cluster."""
    for cluster in index.clusters:
        objects: dict[str, list[Definition]] = {}
        for places in (*cluster.queues.values(), *cluster.topics.values()):
            for site, definition in places:
                if site.name not in cluster.members:
                    objects.setdefault(site.name, []).append(definition)
        for name, found in sorted(objects.items()):
            site = index.sites[name]
            near = _near(site, cluster.name)
            yield Finding(
                object=f"{name} objects in {cluster}",
                text=f"{name} has no CLUSRCVR in {cluster.name}, so nobody learns of "
                f"{some(each.name for each in found)}."
                + (f" It is a member of {near}." if near else ""),
                evidence=tuple(site.position(each) for each in found[:20]),
                on=(name,),
                cluster=cluster.name,
                severity=_as_far_as_known(site),
                fix=tuple(fixes.alter(site, each, CLUSTER=near) for each in found) if near else (),
                because=(f"{name} {cluster}",),
                probe=probes.shared(index.cluster(near), found[0].name) if near else None,
            )


def _as_far_as_known(site: Site) -> Severity | None:
    """Return the severity of a missing CLUSRCVR; None for the usual one."""
    if site.knows_all("CHANNEL"):
        return None
    return Severity.WARNING if site.receivers else Severity.INFO


def _near(site: Site, cluster: str) -> str:
    """Return a cluster of the queue manager whose name is like that of another; '' if none is."""
    joined = sorted({name for _, clusters in site.receivers for name in clusters})
    return next(iter(get_close_matches(cluster, joined, n=1)), "")


def namelists(index: Index) -> Iterator[Finding]:
    """Find CLUSNL and REPOSNL that name no namelist, or an empty one."""
    for site in index:
        users: dict[str, list[str]] = {}
        evidence: dict[str, list[int]] = {}
        pairs = (*site.senders, *site.receivers, *site.clustered)
        for definition, clusters in pairs:
            listed = str(definition.values.get("CLUSNL") or "")
            if listed and not clusters:
                users.setdefault(listed, []).append(f"{definition.kind}({definition.name})")
                evidence.setdefault(listed, []).append(site.position(definition))
        listed = str(site.qmgr.values.get("REPOSNL") or "")
        if listed and not any(site.name in cluster.full for cluster in index.clusters):
            users.setdefault(listed, []).append("QMGR (REPOSNL)")
            evidence.setdefault(listed, []).append(site.qmgr.position)
        for name, using in sorted(users.items()):
            exists = ("NAMELIST", name) in site.qmgr.definitions
            yield Finding(
                object=f"{site.name} NAMELIST({name})",
                text=f"It {'is empty' if exists else 'does not exist'}; {some(using)} use it, "
                "and are in no cluster.",
                evidence=tuple(evidence[name][:20]),
                on=(site.name,),
                severity=None if exists or site.knows_all("NAMELIST") else Severity.WARNING,
            )


def one_member(index: Index) -> Iterator[Finding]:
    """Find clusters with one member: often a misspelt name."""
    names = [cluster.name for cluster in index.clusters]
    for cluster in index.clusters:
        if len(cluster.members) != 1:
            continue
        (name,) = cluster.members
        site = index.sites[name]
        others = [each for each in names if each != cluster.name]
        near = get_close_matches(cluster.name, others, n=1, cutoff=0.75)
        receiver = cluster.members[name][0]
        fits = bool(near) and bool(text_of(receiver, "CLUSTER"))
        yield Finding(
            object=f"{cluster} members",
            text=f"{name} is its only member."
            + (f" There is a cluster {near[0]}: the name may be misspelt." if near else ""),
            evidence=(site.position(receiver),),
            on=(name,),
            cluster=cluster.name,
            severity=None if near else Severity.INFO,
            fix=(fixes.alter(site, receiver, CLUSTER=near[0]),) if fits else (),
            probe=probes.member(index.cluster(near[0]), name) if fits else None,
        )


def default_objects(index: Index) -> Iterator[Finding]:
    """Find default objects with a cluster: every later DEFINE inherits it."""
    for site in index:
        for definition in site.templates:
            given = {
                keyword: str(definition.values[keyword])
                for keyword in ("CLUSTER", "CLUSNL")
                if definition.values.get(keyword)
            }
            yield Finding(
                object=site.called(definition),
                text=f"{fixes.attributes(given.items())} on a default object: every queue or "
                "channel that is defined later is shared in that cluster.",
                evidence=(site.position(definition),),
                on=(site.name,),
                cluster=given.get("CLUSTER", ""),
                fix=(fixes.alter(site, definition, **dict.fromkeys(given, " ")),),
                probe=_defined_later(site, definition),
            )


def _defined_later(site: Site, template: Definition) -> Probe | None:
    """Return the probe that defines a queue of the same type, and looks for its cluster."""
    name = "TWIN.DOCTOR.PROBE"
    if template.type != "QLOCAL" or site.queue(name) is not None:
        return None
    return probes.shown(site.name, f"DEFINE QLOCAL({name})\nDISPLAY QLOCAL({name}) CLUSTER CLUSNL")


def alias_targets(index: Index) -> Iterator[Finding]:
    """Find aliases to nothing."""
    for site, definition, gap in _gaps(index, "TARGET"):
        yield Finding(
            object=site.called(definition),
            text=f"No queue or topic {gap.name} is known for it: MQOPEN ends with 2082.",
            evidence=(site.position(definition),),
            on=(site.name,),
            severity=None if site.knows_all("QUEUE") else Severity.WARNING,
            probe=probes.opened(site.name, definition.name),
        )


def undefined(index: Index) -> Iterator[Finding]:
    """Find names in definitions that lead nowhere."""
    for site, definition, gap in _gaps(index, "PROCESS", "INITQ", "XMITQ", "RQMNAME"):
        remote = "RQMNAME" in gap.why
        known = not remote and site.knows_all("PROCESS" if "PROCESS" in gap.why else "QUEUE")
        yield Finding(
            object=site.called(definition),
            text=f"{gap.why.partition(':')[0]}({gap.name}) names nothing that is known.",
            evidence=(site.position(definition),),
            on=(site.name,),
            severity=None if known or not site.qmgr.observed else Severity.INFO,
        )


def default_transmission_queue(index: Index) -> Iterator[Finding]:
    """Find DEFXMITQ that names no transmission queue, and DEFXMITQ at members of clusters."""
    for site in index:
        named = str(site.qmgr.values.get("DEFXMITQ") or "")
        queue = site.queue(named)
        if not named or (queue is not None and text_of(queue, "USAGE") == "XMITQ"):
            continue
        yield Finding(
            object=f"{site.name} QMGR DEFXMITQ",
            text=f"DEFXMITQ({named}) is "
            f"{'not defined' if queue is None else 'no transmission queue'}: messages for "
            "unknown queue managers end with 2197 or 2199.",
            evidence=(site.qmgr.position,),
            on=(site.name,),
            severity=None if queue is not None or site.knows_all("QUEUE") else Severity.WARNING,
            fix=(fixes.alter_qmgr(site, DEFXMITQ=" "),),
            probe=probes.opened(site.name, "ANY.QUEUE", to="NO.SUCH.QUEUE.MANAGER"),
        )


def _gaps(index: Index, *keywords: str) -> Iterator[tuple[Site, Definition, Gap]]:
    """Yield the references of these attributes that lead nowhere."""
    for gap in index.undefined:
        keyword = gap.why.partition(":")[0]
        type_, _, name = gap.by.partition(" ")
        if keyword in keywords and gap.on in index.sites:
            site = index.sites[gap.on]
            kind = "CHANNEL" if type_ in ("SDR", "SVR", "CLUSSDR", "CLUSRCVR") else "QUEUE"
            definition = site.qmgr.definitions.get((kind, name))
            if definition is not None:
                yield site, definition, gap


def bound_aliases(index: Index) -> Iterator[Finding]:
    """Find shared aliases that bind on open, and whose target is at another queue manager."""
    for cluster in index.clusters:
        for _, places in sorted(cluster.queues.items()):
            for site, definition in cluster.shared(places):
                target = text_of(definition, "TARGET")
                if (
                    definition.type != "QALIAS"
                    or text_of(definition, "DEFBIND") != "OPEN"
                    or text_of(definition, "TARGTYPE") == "TOPIC"
                    or site.queue(target) is not None
                    or not any(target in each.queues for each in index.clusters)
                ):
                    continue
                yield Finding(
                    object=site.called(definition),
                    text=f"It is shared with DEFBIND(OPEN), and {target} is not at {site.name}. "
                    f"Messages of handles that bind on open go to the dead-letter queue of "
                    f"{site.name} with 2082.",
                    evidence=(site.position(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, definition, DEFBIND="NOTFIXED"),),
                    probe=probes.shared(cluster, definition.name, "DEFBIND"),
                )


def shadows(index: Index) -> Iterator[Finding]:
    """Find local objects with the name of a cluster queue that are not shared themselves."""
    for site in index:
        joined = {name for _, clusters in site.receivers for name in clusters}
        shared = {definition.name for definition, clusters in site.clustered if clusters}
        for definition in site.queues if joined else ():
            if definition.name in shared:
                continue
            for name in sorted(joined):
                places = index.cluster(name).shared(
                    index.cluster(name).queues.get(definition.name, ())
                )
                if places:
                    hosts = some(other.name for other, _ in places)
                    meant = definition.type in ("QALIAS", "QREMOTE")
                    yield Finding(
                        object=site.called(definition),
                        text=f"This {definition.type} hides the queue of the same name that "
                        f"{hosts} share in {name}: applications of {site.name} use this one.",
                        evidence=(
                            site.position(definition),
                            *(other.position(each) for other, each in places[:5]),
                        ),
                        on=(site.name, *sorted({other.name for other, _ in places})),
                        cluster=name,
                        severity=Severity.INFO if meant else None,
                    )
                    break


def full(index: Index) -> Iterator[Finding]:
    """Find queues that are full."""
    for site, definition, depth, most in _depths(index):
        if depth >= most:
            yield Finding(
                object=site.called(definition),
                text=f"It is full: {depth} of {most} messages. A put ends with 2053; what arrives "
                "goes to the dead-letter queue.",
                evidence=_seen(site, definition),
                on=(site.name,),
                fix=_deeper(site, definition, most),
                probe=probes.opened(site.name, definition.name)
                if text_of(definition, "USAGE") != "XMITQ"
                else None,
            )


def nearly_full(index: Index) -> Iterator[Finding]:
    """Find queues that are nearly full."""
    for site, definition, depth, most in _depths(index):
        if most > depth >= most * _NEARLY_FULL // _WHOLE:
            yield Finding(
                object=site.called(definition),
                text=f"It has {depth} of {most} messages.",
                evidence=_seen(site, definition),
                on=(site.name,),
                fix=_deeper(site, definition, most),
            )


def _deeper(site: Site, definition: Definition, most: int) -> tuple[FixCommand, ...]:
    return (fixes.alter(site, definition, MAXDEPTH=min(2 * most, 999_999_999)),)


def _depths(index: Index) -> Iterator[tuple[Site, Definition, int, int]]:
    """Yield local queues with depth and MAXDEPTH; dead-letter queues have rules of their own."""
    for site in index:
        depths = depths_of(site)
        dead = str(site.qmgr.values.get("DEADQ") or "")
        for name in sorted(depths.keys() - {dead}):
            definition = site.queue(name)
            if definition is not None and definition.type == "QLOCAL" and depths[name]:
                yield site, definition, depths[name], number_of(definition, "MAXDEPTH")


def depths_of(site: Site) -> Mapping[str, int]:
    """Return the depths of queues that have messages: as they were seen, or as they were put."""
    if site.qmgr.is_only_observed:
        return {name: each.depth for name, each in site.qmgr.activity.seen.depths.items()}
    messaging = messaging_of(site.qmgr)
    return {name: messaging.depth(name) for name in (*messaging.local, *messaging.waiting)}


def _seen(site: Site, definition: Definition) -> tuple[int, ...]:
    seen = site.qmgr.activity.seen.depths.get(definition.name)
    return (site.position(definition), *((seen.position,) if seen else ()))


def gateway_loops(index: Index) -> Iterator[Finding]:
    """Find remote queues and aliases that lead back to where they began."""
    leads = {}
    for site in index:
        for definition in site.queues:
            to = _leads_to(index, site, definition)
            if to is not None:
                leads[site.name, definition.name] = to
    done: set[tuple[str, str]] = set()
    for start in sorted(leads):
        path: dict[tuple[str, str], None] = {}
        node: tuple[str, str] | None = start
        while node is not None and node not in path and node not in done:
            path[node] = None
            node = leads.get(node)
        if node is not None and node in path:
            yield _loop(index, list(path)[list(path).index(node) :])
        done.update(path)


def _leads_to(index: Index, site: Site, definition: Definition) -> tuple[str, str] | None:
    """Return the queue manager and queue that a definition sends messages to, if they are known.

    A queue manager alias (QREMOTE without RNAME) sends messages for a queue manager to the one that
    its transmission queue is named after.
    """
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        return site.name, text_of(definition, "TARGET")
    if definition.type != "QREMOTE":
        return None
    remote, name = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
    if name:
        return (remote, name) if remote in index.sites else None
    through = text_of(definition, "XMITQ")
    return (through, remote) if through in index.sites and remote not in index.sites else None


def _loop(index: Index, nodes: list[tuple[str, str]]) -> Finding:
    first = nodes.index(min(nodes))
    nodes = nodes[first:] + nodes[:first]
    shown = " -> ".join(f"{name} at {qmgr}" for qmgr, name in [*nodes, nodes[0]])
    places = [(index.sites[qmgr], index.sites[qmgr].queue(name)) for qmgr, name in nodes]
    site, definition = places[0]
    assert definition is not None  # noqa: S101 - only definitions lead anywhere
    return Finding(
        object=site.called(definition),
        text=f"Messages go round: {shown}.",
        evidence=tuple(site.position(each) for site, each in places),
        on=tuple(sorted({qmgr for qmgr, _ in nodes})),
        fix_class=FixClass.OWNER,
    )
