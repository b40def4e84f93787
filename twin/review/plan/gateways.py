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
from typing import TYPE_CHECKING, NamedTuple

from twin.model.objects import number_of
from twin.review.plan.affected import PlannedPut
from twin.review.plan.own_instances import preference
from twin.rules.membership import clusters, clusters_joined, full_repository_of
from twin.rules.path.graph import Lead, lead_of
from twin.rules.queues.local_queues import depth_left

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import Definition
    from twin.review.plan.asking_members import CutOff
    from twin.review.plan.pair import RehearsedPair


class _Forwarding(NamedTuple):
    """An alias, a remote definition or a queue that takes nothing: where it is, where it leads.

    Attributes:
        on, name: the queue manager that has it, and its name.
        lead: where it leads; the channels of a transmission queue may lead anywhere.
        clusters: the clusters in which it is shared.
    """

    on: str
    name: str
    lead: Lead
    clusters: tuple[str, ...]

    @property
    def leaves(self) -> bool:
        """Whether it leads to another queue manager or a transmission queue."""
        return bool(self.lead.xmitq) or self.lead.qmgr not in ("", self.on)


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
    forwarding, aliases = _leading(pair)
    affected = {*puts, *_unknown_to(silenced, forwarding)}
    affected |= {
        PlannedPut(each.on, each.name) for each in forwarding if each.on in sending and each.leaves
    }
    if not forwarding:
        return affected
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


def _leading(pair: RehearsedPair) -> tuple[set[_Forwarding], dict[str, set[tuple[str, str]]]]:
    """Return what forwards messages on either side, and the queue manager aliases.

    The aliases are by name: where each is, and whom it stands for. Messages for its name go there,
    or to its XMITQ.
    """
    forwarding: set[_Forwarding] = set()
    aliases: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for qmgr in _both_sides(pair):
        for (kind, name), definition in qmgr.definitions.items():
            if kind != "QUEUE" or name.startswith("SYSTEM."):
                continue
            lead, shared = lead_of(definition), clusters(qmgr, definition)
            if lead is not None and definition.is_qmgr_alias:
                aliases[name].add((qmgr.name, lead.qmgr))
            elif lead is None and shared and _takes_nothing(qmgr, definition):
                forwarding.add(_Forwarding(qmgr.name, name, Lead(name), shared))
            elif lead is not None:
                forwarding.add(_Forwarding(qmgr.name, name, lead, shared))
    return forwarding, aliases


def _both_sides(pair: RehearsedPair) -> Iterator[QueueManager]:
    """Go through the queue managers of both sides; those that are alike come once."""
    unlike = pair.unlike()
    for name, before, after in pair.qmgrs:
        yield from filter(None, (before, after if name in unlike else None))


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
                known = member.has_own(each.lead.queue) or member.has_asked(
                    cluster, each.lead.queue
                )
                if each.leaves or not known:
                    yield PlannedPut(member.name, each.name)


def _takes_nothing(qmgr: QueueManager, queue: Definition) -> bool:
    """Return whether an object is a queue on which no message fits, or that is PUT(DISABLED)."""
    if queue.type != "QLOCAL" or queue.is_put_inhibited:
        return queue.type == "QLOCAL"
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
    queue, to, xmitq = each.lead
    if xmitq and reached:
        return True
    if to not in ("", each.on):
        return to in reached or PlannedPut(to, queue) in affected
    return any(PlannedPut(on, queue) in affected for on in (each.on, *full.get(each.on, ())))


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
