"""Checks of suspended queue managers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.instants import DAY, format_instant
from twin.model.objects import Definition
from twin.questions.answer import FixCommand
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import Cluster, Index, Site, sites_of

_LONG: Final = 7 * DAY
"""How long a queue manager may be suspended without a remark."""


def all_suspended(index: Index) -> Iterator[Finding]:
    """Find queues of which all instances are at suspended queue managers, if one of these runs.

    Where none runs, `ended_instances` says what becomes of the messages.
    """
    for cluster in index.clusters:
        hosts: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, places in cluster.shared_queues:
            if not any(site.qmgr.running for site, _ in places):
                continue
            if all(cluster.name in site.qmgr.suspended for site, _ in places):
                hosts[sites_of(places)].append(name)
        for names, queues in sorted(hosts.items()):
            yield Finding(
                object=f"{cluster} suspended {' '.join(names)}",
                text=f"All instances of {some(queues)} are at suspended queue managers: "
                f"{some(names)}. They get the messages all the same.",
                evidence=tuple(index.sites[name].qmgr.position for name in names),
                on=names,
                cluster=cluster.name,
                fix=tuple(_resumed(index.sites[name], cluster) for name in names),
                probe=probes.member(cluster, names[0], "SUSPEND"),
            )


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
                object=f"{name} {cluster}",
                text=f"The queue manager has been suspended since {format_instant(since)}.",
                evidence=(site.qmgr.position,),
                on=(name,),
                cluster=cluster.name,
                fix=(_resumed(site, cluster),),
                probe=probes.member(cluster, name, "SUSPEND"),
            )


def _resumed(site: Site, cluster: Cluster) -> FixCommand:
    return fixes.command(site, f"RESUME QMGR CLUSTER({fixes.value(cluster.name)})")


def _suspended_since(site: Site, cluster: Cluster, receiver: Definition) -> int | None:
    own = site.qmgr.repository.instances(cluster.name, "qmgr", receiver.name).get(site.qmgr.qmid)
    return own.since if own is not None and own.values.get("SUSPEND") == "YES" else None
