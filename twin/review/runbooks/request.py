"""What a runbook is asked for, and the subject that follows from it at an instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from twin.errors import SubjectError, TwinError, did_you_mean
from twin.model.instants import Instant
from twin.review.runbooks.scene import (
    MAINTENANCE,
    clusters_known_by,
    clusters_that_remember,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from twin.fold.estate import Estate, QueueManager


class UnknownQmid(
    SubjectError, LookupError, message="no queue manager of that name has or had the QMID {}"
):
    """A QMID that no queue manager of the name has or had."""


class UncertainQmid(TwinError, LookupError):
    """A queue manager that is known by a script, and of which others hold several QMIDs."""

    def __init__(self, name: str, qmids: Sequence[str]) -> None:
        super().__init__(
            f"it is not known which queue manager {name} is: others hold {', '.join(qmids)}. "
            f"Import an answer to DISPLAY QMGR ALL, or a dump, of {name}"
        )


class NoClusterKnown(
    SubjectError,
    ValueError,
    message="{} is in no cluster, and nobody remembers it in one; nothing is left to do",
):
    """A queue manager that was never seen in a cluster."""


class NotInCluster(TwinError, ValueError):
    """A cluster that a queue manager has nothing to do with."""

    def __init__(self, name: str, cluster: str, known: Iterable[str]) -> None:
        known = tuple(known)
        of = f"it has to do with {', '.join(known)}" if known else "it is in no cluster"
        super().__init__(
            f"{name} has nothing to do with cluster {cluster}; {of}{did_you_mean(cluster, known)}"
        )


class SeveralClusters(TwinError, ValueError):
    """A queue manager in several clusters, for a runbook about one."""

    def __init__(self, name: str, clusters: Iterable[str]) -> None:
        named = ", ".join(clusters)
        super().__init__(f"{name} has to do with {named}: say which one with --cluster")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookRequest:
    """What is asked for.

    Attributes:
        qmgr: the name of the queue manager.
        qmid: its QMID, if it is not the one that has the name now; ''.
        cluster: the cluster; '' if it follows from the queue manager.
        to: the queue manager that takes over; ''.
        since: when the procedure began; None if it has not begun.
        lasts: how long the queue manager is down, in microseconds.
        script: the definitions with which it is made again; None for those that it has.
        script_file: the path of the script as given; '' if it has none.
        lost: whether the queue manager never comes back.
        confirmed: the ids of steps that somebody says are done.
    """

    qmgr: str
    qmid: str = ""
    cluster: str = ""
    to: str = ""
    since: Instant | None = None
    lasts: Instant = MAINTENANCE
    script: str | None = None
    script_file: str = ""
    lost: bool = False
    confirmed: frozenset[str] = frozenset()


def qmid_of(estate: Estate, request: RunbookRequest) -> str:
    """Return the QMID of the queue manager: the present one, or else the last one of the name.

    A queue manager that only records name is found if the request says that it is lost.

    Raises:
        NoSuchQueueManager: if no queue manager has or had the name.
        UncertainQmid: if others hold several QMIDs of the name, and it showed none itself.
        UnknownQmid: if the QMID is given, and belongs to no queue manager of the name.
    """
    if request.qmid:
        if estate.names.get(request.qmid) != request.qmgr:
            raise UnknownQmid(request.qmid)
        return request.qmid
    if request.qmgr not in estate.qmgrs and (departed := predecessors(estate, request.qmgr)):
        return departed[-1].qmid
    present = estate.qmgrs.get(request.qmgr)
    if present is not None and present.made_qmid and estate.seen_qmids.get(request.qmgr):
        raise UncertainQmid(request.qmgr, sorted(estate.seen_qmids[request.qmgr]))
    named = [qmid for qmid, each in estate.named.items() if each.name == request.qmgr]
    if request.lost and len(named) == 1 and request.qmgr not in estate.qmgrs:
        return named[0]
    return estate.qmgr(request.qmgr).qmid


def predecessors(estate: Estate, name: str) -> list[QueueManager]:
    """Return the deleted queue managers of a name, the last one last."""
    known = [qmgr for qmgr in estate.departed.values() if qmgr.name == name]
    return sorted(known, key=lambda qmgr: (qmgr.created, qmgr.qmid))


def all_clusters(estate: Estate, request: RunbookRequest, qmid: str) -> tuple[str, ...]:
    """Return the clusters that a queue manager has to do with, or the one that was named.

    Of one that left them all, or was deleted, they are those in which others remember it.

    Raises:
        NotInCluster: if another cluster is named.
        NoClusterKnown: if there is none.
    """
    known = estate.qmgrs.get(request.qmgr)
    clusters: tuple[str, ...] = ()
    if known is not None and known.qmid == qmid:
        clusters = clusters_known_by(known)
    remembered = clusters_that_remember(estate, qmid)
    if request.cluster:
        every = sorted({*clusters, *remembered})
        if request.cluster not in every:
            raise NotInCluster(request.qmgr, request.cluster, every)
        return (request.cluster,)
    if not (clusters or remembered):
        raise NoClusterKnown(request.qmgr)
    return clusters or remembered


def one_cluster(estate: Estate, request: RunbookRequest, qmid: str) -> tuple[str, ...]:
    """Return the one cluster that a runbook is about.

    Raises:
        NotInCluster, NoClusterKnown: as `all_clusters`.
        SeveralClusters: if none is named and there are several.
    """
    clusters = all_clusters(estate, request, qmid)
    if len(clusters) > 1:
        raise SeveralClusters(request.qmgr, clusters)
    return clusters
