"""Which requests full repositories have answered, and calls that wait for an answer.

An MQOPEN of an unknown name asks two full repositories of each cluster that the queue manager is
in, and waits for at most ten seconds. It ends when nothing is under way any more and either the
name is known or each cluster has answered. A request that waits for its channel delays no name that
another cluster knows [inferred]. Another call for the same names joins the wait and ends with it
[inferred].

Sources: IBM swg21225022 (ten seconds, two full repositories, each cluster); IBM PH46414 (a cluster
that does not know the name does not end the wait while others may answer).
"""

from __future__ import annotations

from typing import Any

from twin.events import AnswerAwaited
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Names, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.rules import membership
from twin.rules.channels import channel_status, command_queue
from twin.rules.draft import Draft
from twin.rules.repository import full_repositories, subscribers


def is_noted(draft: Draft, qmgr: QueueManager, name: RecordName) -> bool:
    """Return whether a full repository has a queue manager's request, or it is one itself.

    While the repository manager waits for its command queue, it reads no answer.
    """
    if membership.is_full(qmgr, name[0]):
        return True
    return not command_queue.is_waiting(qmgr) and any(
        channel_status.is_usable(draft, qmgr, channel, target)
        and subscribers.is_subscriber(draft, target, name, qmgr.qmid)
        for target, channel in full_repositories.chosen(draft, qmgr, name[0])
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
        for full, _ in full_repositories.chosen(draft, qmgr, cluster)
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
