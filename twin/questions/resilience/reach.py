"""Who can put to which queue, before a loss and after it: computed once from the base."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.model.objects import value_of
from twin.questions.doctor.index import Index

if TYPE_CHECKING:
    from twin.fold.estate import Estate, QueueManager
    from twin.questions.resilience.losses import Loss

SharedQueue: TypeAlias = tuple[str, str]
"""(cluster, name) of a queue."""

_USABLE: Final = ("INACTIVE", "RUNNING", "STARTING", "BINDING", "INITIALIZING", "SWITCHING")
"""The statuses of a channel that carries messages, or will when one comes."""


class _Way(NamedTuple):
    """How a sender reaches an instance: its owner and a channel; '' for its own instance."""

    owner: str
    channel: str


class Damage(NamedTuple):
    """What a loss does to the queues of one cluster.

    Attributes:
        lost: the queues of which no usable instance is left.
        single: the queues of which one is left, and there were more.
        cut: the senders that can reach no instance of a queue any more: name -> queues.
    """

    lost: tuple[str, ...]
    single: tuple[str, ...]
    cut: dict[str, list[str]]


@dataclass(slots=True)
class QueueReach:
    """The shared queues of an estate, their usable instances, and who reaches them how.

    An instance is usable if its queue manager runs and PUT is ENABLED.

    Attributes:
        instances: queue -> the names of the queue managers with a usable instance.
        ways: queue -> sender -> the ways that work in the base.
    """

    instances: dict[SharedQueue, set[str]] = field(default_factory=dict)
    ways: dict[SharedQueue, dict[str, list[_Way]]] = field(default_factory=dict)

    @classmethod
    def of(cls, estate: Estate, at: int) -> QueueReach:
        """Read the queues, and what queue managers believe, from an estate."""
        reach = cls()
        for cluster in Index(estate, at).clusters:
            for name, places in cluster.queues.items():
                owners = {
                    site.name
                    for site, definition in cluster.shared(places)
                    if site.qmgr.running and value_of(definition, "PUT") != "DISABLED"
                }
                if owners:
                    reach.instances[cluster.name, name] = owners
        for sender in estate.qmgrs.values():
            if sender.running:
                reach._enter(estate, sender)
        return reach

    def _enter(self, estate: Estate, sender: QueueManager) -> None:
        """Enter the ways of one sender to the queues that it knows."""
        ways: dict[SharedQueue, list[_Way]] = defaultdict(list)
        for (cluster, _, name), belief in sender.repository.of_kind("queue"):
            queue, owner = (cluster, name), estate.names.get(belief.owner, "")
            if owner not in self.instances.get(queue, ()):
                continue
            if owner == sender.name:
                ways[queue].append(_Way(owner, ""))
                continue
            for channel in sender.repository.routes.get((cluster, belief.owner), ()):
                state = sender.activity.channels.get(channel)
                if state is None or state.status in _USABLE:
                    ways[queue].append(_Way(owner, channel))
        for queue, found in ways.items():
            self.ways.setdefault(queue, {})[sender.name] = found

    def damage(self, loss: Loss, cluster: str) -> Damage:
        """Return what a loss does to the queues of a cluster."""
        lost, single = [], []
        cut: dict[str, list[str]] = defaultdict(list)
        for (in_cluster, name), owners in self.instances.items():
            if in_cluster != cluster:
                continue
            left = owners - loss.qmgrs
            if not left:
                lost.append(name)
            elif len(left) == 1 and len(owners) > 1:
                single.append(name)
            for sender, ways in self.ways.get((cluster, name), {}).items():
                if sender not in loss.qmgrs and all(
                    loss.parts(sender, way.owner, way.channel) for way in ways
                ):
                    cut[sender].append(name)
        return Damage(tuple(sorted(lost)), tuple(sorted(single)), dict(sorted(cut.items())))
