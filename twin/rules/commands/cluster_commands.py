"""SUSPEND QMGR, RESUME QMGR, REFRESH CLUSTER and RESET CLUSTER.

Sources: IBM MQ 9.4, "SUSPEND QMGR", "REFRESH CLUSTER", "RESET CLUSTER" of the MQSC reference; IBM
MQ 9.2, "Maintaining a queue manager". The repository manager does what the last two ask after the
command was accepted: what it cannot do it says in the error log (AMQ9406, AMQ9453 to AMQ9455).
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
from twin.fold.beliefs import Belief, Name
from twin.fold.estate import QueueManager
from twin.model.attributes import read_options
from twin.mqsc.statement import Statement
from twin.rules import membership
from twin.rules.channels import stopping
from twin.rules.draft import Draft
from twin.rules.replies import Result, done, refused
from twin.rules.repository import (
    connecting,
    delivery,
    forced_removal,
    full_repositories,
    outgoing_items,
    publication,
    requests,
)

_FULL_REPOSITORY: Final = "AMQ9406"
_AMBIGUOUS: Final = "AMQ9453"
_NOT_FULL: Final = "AMQ9454"
_UNKNOWN: Final = "AMQ9455"


def suspend(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Ask others to avoid this queue manager; with MODE(FORCE) end their channels to it too."""
    options = _options(statement)
    clusters = _named(qmgr, options)
    if isinstance(clusters, Result):
        return clusters
    mode = options.get("MODE", "QUIESCE")
    for cluster in clusters:
        draft.emit(QueueManagerSuspended(qmgr=qmgr.name, cluster=cluster, mode=mode))
    publication.publish_changes(draft, qmgr, only=None)
    if mode == "FORCE":
        _force_channels(draft, qmgr)
    return done("AMQ8557")


def _force_channels(draft: Draft, qmgr: QueueManager) -> None:
    """End what runs to the CLUSRCVRs of clusters that are all forcibly suspended.

    Source: IBM MQ 9.4, "SUSPEND QMGR", MODE(FORCE). The receiving end is not stopped: the next
    retry of a partner finds it.
    """
    for receiver, names in list(membership.channels_of(qmgr, "CLUSRCVR")):
        if all(qmgr.suspended.get(name) == "FORCE" for name in names):
            connecting.fail_channels_to(draft, qmgr, channel=receiver.name)
    connecting.await_retries(draft, qmgr)


def resume(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Let others know that this queue manager is there again."""
    clusters = _named(qmgr, _options(statement))
    if isinstance(clusters, Result):
        return clusters
    for cluster in clusters:
        if cluster in qmgr.suspended:
            draft.emit(QueueManagerResumed(qmgr=qmgr.name, cluster=cluster))
    publication.publish_changes(draft, qmgr, only=None)
    return done("AMQ8556")


def _options(statement: Statement) -> dict[str, str]:
    reading = read_options(statement.verb, statement.object, statement.parameters)
    return {keyword: str(value) for keyword, value in reading.options.items()}


def _named(qmgr: QueueManager, options: dict[str, str]) -> tuple[str, ...] | Result:
    """Return the clusters that CLUSTER or CLUSNL names, all of which have this member."""
    if "CLUSTER" in options and "CLUSNL" in options:
        return refused("AMQ8438")
    if "CLUSTER" in options:
        wanted: tuple[str, ...] = (options["CLUSTER"],)
    elif "CLUSNL" in options:
        if ("NAMELIST", options["CLUSNL"]) not in qmgr.definitions:
            return refused("AMQ8147", options["CLUSNL"])
        wanted = membership.namelist(qmgr, options["CLUSNL"])
    else:
        return refused("AMQ8421")
    joined = membership.clusters_joined(qmgr)
    strange = [name for name in wanted if name not in joined]
    return refused("AMQ8147", strange[0]) if strange else wanted


def refresh(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Forget what is held of others, all of it but the full repositories or those too; ask anew."""
    named = statement.name.text if statement.name else ""
    repos = _options(statement).get("REPOS", "NO")
    known = {*membership.clusters_joined(qmgr), *(name[0] for name in qmgr.repository.beliefs)}
    if named != "*" and named not in known:
        return refused("AMQ8147", named)
    for cluster in sorted(known) if named == "*" else [named]:
        if repos == "YES" and membership.is_full(qmgr, cluster):
            draft.emit(
                ErrorLogged(qmgr=qmgr.name, id=_FULL_REPOSITORY, inserts=(qmgr.name, cluster))
            )
        else:
            _refresh(draft, qmgr, cluster, forget_all=repos == "YES")
    return done("AMQ8558")


def _refresh(draft: Draft, qmgr: QueueManager, cluster: str, *, forget_all: bool) -> None:
    dropped = list(_dropped(qmgr, cluster, forget_all=forget_all))
    own = sum(1 for name in qmgr.repository.own_records if name[0] == cluster)
    draft.emit(
        RepositoryRefreshed(
            qmgr=qmgr.name,
            cluster=cluster,
            repos="YES" if forget_all else "NO",
            dropped=tuple(outgoing_items.items_of(dropped)),
            refreshed=len(dropped),
            republished=own,
        )
    )
    for (_, kind, channel), _ in dropped:
        if kind == "qmgr":
            stopping.drop_unused_status(draft, qmgr, channel)
    if cluster not in membership.clusters_joined(qmgr):
        return
    for sender, _ in list(membership.channels_of(qmgr, "CLUSSDR", cluster)):
        connecting.connect(draft, qmgr, sender, again=True)
    publication.republish_all(draft, qmgr, cluster=cluster)
    for target, channel in full_repositories.chosen(draft, qmgr, cluster):
        delivery.send(
            draft, qmgr, target, channel, cluster, delivery.Commands(asks=(requests.EVERYONE,))
        )


def _dropped(
    qmgr: QueueManager, cluster: str, *, forget_all: bool
) -> Iterable[tuple[Name, Belief]]:
    """Go through the records of others that a refresh drops.

    A full repository keeps what it knows of queue managers, any other what it knows of full
    repositories, unless all is to be forgotten.
    """
    full = membership.is_full(qmgr, cluster)
    for name, owners in qmgr.repository.beliefs.items():
        for belief in owners.values() if name[0] == cluster else ():
            kept = name[1] == "qmgr" and (full or belief.values.get("QMTYPE") == "REPOS")
            if belief.owner != qmgr.qmid and (forget_all or not kept):
                yield name, belief


def reset(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Remove a member from a cluster by force, from its full repositories outwards."""
    cluster, options = statement.name.text if statement.name else "", _options(statement)
    if "ACTION" not in options or not ("QMNAME" in options or "QMID" in options):
        return refused("AMQ8421")
    if "QMNAME" in options and "QMID" in options:
        return refused("AMQ8431", "QMNAME", "QMID")
    queues = options.get("QUEUES", "NO") == "YES"
    target = options.get("QMNAME") or options["QMID"]
    if not membership.is_full(qmgr, cluster):
        return _not_removed(draft, qmgr, _NOT_FULL, cluster)
    found = _members(draft, qmgr, cluster, options, queues=queues)
    if len(found) > 1:
        return _not_removed(draft, qmgr, _AMBIGUOUS, target, cluster)
    if not found or found == [qmgr.qmid]:
        return _not_removed(draft, qmgr, _UNKNOWN, target, cluster)
    removal = Removal(member=found[0], queues=queues)
    forced_removal.remove(draft, qmgr, cluster, removal, source=qmgr)
    return done("AMQ8559")


def _not_removed(draft: Draft, qmgr: QueueManager, message: str, *inserts: str) -> Result:
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=message, inserts=inserts))
    return done("AMQ8559")


def _members(
    draft: Draft, qmgr: QueueManager, cluster: str, options: dict[str, str], *, queues: bool
) -> list[str]:
    """Return the QMIDs that a full repository knows by a name or a QMID.

    With its queues, one counts of which nothing but queues is left.
    """
    known = {owner for there, owner in qmgr.repository.routes if there == cluster}
    if queues:
        names = (name for name in qmgr.repository.beliefs if name[0] == cluster)
        known |= {owner for name in names for owner in qmgr.repository.beliefs[name]}
    if "QMID" in options:
        return [options["QMID"]] if options["QMID"] in known else []
    return sorted(qmid for qmid in known if draft.estate.names[qmid] == options["QMNAME"])
