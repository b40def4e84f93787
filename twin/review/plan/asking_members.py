"""Members of a cluster that hold no record of a queue, so that a put there asks for it first.

A put to a name that nobody has fails with 2085, or with 2189 if no full repository answers. Both
codes tell an application something else: the name is wrong, or nobody could be asked. A change can
exchange them without any effect on a queue that exists.

Source: IBM MQ 9.4, "2189 (088D) (RC2189): MQRC_CLUSTER_RESOLUTION_ERROR".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.review.plan.affected import ANY_QUEUE, PlannedPut
from twin.review.plan.alike import AskedOnBothSides, Groups, Member, members_of
from twin.review.plan.own_instances import preference
from twin.rules.membership import clusters, clusters_joined, full_repository_of, is_full
from twin.rules.path.resolved import is_alias

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.plan.pair import RehearsedPair

CutOff: TypeAlias = "Mapping[str, Collection[Member]]"
"""Cluster -> the members that can ask a full repository of it on one side only."""


class AskingMembers(NamedTuple):
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


def asking_members(
    pair: RehearsedPair, puts: Collection[PlannedPut], silenced: CutOff, asked: AskedOnBothSides
) -> Iterator[AskingMembers]:
    """Yield who would have to ask for each queue that full repositories route otherwise.

    Yield also those that the change keeps from asking, or that can ask only with it (`silenced`).
    """
    members, groups = members_of(pair), Groups(pair, asked)
    full = groups.full
    known = _knowing(pair, full, puts)
    prefers_own = preference(pair)
    for queue, among in sorted(_asking(members, full, puts).items()):
        others = [members[name] for name in sorted(among - known[queue])]
        for alike in groups.of(queue, [each for each in others if not each.has_own(queue)]):
            yield AskingMembers(queue, alike)
        yield from _with_own(prefers_own, [(each, queue) for each in others if each.has_own(queue)])
    for cluster, cut_off in sorted(silenced.items()):
        for queue, names in _unopened(pair, cluster, cut_off):
            yield from (AskingMembers(queue, alike, cluster) for alike in groups.of("", names))
        own = [(each, queue) for each in cut_off for queue in _shared_unopened(each, cluster)]
        yield from _with_own(
            prefers_own, [each for each in own if each[0].name not in known[each[1]]]
        )


def _asking(
    members: Mapping[str, Member], full: Mapping[str, Collection[str]], puts: Collection[PlannedPut]
) -> dict[str, set[str]]:
    """Return the members of the clusters of a full repository that routes a queue otherwise."""
    joined: dict[str, set[str]] = defaultdict(set)
    for member in members.values():
        for cluster in member.clusters:
            joined[cluster].add(member.name)
    asking: dict[str, set[str]] = defaultdict(set)
    for put in puts:
        for cluster in full.get(put.on, ()) if put.queue != ANY_QUEUE else ():
            asking[put.queue] |= joined[cluster]
    return asking


def _knowing(
    pair: RehearsedPair, full: Collection[str], puts: Collection[PlannedPut]
) -> Mapping[str, set[str]]:
    """Return who need not ask for each queue, or is compared already."""
    known: dict[str, set[str]] = defaultdict(lambda: {*full})
    for put in puts:
        known[put.queue].add(put.on)
    _note_subscribers(pair, full, known)
    return known


def _with_own(
    prefers_own: Callable[[QueueManager, str], bool], found: Collection[tuple[Member, str]]
) -> Iterator[AskingMembers]:
    """Yield the members that have an object of a name, and may put to another instance."""
    for member, queue in found:
        if not all(prefers_own(qmgr, queue) for qmgr in member.sides()):
            yield AskingMembers(queue, (member.name,))


def _shared_unopened(member: Member, cluster: str) -> Iterator[str]:
    """Yield the queues that a member shares in a cluster, and has not asked for there."""
    shared = {
        name
        for qmgr in member.sides()
        for (kind, name), definition in qmgr.definitions.items()
        if kind == "QUEUE" and definition.values and cluster in clusters(qmgr, definition)
    }
    yield from (name for name in sorted(shared) if not member.has_asked(cluster, name))


def cut_off(pair: RehearsedPair, asked: AskedOnBothSides) -> CutOff:
    """Return, for each cluster, the members that can ask a full repository on one side only."""
    found: dict[str, list[Member]] = defaultdict(list)
    for member in _may_be_cut_off(pair, members_of(pair)):
        if member.before is not None and member.before.running:
            before, after = (
                {cluster for cluster, _, usable in side.by(qmgr, member.clusters) if usable}
                for side, qmgr in zip(asked, (member.before, member.after), strict=True)
            )
            for cluster in before ^ after:
                found[cluster].append(member)
    return found


def _may_be_cut_off(pair: RehearsedPair, members: Mapping[str, Member]) -> Collection[Member]:
    """Return those that may be able to ask on one side only, because they or whom they ask differ.

    If anything differs at a full repository, all members may.
    """
    found = pair.unlike()
    differing = (each for each in pair.qmgrs if each.name in found)
    if any(full_repository_of(side) for _, *sides in differing for side in sides if side):
        return members.values()
    return [members[name] for name in sorted(found & members.keys())]


def _unopened(
    pair: RehearsedPair, cluster: str, members: Collection[Member]
) -> Iterator[tuple[str, list[Member]]]:
    """Yield queues of a cluster, each with members that have not opened it."""
    queues = {
        key[2]
        for qmgr in pair.base.estate.qmgrs.values()
        if is_full(qmgr, cluster)
        for key, belief in qmgr.repository.of_kind("queue", cluster=cluster)
        if not is_alias(belief)
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
    return member.has_own(queue) or member.has_asked(cluster, queue)


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


NO_SUCH_NAME: Final = "-"
"""Stands for every name that nobody has."""


def with_other_answers(
    pair: RehearsedPair, silenced: CutOff, asked: AskedOnBothSides
) -> Iterator[tuple[str, ...]]:
    """Yield those for which the answer to such a put may differ; named together, they are alike.

    It may if they can ask on one side only (`silenced`), or are then in other clusters.
    """
    found = {each.name: each for members in silenced.values() for each in members}
    differing = pair.unlike("definitions")
    for name, before, after in pair.qmgrs:
        if name in differing and before is not None and after is not None:
            both_run = before.running and after.running
            if both_run and (roles := _roles(before)) != _roles(after):
                found[name] = Member(name, before, after, (*roles[0],))
    groups = Groups(pair, asked)
    alike: dict[Hashable, list[Member]] = defaultdict(list)
    for _, member in sorted(found.items()):
        alike[tuple(map(_roles, member.sides()))].append(member)
    for members in alike.values():
        yield from groups.of("", members)


def unused_name(pair: RehearsedPair) -> str:
    """Return a name that nobody has on either side."""
    taken = {
        name
        for rehearsal in (pair.base, pair.changed)
        for qmgr in rehearsal.estate.qmgrs.values()
        for kind, name in qmgr.definitions
        if kind == "QUEUE"
    } | {each.key[2] for each in pair.records}
    return next(name for number in count() if (name := f"NOBODY.HAS.{number}") not in taken)


def _roles(qmgr: QueueManager) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return clusters_joined(qmgr), full_repository_of(qmgr)
