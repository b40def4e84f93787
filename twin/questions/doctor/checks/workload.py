"""Checks of workload balancing: weights, differing, disabled and single instances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from twin.model.amounts import counted, verb
from twin.model.attributes import LARGEST
from twin.model.commands import parameters_text
from twin.model.objects import Definition, number_of, text_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.ranks import by_rank
from twin.questions.doctor.finding import Finding, FindingPlace, Probe, some
from twin.questions.doctor.index import SYSTEM, Cluster, Index, OwnedObject, sites_of

_WEIGHT: Final = 50


_SEVERAL: Final = 2


_COMPARED: Final = ("DEFPRTY", "DEFPSIST", "DEFPRESP", "DEFBIND")
"""The attributes that MQ compares between instances (AMQ9407)."""


def weights(index: Index) -> Iterator[Finding]:
    """Find channels that have a weight, and over which several queues with several instances go.

    The queues of other queue managers do not count: a channel is chosen for those that its owner
    has (IBM MQ 8.0, "CLWLWGHT channel attribute").
    """
    for cluster in index.clusters:
        served: dict[str, list[str]] = defaultdict(list)
        for name, places in cluster.balanced:
            for owner in sites_of(places):
                served[owner].append(name)
        weighted = [
            (site, receiver)
            for places in cluster.receivers.values()
            for site, receiver in places
            if number_of(receiver, "CLWLWGHT") != _WEIGHT and len(served[site.name]) >= _SEVERAL
        ]
        if weighted:
            queues = {queue for site, _ in weighted for queue in served[site.name]}
            yield Finding(
                subject=cluster.about(aspect="CLWLWGHT"),
                text=f"CLWLWGHT is set for {some(receiver.name for _, receiver in weighted)}, and "
                f"several queues with several instances use the channel: {some(queues)}. How often "
                "a channel is chosen for one queue depends on all others.",
                evidence=_positions(weighted),
                on=sites_of(weighted),
                cluster=cluster.name,
            )


def alias_use_queue(index: Index) -> Iterator[Finding]:
    """Find CLWLUSEQ on queues that are reached through shared aliases only."""
    for cluster in index.clusters:
        for name, places in cluster.balanced:
            for site, alias in places:
                target = site.queue(text_of(alias, "TARGET")) if alias.type == "QALIAS" else None
                used = text_of(target, "CLWLUSEQ") if target and target.type == "QLOCAL" else "QMGR"
                if target is None or used == "QMGR" or target.name in cluster.queues:
                    continue
                yield Finding(
                    subject=site.called(target),
                    text=f"The queue has CLWLUSEQ({used}) and is reached through the shared alias "
                    f"{name}. The instances of an alias are chosen without CLWLUSEQ.",
                    evidence=(site.place(target), site.place(alias)),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, target, CLWLUSEQ="QMGR"),),
                )


def differing_instances(index: Index) -> Iterator[Finding]:
    """Find instances of one queue whose defaults for applications differ."""
    for cluster in index.clusters:
        for name, places in cluster.balanced:
            differing = [
                keyword
                for keyword in _COMPARED
                if len({text_of(definition, keyword) for _, definition in places}) > 1
            ]
            if not differing:
                continue
            usual = {
                keyword: Counter(text_of(each, keyword) for _, each in places).most_common(1)[0][0]
                for keyword in differing
            }
            values = "; ".join(
                f"{site.name} {parameters_text((key, text_of(each, key)) for key in differing)}"
                for site, each in places[:5]
            )
            yield Finding(
                subject=cluster.about("QUEUE", name),
                text=f"The instances differ: {values}. What an application gets depends on the "
                "instance that its queue manager finds first.",
                attributes=tuple(differing),
                evidence=_positions(places),
                on=sites_of(places),
                cluster=cluster.name,
                fix=tuple(
                    fixes.alter(site, each, **changed)
                    for site, each in places
                    if (
                        changed := {
                            key: value
                            for key, value in usual.items()
                            if text_of(each, key) != value
                        }
                    )
                ),
                probe=probes.defined(probes.shared(cluster, name, " ".join(differing))),
            )


def high_rank_disabled(index: Index) -> Iterator[Finding]:
    """Find queues whose best ranked instances are all put-disabled, while others are not."""
    for cluster in index.clusters:
        for name, places in cluster.balanced:
            ranked = by_rank(cluster, places)
            best = ranked[max(ranked)]
            if len(ranked) == 1 or not all(_is_disabled(each) for _, each in best):
                continue
            if all(_is_disabled(each) for _, each in places):
                continue
            yield Finding(
                subject=cluster.about("QUEUE", name),
                text="All instances with the highest CLWLRANK are PUT(DISABLED): at "
                f"{some(sites_of(best))}. Since MQ 8.0 rank is compared first, so a put ends with "
                "2268 although other instances would take it.",
                evidence=_positions(best),
                on=sites_of(places),
                cluster=cluster.name,
                fix=tuple(fixes.alter(site, each, PUT="ENABLED") for site, each in best),
                because=(cluster.about("QUEUE", name, aspect="CLWLRANK"),),
                probe=_open_from_elsewhere(cluster, name, places),
            )


def all_disabled(index: Index) -> Iterator[Finding]:
    """Find queues of which all instances are put-disabled."""
    for cluster in index.clusters:
        for name, places in cluster.shared_queues:
            if (
                places
                and all(_is_disabled(each) for _, each in places)
                and not index.is_elsewhere(cluster, name)
            ):
                yield Finding(
                    subject=cluster.about("QUEUE", name),
                    text=f"{_every(len(places))} PUT(DISABLED): a put ends with 2268, or "
                    "2051 at a queue manager that has one.",
                    evidence=_positions(places),
                    on=sites_of(places),
                    cluster=cluster.name,
                    fix=tuple(fixes.alter(site, each, PUT="ENABLED") for site, each in places),
                    probe=_open_from_elsewhere(cluster, name, places),
                )


def single_instances(index: Index) -> Iterator[Finding]:
    """Say once for each cluster which queues, without queue manager aliases, have one instance."""
    for cluster in index.clusters:
        instances = _instances(index, cluster)
        single = sorted(name for name, owners in instances.items() if len(owners) == 1)
        if single:
            queues = len(instances)
            yield Finding(
                subject=cluster.about(aspect="single instances"),
                text=f"{len(single)} of {counted(queues, 'queue')} {verb(len(single), 'have')} one "
                f"instance: {some(single)}.",
                evidence=tuple(
                    place for name in single[:20] for place in _positions(cluster.queues[name])
                ),
                on=tuple(sorted(cluster.members)),
                named=(),
                cluster=cluster.name,
            )


def _instances(index: Index, cluster: Cluster) -> dict[str, set[str]]:
    """Return the queues of a cluster with the QMIDs of their owners, without aliases of those.

    Instances at queue managers that are not in the twin count, as far as others hold records.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for name, places in cluster.shared_queues:
        found[name].update(site.qmgr.qmid for site, each in places if not each.is_qmgr_alias)
    for holder in cluster.members if index.estate.named else ():
        repository = index.sites[holder].qmgr.repository
        for (_, _, name), belief in repository.of_kind("queue", cluster=cluster.name):
            is_queue = belief.values.get("CLUSQT") != "QMGR" and not name.startswith(SYSTEM)
            if is_queue and belief.owner in index.estate.named:
                found[name].add(belief.owner)
    return {name: owners for name, owners in found.items() if owners}


def recently_used(index: Index) -> Iterator[Finding]:
    """Find CLWLMRUC below the number of instances of a queue."""
    most: dict[str, tuple[int, str]] = {}
    for cluster in index.clusters:
        counts = [
            (sum(len(cluster.members[site.name]) for site, _ in places), name)
            for name, places in cluster.balanced
        ]
        for member in cluster.members if counts else ():
            most[member] = max(most.get(member, (0, "")), *counts)
    for site in index:
        limit = site.qmgr.number("CLWLMRUC")
        count, name = most.get(site.name, (0, ""))
        if limit < count:
            yield Finding(
                subject=site.about("QMGR", aspect="CLWLMRUC"),
                text=f"CLWLMRUC({limit}): only {limit} of the {count} routes of {name} "
                f"{verb(limit, 'are')} used.",
                evidence=(site.place(),),
                on=(site.name,),
                fix=(fixes.alter_qmgr(site, CLWLMRUC=LARGEST),),
                probe=probes.routed(site.name, name),
            )


def exits(index: Index) -> Iterator[Finding]:
    """Find workload exits: routes cannot be predicted there."""
    for site in index:
        if name := site.qmgr.text("CLWLEXIT"):
            yield Finding(
                subject=site.about("QMGR", aspect="CLWLEXIT"),
                text=f"The exit {name} may change any choice: what the twin says about routes from "
                f"{site.name} is not reliable.",
                evidence=(site.place(),),
                on=(site.name,),
            )


def disabled_publish(index: Index) -> Iterator[Finding]:
    """Find PSCLUS(DISABLED) at members of a cluster with topics."""
    for cluster in index.clusters:
        topics = [name for name, found in cluster.topics.items() if cluster.shared(found)]
        for name in sorted(cluster.members) if topics else ():
            site = index.sites[name]
            if site.qmgr.values.get("PSCLUS") == "DISABLED":
                yield Finding(
                    subject=cluster.about(qmgr=name, aspect="PSCLUS"),
                    text=f"PSCLUS(DISABLED), and {some(topics)} "
                    f"{verb(len(topics), 'are')} shared in {cluster.name}: "
                    "publications neither reach nor leave this queue manager.",
                    evidence=(site.place(),),
                    on=(name,),
                    cluster=cluster.name,
                    fix=(fixes.alter_qmgr(site, PSCLUS="ENABLED"),),
                )


def _is_disabled(definition: Definition) -> bool:
    return definition.is_put_inhibited


def _open_from_elsewhere(
    cluster: Cluster, name: str, places: Sequence[OwnedObject]
) -> Probe | None:
    """Return the probe that opens a queue at a member that has no instance."""
    hosts = {site.name for site, _ in places}
    others = sorted(cluster.members.keys() - hosts)
    return probes.opened(others[0], name) if others else None


def _positions(places: Iterable[OwnedObject]) -> tuple[FindingPlace, ...]:
    return tuple(site.place(definition) for site, definition in places)


def _every(count: int) -> str:
    return "The only instance is" if count == 1 else f"All {count} instances are"
