"""Which puts a change can affect behind the queue manager that they go to first.

A gateway forwards what arrives for an alias or a remote definition. So if a put from the gateway is
affected, those are too that arrive there under the name of the alias. The same is so for an alias
at the queue manager where an application puts. A message that may not be put on the queue where it
arrives goes on to another instance if that is PUT(DISABLED), and is dead-lettered if it is full.

Source: IBM MQ 9.4, "Queue manager aliases and clusters".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.objects import number_of, text_of
from twin.review.plan.affected import PlannedPut
from twin.review.plan.own_instances import preference
from twin.rules.membership import clusters, clusters_joined, full_repository_of
from twin.rules.queues.local_queues import depth_left

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.plan.asking_members import CutOff
    from twin.review.plan.pair import RehearsedPair

_SYSTEM: Final = "SYSTEM."


class _Forwarding(NamedTuple):
    """An alias, a remote definition or a queue that takes nothing: where it is, where it leads.

    Attributes:
        on, name: the queue manager that has it, and its name.
        queue: the queue that it leads to.
        to: the queue manager that it names; '' if it names none.
        by_xmitq: whether it names a transmission queue, whose channels may lead anywhere.
        clusters: the clusters in which it is shared.
    """

    on: str
    name: str
    queue: str
    to: str
    by_xmitq: bool
    clusters: tuple[str, ...]

    @property
    def leaves(self) -> bool:
        """Whether it names another queue manager or a transmission queue."""
        return self.by_xmitq or self.to not in ("", self.on)


def with_forwarded(
    pair: RehearsedPair,
    puts: Collection[PlannedPut],
    reached: Collection[str],
    sending: Collection[str],
    silenced: CutOff,
) -> set[PlannedPut]:
    """Return these puts, and those that come to them over gateways, aliases and QREMOTEs.

    `reached` are the queue managers that others may reach in another way than without the change,
    and `sending` those that may send in another way. `silenced` can ask a full repository on one
    side only: what they forward may be unknown to them.
    """
    forwarding = set(_all_forwarding(pair))
    affected = {*puts, *_unknown_to(silenced, forwarding)}
    affected |= {
        PlannedPut(each.on, each.name) for each in forwarding if each.on in sending and each.leaves
    }
    if not forwarding:
        return affected
    aliases = _qmgr_aliases(pair)
    unlike, full, prefers_own = pair.unlike(), _full_repositories(pair), preference(pair)
    while True:
        beyond = _behind_aliases(aliases, affected, reached)
        touched = {each for each in forwarding if _is_touched(each, affected, beyond, full)}
        if not touched:
            return affected
        forwarding -= touched
        for each in touched:
            affected.add(PlannedPut(each.on, each.name))
            affected.update(
                PlannedPut(qmgr.name, each.name)
                for qmgr in _holders(pair, each, unlike)
                if not prefers_own(qmgr, each.name)
            )


def _all_forwarding(pair: RehearsedPair) -> Iterator[_Forwarding]:
    """Go through what forwards messages, on both sides."""
    unlike = pair.unlike()
    for name, before, after in pair.qmgrs:
        for qmgr in (before, after if name in unlike else None):
            if qmgr is not None:
                for (kind, called), definition in qmgr.definitions.items():
                    if kind == "QUEUE" and not called.startswith(_SYSTEM):
                        yield from _forwarding(qmgr, definition)


def _qmgr_aliases(pair: RehearsedPair) -> dict[str, set[tuple[str, str]]]:
    """Return the queue manager aliases of both sides: name -> where it is, and whom it stands for.

    An alias is a QREMOTE without RNAME. Messages for its name go to RQMNAME, or to XMITQ.
    """
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    unlike = pair.unlike()
    for name, before, after in pair.qmgrs:
        for qmgr in (before, after if name in unlike else None):
            for (kind, called), definition in qmgr.definitions.items() if qmgr else ():
                is_remote = kind == "QUEUE" and definition.type == "QREMOTE"
                if is_remote and not text_of(definition, "RNAME"):
                    found[called].add((name, text_of(definition, "RQMNAME")))
    return found


def _behind_aliases(
    aliases: Mapping[str, Collection[tuple[str, str]]],
    affected: Collection[PlannedPut],
    reached: Collection[str],
) -> set[str]:
    """Return the queue managers that are reached in another way, and the aliases that lead there.

    An alias is among them if it differs itself, or if any put at the queue manager that it stands
    for is affected: the queue is not known here.
    """
    beyond, there = {*reached}, {put.on for put in affected}
    while True:
        more = {
            alias
            for alias, places in aliases.items()
            if alias not in beyond
            and any(
                PlannedPut(on, alias) in affected or to in beyond or to in there
                for on, to in places
            )
        }
        if not more:
            return beyond
        beyond |= more


def _forwarding(qmgr: QueueManager, definition: Definition) -> Iterator[_Forwarding]:
    shared = clusters(qmgr, definition)
    if definition.type == "QLOCAL" and shared and _takes_nothing(qmgr, definition):
        name = definition.name
        yield _Forwarding(qmgr.name, name, name, "", by_xmitq=False, clusters=shared)
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        target = text_of(definition, "TARGET")
        yield _Forwarding(qmgr.name, definition.name, target, "", by_xmitq=False, clusters=shared)
    elif definition.type == "QREMOTE" and (queue := text_of(definition, "RNAME")):
        to, by_xmitq = text_of(definition, "RQMNAME"), bool(text_of(definition, "XMITQ"))
        yield _Forwarding(qmgr.name, definition.name, queue, to, by_xmitq, shared)


def _unknown_to(silenced: CutOff, forwarding: Collection[_Forwarding]) -> Iterator[PlannedPut]:
    """Yield the names that lead members to a queue or to another queue manager.

    They may not have asked for these.
    """
    by_name: dict[str, list[_Forwarding]] = defaultdict(list)
    for each in forwarding:
        by_name[each.on].append(each)
    for cluster, members in silenced.items():
        for member in members:
            for each in by_name[member.name]:
                known = member.has_own(each.queue) or member.has_asked(cluster, each.queue)
                if each.leaves or not known:
                    yield PlannedPut(member.name, each.name)


def _takes_nothing(qmgr: QueueManager, queue: Definition) -> bool:
    """Return whether no message fits on a queue, or it is PUT(DISABLED)."""
    if text_of(queue, "PUT") == "DISABLED":
        return True
    may_be_full = qmgr.has_messaging or not number_of(queue, "MAXDEPTH")
    return may_be_full and not depth_left(qmgr, queue)


def _is_touched(
    each: _Forwarding,
    affected: Collection[PlannedPut],
    reached: Collection[str],
    full: Mapping[str, Collection[str]],
) -> bool:
    """Return whether what arrives under a name may go on in another way."""
    if PlannedPut(each.on, each.name) in affected:
        return True
    if each.by_xmitq and reached:
        return True
    if each.to not in ("", each.on):
        return each.to in reached or PlannedPut(each.to, each.queue) in affected
    places = (each.on, *full.get(each.on, ()))
    return any(PlannedPut(on, each.queue) in affected for on in places)


def _full_repositories(pair: RehearsedPair) -> dict[str, list[str]]:
    """Return the full repositories that each queue manager may ask for a name."""
    qmgrs = pair.changed.estate.qmgrs
    of_cluster: dict[str, list[str]] = defaultdict(list)
    for name, qmgr in qmgrs.items():
        for cluster in full_repository_of(qmgr):
            of_cluster[cluster].append(name)
    return {
        name: [full for cluster in clusters_joined(qmgr) for full in of_cluster[cluster]]
        for name, qmgr in qmgrs.items()
    }


def _holders(pair: RehearsedPair, each: _Forwarding, unlike: set[str]) -> Iterator[QueueManager]:
    """Yield those that hold a record of what is shared."""
    for cluster in each.clusters:
        for name, before, after in pair.qmgrs:
            for qmgr in (before, after if name in unlike else None):
                if qmgr is not None and qmgr.repository.instances(cluster, "queue", each.name):
                    yield qmgr
