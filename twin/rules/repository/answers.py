"""Which requests full repositories have answered, and calls that wait for an answer.

An MQOPEN of an unknown name asks two full repositories of each cluster that the queue manager is
in, and waits for at most ten seconds. It ends when nothing is under way any more and either the
name is known or each cluster has answered. A request that waits for its channel delays no name that
another cluster knows [inferred]. Another call for the same names joins the wait and ends with it
[inferred].

Sources: IBM swg21225022 (ten seconds, two full repositories, each cluster); IBM PH46414 (a cluster
that does not know the name does not end the wait while others may answer).

Look up a name in a queue manager's clusters; request its records if they are unknown.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.4, "Removing a queue manager from a cluster"; "API
reason codes", 2189. A partial repository that does not know a name asks its full repositories, and
the call waits for the answers (`answers`). In the twin an answer takes no time, except on a link
with latency.
"""

from __future__ import annotations

from typing import Any, Final

from twin.events import (
    AnswerAwaited,
    ErrorLogged,
    SubscriptionMade,
    SubscriptionReferenced,
)
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Instance, Names, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.rules import membership
from twin.rules.channels import channel_status, command_queue
from twin.rules.draft import Draft
from twin.rules.repository import lifetimes, recipients, requests


def is_noted(draft: Draft, qmgr: QueueManager, name: RecordName) -> bool:
    """Return whether a full repository has a queue manager's request, or it is one itself.

    While the repository manager waits for its command queue, it reads no answer.
    """
    if membership.is_full(qmgr, name[0]):
        return True
    return not command_queue.is_waiting(qmgr) and any(
        channel_status.is_usable(draft, qmgr, channel, target)
        and recipients.is_subscriber(draft, target, name, qmgr.qmid)
        for target, channel in recipients.full_repositories(draft, qmgr, name[0])
    )


def is_pushed_only(draft: Draft, qmgr: QueueManager, name: RecordName) -> bool:
    """Return whether no full repository has had a request for a name since REFRESH CLUSTER.

    Then a record of the name came without a request: a full repository that still holds the old
    request told of a change of one instance. An MQOPEN is not answered from that alone [inferred;
    IBM MQ 8.0, "Out of date information in a restored cluster"].
    """
    repository = qmgr.repository
    since = repository.refreshed.get(name[0])
    if since is None or membership.is_full(qmgr, name[0]):
        return False
    if any(asked == name and request.made >= since for asked, request in repository.lapsed):
        return False
    noted = (
        draft.estate.owner(owner).repository.subscribers.get(name, {}).get(qmgr.qmid, since - 1)
        for cluster, owner in repository.known_full_repositories
        if cluster == name[0]
    )
    return all(made < since for made in noted)


def is_under_way(draft: Draft, qmgr: QueueManager, name: RecordName) -> bool:
    """Return whether a request for a name is in transit on a link, or an answer is on its way.

    An answer that was sent over a link with latency, and that waits because the link was cut, is
    still on its way.
    """
    cluster, ask = name[0], name[1:]
    if any(
        commands.cluster == cluster and ask in commands.asks
        for moving in qmgr.repository.under_way.values()
        for commands in moving
    ):
        return True
    return any(
        (commands.to, commands.cluster) == (qmgr.qmid, cluster) and ask in commands.answers
        for full, _ in recipients.full_repositories(draft, qmgr, cluster)
        for on_their_way in (full.repository.under_way, full.repository.waiting)
        for moving in on_their_way.values()
        for commands in moving
    )


def asked_clusters(qmgr: QueueManager) -> list[str]:
    """Return the clusters whose full repositories a queue manager asks."""
    joined = membership.clusters_joined(qmgr)
    return [cluster for cluster in joined if not membership.is_full(qmgr, cluster)]


def has_come(draft: Draft, qmgr: QueueManager, names: Names, *, known: bool) -> bool:
    """Return whether a wait for some names is over; `known` is whether any of them was found."""
    records = [(cluster, *name) for cluster in asked_clusters(qmgr) for name in names]
    if any(is_under_way(draft, qmgr, record) for record in records):
        return False
    return known or all(is_noted(draft, qmgr, record) for record in records)


def begin(draft: Draft, qmgr: QueueManager, names: Names, **call: Any) -> int:
    """Record that a call waits for names; return the position of the event.

    `call` are the fields of `AnswerAwaited` that say which call it is.
    """
    position = draft.position
    draft.emit(AnswerAwaited(qmgr=qmgr.name, names=names, **call))
    return position


def is_awaiting(estate: Estate) -> bool:
    """Return whether any call may be waiting."""
    return bool(estate.agenda.heaps[TimerKind.AWAITED])


def opening_of(qmgr: QueueManager, handle: str) -> Names:
    """Return the names that the MQOPEN of a handle waits for; () if it does not wait."""
    for names, wait in qmgr.activity.waits.items() if handle else ():
        if any(each.call.opened and each.call.opened.handle == handle for each in wait.calls):
            return names
    return ()


def holds_up(estate: Estate, receiver: QueueManager, sender: str, channel: str) -> bool:
    """Return whether messages that arrive on a channel wait until the receiver has an answer."""
    return is_awaiting(estate) and any(
        (each.call.sender, each.call.channel) == (sender, channel)
        for wait in receiver.activity.waits.values()
        for each in wait.calls
    )


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
                for pushed in [is_pushed_only(self._draft, self._qmgr, (cluster, "queue", name))]
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
            is_noted(draft, qmgr, name) and not is_under_way(draft, qmgr, name)
            for name in ((cluster, "queue", queue) for cluster in joined)
        )

    def awaited(self, *, failed: bool) -> Names:
        """Return the names for which a call has to wait before it goes on; () if it need not.

        It waits for what it has just requested if that takes time, and for every request if it
        would fail (`failed`); and it joins a wait for the same names.
        """
        draft, qmgr, looked_up = self._draft, self._qmgr, self._looked_up
        if is_awaiting(draft.estate):
            for names in qmgr.activity.waits:
                if not looked_up.keys().isdisjoint(names):
                    return names
        slow = {name[1:] for name in self._new if is_under_way(draft, qmgr, name)}
        if failed:
            slow.update(
                name for name in looked_up if not has_come(draft, qmgr, (name,), known=False)
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
    if made is not None and draft.at < made.made + lifetimes.CHECK_AFTER:
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
