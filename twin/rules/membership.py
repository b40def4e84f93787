"""Who is in which cluster, in which role, and which records a member publishes about itself.

A queue manager is a member of the clusters of its CLUSRCVRs; CLUSNL names several clusters.

Sources: IBM MQ 9.1, "Queue manager definition commands" (REPOS, REPOSNL) and "Queue definition
commands".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from twin.events.base import Values
from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.cluster_records import ALTERED, PRIVATE, QUEUE_FACTS
from twin.model.instants import on_clock
from twin.model.objects import Definition, names_of

_KINDS: Final = {
    "CLUSRCVR": "qmgr",
    **dict.fromkeys(("QLOCAL", "QALIAS", "QREMOTE"), "queue"),
    "TOPIC": "topic",
}
"""Type of a shared object -> the kind of its record."""


def namelist(qmgr: QueueManager, name: str) -> tuple[str, ...]:
    """Return the names in a namelist of a queue manager; () if there is no such namelist."""
    return names_of(qmgr.definitions.get(("NAMELIST", name)))


def clusters(qmgr: QueueManager, definition: Definition) -> tuple[str, ...]:
    """Return the clusters an object is shared in, by CLUSTER or by the namelist in CLUSNL."""
    if cluster := definition.values.get("CLUSTER"):
        return (str(cluster),)
    if listed := definition.values.get("CLUSNL"):
        return namelist(qmgr, str(listed))
    return ()


def full_repository_of(qmgr: QueueManager) -> tuple[str, ...]:
    """Return the clusters a queue manager holds a full repository of (REPOS, REPOSNL)."""
    if repos := qmgr.values.get("REPOS"):
        return (str(repos),)
    if listed := qmgr.values.get("REPOSNL"):
        return namelist(qmgr, str(listed))
    return ()


def is_full(qmgr: QueueManager, cluster: str) -> bool:
    """Return whether a queue manager is a full repository of a cluster."""
    if repos := qmgr.values.get("REPOS"):
        return repos == cluster
    return "REPOSNL" in qmgr.values and cluster in full_repository_of(qmgr)


def warners(estate: Estate, name: RecordName, owner: str) -> list[QueueManager]:
    """Return the full repositories of a cluster if all of them warned of a record, else none.

    One that cannot be reached warns, too, while others get the record again. An owner that is a
    full repository itself (`owner` is its QMID) sends it to members whatever the others get.
    """
    cluster = name[0]
    full = {each.qmid: each for each in estate.qmgrs.values() if is_full(each, cluster)}
    known = {key for each in full.values() for key in each.repository.known_full_repositories}
    unasked = {qmid for in_cluster, qmid in known if in_cluster == cluster} - full.keys()
    warned = ((name, owner) in each.repository.warned for each in full.values())
    return list(full.values()) if all(warned) and not unasked else []


def knows_channel(qmgr: QueueManager, channel: str) -> bool:
    """Return whether a channel is defined at a queue manager, or known from a record it holds."""
    return ("CHANNEL", channel) in qmgr.definitions or any(
        name[2] == channel for name, _ in qmgr.repository.of_kind("qmgr")
    )


def channels_of(
    qmgr: QueueManager, channel_type: str, cluster: str | None = None
) -> Iterator[tuple[Definition, tuple[str, ...]]]:
    """Yield the clustered channels of a type with their clusters, sorted by channel name.

    With `cluster`, yield only the channels in that cluster.
    """
    for name in sorted(name for name, type_ in qmgr.channels.items() if type_ == channel_type):
        definition = qmgr.definitions["CHANNEL", name]
        names = clusters(qmgr, definition)
        if names and (cluster is None or cluster in names):
            yield definition, names


def clusters_joined(qmgr: QueueManager) -> tuple[str, ...]:
    """Return the clusters in which a queue manager has a CLUSRCVR, sorted by name."""
    joined: tuple[str, ...] = ()
    for name, channel_type in qmgr.channels.items():
        if channel_type == "CLUSRCVR":
            joined += clusters(qmgr, qmgr.definitions["CHANNEL", name])
    return tuple(sorted({*joined})) if len(joined) > 1 else joined


def own_records(qmgr: QueueManager) -> dict[RecordName, Values]:
    """Return all records that a queue manager has to publish now.

    It publishes only in clusters in which it has a CLUSRCVR.
    """
    joined = set(clusters_joined(qmgr))
    records: dict[RecordName, Values] = {}
    for definition in qmgr.definitions.values():
        records.update(_records_of(qmgr, definition, joined))
    return dict(sorted(records.items(), key=_publication_order))


def records_of(qmgr: QueueManager, kind: str, name: str) -> dict[RecordName, Values]:
    """Return the records that a queue manager has to publish about one of its objects."""
    definition = qmgr.definitions.get((kind, name))
    if definition is None:
        return {}
    return dict(_records_of(qmgr, definition, set(clusters_joined(qmgr))))


def _publication_order(item: tuple[RecordName, Values]) -> tuple[str, int, str]:
    cluster, kind, name = item[0]
    return cluster, ("qmgr", "queue", "topic").index(kind), name


def _records_of(
    qmgr: QueueManager, definition: Definition, joined: set[str]
) -> Iterator[tuple[RecordName, Values]]:
    kind = _KINDS.get(definition.type)
    if kind is None:
        return
    for cluster in clusters(qmgr, definition):
        if cluster in joined:
            yield (cluster, kind, definition.name), _values_of(qmgr, definition, cluster, kind)


def _values_of(qmgr: QueueManager, definition: Definition, cluster: str, kind: str) -> Values:
    """Return the attributes in the record of an object in a cluster."""
    values = {
        key: value
        for key, value in definition.values.items()
        if (key in QUEUE_FACTS if kind == "queue" else key not in PRIVATE[kind])
    }
    altered = definition.alter_date
    if altered is not None or not qmgr.observed:
        altered = qmgr.created if altered is None else altered
        values[ALTERED] = on_clock(altered, qmgr.zone)
    if kind == "queue":
        values["CLUSQT"] = "QMGR" if definition.is_qmgr_alias else definition.type
    if kind == "qmgr":
        if known := qmgr.known_version:
            values["VERSION"] = known
        if is_full(qmgr, cluster):
            values["QMTYPE"] = "REPOS"
        if cluster in qmgr.suspended:
            values["SUSPEND"] = "YES"
    return values
