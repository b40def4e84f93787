"""Queue managers that are gone: which files no longer have, and stating that one is gone."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from twin import events
from twin.app.facts import Fact
from twin.app.open_branch import OpenBranch
from twin.fold.estate import Estate
from twin.model.instants import Instant

if TYPE_CHECKING:
    from twin.questions.completeness.absent import Absent

_SOURCE: Final = "observation:gone"


class GoneCalls(OpenBranch):
    """The calls about queue managers that are gone."""

    def state_gone(self, qmgr: str, *, at: Instant | None = None, renamed: str = "") -> bool:
        """Record that an observed queue manager no longer exists at an instant, which may be late.

        One that was known and is gone by then already is not recorded again: return whether it was
        recorded.

        Args:
            qmgr: the queue manager.
            at: the instant; None means now.
            renamed: the name under which it was built again; '' if it was not.

        Raises:
            NoSuchQueueManager: if there is no queue manager of that name at the instant.
        """
        now = self.now()
        instant = now if at is None else min(at, now)
        head = self.log.head(self.branch).position
        estate = self.views.upto(branch=self.branch, valid=instant, position=head)
        if qmgr not in estate.qmgrs and qmgr in estate.names.values():
            return False
        estate.qmgr(qmgr)
        claimed = at if at is not None and at > now else None
        gone = events.QueueManagerGone(qmgr=qmgr, renamed=renamed, claimed=claimed)
        self.writer.observe(lambda _: [Fact(gone, _SOURCE)], at=instant)
        return True

    def demand_known(self, names: Collection[str]) -> None:
        """Check that queue managers exist now, or did.

        Raises:
            NoSuchQueueManager: if one never did.
        """

        def demand(estate: Estate) -> None:
            for name in names:
                if name not in estate.names.values():
                    estate.qmgr(name)

        self.read(demand)

    def is_known(self, name: str) -> bool:
        """Return whether a queue manager of this name exists now."""
        return self.read(lambda estate: name in estate.qmgrs)

    def absent(self, imported: Collection[str]) -> list[Absent]:
        """Return the observed queue managers that are not among those imported, by name."""
        from twin.questions.completeness.absent import absent  # noqa: PLC0415 - an import needs it

        def find(estate: Estate) -> list[Absent]:
            return list(absent(estate, imported))

        return self.read(find)
