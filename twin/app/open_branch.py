"""One branch of an open log: the basis of every call on `Twin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from twin.app.acting import Acting, Fact, Result
from twin.app.clocks import ClockPolicy, Timekeeper
from twin.app.head_estates import HeadEstates
from twin.app.protection import Protection
from twin.app.reading import Views
from twin.app.recorded_estate import RecordedEstate
from twin.app.repeating import Soundly, Tell, sound
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.instants import MAIN, AsOf, Instant

if TYPE_CHECKING:
    from twin.app.writing import Writer
    from twin.rules.deriving import Outcome
    from twin.rules.workload.exits import WorkloadExit

NO_EXITS: Final[Mapping[str, WorkloadExit]] = MappingProxyType({})


class OpenBranch(Acting):
    """One branch of an open log: records facts there, and rebuilds its estates.

    The calls on `Twin` are in subclasses, grouped by topic: applications, queue managers, channels,
    explanations.

    Attributes:
        log: the open log.
        branch: the name of the branch.
        clock: returns the wall clock's instant, and compares it with monotonic clocks.
        views: rebuilds the estate of any instant.
        exits: the workload exits that CLWLEXIT may name.
        protection: keeps commands on main away from observed queue managers.
        tell: takes one line that the user of this process should see, besides an answer.
        soundly: calls a function that uses estates; calls it again if a saved one was damaged.
    """

    soundly: Soundly

    def __init__(
        self,
        log: Log,
        *,
        clock: Callable[[], Instant],
        branch: str,
        exits: Mapping[str, WorkloadExit] = NO_EXITS,
        tell: Tell | None = None,
        protection: Protection = Protection(),  # noqa: B008 - it is frozen
    ) -> None:
        """Work on a branch of an open log; `Twin.open` is the usual way."""
        self.log = log
        self.branch = branch
        self.clock = clock if isinstance(clock, Timekeeper) else Timekeeper(clock, trusted=True)
        self.views = Views(log, simulates_main=protection.lifted)
        self.views.played_ahead.clock = clock
        self.views.played_ahead.tell = tell
        self.exits = exits
        self.protection = protection
        self._clock_policy = ClockPolicy(log, self.clock)
        self._recorded = RecordedEstate(log, self.views, branch)
        self._head_estates = HeadEstates(self._recorded, self.views.played_ahead)
        self.tell = tell
        forgets = (self._recorded.forget, self._head_estates.forget)
        self.soundly = Soundly(self.views, forgets, tell)

    @cached_property
    def writer(self) -> Writer:
        """The writer of the branch: it imports the rules, which most questions do not need."""
        from twin.app.writing import Writer  # noqa: PLC0415 - a reader needs none

        return Writer(
            self.log,
            self.views,
            self._recorded,
            self._clock_policy,
            self.exits,
            self.soundly,
            self.protection,
        )

    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record commands of one instant, with all that follows from them, in one transaction.

        `at` defaults to now.

        Raises:
            InThePast, InTheFuture: if a command must not have this instant.
            ObservedOnMain: if a command would change an observed queue manager on main.
            ControlRefused, NoSuchQueueManager: if MQ would refuse the command.
        """
        return self.writer.record(facts, at=at)

    def record_observations(self, facts: Sequence[Fact], *, at: Instant) -> int:
        """Record observations of one instant, late or not; return how many facts were new."""
        return self.writer.observe(lambda _: facts, at=at)

    def as_of(self, *, valid: Instant | None = None, known: Instant | None = None) -> AsOf:
        """Return the point for a valid instant and a known instant; each defaults to now."""
        now = self.now()
        if known is None:  # everything in the log, also what a wrong clock recorded later
            known = max(self.clock(), self.log.head(self.branch).recorded_at or 0)
        return self.views.resolve(
            valid=now if valid is None else valid, known=known, branch=self.branch
        )

    @sound
    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Rebuild the estate of an instant; return it with its point.

        The estate loads its parts when they are first used, and raises `UnusablePage` if a saved
        part was damaged or dropped: use the estate within `soundly`.
        """
        point = self.as_of(valid=as_of, known=known_at)
        return self.views.at(point), point

    def read(self, question: Callable[[Estate], Result]) -> Result:
        """Read from the recorded estate at the head of the branch, while nobody writes.

        The answer must not refer to the estate, which changes afterwards.
        """
        return self._recorded.read(question)

    def now(self) -> Instant:
        """Return now: the wall clock on main, the latest instant of any other branch."""
        return self.clock() if self.branch == MAIN else self._clock_policy.present(self.branch)

    def forget_head(self) -> None:
        """Forget the estate at the head of the branch: late facts are about to be recorded."""
        self._recorded.at_hand = None

    def clock_problem(self) -> str:
        """Return why answers about now on main may be wrong; '' if nothing speaks for that."""
        return self._clock_policy.problem(self.log.head(self.branch), self.branch)

    def demand_clock(self) -> None:
        """Check that this branch may be written under the present clock.

        Raises:
            AheadOfClock, ClockInDoubt: if it may not.
        """
        self._clock_policy.demand_sound(self.log.head(self.branch), self.branch)
