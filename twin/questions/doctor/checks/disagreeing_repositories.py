"""Checks of what full repositories hold, compared with each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import counted
from twin.model.cluster_records import is_as_good
from twin.model.commands import Command
from twin.model.instants import HOUR, MINUTE, Instant, format_instant
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks.connected_repositories import islands
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.questions.known_holdings import is_denied_role, is_surely_behind
from twin.rules.channels import disconnecting

_SETTLED: Final = HOUR
"""How old a record must be before full repositories that lack it are said to disagree."""

_ANSWERED: Final = MINUTE
"""How long it takes at most until a new full repository has the records, if nothing is wrong."""


def disagree(index: Index) -> Iterator[Finding]:
    """Find records that one full repository holds and another holds otherwise, or not at all.

    One whose attributes, such as REPOS, changed within the hour is only compared with what another
    one holds, since that one does not have to know of it yet.
    """
    for cluster in index.clusters:
        sites = [index.sites[name] for name in cluster.among(cluster.full)]
        running = [
            site
            for site in sites
            if site.qmgr.running and not is_denied_role(index.estate, site.qmgr, cluster.name)
        ]
        groups = islands(cluster)
        for one, other in pairwise(site for site in running if _is_as_old(index, site, _SETTLED)):
            if _are_connected(groups, one, other):
                yield from _lacking(index, cluster, one, other)
                yield from _lacking(index, cluster, other, one)
        for late in running:
            others = (each for each in running if _are_connected(groups, each, late))
            ahead = next((each for each in others if each is not late), None)
            if ahead is not None and not _is_as_old(index, late, _SETTLED):
                yield from _not_yet_received(index, cluster, ahead, late)


def _are_connected(groups: Sequence[Collection[str]], one: Site, other: Site) -> bool:
    return len(groups) == 1 or any({one.name, other.name} <= {*group} for group in groups)


def _is_as_old(index: Index, site: Site, age: Instant) -> bool:
    """Return whether the attributes of a queue manager, such as REPOS, have an age."""
    return (site.qmgr.altered or site.qmgr.created) + age <= index.at


def _not_yet_received(index: Index, cluster: Cluster, ahead: Site, late: Site) -> Iterator[Finding]:
    """Find what a full repository that was just made one has asked for and did not get."""
    if not _is_as_old(index, late, _ANSWERED):
        return
    for found in _lacking(index, cluster, ahead, late, age=_ANSWERED):
        changed = format_instant(late.qmgr.altered or late.qmgr.created)
        text = (
            f"{found.text} {late.name} was altered {changed} and has not received them yet: if "
            f"{ahead.name} is lost, so are they."
        )
        yield replace(found, text=text, severity=Severity.WARNING)


def _lacking(
    index: Index, cluster: Cluster, ahead: Site, late: Site, *, age: Instant = _SETTLED
) -> Iterator[Finding]:
    """Find what one full repository lacks that another one has held for some time."""
    lacking = list(
        records_lacking(index.estate, ahead.qmgr, late.qmgr, cluster.name, at=index.at, age=age)
    )
    if not lacking:
        return
    names = [each.name for each in lacking]
    long = "has held for more than an hour" if age == _SETTLED else "holds"
    yield Finding(
        subject=cluster.about(qmgr=late.name, aspect=f"beside {ahead.name}"),
        text=f"{late.name} lacks, or holds older values of, {counted(len(names), 'record')} "
        f"that {ahead.name} {long}: {some(names)}.",
        evidence=tuple(each.position for each in lacking[:20]),
        on=(late.name, ahead.name),
        cluster=cluster.name,
        fix=_restart_between(index, cluster, ahead, late),
        grounds=index.known_at([late.name, ahead.name]),
        otherwise=(fixes.command(late, "REFRESH", "CLUSTER", cluster.name, REPOS="NO"),),
        because=(
            cluster.about(qmgr=ahead.name, aspect=f"to {late.name}"),
            late.about("CHANNEL", _channel(cluster, late)),
            ahead.about("CHANNEL", _channel(cluster, late)),
        ),
        probe=probes.shown(late.name, "DISPLAY QCLUSTER(*) CLUSQMGR"),
    )


class DifferingRecord(NamedTuple):
    """A record that two queue managers do not hold alike.

    Attributes:
        key: its cluster, kind and name.
        owner: the QMID of its owner.
        name: what it is called: the name of the owner for a queue manager's record.
        position: that of the event by which the record came.
    """

    key: RecordName
    owner: str
    name: str
    position: int


def records_lacking(
    estate: Estate,
    ahead: QueueManager,
    late: QueueManager,
    cluster: str,
    *,
    at: Instant,
    age: Instant = 0,
    surely: bool = True,
) -> Iterator[DifferingRecord]:
    """Yield the records that one has had for some time, and whose values the other lacks.

    With `surely`, only what both are known to hold or to lack counts, and what was seen of the
    other one must be as much later than the receipt. Without it, what the rules expect counts too.
    """
    for key, owners in ahead.repository.beliefs.items():
        if key[0] != cluster:
            continue
        there = late.repository.beliefs.get(key, {})
        for owner, belief in owners.items():
            seen = there.get(owner)
            due = belief.receipt.received + age
            if owner == late.qmid or due > at or (seen and seen.sequence >= belief.sequence):
                continue
            if seen is not None and is_as_good(seen.values, belief.values):
                continue
            if not surely or is_surely_behind(estate, late, key, belief, by=ahead, since=due):
                name = key[2] if key[1] != "qmgr" else belief.owner_name
                yield DifferingRecord(key, owner, name, belief.position)


def _restart_between(
    index: Index, cluster: Cluster, ahead: Site, late: Site
) -> tuple[Command, ...]:
    channel = _channel(cluster, late)
    state = disconnecting.current_state(ahead.qmgr, channel, index.at)
    if state is None or state.status == "RUNNING":
        return ()
    return (fixes.command(ahead, "START", "CHANNEL", channel),)


def _channel(cluster: Cluster, to: Site) -> str:
    return cluster.members[to.name][0].name
