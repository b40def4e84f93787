"""What each runbook is about: found out from what is asked for, and from the estate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin import events
from twin.app.asking import facts_since
from twin.app.queue_managers import NoBackupYet
from twin.errors import TwinError
from twin.log.records import LONG_AGO
from twin.model.instants import format_instant
from twin.questions.doctor.index import Index
from twin.questions.dump import dump
from twin.review.plan.planned import PlannedScript
from twin.review.runbooks.ranking import sole_ranks
from twin.review.runbooks.request import (
    NoClusterKnown,
    NotInCluster,
    RunbookRequest,
    all_clusters,
    one_cluster,
    predecessors,
    qmid_of,
)
from twin.review.runbooks.saving import saved_at
from twin.review.runbooks.scene import RunbookSubject, clusters_that_remember
from twin.rules import membership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import QueueManager
    from twin.model.instants import Instant
    from twin.review.runbooks.scene import SoleRank


class NobodyTakesOver(
    TwinError, ValueError, message="say which other queue manager takes over from {}: --to QM"
):
    """A move of a full repository without another queue manager, or to itself."""


class NoRoleToMove(TwinError, ValueError, message="neither {} nor {} is a full repository of {}"):
    """A move between two queue managers of which neither is a full repository."""


class NotBegun(TwinError, ValueError):
    """A maintenance that began after the instant that is asked about."""

    def __init__(self, since: Instant, now: Instant) -> None:
        super().__init__(
            f"the maintenance began at {format_instant(since)}, after {format_instant(now)}, the "
            "instant that is asked about"
        )


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
    estate = begin.estate
    qmgr = estate.qmgr(wanted.qmgr)
    joined = membership.clusters_joined(qmgr)
    if wanted.cluster and wanted.cluster not in joined:
        raise NotInCluster(wanted.qmgr, wanted.cluster, joined)
    clusters = (wanted.cluster,) if wanted.cluster else joined
    if not clusters:
        raise NoClusterKnown(wanted.qmgr)
    since = wanted.since
    if since is not None and since > begin.now():
        raise NotBegun(since, begin.now())
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
    script = None if text is None else PlannedScript(wanted.qmgr, text, wanted.script_file)
    return RunbookSubject(
        name=wanted.qmgr,
        qmid=qmid,
        clusters=clusters,
        script=script,
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
            raise NoBackupYet(wanted.since, begin.now())
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
