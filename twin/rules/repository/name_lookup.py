"""Look up a name in a queue manager's clusters; request its records if they are unknown.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.4, "Removing a queue manager from a cluster"; "API
reason codes", 2189. A partial repository that does not know a name asks its full repositories, and
the call waits for the answers (`answers`). In the twin an answer takes no time, except on a link
with latency.
"""

from __future__ import annotations

from typing import Final

from twin.events import ErrorLogged, SubscriptionMade, SubscriptionReferenced
from twin.fold.beliefs import Instance, Names, RecordName
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import command_queue
from twin.rules.draft import Draft
from twin.rules.repository import answers, requests
from twin.rules.repository.lifetimes import CHECK_AFTER

NO_REPOSITORIES: Final = "AMQ9420"
"""Logged when a request for a name has no full repository to go to. Decided here: sources tell the
meaning of the message, not when it is written.
"""


class NameLookup:
    """Look up names in the repository of one queue manager.

    With `asks`, unknown records are requested from full repositories, as an MQOPEN does. Without
    it, nothing is emitted, and `unasked` says whether a request would have been necessary.
    """

    def __init__(self, draft: Draft, qmgr: QueueManager, *, asks: bool = True) -> None:
        """Prepare to look up names at a queue manager."""
        self.unasked = False
        self._draft = draft
        self._qmgr = qmgr
        self._asks = asks
        self._looked_up: dict[tuple[str, str], None] = {}
        self._new: list[RecordName] = []

    @property
    def looked_up(self) -> Names:
        """The names that were looked up in clusters of which this is a partial repository."""
        return tuple(self._looked_up)

    def queues(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a queue, or of a queue manager alias, by cluster and owner."""
        repository = self._qmgr.repository
        return _in_order(
            [
                (cluster, belief)
                for cluster in self._clusters("queue", name)
                for pushed in [
                    answers.is_pushed_only(self._draft, self._qmgr, (cluster, "queue", name))
                ]
                for belief in repository.instances(cluster, "queue", name).values()
                if not pushed or belief.owner == self._qmgr.qmid
            ]
        )

    def members(self, name: str) -> tuple[Instance, ...]:
        """Return the cluster queue managers with a name, each with the record of one channel."""
        repository, names = self._qmgr.repository, self._draft.estate.names
        clusters = self._clusters("qmgr", name)
        return _in_order(
            [
                (cluster, repository.beliefs[cluster, "qmgr", next(iter(channels))][owner])
                for (cluster, owner), channels in repository.routes.items()
                if cluster in clusters and names.get(owner) == name
            ]
        )

    def is_answered(self, queue: str) -> bool:
        """Return whether a full repository has answered for a queue, or no request is needed."""
        draft, qmgr = self._draft, self._qmgr
        joined = membership.clusters_joined(qmgr)
        return not joined or any(
            answers.is_noted(draft, qmgr, name) and not answers.is_under_way(draft, qmgr, name)
            for name in ((cluster, "queue", queue) for cluster in joined)
        )

    def awaited(self, *, failed: bool) -> Names:
        """Return the names for which a call has to wait before it goes on; () if it need not.

        It waits for what it has just requested if that takes time, and for every request if it
        would fail (`failed`); and it joins a wait for the same names.
        """
        draft, qmgr, looked_up = self._draft, self._qmgr, self._looked_up
        if answers.is_awaiting(draft.estate):
            for names in qmgr.activity.waits:
                if not looked_up.keys().isdisjoint(names):
                    return names
        slow = {name[1:] for name in self._new if answers.is_under_way(draft, qmgr, name)}
        if failed:
            slow.update(
                name
                for name in looked_up
                if not answers.has_come(draft, qmgr, (name,), known=False)
            )
        return tuple(name for name in looked_up if name in slow)

    def _clusters(self, kind: str, name: str) -> tuple[str, ...]:
        """Return the clusters to search for a name, after requesting it where it is unknown.

        They are the clusters that the queue manager is in, and those that it has left but still
        holds records of. For up to 90 days its applications still resolve queues of such a cluster,
        unless REFRESH CLUSTER drops the records.
        """
        qmgr = self._qmgr
        joined = membership.clusters_joined(qmgr)
        for cluster in joined:
            if not membership.is_full(qmgr, cluster):
                self._looked_up[kind, name] = None
                self._use(cluster, kind, name)
        former = qmgr.repository.clusters.keys() - joined
        return (*joined, *sorted(former)) if former else joined

    def _use(self, cluster: str, kind: str, name: str) -> None:
        if self._asks:
            if use_name(self._draft, self._qmgr, cluster, kind, name):
                self._new.append((cluster, kind, name))
        elif (cluster, kind, name) not in self._qmgr.repository.subscriptions:
            self.unasked = True


def _in_order(instances: list[Instance]) -> tuple[Instance, ...]:
    if len(instances) > 1:
        instances.sort(key=lambda each: (each[0], each[1].owner_name))
    return tuple(instances)


def use_name(draft: Draft, qmgr: QueueManager, cluster: str, kind: str, name: str) -> bool:
    """Use a name in a cluster: the first use requests it, a later use lets the request be renewed.

    Return whether it was requested.

    The MQOPEN that makes a request does not count as a use. A request that was not used by the time
    it is checked lapses; the next use makes a new one.
    """
    made = qmgr.repository.subscriptions.get((cluster, kind, name))
    if made is not None and draft.at < made.made + CHECK_AFTER:
        if made.referenced is None and draft.at > made.made:
            draft.emit(
                SubscriptionReferenced(qmgr=qmgr.name, cluster=cluster, kind=kind, name=name)
            )
        return False
    if made is None:
        command_queue.demand_storage(draft, qmgr)
    draft.emit(SubscriptionMade(qmgr=qmgr.name, cluster=cluster, kind=kind, name=name))
    if not requests.send(draft, qmgr, cluster, ((kind, name),)):
        draft.emit(ErrorLogged(qmgr=qmgr.name, id=NO_REPOSITORIES, inserts=(cluster,)))
    return True
