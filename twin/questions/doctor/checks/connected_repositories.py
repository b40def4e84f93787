"""Checks of the connection between full repositories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Cluster, Index

ENOUGH: Final = 2
"""How many full repositories a cluster should have; each record is published to two."""


def not_connected(index: Index) -> Iterator[Finding]:
    """Find full repositories that no chain of manual CLUSSDRs leads to."""
    for cluster in index.clusters:
        groups = islands(cluster)
        apart = _are_environments(cluster, groups)
        for island in groups if apart else [set(cluster.members)]:
            full = cluster.among(island & set(cluster.full))
            yield from _unreached(index, cluster, full)


def _unreached(index: Index, cluster: Cluster, full: list[str]) -> Iterator[Finding]:
    leads = {name: _full_reached(cluster, name) for name in full}
    for name in full:
        reached = _closure(name, leads)
        for missing in sorted(set(full) - reached):
            site, other = index.sites[name], index.sites[missing]
            receiver = cluster.members[missing][0]
            fix = fixes.sender_to(site, (other, receiver), cluster.name)
            yield Finding(
                subject=cluster.about(qmgr=name, aspect=f"to {missing}"),
                text=(
                    f"Full repository {name} has no manual CLUSSDR to {missing}, not even through "
                    "another full repository. What is published to one does not reach the other."
                ),
                evidence=(
                    site.place(),
                    other.place(receiver),
                    *(site.place(each) for each in cluster.senders_of(name)),
                ),
                on=(name, missing),
                cluster=cluster.name,
                fix=fix,
                fix_class=fixes.alters_channels(fix),
                probe=probes.sender(site, receiver.name),
            )


def in_islands(index: Index) -> Iterator[Finding]:
    """Find clusters that consist of separate groups, each with full repositories of its own."""
    for cluster in index.clusters:
        groups = islands(cluster)
        if _are_environments(cluster, groups):
            names = "; ".join(some(group) for group in groups)
            yield Finding(
                subject=cluster.about(aspect="groups"),
                text=(
                    f"{len(groups)} groups of queue managers use this cluster name and are not "
                    f"connected: {names}. One channel between them would join them."
                ),
                evidence=index.evidence_of(cluster, [min(group) for group in groups]),
                on=tuple(sorted(cluster.members)),
                cluster=cluster.name,
            )


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
    return len(groups) > 1 and all(len(group & full) >= ENOUGH for group in groups)


def _full_reached(cluster: Cluster, name: str) -> set[str]:
    """Return the full repositories that manual CLUSSDRs of a queue manager lead to."""
    return {
        site.name
        for sender in cluster.senders_of(name)
        for site, _ in cluster.receivers.get(sender.name, ())
        if site.name in cluster.full
    }
