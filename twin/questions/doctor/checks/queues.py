"""Checks of queues, aliases and namelists: what they refer to, and in which clusters they are."""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import NEVER_CONFIRMED
from twin.model import reasons
from twin.model.amounts import verb
from twin.model.commands import Command, parameters_text
from twin.model.objects import Definition, text_of
from twin.questions.completeness import Gap
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.channel_ways import cut_off_by
from twin.questions.doctor.checks.near_names import (
    meant_cluster,
    misspelt_receivers,
    near_cluster,
)
from twin.questions.doctor.checks.sender_targets import senders_of_misspelt
from twin.questions.doctor.finding import Finding, FindingPlace, Probe, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site


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
            near = near_cluster(site, cluster.name)
            misspelt = misspelt_receivers(index, site, cluster)
            yield Finding(
                subject=cluster.about("objects", qmgr=name),
                text=f"{name} has no CLUSRCVR in {cluster.name}, so nobody learns of "
                f"{some(each.name for each in found)}."
                + (f" It is a member of {near}." if near else ""),
                evidence=tuple(site.place(each) for each in found[:20]),
                on=(name,),
                cluster=cluster.name,
                severity=_as_far_as_known(site),
                fix=tuple(fixes.alter(site, each, CLUSTER=near) for each in found)
                if near and not misspelt
                else (),
                because=(
                    *misspelt,
                    *map(site.called, cluster.senders_of(name)),
                    cluster.about(qmgr=name),
                ),
                probe=probes.shared(index.cluster(near), found[0].name) if near else None,
            )


def _as_far_as_known(site: Site) -> Severity | None:
    """Return the severity of a missing CLUSRCVR; None for the usual one."""
    if site.knows_all("CHANNEL"):
        return None
    return Severity.WARNING if site.receivers else Severity.INFO


def namelists(index: Index) -> Iterator[Finding]:
    """Find CLUSNL and REPOSNL that name no namelist, or an empty one."""
    for site in index:
        users: dict[str, list[str]] = {}
        evidence: dict[str, list[FindingPlace]] = {}
        for definition, clusters in (*site.senders, *site.receivers, *site.clustered):
            listed = str(definition.values.get("CLUSNL") or "")
            if listed and not clusters:
                users.setdefault(listed, []).append(f"{definition.kind}({definition.name})")
                evidence.setdefault(listed, []).append(site.place(definition))
        listed = site.qmgr.text("REPOSNL")
        if listed and not any(site.name in cluster.full for cluster in index.clusters):
            users.setdefault(listed, []).append("QMGR (REPOSNL)")
            evidence.setdefault(listed, []).append(site.place())
        for name, using in sorted(users.items()):
            exists = site.qmgr.definitions.get(("NAMELIST", name))
            fix, probe = _listed(index, site, name)
            yield Finding(
                subject=site.about("NAMELIST", name),
                text=f"The namelist {'is empty' if exists else 'does not exist'}; {some(using)} "
                f"{verb(len(using), 'use')} it and {verb(len(using), 'are')} in no cluster.",
                evidence=(*([site.place(exists)] if exists else []), *evidence[name][:20]),
                on=(site.name,),
                severity=None if exists or site.knows_all("NAMELIST") else Severity.WARNING,
                fix=fix,
                probe=probe,
            )


def _listed(index: Index, site: Site, name: str) -> tuple[tuple[Command, ...], Probe | None]:
    """Return what gives a namelist of a CLUSRCVR the clusters of its CLUSSDRs, and the probe of it.

    The clusters of which the queue manager is a member already are not among them.
    """
    joining = any(each.values.get("CLUSNL") == name for each, _ in site.receivers)
    names = [each for each in site.sending if site.name not in index.cluster(each).members]
    if not joining or not names:
        return (), None
    probe = probes.member(index.cluster(names[0]), site.name)
    return (fixes.listed(site, name, names),), probe


def _has_unseen_partner(site: Site, cluster: Cluster) -> bool:
    """Return whether an imported member has a CLUSSDR to another one, and may hold its record."""
    if not site.qmgr.observed or site.qmgr.confirmed.get("qmgr", NEVER_CONFIRMED).complete:
        return False
    own = {each.name for each in cluster.members[site.name]}
    return any(cluster.name in names and each.name not in own for each, names in site.senders)


def one_member(index: Index) -> Iterator[Finding]:
    """Find clusters with one member: often a misspelt name."""
    for cluster in index.clusters:
        if len(cluster.members) != 1:
            continue
        (name,) = cluster.members
        site = index.sites[name]
        known = site.qmgr.repository.of_kind("qmgr", cluster=cluster.name)
        if any(index.is_only_named(belief.owner) for _, belief in known):
            continue
        near, receiver = meant_cluster(index, cluster), cluster.members[name][0]
        if not near and _has_unseen_partner(site, cluster):
            continue
        fits = bool(near) and bool(text_of(receiver, "CLUSTER"))
        misled = senders_of_misspelt(index, cluster)
        shared = [each for each, _ in site.clustered if text_of(each, "CLUSTER") == cluster.name]
        wrong = [receiver, *misled, *shared]
        yield Finding(
            subject=cluster.about(aspect="members"),
            text=f"{name} is the only member."
            + (f" There is a cluster {near}: the name may be misspelt." if near else ""),
            evidence=tuple(map(site.place, wrong if near else [receiver])),
            on=(name,),
            cluster=cluster.name,
            severity=(Severity.ERROR if misled else None) if near else Severity.INFO,
            fix=tuple(fixes.alter(site, each, CLUSTER=near) for each in wrong) if fits else (),
            probe=probes.member(index.cluster(near), name) if fits else None,
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
                subject=site.called(definition),
                text=f"{parameters_text(given.items())} on a default object: every queue or "
                "channel that is defined later is shared in that cluster.",
                evidence=(site.place(definition),),
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
    probe = probes.shown(site.name, f"DISPLAY QLOCAL({name}) CLUSTER CLUSNL")
    return probe._replace(before=f"DEFINE QLOCAL({name})")


def alias_targets(index: Index) -> Iterator[Finding]:
    """Find aliases to nothing."""
    for site, definition, gap in _gaps(index, "TARGET"):
        yield Finding(
            subject=site.called(definition),
            text=f"TARGET({gap.name}) names no known queue or topic: MQOPEN ends with 2082.",
            evidence=(site.place(definition),),
            on=(site.name,),
            severity=_of_alias(index, site),
            because=cut_off_by(index, site),
            probe=probes.opened(site.name, definition.name),
        )
    for site in index:
        for definition in (each for each in site.queues if each.type == "QALIAS"):
            target = site.queue(text_of(definition, "TARGET"))
            if target is None or target.type != "QALIAS":
                continue
            yield Finding(
                subject=site.called(definition),
                text=f"TARGET({target.name}) is an alias, too: MQOPEN ends with 2001.",
                evidence=(site.place(definition), site.place(target)),
                on=(site.name,),
                probe=probes.opened(site.name, definition.name),
            )


def _of_alias(index: Index, site: Site) -> Severity | None:
    """Return how bad it is that a target is unknown: a member that was not imported may have it."""
    if any(site.name in each.members and each.name in index.in_part for each in index.clusters):
        return Severity.INFO
    return None if site.knows_all("QUEUE") else Severity.WARNING


def undefined(index: Index) -> Iterator[Finding]:
    """Find names in definitions that lead nowhere."""
    for site, definition, gap in _gaps(index, "PROCESS", "INITQ", "XMITQ", "RQMNAME"):
        remote = gap.keyword == "RQMNAME"
        known = not remote and site.knows_all("PROCESS" if gap.keyword == "PROCESS" else "QUEUE")
        reason = _reason_of_open(site, definition, gap)
        ends = f": MQOPEN ends with {reason}" if reason else ""
        severity = Severity.WARNING if known or not site.qmgr.observed else Severity.INFO
        yield Finding(
            subject=site.called(definition),
            attributes=(gap.keyword,),
            text=f"{gap.keyword}({gap.name}) names "
            f"{'no transmission queue' if reason else 'nothing that is known'}{ends}.",
            evidence=(site.place(definition),),
            on=(site.name,),
            severity=_of_open(site) if reason else severity,
        )


def _of_open(site: Site) -> Severity:
    """Return how bad it is that MQOPEN fails: it does for certain if all queues are known."""
    return Severity.ERROR if site.knows_all("QUEUE") else Severity.WARNING


def _reason_of_open(site: Site, definition: Definition, gap: Gap) -> int:
    """Return the reason code of MQOPEN of a remote queue without a usable XMITQ; 0 if it has one.

    A transmission queue is always at the queue manager of the definition, and without XMITQ a queue
    there with the name in RQMNAME must be one (IBM MQ, "API reason codes", 2091, 2092, 2196).
    """
    if definition.type != "QREMOTE" or gap.keyword not in ("XMITQ", "RQMNAME"):
        return 0
    queue = site.queue(gap.name)
    if queue is None:
        return reasons.UNKNOWN_XMITQ if gap.keyword == "XMITQ" else 0
    return reasons.XMITQ_USAGE_ERROR if queue.type == "QLOCAL" else reasons.XMITQ_TYPE_ERROR


def default_transmission_queue(index: Index) -> Iterator[Finding]:
    """Find DEFXMITQ that names no transmission queue, and DEFXMITQ at members of clusters."""
    for site in index:
        named = site.qmgr.text("DEFXMITQ")
        queue = site.queue(named)
        if not named or (queue is not None and queue.is_transmission_queue):
            continue
        yield Finding(
            subject=site.about("QMGR", aspect="DEFXMITQ"),
            text=f"DEFXMITQ({named}) is "
            f"{'not defined' if queue is None else 'no transmission queue'}: messages for unknown "
            "queue managers end with 2197 or 2199.",
            evidence=(site.place(),),
            on=(site.name,),
            severity=None if queue is not None or site.knows_all("QUEUE") else Severity.WARNING,
            fix=(fixes.alter_qmgr(site, DEFXMITQ=" "),),
            probe=probes.refused(site.name, "ANY.QUEUE", to="NO.SUCH.QUEUE.MANAGER"),
        )


def _gaps(index: Index, *keywords: str) -> Iterator[tuple[Site, Definition, Gap]]:
    """Yield the references of these attributes that lead nowhere."""
    for gap in index.undefined:
        if gap.keyword in keywords and gap.on in index.sites and gap.definition is not None:
            yield index.sites[gap.on], gap.definition, gap


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
                    owners = [other for other, _ in places]
                    names = {other.name for other in owners}
                    shares = f"{some(names)} {verb(len(names), 'share')}"
                    meant = definition.type in ("QALIAS", "QREMOTE")
                    yield Finding(
                        subject=site.called(definition),
                        text=f"This {definition.type} hides the queue of the same name that "
                        f"{shares} in {name}: applications of {site.name} use this one.",
                        evidence=(
                            site.place(definition),
                            *(other.place(each) for other, each in places[:5]),
                        ),
                        on=(site.name, *sorted(names)),
                        cluster=name,
                        severity=Severity.INFO if meant else None,
                        grounds=index.grounds(*((each, "QUEUE") for each in (site, *owners))),
                    )
                    break
