"""What a runbook is asked for, and what it is about: that follows from the estate at an instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from twin import events
from twin.app.asking import facts_since
from twin.app.queue_managers import NoBackupYet
from twin.app.rehearsing import Rehearsal
from twin.errors import SubjectError, TwinError, did_you_mean
from twin.fold.estate import Estate, QueueManager
from twin.log.records import LONG_AGO
from twin.model.instants import Instant, format_instant
from twin.questions.doctor.index import Index
from twin.questions.dump import dump
from twin.review.plan.planned import PlannedScript
from twin.review.runbooks.ranking import sole_ranks
from twin.review.runbooks.saving import saved_at
from twin.review.runbooks.scene import (
    MAINTENANCE,
    RunbookSubject,
    SoleRank,
    clusters_known_by,
    clusters_that_remember,
)
from twin.rules import membership


class UnknownQmid(
    SubjectError, LookupError, message="no queue manager of that name has or had the QMID {}"
):
    """A QMID that no queue manager of the name has or had."""


class UncertainQmid(
    TwinError,
    LookupError,
    message="it is not known which queue manager {0} is: others hold {1}. "
    "Import an answer to DISPLAY QMGR ALL, or a dump, of {0}",
):
    """A queue manager that is known by a script, and of which others hold several QMIDs."""


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


class SeveralClusters(
    TwinError, ValueError, message="{} has to do with {}: say which one with --cluster"
):
    """A queue manager in several clusters, for a runbook about one."""


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
        raise UncertainQmid(request.qmgr, ", ".join(sorted(estate.seen_qmids[request.qmgr])))
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
        raise SeveralClusters(request.qmgr, ", ".join(clusters))
    return clusters


class NobodyTakesOver(
    TwinError, ValueError, message="say which other queue manager takes over from {}: --to QM"
):
    """A move of a full repository without another queue manager, or to itself."""


class NoRoleToMove(TwinError, ValueError, message="neither {} nor {} is a full repository of {}"):
    """A move between two queue managers of which neither is a full repository."""


class NotBegun(
    TwinError,
    ValueError,
    message="the maintenance began at {}, after {}, the instant that is asked about",
):
    """A maintenance that began after the instant that is asked about."""


def leaver(begin: Rehearsal, wanted: RunbookRequest) -> RunbookSubject:
    """Return what `leave` is about.

    Raises:
        TwinError: if the queue manager or the cluster does not follow.
    """
    qmid = qmid_of(begin.estate, wanted)
    clusters = one_cluster(begin.estate, wanted, qmid)
    saved = saved_at(begin, wanted.qmgr, qmid, clusters)
    return RunbookSubject(
        name=wanted.qmgr, qmid=qmid, clusters=clusters, lost=wanted.lost, saved=saved
    )


def mover(begin: Rehearsal, wanted: RunbookRequest) -> RunbookSubject:
    """Return what `move-full-repository` is about.

    Raises:
        NobodyTakesOver, NoRoleToMove: if there is nothing to move, or nobody to move it to.
        TwinError: if the queue manager or the cluster does not follow.
    """
    estate = begin.estate
    qmid = qmid_of(estate, wanted)
    if wanted.to in ("", wanted.qmgr):
        raise NobodyTakesOver(wanted.qmgr)
    taker = estate.qmgr(wanted.to)
    old = estate.qmgrs.get(wanted.qmgr)
    both = [qmgr for qmgr in (old, taker) if qmgr is not None]
    named = {cluster for qmgr in both for cluster in membership.full_repository_of(qmgr)}
    cluster = wanted.cluster
    if not cluster and old is not None and len(membership.full_repository_of(old)) == 1:
        (cluster,) = membership.full_repository_of(old)
    clusters = (cluster,) if cluster in named else one_cluster(estate, wanted, qmid)
    if clusters[0] not in named:
        raise NoRoleToMove(wanted.qmgr, wanted.to, clusters[0])
    return RunbookSubject(
        name=wanted.qmgr, qmid=qmid, clusters=clusters, to=wanted.to, lost=wanted.lost
    )


def maintained(begin: Rehearsal, wanted: RunbookRequest) -> RunbookSubject:
    """Return what `maintain` is about.

    If it is not said when the maintenance began, it began when the queue manager was suspended.

    Raises:
        NotBegun: if it began after the instant that is asked about.
        TwinError: if the queue manager or the cluster does not follow.
    """
    qmgr = begin.estate.qmgr(wanted.qmgr)
    joined = membership.clusters_joined(qmgr)
    if wanted.cluster and wanted.cluster not in joined:
        raise NotInCluster(wanted.qmgr, wanted.cluster, joined)
    clusters = (wanted.cluster,) if wanted.cluster else joined
    if not clusters:
        raise NoClusterKnown(wanted.qmgr)
    since = wanted.since
    if since is not None and since > begin.now():
        raise NotBegun(format_instant(since), format_instant(begin.now()))
    if since is None and any(cluster in qmgr.suspended for cluster in clusters):
        since = _suspended_at(begin, wanted.qmgr)
    return RunbookSubject(
        name=wanted.qmgr,
        qmid=qmgr.qmid,
        clusters=clusters,
        since=since,
        lasts=wanted.lasts,
        ranks=_ranks_before(begin, qmgr, clusters, since),
    )


def _ranks_before(
    begin: Rehearsal, qmgr: QueueManager, clusters: tuple[str, ...], since: Instant | None
) -> tuple[SoleRank, ...]:
    """Return the ranks that a queue manager alone had just before the maintenance began."""
    if since is None:
        return sole_ranks(Index(begin.estate, begin.now()), qmgr.name, clusters)
    before, _ = begin.view(as_of=since - 1)
    known = before.qmgrs.get(qmgr.name)
    if known is None or known.qmid != qmgr.qmid:
        return ()
    return sole_ranks(Index(before, since - 1), qmgr.name, clusters)


def rebuilt(begin: Rehearsal, wanted: RunbookRequest) -> RunbookSubject:
    """Return what `rebuild` is about: the queue manager that is replaced.

    Unless its QMID is given, it is the last deleted one of the name, if that was in a cluster, and
    else the present one. Unless a script is given, its definitions are those from before it began
    to leave its clusters, if they are known.

    Raises:
        TwinError: if the queue manager or the cluster does not follow.
    """
    estate = begin.estate
    qmid = qmid_of(estate, wanted)
    earlier = predecessors(estate, wanted.qmgr)
    if earlier and not wanted.qmid and clusters_that_remember(estate, earlier[-1].qmid):
        qmid = earlier[-1].qmid
    clusters = all_clusters(estate, wanted, qmid)
    saved = saved_at(begin, wanted.qmgr, qmid, clusters)
    text = wanted.script
    if text is None and saved is not None:
        before, point = begin.view(as_of=saved)
        text = "\n".join(dump(before, wanted.qmgr, point))
    return RunbookSubject(
        name=wanted.qmgr,
        qmid=qmid,
        clusters=clusters,
        script=None if text is None else PlannedScript(wanted.qmgr, text, wanted.script_file),
        lost=wanted.lost,
        saved=saved,
    )


def copied(begin: Rehearsal, wanted: RunbookRequest) -> RunbookSubject:
    """Return what `dr-test` is about; `since` is the instant of the backup that is tested.

    Raises:
        NoBackupYet: if the backup is of a later instant than the one that is asked about.
        NoSuchQueueManager: if the queue manager did not exist then.
        TwinError: if the queue manager or the cluster does not follow.
    """
    estate = begin.estate
    qmid = estate.qmgr(wanted.qmgr).qmid
    clusters = all_clusters(estate, wanted, qmid)
    if wanted.since is not None:
        if wanted.since > begin.now():
            raise NoBackupYet(format_instant(wanted.since), format_instant(begin.now()))
        begin.view(as_of=wanted.since)[0].qmgr(wanted.qmgr)
    return RunbookSubject(name=wanted.qmgr, qmid=qmid, clusters=clusters, since=wanted.since)


def other_qmid(begin: Rehearsal, subject: RunbookSubject) -> Iterator[str]:
    """Say that a runbook is about an earlier queue manager of the name, if it is."""
    present = begin.estate.qmgrs.get(subject.name)
    if present is not None and present.qmid != subject.qmid:
        yield (
            f"This is about {subject.qmid}. To rebuild the present queue manager, say --qmid "
            f"{present.qmid}."
        )


def _suspended_at(begin: Rehearsal, name: str) -> Instant | None:
    """Return when a queue manager was last suspended; None if no event says so."""
    beginning = begin.beginning
    reads = {events.QueueManagerSuspended}
    due = [*beginning.due, *begin.decided]
    facts = facts_since(beginning.branch.log, beginning.point, due, reads, LONG_AGO)
    return max((fact.at for fact in facts if getattr(fact.event, "qmgr", "") == name), default=None)
