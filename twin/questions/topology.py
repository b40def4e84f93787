"""Who is connected with whom: the other ends of channels, and which queue managers run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.questions.completeness.missing_queue_managers import expected_partner
from twin.rules import membership, standing


class FarEnd(NamedTuple):
    """The other end of a cluster-sender channel.

    Attributes:
        qmgr: the queue manager there.
        clusters: the clusters that the channel is used for.
    """

    qmgr: str
    clusters: tuple[str, ...]


FarEnds: TypeAlias = Mapping[tuple[str, str], FarEnd]
"""(queue manager, channel) -> the other end."""


class Topology(NamedTuple):
    """What an estate says about the connections of its queue managers.

    Attributes:
        ends: the other ends of all sending channels, as each queue manager knows them.
        full: the clusters of which each queue manager in the twin holds a full repository.
        clusters: the clusters that each queue manager in the twin joined.
        running: whether each queue manager in the twin runs; None if nobody knows.
    """

    ends: FarEnds
    full: Mapping[str, tuple[str, ...]]
    clusters: Mapping[str, tuple[str, ...]]
    running: Mapping[str, bool | None]


class QmgrFacts(NamedTuple):
    """What an estate says about one queue manager itself.

    Attributes:
        name: its name.
        qmid: its QMID.
        created: when it was created, or first seen.
        cmdlevel: its command level, such as 940.
        platform: its platform.
        description: its DESCR.
        observed: whether a feed named it first; else the twin simulates it.
        running: whether it runs; None if nobody knows.
        started: when it was started last; None if that is unknown.
        clusters: the clusters that it joined.
        full: the clusters of which it holds a full repository.
        suspended: the clusters in which it is suspended.
    """

    name: str
    qmid: str
    made_qmid: bool
    created: Instant
    cmdlevel: int
    platform: str
    description: str
    observed: bool
    running: bool | None
    started: Instant | None
    clusters: tuple[str, ...]
    full: tuple[str, ...]
    suspended: tuple[str, ...]


def facts_of(estate: Estate, name: str) -> QmgrFacts:
    """Return what an estate says about a queue manager.

    Raises:
        NoSuchQueueManager: if it does not exist.
    """
    qmgr = estate.qmgr(name)
    return QmgrFacts(
        name=qmgr.name,
        qmid=qmgr.qmid,
        made_qmid=qmgr.made_qmid,
        created=qmgr.created,
        cmdlevel=qmgr.cmdlevel,
        platform=qmgr.platform,
        description=qmgr.text("DESCR"),
        observed=qmgr.observed,
        running=standing.runs(qmgr),
        started=qmgr.known_start,
        clusters=membership.clusters_joined(qmgr),
        full=membership.full_repository_of(qmgr),
        suspended=tuple(sorted(qmgr.suspended)),
    )


def topology_of(estate: Estate) -> Topology:
    """Return the connections in an estate."""
    qmgrs = sorted(estate.qmgrs.values(), key=lambda qmgr: qmgr.name)
    return Topology(
        ends={key: end for qmgr in qmgrs for key, end in _ends(estate, qmgr).items()},
        full={qmgr.name: membership.full_repository_of(qmgr) for qmgr in qmgrs},
        clusters={qmgr.name: membership.clusters_joined(qmgr) for qmgr in qmgrs},
        running={qmgr.name: standing.runs(qmgr) for qmgr in qmgrs},
    )


def _ends(estate: Estate, qmgr: QueueManager) -> dict[tuple[str, str], FarEnd]:
    """Return the other ends of the channels that a queue manager knows; not its own receivers.

    A cluster channel that was seen is one of them, whatever is known of its partner: without a
    name, the channel stands for it.
    """
    ends: dict[tuple[str, str], FarEnd] = {}
    for (cluster, _, channel), belief in qmgr.repository.of_kind("qmgr"):
        if belief.owner != qmgr.qmid:
            before = ends.get((qmgr.name, channel))
            clusters = {*(before.clusters if before else ()), cluster}
            ends[qmgr.name, channel] = FarEnd(belief.owner_name, tuple(sorted(clusters)))
    for channel, seen in qmgr.activity.seen.channels.items() if qmgr.observed else ():
        if seen.kind == "CLUSSDR" and seen.status != "INACTIVE":
            there = None if seen.partner else expected_partner(estate, qmgr, channel)
            name = seen.partner or (there.name if there is not None else f"{channel}?")
            ends.setdefault((qmgr.name, channel), FarEnd(name, membership.clusters_joined(qmgr)))
    return ends
