"""What a runbook is about, and the estate at the instant at which its steps are checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.instants import HOUR
from twin.questions.doctor.index import Index
from twin.rules import membership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from twin.fold.estate import Estate, QueueManager
    from twin.model.instants import Instant
    from twin.review.plan.planned import PlannedScript


class SoleRank(NamedTuple):
    """A rank that only one queue manager has, so that all messages for a queue go to it.

    Attributes:
        kind, name, type: the queue or the CLUSRCVR that has it.
        rank: its CLWLRANK.
        others: the highest rank of the others, to which it has to be lowered.
        queue: the queue that messages are for.
    """

    kind: str
    name: str
    type: str
    rank: int
    others: int
    queue: str


MAINTENANCE: Final[Instant] = 4 * HOUR
"""How long a maintenance is assumed to last unless it is said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookSubject:
    """What a runbook is about.

    Attributes:
        name, qmid: the queue manager.
        clusters: the clusters that the runbook is about, by name.
        to: the queue manager that takes over; '' if none does.
        since: when the procedure began, for one whose end looks like its beginning; None if it has
            not begun.
        lasts: how long the queue manager is down, in microseconds.
        script: the definitions with which it is made again; None if they are not known.
        lost: whether it never comes back, so that nothing can be run at it.
        saved: an instant at which the twin has its definitions from before the first change; None
            if that is not known.
        ranks: the ranks that it alone had when the procedure began.
        shares_name: whether another queue manager has its name too, or is remembered by it.
    """

    name: str
    qmid: str
    clusters: tuple[str, ...]
    to: str = ""
    since: Instant | None = None
    lasts: Instant = MAINTENANCE
    script: PlannedScript | None = None
    lost: bool = False
    saved: Instant | None = None
    ranks: tuple[SoleRank, ...] = ()
    shares_name: bool = False

    @property
    def named(self) -> str:
        """Its name, with its QMID if another one has that name."""
        return f"{self.name} ({self.qmid})" if self.shares_name else self.name


@dataclass(frozen=True)
class Scene:
    """The estate at an instant, seen from the subject of a runbook."""

    estate: Estate
    at: Instant
    subject: RunbookSubject

    @property
    def name(self) -> str:
        """The name of the queue manager."""
        return self.subject.name

    @property
    def named(self) -> str:
        """The name of the queue manager, with its QMID if another one has that name."""
        return self.subject.named

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that the runbook is about."""
        return self.subject.clusters

    @property
    def cluster(self) -> str:
        """The cluster of a runbook that is about one cluster; of several, the first by name."""
        return self.subject.clusters[0]

    @property
    def qmgr(self) -> QueueManager | None:
        """The queue manager; None if it was deleted, or never comes back."""
        if self.subject.lost:
            return None
        known = self.estate.qmgrs.get(self.name)
        return known if known is not None and known.qmid == self.subject.qmid else None

    @property
    def successor(self) -> QueueManager | None:
        """The queue manager of the same name that replaces it; None if there is none."""
        known = self.estate.qmgrs.get(self.name)
        return known if known is not None and known.qmid != self.subject.qmid else None

    @cached_property
    def index(self) -> Index:
        """What queue managers define, by cluster."""
        return Index(self.estate, self.at)

    def others(self) -> Iterator[QueueManager]:
        """Go through all other queue managers, by name; one that is lost is left out."""
        for name in sorted(self.estate.qmgrs):
            qmgr = self.estate.qmgrs[name]
            if qmgr.qmid != self.subject.qmid:
                yield qmgr

    def repositories(self, cluster: str) -> list[QueueManager]:
        """Return the other full repositories of a cluster that are members of it, by name."""
        return [
            qmgr
            for qmgr in self.others()
            if membership.is_full(qmgr, cluster) and cluster in membership.clusters_joined(qmgr)
        ]


def clusters_known_by(qmgr: QueueManager) -> tuple[str, ...]:
    """Return the clusters that a queue manager is in, or still has a channel or records of."""
    joined = {*membership.clusters_joined(qmgr), *membership.full_repository_of(qmgr)}
    for _, names in membership.channels_of(qmgr, "CLUSSDR"):
        joined.update(names)
    joined.update(name[0] for name in qmgr.repository.beliefs)
    return tuple(sorted(joined))


def clusters_that_remember(estate: Estate, qmid: str) -> tuple[str, ...]:
    """Return the clusters in which any queue manager holds or held a record of an owner."""
    return tuple(
        sorted(
            {
                cluster
                for qmgr in estate.qmgrs.values()
                for cluster, owner in qmgr.repository.ever_held
                if owner == qmid
            }
        )
    )
