"""A check of records of queues that their owner does not have: the past of a restored one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.fold.beliefs import Belief
from twin.fold.estate import NEVER_CONFIRMED
from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.instants import HOUR
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import SYSTEM, Cluster, Index, Site
from twin.questions.known_holdings import known_until

_MOST: Final = 10
"""For how many queues of one owner a finding has commands."""


def undefined_records(index: Index) -> Iterator[Finding]:
    """Find queues that full repositories know of, and that their owner does not share.

    A queue whose deletion is still on its way is not found. Of an observed owner, all queues must
    have been seen after the record, and the record an hour after these.
    """
    for cluster in index.clusters:
        found: dict[str, dict[str, Belief]] = defaultdict(dict)
        holders: dict[str, set[str]] = defaultdict(set)
        shared = {
            (site.qmgr.qmid, name) for name, places in cluster.queues.items() for site, _ in places
        }
        for name in cluster.among(cluster.full):
            repository = index.sites[name].qmgr.repository
            for (_, _, queue), belief in repository.of_kind("queue", cluster=cluster.name):
                if (belief.owner, queue) in shared:
                    continue
                site = index.sites.get(belief.owner_name)
                if site is not None and _is_undefined(index, name, site, cluster, queue, belief):
                    found[site.name][queue] = belief
                    holders[site.name].add(name)
        for name, records in sorted(found.items()):
            yield _finding(index, cluster, index.sites[name], records, holders[name])


def _is_undefined(
    index: Index, holder: str, site: Site, cluster: Cluster, queue: str, belief: Belief
) -> bool:
    qmgr = site.qmgr
    if qmgr.qmid != belief.owner or queue.startswith(SYSTEM):
        return False
    if (cluster.name, "queue", queue, qmgr.qmid) in qmgr.repository.deletions:
        return False
    seen = qmgr.confirmed.get("QUEUE", NEVER_CONFIRMED)
    if qmgr.observed and not (seen.complete and seen.at >= belief.receipt.received):
        return False
    key = (cluster.name, "queue", queue)
    until = known_until(index.estate, index.sites[holder].qmgr, key, belief)
    return until >= (seen.at + HOUR if qmgr.observed else 1)


def _finding(
    index: Index, cluster: Cluster, site: Site, records: dict[str, Belief], holders: set[str]
) -> Finding:
    queues = sorted(records)
    return Finding(
        subject=cluster.about(qmgr=site.name, aspect="queues"),
        text=f"{some(holders)} {verb(len(holders), 'hold')} records of {some(queues)} of "
        f"{site.name}, which does not share {'it' if len(queues) == 1 else 'them'} in "
        f"{cluster.name}. Messages that are sent there go to its dead-letter queue with 2085.",
        evidence=tuple(belief.position for _, belief in sorted(records.items()))[:20],
        on=(site.name, *sorted(holders)),
        cluster=cluster.name,
        names=tuple(queues),
        fix=tuple(each for queue in queues for each in _published_again(cluster, site, queue))
        if len(queues) <= _MOST
        else (),
        destroys=True,
        grounds=index.grounds((site, "QUEUE")),
        because=(cluster.about(qmgr=site.name, aspect="restored"),),
        probe=probes.shared(cluster, queues[0]),
    )


def _published_again(cluster: Cluster, site: Site, queue: str) -> Iterator[Command]:
    """Yield the commands that make the owner publish that it no longer has a queue."""
    definition = site.queue(queue)
    if definition is not None:
        if not definition.values.get("CLUSNL"):
            yield fixes.alter(site, definition, CLUSTER=cluster.name)
            yield fixes.alter(site, definition, CLUSTER=str(definition.values.get("CLUSTER", "")))
        return
    yield fixes.command(site, "DEFINE", "QLOCAL", queue, CLUSTER=cluster.name)
    yield fixes.command(site, "DELETE", "QLOCAL", queue)
