"""SUSPEND QMGR, RESUME QMGR, REFRESH CLUSTER and RESET CLUSTER.

REFRESH CLUSTER and RESET CLUSTER are accepted first, and then carried out by the repository
manager, which reports failures in the error log (AMQ9406, AMQ9453 to AMQ9455).

Sources: IBM MQ 9.4, "SUSPEND QMGR", "REFRESH CLUSTER", "RESET CLUSTER" of the MQSC reference; IBM
MQ 9.2, "Maintaining a queue manager".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twin.events import (
    ErrorLogged,
    QueueManagerResumed,
    QueueManagerSuspended,
    Removal,
    RepositoryRefreshed,
)
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.model.messages import CLOSED, NOT_FOUND
from twin.model.platforms import NUMBERS_AGAIN
from twin.model.readings import REBUILD, REFRESH, reading_of
from twin.rules import membership, reachability
from twin.rules.channels import channel_status, stopping
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft, Reply, done, refused
from twin.rules.repository import (
    connecting,
    forced_removal,
    outgoing_items,
    publication,
    requests,
)

_FULL_REPOSITORY: Final = "AMQ9406"
_AMBIGUOUS: Final = "AMQ9453"
_NOT_FULL: Final = "AMQ9454"
_UNKNOWN: Final = "AMQ9455"


def suspend(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Publish that this queue manager is suspended; MODE(FORCE) also ends channels to it."""
    clusters = _named(qmgr, command)
    if isinstance(clusters, Reply):
        return clusters
    mode = command.option("MODE") or "QUIESCE"
    for cluster in clusters:
        draft.emit(QueueManagerSuspended(qmgr=qmgr.name, cluster=cluster, mode=mode))
    publication.publish_changes(draft, qmgr, only=None)
    if mode == "FORCE":
        _force_channels(draft, qmgr)
    return done("AMQ8557")


def _force_channels(draft: Draft, qmgr: QueueManager) -> None:
    """End the channels to each CLUSRCVR whose clusters are all forcibly suspended.

    Source: IBM MQ 9.4, "SUSPEND QMGR", MODE(FORCE). Until RESUME QMGR, the receiving end lets
    nobody in.
    """
    for receiver, _ in list(membership.channels_of(qmgr, "CLUSRCVR")):
        if channel_status.is_forced(qmgr, receiver.name):
            reachability.fail_channels_to(draft, qmgr, channel=receiver.name, reason=CLOSED)
    reachability.await_retries(draft, qmgr, refused=True)


def resume(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Publish that this queue manager is no longer suspended."""
    clusters = _named(qmgr, command)
    if isinstance(clusters, Reply):
        return clusters
    for cluster in clusters:
        if cluster in qmgr.suspended:
            draft.emit(QueueManagerResumed(qmgr=qmgr.name, cluster=cluster))
    publication.publish_changes(draft, qmgr, only=None)
    reachability.await_retries(draft, qmgr)
    return done("AMQ8556")


def _named(qmgr: QueueManager, command: ReadCommand) -> tuple[str, ...] | Reply:
    """Return the clusters in CLUSTER or CLUSNL; or a refusal, unless it is a member of them all."""
    cluster, clusnl = command.option("CLUSTER"), command.option("CLUSNL")
    if cluster is not None and clusnl is not None:
        return refused("AMQ8438")
    if cluster is not None:
        names: tuple[str, ...] = (cluster,)
    elif clusnl is not None:
        if ("NAMELIST", clusnl) not in qmgr.definitions:
            return refused(NOT_FOUND, clusnl)
        names = membership.namelist(qmgr, clusnl)
    else:
        return refused("AMQ8421")
    joined = membership.clusters_joined(qmgr)
    unknown = [name for name in names if name not in joined]
    return refused(NOT_FOUND, unknown[0]) if unknown else names


def refresh(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Drop the records of others and request them again.

    REPOS(YES) also drops the records of full repositories.
    """
    named, repos = command.name, command.option("REPOS") or "NO"
    clusters = {*membership.clusters_joined(qmgr), *(name[0] for name in qmgr.repository.beliefs)}
    if named != "*" and named not in clusters:
        return refused(NOT_FOUND, named)
    for cluster in sorted(clusters) if named == "*" else [named]:
        if repos == "YES" and membership.is_full(qmgr, cluster):
            draft.emit(
                ErrorLogged(qmgr=qmgr.name, id=_FULL_REPOSITORY, inserts=(qmgr.name, cluster))
            )
        else:
            _refresh(draft, qmgr, cluster, forget_all=repos == "YES")
    return done("AMQ8558")


def refresh_one(draft: Draft, qmgr: QueueManager, cluster: str) -> None:
    """Refresh one cluster with REPOS(NO), as an error log says that it was done."""
    _refresh(draft, qmgr, cluster, forget_all=False)


def _refresh(draft: Draft, qmgr: QueueManager, cluster: str, *, forget_all: bool) -> None:
    """Refresh one cluster, and publish the own records again.

    A partial repository asks for a name when it is used next (IBM MQ 8.0, "Out of date information
    in a restored cluster"); with the reading `refresh: rebuild` it asks at once. Decided here: a
    call that waits for a name asks again too, and its wait still ends after ten seconds.
    """
    dropped = list(_dropped(qmgr, cluster, forget_all=forget_all))
    asked = tuple(name[1:] for name in qmgr.repository.subscriptions if name[0] == cluster)
    own = sum(1 for name in qmgr.repository.own_records if name[0] == cluster)
    draft.emit(
        RepositoryRefreshed(
            qmgr=qmgr.name,
            cluster=cluster,
            repos="YES" if forget_all else "NO",
            dropped=tuple(outgoing_items.items_of(dropped)),
            refreshed=len(dropped),
            republished=own,
            renumbered=forget_all and qmgr.cmdlevel in NUMBERS_AGAIN and not own,
        )
    )
    for (_, kind, channel), _ in dropped:
        if kind == "qmgr" and (forget_all or not _runs(draft, qmgr, channel)):
            stopping.drop_unused_status(draft, qmgr, channel)
    if cluster not in membership.clusters_joined(qmgr):
        return
    for sender, _ in list(membership.channels_of(qmgr, "CLUSSDR", cluster)):
        connecting.connect(draft, qmgr, sender, again=True)
    publication.republish_all(draft, qmgr, cluster=cluster)
    requests.send(draft, qmgr, cluster, (requests.EVERYONE,))
    if reading_of(draft.estate.readings, REFRESH) != REBUILD:
        awaited = {name for names in qmgr.activity.waits for name in names}
        asked = tuple(name for name in asked if name in awaited)
    requests.ask_again(draft, qmgr, cluster, asked)


def _runs(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel runs. With REPOS(NO), it runs on without its record.

    Sources: IBM MQ 9.2, "REFRESH CLUSTER" (cluster channels keep running); 8.0, "Out of date
    information in a restored cluster" (nothing of other partial repositories is kept).
    """
    return channel_status.status_of(qmgr, channel, draft.at) == "RUNNING"


def _dropped(
    qmgr: QueueManager, cluster: str, *, forget_all: bool
) -> Iterable[tuple[RecordName, Belief]]:
    """Yield the records of others that a refresh drops.

    Without `forget_all` (REPOS(YES)), a full repository keeps its records of queue managers, and a
    partial repository keeps those of full repositories. An auto-defined channel that is kept keeps
    its record, from which CLUSQMGR and CONNAME are shown.
    """
    full = membership.is_full(qmgr, cluster)
    for name, owners in qmgr.repository.beliefs.items():
        for belief in owners.values() if name[0] == cluster else ():
            stays = name[1] == "qmgr" and (full or belief.values.get("QMTYPE") == "REPOS")
            if belief.owner == qmgr.qmid or (stays and not forget_all):
                continue
            if name[1] == "qmgr" and _keeps_channel(qmgr, name[2]):
                continue
            yield name, belief


def _keeps_channel(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a refresh keeps an auto-defined channel with its record.

    Source: "Cluster-administration considerations" (a channel for which messages wait is kept).
    """
    if ("CHANNEL", channel) in qmgr.definitions:
        return False
    return qmgr.has_messaging and qmgr.messaging.waits_for(channel)


def reset(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Remove a member from a cluster by force, starting at a full repository."""
    cluster, name, qmid = command.name, command.option("QMNAME"), command.option("QMID")
    if command.option("ACTION") is None or name is qmid is None:
        return refused("AMQ8421")
    if name is not None and qmid is not None:
        return refused("AMQ8431", "QMNAME", "QMID")
    queues, target = command.option("QUEUES") == "YES", name or qmid or ""
    if not membership.is_full(qmgr, cluster):
        return _not_removed(draft, qmgr, _NOT_FULL, cluster)
    members = _members(draft, qmgr, cluster, name=name, qmid=qmid, queues=queues)
    if len(members) > 1:
        return _not_removed(draft, qmgr, _AMBIGUOUS, target, cluster)
    if not members or members == [qmgr.qmid]:
        return _not_removed(draft, qmgr, _UNKNOWN, target, cluster)
    removal = Removal(member=members[0], queues=queues)
    forced_removal.remove(draft, qmgr, cluster, removal, source=qmgr)
    return done("AMQ8559")


def _not_removed(draft: Draft, qmgr: QueueManager, message: str, *inserts: str) -> Reply:
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=message, inserts=inserts))
    return done("AMQ8559")


def _members(
    draft: Draft,
    qmgr: QueueManager,
    cluster: str,
    *,
    name: str | None,
    qmid: str | None,
    queues: bool,
) -> list[str]:
    """Return the QMIDs with a name, or the QMID itself, if the full repository knows them.

    With `queues`, it also knows an owner if only its queue records are left.
    """
    owners = {owner for in_cluster, owner in qmgr.repository.routes if in_cluster == cluster}
    if queues:
        records = (record for record in qmgr.repository.beliefs if record[0] == cluster)
        owners |= {owner for record in records for owner in qmgr.repository.beliefs[record]}
    if qmid is not None:
        return [qmid] if qmid in owners else []
    return sorted(owner for owner in owners if draft.estate.names[owner] == name)
