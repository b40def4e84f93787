"""Checks of suspended queue managers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.instants import DAY, format_instant
from twin.model.objects import Definition
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Cluster, Index, Site, sites_of
from twin.rules import membership
from twin.rules.channels.channel_status import is_forced

_LONG: Final = 7 * DAY
"""How long a queue manager may be suspended without a remark."""

_FEW: Final = 20
"""How many channels are started at most; more of them wait for their next retries."""


def all_suspended(index: Index) -> Iterator[Finding]:
    """Find queues of which all instances are at suspended queue managers, if one of these runs.

    SUSPEND QMGR only asks others to avoid a queue manager; MODE(FORCE) also stops its CLUSRCVRs, so
    that messages for it wait (IBM MQ 9.2, "SUSPEND QMGR"; "SUSPEND QMGR, RESUME QMGR and
    clusters"). Where none runs, `ended_instances` says what becomes of the messages.
    """
    for cluster in index.clusters:
        hosts: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, places in cluster.shared_queues:
            if not any(site.qmgr.running for site, _ in places):
                continue
            suspended = all(cluster.name in site.qmgr.suspended for site, _ in places)
            if suspended and not index.is_elsewhere(cluster, name):
                hosts[sites_of(places)].append(name)
        for names, queues in sorted(hosts.items()):
            sites = [index.sites[name] for name in names]
            yield Finding(
                subject=cluster.about(aspect=f"suspended {' '.join(names)}"),
                text=f"All instances of {some(queues)} are at suspended queue managers: "
                f"{some(names)}. {_what_comes(cluster, sites)}",
                evidence=tuple(site.place() for site in sites),
                on=names,
                cluster=cluster.name,
                fix=(
                    *(command for site in sites for command in _open_again(site, cluster)),
                    *_started(index, cluster, sites),
                ),
                probe=probes.member(cluster, names[0], "SUSPEND"),
            )


def _what_comes(cluster: Cluster, sites: Sequence[Site]) -> str:
    """Return in words whether messages of other queue managers arrive at suspended ones."""
    forced = [site.name for site in sites if _is_closed(site, cluster)]
    if not forced:
        return "They get the messages all the same."
    if len(forced) == len(sites):
        return "MODE(FORCE) stopped their CLUSRCVRs: messages from other queue managers wait."
    others = some(site.name for site in sites if site.name not in forced)
    get = verb(len(sites) - len(forced), "get")
    return (
        f"MODE(FORCE) stopped the CLUSRCVRs of {some(forced)}: messages from other queue managers "
        f"to there wait. {others} still {get} messages."
    )


def _is_closed(site: Site, cluster: Cluster) -> bool:
    """Return whether MODE(FORCE) stopped all CLUSRCVRs of a member in a cluster."""
    return all(is_forced(site.qmgr, each.name) for each in cluster.members[site.name])


def _open_again(site: Site, cluster: Cluster) -> Iterator[Command]:
    """Yield the commands that end a suspension, with FORCE in each cluster of the CLUSRCVRs."""
    names = {cluster.name}
    if _is_closed(site, cluster):
        for receiver in cluster.members[site.name]:
            names |= set(membership.clusters(site.qmgr, receiver)) & site.qmgr.suspended.keys()
    for name in sorted(names):
        yield fixes.command(site, "RESUME", "QMGR", CLUSTER=name)


def _started(index: Index, cluster: Cluster, sites: Sequence[Site]) -> tuple[Command, ...]:
    """Return the commands that start the channels to them that are RETRYING; () if there are many.

    RESUME QMGR starts none: each waits for its next retry.
    """
    names = {
        each.name
        for site in sites
        if _is_closed(site, cluster)
        for each in cluster.members[site.name]
    }
    waiting = [
        fixes.command(other, "START", "CHANNEL", name)
        for other in index
        for name in sorted(names & other.qmgr.activity.channels.keys())
        if other.qmgr.activity.channels[name].status == "RETRYING"
    ]
    return tuple(waiting) if len(waiting) <= _FEW else ()


def long_suspended(index: Index) -> Iterator[Finding]:
    """Find queue managers that are suspended for more than a week."""
    for cluster in index.clusters:
        for name, receivers in sorted(cluster.members.items()):
            site = index.sites[name]
            if cluster.name not in site.qmgr.suspended:
                continue
            since = _suspended_since(site, cluster, receivers[0])
            if since is None or since + _LONG > index.at:
                continue
            yield Finding(
                subject=cluster.about(qmgr=name),
                text=f"The queue manager has been suspended since {format_instant(since)}.",
                evidence=(site.place(),),
                on=(name,),
                cluster=cluster.name,
                fix=(fixes.command(site, "RESUME", "QMGR", CLUSTER=cluster.name),),
                probe=probes.member(cluster, name, "SUSPEND"),
            )


def _suspended_since(site: Site, cluster: Cluster, receiver: Definition) -> int | None:
    own = site.qmgr.repository.instances(cluster.name, "qmgr", receiver.name).get(site.qmgr.qmid)
    return own.since if own is not None and own.values.get("SUSPEND") == "YES" else None
