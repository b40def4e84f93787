"""MQOPEN as far as repositories are concerned: what it resolves to, and the request it makes.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; "API reason codes" (2085, 2086, 2189). A partial
repository that does not know a name asks its full repositories and waits for the answer.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Literal, NamedTuple

from twin.events import SubscriptionMade, SubscriptionReferenced
from twin.fold.estate import QueueManager
from twin.fold.repository import Belief, Name
from twin.model.objects import Definition
from twin.model.reasons import (
    ALIAS_BASE_TYPE,
    NO_ANSWER,
    UNKNOWN_ALIAS_BASE,
    UNKNOWN_OBJECT,
    UNKNOWN_REMOTE_QMGR,
    UNKNOWN_XMITQ,
)
from twin.rules import channels, full_repositories, interest, membership, sending
from twin.rules.draft import Draft
from twin.rules.lifetimes import CHECK_AFTER

Via = Literal["local", "alias", "remote", "cluster", "model", ""]


class Opened(NamedTuple):
    """What an MQOPEN came to: where the name led, the instances, or the reason it failed."""

    queue: str
    via: Via
    instances: tuple[tuple[str, Belief], ...] = ()
    reason: int = 0
    base: str = ""


def open_queue(draft: Draft, qmgr: QueueManager, queue: str, *, to: str = "") -> Opened:
    """Resolve a queue name as MQOPEN does, asking the full repositories where that is needed.

    Only a blank ObjectQMgrName lets the cluster choose; one's own name means the local object.
    """
    if to and to != qmgr.name:
        return _open_at(draft, qmgr, queue, to)
    local = qmgr.definitions.get(("QUEUE", queue))
    shared = local is None or bool(membership.clusters(qmgr, local))
    if local is None and to:
        return Opened(queue, "", reason=UNKNOWN_OBJECT)
    if local is None or (local.type == "QLOCAL" and shared and not to):
        return _open_cluster(draft, qmgr, queue, hosted=local is not None)
    if local.type == "QALIAS":
        return _open_alias(draft, qmgr, queue, str(local.values.get("TARGET", "")))
    if local.type == "QREMOTE":
        return _open_remote(draft, qmgr, local)
    return Opened(queue, "model" if local.type == "QMODEL" else "local")


def _open_alias(draft: Draft, qmgr: QueueManager, queue: str, target: str) -> Opened:
    base = qmgr.definitions.get(("QUEUE", target))
    if base is not None and base.type == "QALIAS":
        return Opened(queue, "", reason=ALIAS_BASE_TYPE, base=target)
    found = open_queue(draft, qmgr, target)
    if found.reason in (UNKNOWN_OBJECT, NO_ANSWER):
        return Opened(queue, "", reason=UNKNOWN_ALIAS_BASE, base=target)
    return Opened(queue, "alias", found.instances, found.reason, target)


def _open_remote(draft: Draft, qmgr: QueueManager, local: Definition) -> Opened:
    """Resolve a local definition of a remote queue: by its own XMITQ, or where RQMNAME leads."""
    there = str(local.values.get("RQMNAME", ""))
    if own := str(local.values.get("XMITQ", "")):
        reason = 0 if ("QUEUE", own) in qmgr.definitions else UNKNOWN_XMITQ
        return Opened(local.name, "remote", reason=reason, base=own)
    if there in ("", qmgr.name):
        return Opened(local.name, "remote", base=there)
    found = _open_at(draft, qmgr, str(local.values.get("RNAME", "")), there)
    return Opened(local.name, "remote", found.instances, found.reason, there)


def _open_at(draft: Draft, qmgr: QueueManager, queue: str, to: str) -> Opened:
    """Resolve a queue manager's name: local alias, transmission queue, cluster, DEFXMITQ, in turn.

    Source: IBM MQ 9.4, "Queue manager aliases and clusters"; reason code 2087.
    """
    local = qmgr.definitions.get(("QUEUE", to))
    if local is not None and local.type == "QREMOTE" and not local.values.get("RNAME"):
        return _open_remote(draft, qmgr, local)
    if local is not None and local.values.get("USAGE") == "XMITQ":
        return Opened(queue, "remote", base=to)
    aliases = _instances(draft, qmgr, "queue", to)
    found = [each for each in aliases if each[1].values.get("CLUSQT") == "QMGR"]
    found += _instances(draft, qmgr, "qmgr", to)
    if found:
        return Opened(queue, "cluster", tuple(found), base=to)
    if default := str(qmgr.values.get("DEFXMITQ", "")):
        return Opened(queue, "remote", base=default)
    return Opened(queue, "", reason=UNKNOWN_REMOTE_QMGR)


def _open_cluster(draft: Draft, qmgr: QueueManager, queue: str, *, hosted: bool) -> Opened:
    found = _instances(draft, qmgr, "queue", queue)
    if found:
        return Opened(queue, "cluster", found)
    if hosted:
        return Opened(queue, "local")
    joined = membership.clusters_joined(qmgr)
    answered = any(_answered(draft, qmgr, (cluster, "queue", queue)) for cluster in joined)
    return Opened(queue, "", reason=NO_ANSWER if joined and not answered else UNKNOWN_OBJECT)


def _answered(draft: Draft, qmgr: QueueManager, name: Name) -> bool:
    """Say whether a full repository has answered a request, or one is asked at its own."""
    if membership.is_full(qmgr, name[0]):
        return True
    return any(
        channels.usable(draft, qmgr, channel, target)
        and interest.is_subscriber(draft, target, name, qmgr.qmid)
        for target, channel in full_repositories.chosen(draft, qmgr, name[0])
    )


def _instances(
    draft: Draft, qmgr: QueueManager, kind: str, name: str
) -> tuple[tuple[str, Belief], ...]:
    found: list[tuple[str, Belief]] = []
    joined = membership.clusters_joined(qmgr)
    for cluster in joined:
        if not membership.is_full(qmgr, cluster):
            use(draft, qmgr, cluster, kind, name)
    for cluster in (*joined, *_left(qmgr, joined)):
        if kind == "qmgr":
            held = qmgr.repository.of_kind("qmgr", cluster=cluster)
            found += [(cluster, belief) for _, belief in held if belief.owner_name == name]
        else:
            instances = qmgr.repository.instances(cluster, kind, name)
            found += [(cluster, belief) for belief in instances.values()]
    if len(found) > 1:
        found.sort(key=lambda each: (each[0], each[1].owner_name))
    return tuple(found)


def _left(qmgr: QueueManager, joined: tuple[str, ...]) -> set[str]:
    """Name the clusters that a queue manager has left and still knows: for up to 90 days.

    Source: IBM MQ 9.4, "Removing a queue manager from a cluster": until then its applications
    still resolve cluster queues, unless REFRESH CLUSTER clears what it knows.
    """
    return set(map(itemgetter(0), qmgr.repository.routes)).difference(joined)


def use(draft: Draft, qmgr: QueueManager, cluster: str, kind: str, name: str) -> None:
    """Use a name in a cluster: the first use asks for it, a later one keeps the request alive.

    A request that nobody used until its check was left to lapse: the next use makes a new one.
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
        sending.send(draft, qmgr, target, channel, cluster, asks=[(kind, name)])
