"""Members of a cluster that hold no record of a queue, so that a put there asks for it first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from twin.review.plan.affected import ANY_QUEUE, PlannedPut
from twin.review.plan.alike import Groups, Member, asked_by, members_of
from twin.rules.draft import Draft
from twin.rules.membership import full_repository_of, is_full

if TYPE_CHECKING:
    from twin.review.plan.pair import RehearsedPair


class Strangers(NamedTuple):
    """Members of a cluster that hold no record of a queue: a put there asks a full repository.

    Those that are named together are alike, so one of them stands for all.

    Attributes:
        queue: the queue.
        names: the members.
        cluster: if the change concerns asking in a cluster as such, that cluster: then the queue is
            one of those that they would ask for there, and stands for all of them.
    """

    queue: str
    names: tuple[str, ...]
    cluster: str = ""


def strangers(pair: RehearsedPair, puts: Collection[PlannedPut]) -> Iterator[Strangers]:
    """Yield who would have to ask for each queue that full repositories route otherwise.

    Yield also those that the change keeps from asking, or that can ask only with it.
    """
    members, full = members_of(pair), _full_repositories(pair)
    asking: dict[str, set[str]] = defaultdict(set)
    known: dict[str, set[str]] = defaultdict(lambda: {*full})
    joined: dict[str, set[str]] = defaultdict(set)
    for member in members.values():
        for cluster in member.clusters:
            joined[cluster].add(member.name)
    for put in puts:
        known[put.queue].add(put.on)
        for cluster in full.get(put.on, ()):
            asking[put.queue] |= joined[cluster]
    asking.pop(ANY_QUEUE, None)
    _note_subscribers(pair, full, known)
    groups = Groups(pair, full)
    for queue, among in sorted(asking.items()):
        others = [members[name] for name in sorted(among - known[queue])]
        names = [each for each in others if not each.has_own(queue)]
        for alike in groups.of(queue, names):
            yield Strangers(queue, alike)
    for cluster, cut_off in _cut_off(pair, members):
        for queue, names in _unopened(pair, cluster, cut_off):
            for alike in groups.of("", names):
                yield Strangers(queue, alike, cluster)


def _cut_off(
    pair: RehearsedPair, members: Mapping[str, Member]
) -> Iterator[tuple[str, list[Member]]]:
    """Yield, for each cluster, the members that can ask a full repository on one side only."""
    found: dict[str, list[Member]] = defaultdict(list)
    base, changed = (
        Draft(each.estate, each.now(), each.estate.position + 1)
        for each in (pair.base, pair.changed)
    )
    for member in _may_be_cut_off(pair, members):
        if member.before is not None and member.before.running:
            before, after = (
                {cluster for cluster, _, usable in asked_by(draft, qmgr, member.clusters) if usable}
                for draft, qmgr in ((base, member.before), (changed, member.after))
            )
            for cluster in before ^ after:
                found[cluster].append(member)
    yield from sorted(found.items())


def _may_be_cut_off(pair: RehearsedPair, members: Mapping[str, Member]) -> Collection[Member]:
    """Return those that can ask on one side only: all may, if a full repository differs."""
    differing = pair.unlike("definitions", "activity")
    for name in differing:
        sides = (pair.base.estate.qmgrs.get(name), pair.changed.estate.qmgrs.get(name))
        if any(each is None or full_repository_of(each) for each in sides):
            return members.values()
    return [members[name] for name in sorted(differing & members.keys())]


def _unopened(
    pair: RehearsedPair, cluster: str, members: Collection[Member]
) -> Iterator[tuple[str, list[Member]]]:
    """Yield queues of a cluster, each with members that have not opened it."""
    queues = {
        key[2]
        for qmgr in pair.base.estate.qmgrs.values()
        if is_full(qmgr, cluster)
        for key, _ in qmgr.repository.of_kind("queue", cluster=cluster)
    }
    left = [*members]
    for queue in sorted(queues):
        fresh = [each for each in left if not _has_opened(each, cluster, queue)]
        if fresh:
            yield queue, fresh
            left = [each for each in left if _has_opened(each, cluster, queue)]
        if not left:
            return


def _has_opened(member: Member, cluster: str, queue: str) -> bool:
    """Return whether a member has a queue of its own, or has asked for it, on either side."""
    return member.has_own(queue) or any(
        (cluster, "queue", queue) in qmgr.repository.subscriptions
        for qmgr in (member.before, member.after)
        if qmgr is not None
    )


def _full_repositories(pair: RehearsedPair) -> dict[str, tuple[str, ...]]:
    """Return the full repositories with the change, each with its clusters."""
    qmgrs = pair.changed.estate.qmgrs.items()
    return {name: clusters for name, qmgr in qmgrs if (clusters := full_repository_of(qmgr))}


def _note_subscribers(
    pair: RehearsedPair, full: Collection[str], known: Mapping[str, set[str]]
) -> None:
    """Note who has subscribed to a queue at a full repository."""
    for rehearsal in (pair.base, pair.changed):
        names = rehearsal.estate.names
        for name in full & rehearsal.estate.qmgrs.keys():
            subscribers = rehearsal.estate.qmgrs[name].repository.subscribers
            for (_, kind, queue), requesters in subscribers.items():
                if kind == "queue" and queue in known:
                    known[queue] |= {names.get(qmid, "") for qmid in requesters}
