"""What a user states of observed queue managers: assumptions, and that one of them is gone.

It also finds the queue managers that files no longer have.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from twin import events
from twin.app.acting import Fact
from twin.app.clocks import InTheFuture
from twin.app.open_branch import OpenBranch
from twin.app.repeating import sound
from twin.app.validation import check_queue
from twin.errors import SubjectError
from twin.fold.estate import Estate
from twin.model.instants import MAIN, Instant, format_instant

if TYPE_CHECKING:
    from twin.questions.completeness.missing_queue_managers import Absent

SOURCE: Final = "assumption"
"""The source of a fact about what is assumed."""


class NotObserved(
    SubjectError,
    ValueError,
    message="nothing is assumed of {}: it was created in the twin, so what it knows follows from "
    "its commands and puts",
):
    """A queue manager of which nothing can be assumed."""


class AssumedName(NamedTuple):
    """A name that a queue manager is assumed to use.

    Attributes:
        kind: `queue`, or `qmgr` for a queue manager.
        name: the name.
        because: the type and name of the object that leads to it; '' if it was named itself.
    """

    kind: str
    name: str
    because: str


class AssumptionCalls(OpenBranch):
    """The calls about what is assumed of observed queue managers."""

    def assume(
        self,
        qmgr: str,
        policy: Literal["used", "queue", "nothing"],
        *,
        queue: str = "",
        at: Instant | None = None,
    ) -> None:
        """Set what is assumed of an observed partial repository that was not seen completely.

        `used`: it uses every queue that its definitions point to; that is so by default. `queue`:
        it also uses `queue`. `nothing`: nothing is assumed. The instant may be late.

        Raises:
            BadName: if MQ does not allow the name of the queue.
            NoSuchQueueManager: if the queue manager does not exist now.
            NotObserved: if the queue manager was created in the twin.
            InTheFuture: on main, if the instant is after the wall clock.
        """
        if policy == "queue":
            check_queue(queue)
        now = self.now()
        when = now if at is None else at
        if self.branch == MAIN and when > now:
            raise InTheFuture(format_instant(when), format_instant(now))
        self._demand_observed(qmgr, max(when, now))
        event = events.AssumptionSet(qmgr=qmgr, policy=policy, queue=queue)
        self.record_observations([Fact(event, SOURCE)], at=when)

    def assume_healed(self) -> None:
        """Assume on this branch, from now on, that the links of broken channels work again."""
        event = events.AssumptionSet(qmgr="", policy="healed")
        self.record_observations([Fact(event, SOURCE)], at=self.now())

    @sound
    def assumed(self, qmgr: str, *, as_of: Instant | None = None) -> list[AssumedName]:
        """Return the names that a queue manager is assumed to use.

        Raises:
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.rules.assumptions import names_in_use  # noqa: PLC0415 - few commands need it
        from twin.rules.draft import Draft  # noqa: PLC0415

        estate, point = self.view(as_of=as_of)
        in_use = names_in_use(Draft(estate, point.valid, estate.position + 1), estate.qmgr(qmgr))
        return [AssumedName(*name, because) for name, because in in_use.items()]

    def assumed_links(self) -> tuple[str, ...]:
        """Return lines that say which links this branch assumes to be cut, or to work again."""
        from twin.questions.assumed import notes_of_links  # noqa: PLC0415 - few commands need it

        return self.read(notes_of_links)

    @sound
    def _demand_observed(self, name: str, at: Instant) -> None:
        if not self.view(as_of=at)[0].qmgr(name).observed:
            raise NotObserved(name)

    def notes_of_put(self, qmgr: str, queue: str, to: str = "") -> tuple[str, ...]:
        """Return lines that say what the destination of a put assumes, by what is known now."""
        from twin.questions.assumed import notes_of_links, notes_of_put  # noqa: PLC0415 - few commands need it
        from twin.rules.draft import Draft  # noqa: PLC0415
        from twin.rules.messages.destinations import Resolver  # noqa: PLC0415

        def read(estate: Estate) -> tuple[str, ...]:
            draft, named = Draft(estate, estate.instant, estate.position + 1), estate.qmgr(qmgr)
            if not named.observed:
                return ()
            resolved = Resolver(draft, named, asks=False).resolve(queue, to)
            links = notes_of_links(estate, qmgr) if self.branch != MAIN else ()
            return (*notes_of_put(draft, named, resolved), *links)

        return self.read(read)


class GoneCalls(OpenBranch):
    """The calls about queue managers that are gone."""

    def state_gone(self, qmgr: str, *, at: Instant | None = None, renamed: str = "") -> bool:
        """Record that a queue manager no longer exists at an instant, which may be late.

        It is an observed one, or one of which only states, or records that others hold, are known.

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
        is_only_seen = qmgr in estate.undefined or estate.is_only_named(qmgr)
        if not is_only_seen:
            if qmgr not in estate.qmgrs and qmgr in estate.names.values():
                return False
            estate.qmgr(qmgr)
        claimed = at if at is not None and at > now else None
        gone = events.QueueManagerGone(qmgr=qmgr, renamed=renamed, claimed=claimed)
        self.writer.observe(lambda _: [Fact(gone, "observation:gone")], at=instant)
        return True

    def was_known(self, name: str) -> bool:
        """Return whether anything is or was known of a queue manager of this name."""
        return self.read(lambda estate: name in estate.undefined or name in estate.names.values())

    def is_known(self, name: str) -> bool:
        """Return whether a queue manager of this name exists now."""
        return self.read(lambda estate: name in estate.qmgrs)

    def absent(self, imported: Collection[str]) -> list[Absent]:
        """Return the observed queue managers that are not among those imported, by name."""
        from twin.questions.completeness.missing_queue_managers import absent  # noqa: PLC0415 - an import needs it

        def find(estate: Estate) -> list[Absent]:
            return list(absent(estate, imported))

        return self.read(find)
