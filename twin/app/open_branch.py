"""One branch of an open log: the basis of every call on `Twin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.app.exits import NO_EXITS
from twin.app.head_estates import HeadEstates
from twin.app.reading import Views
from twin.app.writing import Writer
from twin.fold.estate import Estate
from twin.log import Log
from twin.model.asof import MAIN, AsOf
from twin.model.instants import Instant
from twin.rules.deriving import Outcome
from twin.rules.workload.exits import WorkloadExit


class OpenBranch:
    """One branch of an open log: records facts there, and rebuilds its estates.

    The calls on `Twin` are in subclasses, grouped by topic: applications, queue managers, channels,
    explanations.

    Attributes:
        log: the open log.
        branch: the name of the branch.
        clock: returns the wall clock's instant.
        views: rebuilds the estate of any instant.
        exits: the workload exits that CLWLEXIT may name.
    """

    def __init__(
        self,
        log: Log,
        *,
        clock: Callable[[], Instant],
        branch: str,
        exits: Mapping[str, WorkloadExit] = NO_EXITS,
    ) -> None:
        """Work on a branch of an open log; `Twin.open` is the usual way."""
        self.log = log
        self.branch = branch
        self.clock = clock
        self.views = Views(log)
        self.exits = exits
        self._writer = Writer(log, self.views, clock, exits)
        self._head_estates = HeadEstates(self._writer, branch)

    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record commands of one instant, with all that follows from them, in one transaction.

        `at` defaults to now.

        Raises:
            InThePast, InTheFuture: if a command must not have this instant.
            ControlRefused, NoSuchQueueManager: if MQ would refuse the command.
        """
        return self._writer.record(facts, branch=self.branch, at=at)

    def record_observations(self, facts: Sequence[Fact], *, at: Instant) -> int:
        """Record observations of one instant, late or not; return how many facts were new."""
        return self._writer.observe(lambda _: facts, branch=self.branch, at=at)

    def as_of(self, *, valid: Instant | None = None, known: Instant | None = None) -> AsOf:
        """Return the point for a valid instant and a known instant; each defaults to now."""
        now = self.now()
        return self.views.resolve(
            valid=now if valid is None else valid,
            known=self.clock() if known is None else known,
            branch=self.branch,
        )

    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Rebuild the estate of an instant; return it with its point."""
        point = self.as_of(valid=as_of, known=known_at)
        return self.views.at(point), point

    def now(self) -> Instant:
        """Return now: the wall clock on main, the latest instant of any other branch."""
        return self.clock() if self.branch == MAIN else self._writer.present(self.branch)

    def _command(self, event: events.Event, at: Instant | None) -> Outcome:
        """Record one command and return its outcome."""
        (outcome,) = self.record([Fact(event, COMMAND)], at=at)
        return outcome
