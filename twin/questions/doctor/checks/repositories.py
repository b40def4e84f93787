"""Checks of the full repositories of clusters: their number, their connection, what they hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.instants import HOUR, Instant
from twin.questions.answer import FixCommand
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.rules.channels import disconnecting

_ENOUGH: Final = 2
"""How many full repositories a cluster should have; each record is published to two."""

_SETTLED: Final = HOUR
"""How old a record must be before full repositories that lack it are said to disagree."""


def none(index: Index) -> Iterator[Finding]:
    """Find clusters with several members and no full repository."""
    for cluster in index.clusters:
        if cluster.full or len(cluster.members) < _ENOUGH:
            continue
        outside = sorted(_named_outside(index, cluster))
        text = f"None of its {len(cluster.members)} members is a full repository of it."
        if outside:
            text += f" {some(outside)} may be one; no queue manager of the twin has this channel."
        best = index.sites[_best_known(cluster)]
        yield Finding(
            object=str(cluster),
            text=text,
            evidence=_evidence(index, cluster, cluster.members),
            on=tuple(sorted(cluster.members)),
            cluster=cluster.name,
            severity=Severity.INFO if outside else None,
            fix=() if outside or best.qmgr.values.get("REPOS") else _make_full(best, cluster),
            probe=probes.shown(best.name, "DISPLAY CLUSQMGR(*) QMTYPE"),
        )


def single(index: Index) -> Iterator[Finding]:
    """Find clusters with one full repository."""
    for cluster in index.clusters:
        full = _members(cluster, cluster.full)
        if len(full) != 1 or len(cluster.members) <= _ENOUGH or _named_outside(index, cluster):
            continue
        yield Finding(
            object=str(cluster),
            text=f"{full[0]} is the only full repository of {len(cluster.members)} members.",
            evidence=_evidence(index, cluster, full),
            on=tuple(full),
            cluster=cluster.name,
        )


def many(index: Index) -> Iterator[Finding]:
    """Find clusters with more than two full repositories."""
    for cluster in index.clusters:
        for island in islands(cluster):
            full = _members(cluster, island & set(cluster.full))
            if len(full) > _ENOUGH:
                yield Finding(
                    object=f"{cluster} full repositories {full[0]}",
                    text=f"{len(full)} full repositories: {some(full)}. Each record is sent to "
                    "two.",
                    evidence=_evidence(index, cluster, full),
                    on=tuple(full),
                    cluster=cluster.name,
                )


def not_connected(index: Index) -> Iterator[Finding]:
    """Find full repositories that no chain of manual CLUSSDRs leads to."""
    for cluster in index.clusters:
        groups = islands(cluster)
        apart = _are_environments(cluster, groups)
        for island in groups if apart else [set(cluster.members)]:
            full = _members(cluster, island & set(cluster.full))
            yield from _unreached(index, cluster, full)


def _unreached(index: Index, cluster: Cluster, full: list[str]) -> Iterator[Finding]:
    leads = {name: _full_reached(cluster, name) for name in full}
    for name in full:
        reached = _closure(name, leads)
        for missing in sorted(set(full) - reached):
            site, other = index.sites[name], index.sites[missing]
            receiver = cluster.members[missing][0]
            yield Finding(
                object=f"{name} {cluster} to {missing}",
                text=(
                    f"Full repository {name} has no manual CLUSSDR to {missing}, not even through "
                    "another full repository. What is published to one does not reach the other."
                ),
                evidence=(
                    site.qmgr.position,
                    other.position(receiver),
                    *(site.position(each) for each in cluster.senders_of(name)),
                ),
                on=(name, missing),
                cluster=cluster.name,
                fix=fixes.sender_to(site, (other, receiver), cluster.name),
                probe=probes.sender(site, receiver.name),
            )


def in_islands(index: Index) -> Iterator[Finding]:
    """Find clusters that consist of separate groups, each with full repositories of its own."""
    for cluster in index.clusters:
        groups = islands(cluster)
        if _are_environments(cluster, groups):
            names = "; ".join(some(group) for group in groups)
            yield Finding(
                object=f"{cluster} groups",
                text=(
                    f"{len(groups)} groups of queue managers use this cluster name and are not "
                    f"connected: {names}. One channel between them would join them."
                ),
                evidence=_evidence(index, cluster, [min(group) for group in groups]),
                on=tuple(sorted(cluster.members)),
                cluster=cluster.name,
            )


def without_receiver(index: Index) -> Iterator[Finding]:
    """Find full repositories without a CLUSRCVR in their cluster."""
    for cluster in index.clusters:
        for name in cluster.full:
            if name not in cluster.members:
                site = index.sites[name]
                yield Finding(
                    object=f"{name} {cluster}",
                    text=f"{name} is set to be a full repository of {cluster.name} and has no "
                    "CLUSRCVR in it. No other queue manager can send to it.",
                    evidence=(site.qmgr.position,),
                    on=(name,),
                    cluster=cluster.name,
                    fix=fixes.receiver_of(site, cluster.name),
                    probe=probes.shown(name, "DISPLAY CLUSQMGR(*) DEFTYPE"),
                    severity=None if site.knows_all("CHANNEL") else Severity.WARNING,
                )


def on_application_queue_manager(index: Index) -> Iterator[Finding]:
    """Find full repositories that share application queues."""
    for cluster in index.clusters:
        for name in _members(cluster, cluster.full):
            site = index.sites[name]
            queues = [
                definition.name for definition, _ in site.clustered if definition.kind == "QUEUE"
            ]
            others = len(cluster.members) - len(cluster.full)
            if queues and others > _ENOUGH:
                yield Finding(
                    object=f"{name} {cluster}",
                    text=f"Full repository {name} also shares {len(queues)} queues: "
                    f"{some(queues)}.",
                    evidence=(site.qmgr.position,),
                    on=(name,),
                    cluster=cluster.name,
                )


def older_level(index: Index) -> Iterator[Finding]:
    """Find full repositories with a lower command level than a member."""
    for cluster in index.clusters:
        newest = max((index.sites[name].qmgr for name in cluster.members), key=_level, default=None)
        for name in _members(cluster, cluster.full):
            site = index.sites[name]
            if newest is not None and site.qmgr.cmdlevel < newest.cmdlevel:
                yield Finding(
                    object=f"{name} {cluster}",
                    text=f"Full repository {name} has command level {site.qmgr.cmdlevel}, and "
                    f"{newest.name} has {newest.cmdlevel}. It cannot store newer attributes.",
                    evidence=(site.qmgr.position, newest.position),
                    on=(name, newest.name),
                    cluster=cluster.name,
                )


def _level(qmgr: QueueManager) -> int:
    return qmgr.cmdlevel


def disagree(index: Index) -> Iterator[Finding]:
    """Find records that one full repository holds and another holds otherwise, or not at all."""
    for cluster in index.clusters:
        running = [
            index.sites[name]
            for name in _members(cluster, cluster.full)
            if index.sites[name].qmgr.running and _is_settled(index, index.sites[name])
        ]
        groups = islands(cluster)
        for one, other in pairwise(running):
            if len(groups) == 1 or any({one.name, other.name} <= group for group in groups):
                yield from _disagreeing(index, cluster, one, other)


def _is_settled(index: Index, site: Site) -> bool:
    """Return whether the attributes of a queue manager, such as REPOS, are as old as that."""
    return (site.qmgr.altered or site.qmgr.created) + _SETTLED <= index.at


def _disagreeing(index: Index, cluster: Cluster, one: Site, other: Site) -> Iterator[Finding]:
    for ahead, late in ((one, other), (other, one)):
        lacking = list(records_lacking(ahead.qmgr, late.qmgr, cluster.name, by=index.at - _SETTLED))
        if not lacking:
            continue
        names = [name for name, _ in lacking]
        yield Finding(
            object=f"{late.name} {cluster} beside {ahead.name}",
            text=f"{late.name} lacks or holds older values of {len(names)} records than "
            f"{ahead.name} for more than an hour: {some(names)}.",
            evidence=tuple(position for _, position in lacking[:20]),
            on=(late.name, ahead.name),
            cluster=cluster.name,
            fix=_restart_between(index, cluster, ahead, late),
            otherwise=(fixes.command(late, f"REFRESH CLUSTER({cluster.name}) REPOS(NO)"),),
            because=(
                f"{ahead.name} {cluster} to {late.name}",
                *(late.name, f"{ahead.name} CHANNEL({_channel(cluster, late)})"),
            ),
            probe=probes.shown(late.name, "DISPLAY QCLUSTER(*) CLUSQMGR"),
        )


def records_lacking(
    ahead: QueueManager, late: QueueManager, cluster: str, *, by: Instant
) -> Iterator[tuple[str, int]]:
    """Yield the records that one received by an instant, and of which the other lacks the values.

    Each is a name, and the position of the event by which it came.
    """
    for key, owners in ahead.repository.beliefs.items():
        if key[0] != cluster:
            continue
        there = late.repository.beliefs.get(key, {})
        for owner, belief in owners.items():
            seen = there.get(owner)
            is_old = belief.receipt.received <= by
            if owner != late.qmid and is_old and (seen is None or seen.sequence < belief.sequence):
                same = seen is not None and seen.values == belief.values
                if not same:
                    yield (key[2] if key[1] != "qmgr" else belief.owner_name), belief.position


def _restart_between(
    index: Index, cluster: Cluster, ahead: Site, late: Site
) -> tuple[FixCommand, ...]:
    channel = _channel(cluster, late)
    state = disconnecting.current_state(ahead.qmgr, channel, index.at)
    if state is None or state.status == "RUNNING":
        return ()
    return (fixes.command(ahead, f"START CHANNEL({fixes.value(channel)})"),)


def _channel(cluster: Cluster, to: Site) -> str:
    return cluster.members[to.name][0].name


def islands(cluster: Cluster) -> list[set[str]]:
    """Return the groups of members that manual CLUSSDRs connect, in either direction."""
    linked: dict[str, set[str]] = defaultdict(set)
    for site, sender in cluster.senders:
        for other, _ in cluster.receivers.get(sender.name, ()):
            if site.name in cluster.members:
                linked[site.name].add(other.name)
                linked[other.name].add(site.name)
    left, groups = dict.fromkeys(sorted(cluster.members)), []
    while left:
        group = _closure(next(iter(left)), linked)
        groups.append(group)
        for name in group:
            left.pop(name, None)
    return groups


def _closure(start: str, leads: Mapping[str, Collection[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for name in leads.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def _are_environments(cluster: Cluster, groups: list[set[str]]) -> bool:
    """Return whether each group has two full repositories of its own, or it is no environment."""
    full = set(cluster.full)
    return len(groups) > 1 and all(len(group & full) >= _ENOUGH for group in groups)


def _full_reached(cluster: Cluster, name: str) -> set[str]:
    """Return the full repositories that manual CLUSSDRs of a queue manager lead to."""
    return {
        site.name
        for sender in cluster.senders_of(name)
        for site, _ in cluster.receivers.get(sender.name, ())
        if site.name in cluster.full
    }


def _named_outside(index: Index, cluster: Cluster) -> set[str]:
    """Return the manual CLUSSDRs of observed members that lead to nothing in the twin."""
    return {
        sender.name
        for site, sender in cluster.senders
        if site.qmgr.observed and not index.estate.ends.get((sender.name, "CLUSRCVR"))
    }


def _members(cluster: Cluster, names: Collection[str]) -> list[str]:
    return sorted(name for name in names if name in cluster.members)


def _evidence(index: Index, cluster: Cluster, names: Collection[str]) -> tuple[int, ...]:
    return tuple(
        index.sites[name].position(cluster.members[name][0]) for name in sorted(names)[:20]
    )


def _best_known(cluster: Cluster) -> str:
    """Return the member to which most manual CLUSSDRs lead."""
    counts = dict.fromkeys(sorted(cluster.members), 0)
    for _, sender in cluster.senders:
        for site, _ in cluster.receivers.get(sender.name, ()):
            counts[site.name] += 1
    return max(counts, key=lambda name: counts[name])


def _make_full(site: Site, cluster: Cluster) -> tuple[FixCommand, ...]:
    return (fixes.alter_qmgr(site, REPOS=cluster.name),)
