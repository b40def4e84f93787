"""Who can put to which queue, before a loss and after it: computed once from the base.

Rank rules out ways to a queue whatever the status of their channels. Source: IBM MQ 9.4, "The
cluster workload management algorithm": CLWLRANK is compared before the status of channels, so a
lower rank gets no message while a higher one is lost.

What lies behind a clustered alias or remote definition: the ways that a message goes on.

A queue that is only reached over a gateway is lost with the gateway, and with what lies behind it.

Source: IBM MQ 9.4, "Queue manager aliases and clusters".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.questions.doctor.index import Cluster, Index, OwnedObject
from twin.questions.hops import way_to
from twin.rules.path.graph import PathGraph, PathPlace, lead_of
from twin.rules.workload.choosing import Trace
from twin.rules.workload.routes import context_of, routes_of

if TYPE_CHECKING:
    from twin.fold.beliefs import Belief
    from twin.fold.estate import Estate, QueueManager
    from twin.model.objects import Definition
    from twin.questions.rehearsing import Rehearsing
    from twin.questions.resilience.losses import Loss

_ARRIVES: Final = ("delivered", "not-in-twin")
"""The ends of a message that arrives, as far as the twin knows."""


class _Step(NamedTuple):
    """A step behind an instance: from a queue manager to the next one over a channel."""

    sender: str
    owner: str
    channel: str


OnwardWay: TypeAlias = tuple[_Step, ...]
"""The steps of a message behind an instance; () if it stays there."""


def leads_on(definition: Definition) -> bool:
    """Return whether messages that arrive for an object go on to another queue."""
    lead = lead_of(definition)
    return lead is not None and bool(lead.queue)


class Onward(NamedTuple):
    """The ways on from one instance: those that work, and those on which messages fail or wait."""

    work: list[OnwardWay]
    fail: list[OnwardWay]


def onward_ways(rehearsal: Rehearsing, sender: str, queue: str) -> dict[str, Onward]:
    """Return the ways on from the instances of a queue, by their owners.

    An owner that gets no message now is left out. Messages are not bound: a gateway may not be able
    to put one that is bound to it.
    """
    hops = rehearsal.follow(sender, queue, "notfixed")
    found: dict[str, Onward] = {}
    for hop in hops:
        first, *behind = way_to(hop, hops)
        if hop.end and first.to:
            onward = found.setdefault(first.reaches[0], Onward([], []))
            works = hop.end in _ARRIVES and not any(each.waits for each in behind)
            ways = onward.work if works else onward.fail
            ways.append(tuple(_Step(each.on, *each.reaches) for each in behind if each.to))
    return found


def ways_toward(graph: PathGraph, on: str, definition: Definition) -> list[OnwardWay]:
    """Return the ways from an alias or remote definition to the owners of what it names.

    It does not matter whether messages go there now. A local queue and a queue manager alias have
    none.
    """
    if not leads_on(definition):
        return []
    return [(_Step(on, owner, ""),) for owner in graph.next_qmgrs(PathPlace(on, definition.name))]


def survives(ways: list[OnwardWay], loss: Loss) -> bool:
    """Return whether a loss leaves one of these ways."""
    return not all(breaks(way, loss) for way in ways)


def breaks(way: OnwardWay, loss: Loss) -> bool:
    """Return whether a loss parts two queue managers of a way."""
    return any(loss.parts(*step) for step in way)


def outranked(
    sender: QueueManager, cluster: str, queue: str, beliefs: Collection[Belief]
) -> set[tuple[str, str]]:
    """Return the instances of a queue that a sender does not choose because of rank.

    Each is the name of its owner and the channel to it, '' at the sender itself.
    """
    if len(beliefs) == 1:
        return set()
    routes = routes_of(sender, queue, [(cluster, belief) for belief in beliefs])
    if len({(route.channel_rank, route.queue_rank) for route in routes}) <= 1:
        return set()
    trace = Trace.of(routes, context_of(sender, queue), sender.messaging.workload)
    return {
        (route.qmgr, "" if route.local else route.channel)
        for route, rule, _ in trace.removals()
        if rule is not None and rule.name in ("channel-rank", "queue-rank")
    }


SharedQueue: TypeAlias = tuple[str, str]
"""(cluster, name) of a queue."""

_USABLE: Final = ("INACTIVE", "RUNNING", "STARTING", "BINDING", "INITIALIZING", "SWITCHING")
"""The statuses of a channel that carries messages, or will when one comes."""


class _Way(NamedTuple):
    """How a sender reaches an instance: its owner and a channel; '' for its own instance."""

    owner: str
    channel: str


class Forgetting(NamedTuple):
    """What is forgotten at the end of a loss: each is a cluster, a queue and a queue manager.

    Attributes:
        senders: those whose open of the queue fails, because they do not know it any more.
        gateways: those whose instance of the queue leads to one that they do not know any more, or
            never asked for.
    """

    senders: frozenset[tuple[str, str, str]]
    gateways: frozenset[tuple[str, str, str]]


NOTHING: Final = Forgetting(frozenset(), frozenset())
"""Nothing is forgotten."""


class Damage(NamedTuple):
    """What a loss does to the queues of one cluster.

    Attributes:
        lost: the queues of which no usable instance is left, or that all senders have forgotten.
        single: the queues of which one is left, and there were more.
        cut: the senders that can reach no instance of a queue any more: name -> queues.
        behind: the aliases and remote definitions of which an instance is left that leads nowhere.
        ranked: the queues with usable instances that rank keeps from senders that are cut.
        forgotten: the queues that senders do not know any more and cannot ask for, or of which
            gateways cannot ask for what they lead to.
        already: the queues without a usable instance before the loss, of which it takes an
            instance, or a way on from one.
    """

    lost: tuple[str, ...]
    single: tuple[str, ...]
    cut: dict[str, list[str]]
    behind: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    already: tuple[str, ...] = ()


@dataclass(slots=True)
class QueueReach:
    """The shared queues of an estate, their usable instances, and who reaches them how.

    An instance is usable if its queue manager runs and PUT is ENABLED; an alias or a remote
    definition also has to lead to a queue.

    Attributes:
        instances: queue -> the names of the queue managers with a usable instance.
        ways: queue -> sender -> the ways that work in the base, and that rank lets it choose.
        onward: queue -> owner -> the ways on from its instance, if that leads on.
        unusable: queue without a usable instance -> owner -> the ways on from its instance on which
            messages fail or wait.
        ranked: queue -> the senders whose puts rank keeps from some instances.
        full: cluster -> the names of its full repositories that run.
    """

    instances: dict[SharedQueue, set[str]] = field(default_factory=dict)
    ways: dict[SharedQueue, dict[str, list[_Way]]] = field(default_factory=dict)
    onward: dict[SharedQueue, dict[str, list[OnwardWay]]] = field(default_factory=dict)
    unusable: dict[SharedQueue, dict[str, list[OnwardWay]]] = field(default_factory=dict)
    ranked: dict[SharedQueue, set[str]] = field(default_factory=dict)
    full: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, estate: Estate, at: int, rehearsal: Rehearsing) -> QueueReach:
        """Read the queues, and what queue managers believe, from an estate.

        Messages are followed over gateways in a fork of a rehearsal that is at the same instant.
        """
        reach, following, graph = cls(), rehearsal.fork(), PathGraph(estate)
        for cluster in Index(estate, at).clusters:
            reach.full[cluster.name] = {each for each in cluster.full if estate.qmgrs[each].running}
            for name, shared in cluster.shared_queues:
                queue = (cluster.name, name)
                fail = reach._enter_usable(following, queue, shared, cluster)
                if shared and queue not in reach.instances:
                    reach.unusable[queue] = {
                        site.name: fail.get(site.name, []) + ways_toward(graph, site.name, each)
                        for site, each in shared
                    }
        for sender in estate.qmgrs.values():
            if sender.running:
                reach._enter(estate, sender)
        return reach

    def _enter_usable(
        self,
        rehearsal: Rehearsing,
        queue: SharedQueue,
        shared: Sequence[OwnedObject],
        cluster: Cluster,
    ) -> dict[str, list[OnwardWay]]:
        """Enter the usable instances of a queue; return the ways on from others that fail."""
        owners = {
            site.name
            for site, definition in shared
            if site.qmgr.running and not definition.is_put_inhibited
        }
        if owners:
            self.instances[queue] = owners
        if any(site.name in owners and leads_on(each) for site, each in shared):
            return self._follow(rehearsal, queue, [*cluster.full, *cluster.members])
        return {}

    def _follow(
        self, rehearsal: Rehearsing, queue: SharedQueue, names: Iterable[str]
    ) -> dict[str, list[OnwardWay]]:
        """Enter the ways on from the instances of a queue; leave out those that lead nowhere.

        One member without an instance is asked, of these the first that runs. Return the ways that
        do not work, by the owner of the instance.
        """
        owners, qmgrs = self.instances[queue], rehearsal.estate.qmgrs
        senders = (each for each in names if each not in owners and qmgrs[each].running)
        if (sender := next(senders, None)) is None:
            return {}
        ways = onward_ways(rehearsal, sender, queue[1])
        self.onward[queue] = {each: ways[each].work for each in owners & ways.keys()}
        owners -= {each for each, some in self.onward[queue].items() if not some}
        if not owners:
            del self.instances[queue]
        return {each: onward.fail for each, onward in ways.items()}

    def _leads(self, queue: SharedQueue, owner: str, loss: Loss, forgetting: Forgetting) -> bool:
        """Return whether what arrives at an instance still comes to a queue after a loss."""
        ways = self.onward.get(queue, {}).get(owner)
        return ways is None or (survives(ways, loss) and (*queue, owner) not in forgetting.gateways)

    def already_lost(self, loss: Loss, forgetting: Forgetting) -> Iterator[SharedQueue]:
        """Go through the queues that no message reaches, and of which a loss takes a part."""
        for queue, owners in self.unusable.items():
            if any(
                owner in loss.qmgrs
                or (*queue, owner) in forgetting.gateways
                or any(breaks(way, loss) for way in ways)
                for owner, ways in owners.items()
            ):
                yield queue

    def beyond(self, loss: Loss, forgetting: Forgetting) -> list[str]:
        """Return the clusters with gateways to what is lost, without those of the loss."""
        clusters = {
            queue[0]
            for queue, owners in self.onward.items()
            if any(
                ways and not self._leads(queue, owner, loss, forgetting)
                for owner, ways in owners.items()
            )
        }
        clusters.update(cluster for cluster, _ in self.already_lost(loss, forgetting))
        return sorted(clusters.difference(loss.clusters))

    def _enter(self, estate: Estate, sender: QueueManager) -> None:
        """Enter the ways of one sender to the queues that it knows."""
        ways: dict[SharedQueue, list[_Way]] = defaultdict(list)
        beliefs: dict[SharedQueue, list[Belief]] = defaultdict(list)
        for (cluster, _, name), belief in sender.repository.of_kind("queue"):
            queue, owner = (cluster, name), estate.names.get(belief.owner, "")
            if queue not in self.instances:
                continue
            beliefs[queue].append(belief)
            if owner not in self.instances[queue]:
                continue
            if owner == sender.name:
                ways[queue].append(_Way(owner, ""))
                continue
            for channel in sender.repository.routes.get((cluster, belief.owner), ()):
                state = sender.activity.channels.get(channel)
                if state is None or state.status in _USABLE:
                    ways[queue].append(_Way(owner, channel))
        for queue, usable in ways.items():
            below = outranked(sender, *queue, beliefs[queue])
            if below:
                self.ranked.setdefault(queue, set()).add(sender.name)
            if chosen := [way for way in usable if way not in below]:
                self.ways.setdefault(queue, {})[sender.name] = chosen

    def damage(self, loss: Loss, cluster: str, forgetting: Forgetting) -> Damage:
        """Return what a loss does to the queues of a cluster."""
        lost, single, behind, forgotten = [], [], [], []
        cut: dict[str, list[str]] = defaultdict(list)
        ranked: set[str] = set()
        for queue, owners in self.instances.items():
            in_cluster, name = queue
            if in_cluster != cluster:
                continue
            there = owners - loss.qmgrs
            left = {each for each in there if self._leads(queue, each, loss, forgetting)}
            senders = self.ways.get(queue, {}).keys() - owners - loss.qmgrs
            forgot = {each for each in senders if (*queue, each) in forgetting.senders}
            if forgot or any((*queue, each) in forgetting.gateways for each in there):
                forgotten.append(name)
            if not left or (forgot and forgot == senders):
                lost.append(name)
            elif len(left) == 1 and len(owners) > 1:
                single.append(name)
            if there != left:
                behind.append(name)
            for sender in self._cut(queue, loss, forgetting):
                cut[sender].append(name)
                if left and sender in self.ranked.get(queue, ()):
                    ranked.add(name)
        cut = dict(sorted(cut.items()))
        lost_before = self.already_lost(loss, forgetting)
        already = [name for in_cluster, name in lost_before if in_cluster == cluster]
        columns = (lost, single, behind, ranked, forgotten, already)
        names = [tuple(sorted(each)) for each in columns]
        return Damage(names[0], names[1], cut, *names[2:])

    def _cut(self, queue: SharedQueue, loss: Loss, forgetting: Forgetting) -> Iterator[str]:
        """Go through the senders that reached an instance before a loss and reach none after it."""
        for sender, ways in self.ways.get(queue, {}).items():
            if sender in loss.qmgrs:
                continue
            if (*queue, sender) in forgetting.senders or all(
                loss.parts(sender, way.owner, way.channel)
                or not self._leads(queue, way.owner, loss, forgetting)
                for way in ways
            ):
                yield sender
