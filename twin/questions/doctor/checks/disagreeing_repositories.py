"""Checks of what full repositories hold, compared with each other.

Checks of the connection between full repositories.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import counted
from twin.model.cluster_records import is_as_good
from twin.model.commands import Command
from twin.model.instants import HOUR, MINUTE, Instant, format_instant
from twin.questions.basis import received
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, Severity, some
from twin.questions.doctor.index import Cluster, Index, Site
from twin.questions.known_holdings import is_denied_role, is_surely_behind
from twin.rules.channels import channel_status

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
        since = f"was {'altered' if late.qmgr.dated else 'first seen so'} {changed}"
        text = (
            f"{found.text} {late.name} {since} and has not received them yet: if "
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
            due = received(ahead, key, belief) + age
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
    state = channel_status.current_state(ahead.qmgr, channel, index.at)
    if state is None or state.status == "RUNNING":
        return ()
    return (fixes.command(ahead, "START", "CHANNEL", channel),)


def _channel(cluster: Cluster, to: Site) -> str:
    return cluster.members[to.name][0].name


ENOUGH: Final = 2
"""How many full repositories a cluster should have; each record is published to two."""


def not_connected(index: Index) -> Iterator[Finding]:
    """Find full repositories that no chain of manual CLUSSDRs leads to."""
    for cluster in index.clusters:
        groups = islands(cluster)
        apart = _are_environments(cluster, groups)
        for island in groups if apart else [set(cluster.members)]:
            yield from _unreached(index, cluster, cluster.among(island & set(cluster.full)))


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
