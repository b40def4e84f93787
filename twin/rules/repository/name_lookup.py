"""What a queue manager knows of a name in its clusters, having asked for it where it must.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.4, "Removing a queue manager from a cluster"; "API
reason codes", 2189. A partial repository that does not know a name asks its full repositories and
waits for the answer.
"""

from __future__ import annotations

from twin.events import SubscriptionMade, SubscriptionReferenced
from twin.fold.beliefs import Instance, Name
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.repository import delivery, full_repositories, subscribers
from twin.rules.repository.delivery import Commands
from twin.rules.repository.lifetimes import CHECK_AFTER


class NameLookup:
    """What one queue manager knows of names.

    `asks` lets it ask full repositories, as an MQOPEN does; where it only looks nothing is emitted,
    and `unasked` tells that it would have had to ask.
    """

    def __init__(self, draft: Draft, qmgr: QueueManager, *, asks: bool) -> None:
        """Look at, or ask for, what this queue manager knows."""
        self.unasked = False
        self._draft = draft
        self._qmgr = qmgr
        self._asks = asks

    def queues(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a queue, or of a queue manager alias, by cluster and owner."""
        repository = self._qmgr.repository
        return _in_order(
            [
                (cluster, belief)
                for cluster in self._clusters("queue", name)
                for belief in repository.instances(cluster, "queue", name).values()
            ]
        )

    def members(self, name: str) -> tuple[Instance, ...]:
        """Return the cluster queue managers of a name, each by the record of one channel."""
        repository, names = self._qmgr.repository, self._draft.estate.names
        asked = self._clusters("qmgr", name)
        return _in_order(
            [
                (cluster, repository.beliefs[cluster, "qmgr", next(iter(known))][owner])
                for (cluster, owner), known in repository.routes.items()
                if cluster in asked and names.get(owner) == name
            ]
        )

    def is_answered(self, queue: str) -> bool:
        """Say whether any full repository has answered a request for a queue, or none need be."""
        joined = membership.clusters_joined(self._qmgr)
        return not joined or any(self._answered((cluster, "queue", queue)) for cluster in joined)

    def _answered(self, name: Name) -> bool:
        """Say whether a full repository has answered a request, or one is asked at its own."""
        draft, qmgr = self._draft, self._qmgr
        if membership.is_full(qmgr, name[0]):
            return True
        return any(
            channel_status.is_usable(draft, qmgr, channel, target)
            and subscribers.is_subscriber(draft, target, name, qmgr.qmid)
            for target, channel in full_repositories.chosen(draft, qmgr, name[0])
        )

    def _clusters(self, kind: str, name: str) -> tuple[str, ...]:
        """Name the clusters to look for a name in, having asked those that are to be asked.

        They are those of the queue manager, and those that it has left and still knows: for up to
        90 days its applications still resolve cluster queues, unless REFRESH CLUSTER clears what
        it knows.
        """
        qmgr = self._qmgr
        joined = membership.clusters_joined(qmgr)
        for cluster in joined:
            if not membership.is_full(qmgr, cluster):
                self._use(cluster, kind, name)
        left = qmgr.repository.clusters.keys() - joined
        return (*joined, *sorted(left)) if left else joined

    def _use(self, cluster: str, kind: str, name: str) -> None:
        if self._asks:
            use_name(self._draft, self._qmgr, cluster, kind, name)
        elif (cluster, kind, name) not in self._qmgr.repository.subscriptions:
            self.unasked = True


def _in_order(found: list[Instance]) -> tuple[Instance, ...]:
    if len(found) > 1:
        found.sort(key=lambda each: (each[0], each[1].owner_name))
    return tuple(found)


def use_name(draft: Draft, qmgr: QueueManager, cluster: str, kind: str, name: str) -> None:
    """Use a name in a cluster: the first use asks for it, a later one keeps the request alive.

    The open that makes a request is no use of it. A request that nobody used until its check was
    left to lapse: the next use makes a new one.
    """
    made = qmgr.repository.subscriptions.get((cluster, kind, name))
    if made is not None and draft.at < made.made + CHECK_AFTER:
        if made.referenced is None and draft.at > made.made:
            draft.emit(
                SubscriptionReferenced(qmgr=qmgr.name, cluster=cluster, kind=kind, name=name)
            )
        return
    draft.emit(SubscriptionMade(qmgr=qmgr.name, cluster=cluster, kind=kind, name=name))
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        delivery.send(draft, qmgr, target, channel, cluster, Commands(asks=((kind, name),)))
