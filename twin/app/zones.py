"""The zones of queue managers: which are stated, and stating one."""

from __future__ import annotations

from typing import Final, NamedTuple

from twin import events
from twin.app.acting import Fact
from twin.app.open_branch import OpenBranch
from twin.events.catalogue import columns_of_all

_SOURCE: Final = "observation:zone"
_OF_FILES: Final = sorted(
    columns_of_all(
        (
            *(events.ObjectsObserved, events.BeliefsObserved, events.ChannelObserved),
            *(events.QueueManagerStatusObserved, events.SuspensionObserved),
            *(events.ClusterCommandObserved, events.TransmissionQueueObserved),
            *(events.RepositoryManagerObserved, events.RenewalOverdueObserved),
            *(events.DepthsObserved, events.IntervalCounted, events.EvidenceObserved),
            *(events.ListenersObserved, events.ConfigurationObserved),
        )
    )
)
"""The type columns of facts that files say."""


class ZoneChanged(NamedTuple):
    """The zone of a queue manager, where a new one was stated.

    Attributes:
        qmgr: the queue manager.
        zone: its zone from now on.
        before: its zone until now; None if none was stated, and local times were read as UTC.
        read: the positions of the facts that were read from files before.
    """

    qmgr: str
    zone: str
    before: str | None
    read: tuple[int, ...]


class ZoneCalls(OpenBranch):
    """The calls about zones."""

    def zones(self) -> dict[str, str]:
        """Return the zones that are stated on this branch, by the name of the queue manager."""
        return self.read(lambda estate: dict(estate.zones))

    def state_zone(self, qmgr: str, zone: str, *, upto: int | None = None) -> ZoneChanged | None:
        """Record the zone of a queue manager, known or not; return None if it is known already.

        It is recorded at the latest instant of the branch and counts for what is read later. `upto`
        is the position up to which facts count as read before; None means now.
        """
        before = self.zones().get(qmgr)
        if before == zone:
            return None
        head = self.log.head(self.branch).position
        known = head if upto is None else upto
        rows = (
            self.log.rows(branch=self.branch, known=known, types=_OF_FILES, qmgrs=[qmgr])
            if known
            else []
        )
        fact = Fact(events.ZoneStated(qmgr=qmgr, zone=zone), _SOURCE)
        at = self._clock_policy.present(self.branch)
        self.writer.observe(lambda _: [fact], at=at)
        return ZoneChanged(qmgr, zone, before, tuple(sorted(row[1] for row in rows)))
