"""Checks of what full repositories hold, compared with each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from twin.fold.estate import QueueManager
from twin.model.amounts import counted
from twin.model.instants import HOUR, Instant
from twin.questions.answer import FixCommand
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.connected_repositories import islands
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.rules.channels import disconnecting

_SETTLED: Final = HOUR
"""How old a record must be before full repositories that lack it are said to disagree."""


def disagree(index: Index) -> Iterator[Finding]:
    """Find records that one full repository holds and another holds otherwise, or not at all."""
    for cluster in index.clusters:
        running = [
            index.sites[name]
            for name in cluster.among(cluster.full)
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
            text=f"{late.name} lacks, or holds older values of, {counted(len(names), 'record')} "
            f"that {ahead.name} has held for more than an hour: {some(names)}.",
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
