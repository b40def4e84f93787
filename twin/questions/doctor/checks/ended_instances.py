"""A check of clustered queues of which no instance is at a running queue manager."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from twin.fold.beliefs import Belief
from twin.questions.doctor.finding import Finding, some
from twin.questions.doctor.index import SYSTEM, Cluster, Index
from twin.questions.namesakes import shown_qmgr
from twin.rules.repository.lifetimes import has_expired


def all_ended(index: Index) -> Iterator[Finding]:
    """Find queues of which all instances are at ended or deleted queue managers.

    Of a deleted queue manager, the records count that running members hold. An instance at a queue
    manager outside the twin counts as usable.
    """
    for cluster in index.clusters:
        holders = [name for name in sorted(cluster.members) if index.sites[name].qmgr.running]
        alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
        evidence: dict[tuple[str, ...], set[int]] = defaultdict(set)
        owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for queue, instances in sorted(_instances(index, cluster, holders).items()):
            names = tuple(sorted({index.estate.names[owner] for owner in instances}))
            alike[names].append(queue)
            evidence[names].update(instances.values())
            owners[names].update(instances)
        for names, queues in alike.items():
            called = some(
                shown_qmgr(index.estate.names[each], each, index.namesakes)
                for each in owners[names]
            )
            there = [name for name in names if name in index.sites]
            yield Finding(
                subject=cluster.about(aspect=f"ended {' '.join(names)}"),
                text=f"All instances of {some(queues)} are at queue managers that have ended or "
                f"were deleted: {called}. {_what_follows(index, cluster, holders, queues)}",
                evidence=tuple(sorted(evidence[names])[:20]),
                on=tuple(there or holders),
                named=tuple(there),
                qmids=tuple(owners[names]),
                cluster=cluster.name,
            )


def _what_follows(index: Index, cluster: Cluster, holders: list[str], queues: list[str]) -> str:
    """Return what becomes of a put to these queues at running members.

    It succeeds where a record is held, for 90 days. For 30 days, full repositories answer others
    with it (IBM MQ 9.4, "How long do the queue manager repositories retain information?").
    """
    unknown: list[str] = []
    unanswered: list[str] = []
    for queue in queues:
        held = _held(index, cluster, holders, queue)
        if not held:
            unknown.append(queue)
        elif not any(
            name in cluster.full and not has_expired(belief.published, at=index.at)
            for name, belief in held
        ):
            unanswered.append(queue)
    says = ["Messages wait."] if len(unknown) < len(queues) else []
    if unanswered:
        says.append(
            f"Records of {some(unanswered)} have expired: where none is held, a put ends with 2085."
        )
    if unknown:
        says.append(f"No record of {some(unknown)} is left: a put ends with 2085.")
    return " ".join(says)


def _held(
    index: Index, cluster: Cluster, holders: list[str], queue: str
) -> list[tuple[str, Belief]]:
    """Return the records of a queue that running members hold, each with its holder."""
    return [
        (name, belief)
        for name in holders
        for belief in index.sites[name]
        .qmgr.repository.instances(cluster.name, "queue", queue)
        .values()
    ]


def _instances(index: Index, cluster: Cluster, holders: list[str]) -> dict[str, dict[str, int]]:
    """Return the queues that running members may put to, if no owner of an instance may run.

    They are by name: QMID of an owner -> evidence.
    """
    found: dict[str, dict[str, int]] = defaultdict(dict)
    if not holders:
        return found
    usable: set[str] = set()
    for name, shared in cluster.shared_queues:
        if any(site.qmgr.running for site, _ in shared):
            usable.add(name)
        else:
            found[name] = {site.qmgr.qmid: queue.position for site, queue in shared}
    living = {site.qmgr.qmid for site in index}
    none_deleted = index.estate.names.keys() <= living
    for holder in holders if not none_deleted else ():
        repository = index.sites[holder].qmgr.repository
        for (_, _, name), belief in repository.of_kind("queue", cluster=cluster.name):
            if name in usable or belief.owner in living or name.startswith(SYSTEM):
                continue
            if index.is_only_named(belief.owner) or _may_run(index, belief.owner):
                usable.add(name)
            found[name].setdefault(belief.owner, belief.position)
    return {name: each for name, each in found.items() if each and name not in usable}


def _may_run(index: Index, owner: str) -> bool:
    """Return whether a queue manager runs, or nothing is known of it."""
    return owner not in index.estate.names or index.estate.owner(owner).running
