"""`Twin`, the only entry: every command, observation and question on one branch of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from twin import events
from twin.app import DEFAULT_URL
from twin.app.acting import CLOCK, COMMAND, Fact
from twin.app.applications import ApplicationCalls
from twin.app.assumptions import AssumptionCalls, GoneCalls
from twin.app.channels import ChannelCalls, ChannelObservationCalls
from twin.app.clocks import Timekeeper, boot_clock, monotonic_clock, system_clock
from twin.app.importing.calls import ImportCalls
from twin.app.mqsc import MqscCalls
from twin.app.open_branch import NO_EXITS
from twin.app.protection import Protection, calls_on
from twin.app.questions import MeasuringCalls
from twin.app.queue_managers import QueueManagerCalls, ZoneCalls
from twin.app.reading import SNAPSHOT_EVERY
from twin.app.repeating import Tell, sound
from twin.app.retracting import RetractionCalls
from twin.errors import TwinError
from twin.fold.agenda import TimerKind
from twin.log import Branch, Log, MainStays
from twin.model.instants import MAIN, Instant, format_instant
from twin.rules import due_timers

if TYPE_CHECKING:
    from twin.app.ticking import OpenBatch, Ticked
    from twin.rules.workload.exits import WorkloadExit

Decision = TypeVar("Decision")
Result = TypeVar("Result")


class NotThereYet(
    TwinError,
    ValueError,
    message="cannot fork branch {2} at {0}: it has reached only "
    "{1}; fork it there, then let time pass "
    "(twin --branch NAME advance --to T)",
):
    """A fork at an instant that the parent branch has not reached."""


class Twin(
    QueueManagerCalls,
    MqscCalls,
    ApplicationCalls,
    ChannelCalls,
    ChannelObservationCalls,
    RetractionCalls,
    ZoneCalls,
    GoneCalls,
    ImportCalls,
    AssumptionCalls,
    MeasuringCalls,
):
    """One open branch of one log, and everything that can be done with it.

    >>> import tempfile
    >>> from twin import Twin
    >>> folder = tempfile.TemporaryDirectory()
    >>> twin = Twin.open(f"sqlite:///{folder.name}/twin.db")
    >>> twin.crtmqm("FR1"); twin.strmqm("FR1")
    >>> session = twin.runmqsc("FR1", '''
    ... ALTER QMGR REPOS(CA)
    ... DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
    ... ''')
    >>> session.exit_code
    0
    >>> [(row["qmgr"], row["qmtype"]) for row in twin.ask("members").rows]
    [('FR1', 'REPOS')]
    >>> twin.close(); folder.cleanup()
    """

    @classmethod
    def open(  # noqa: PLR0913 - each is an option of its own
        cls,
        url: str = DEFAULT_URL,
        *,
        branch: str = MAIN,
        read_only: bool = False,
        synchronous: str = "FULL",
        clock: Callable[[], Instant] = system_clock,
        monotonic: Callable[[], int] | None = None,
        trust_clock: bool = True,
        simulate_on_main: bool = False,
        instead: Callable[[str], str] = calls_on,
        exits: Mapping[str, WorkloadExit] = NO_EXITS,
        create: bool = True,
        keeps_caches: bool | None = None,
        tell: Tell | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Self:
        """Open a log by its SQLAlchemy URL. Create and migrate it unless `read_only`.

        Args:
            url: the log, such as `sqlite:///twin.db`.
            branch: the branch to work on.
            read_only: whether to refuse writes, and to refuse to create the log.
            synchronous: SQLite's setting, FULL (durable at each commit) or NORMAL.
            clock: returns the instant of the wall clock; tests pass their own.
            monotonic: microseconds that only grow, to compare the clock with; the default is the
                machine's for the machine's clock, and none for any other.
            trust_clock: whether to record on main whatever speaks against the clock.
            simulate_on_main: whether commands on main may change observed queue managers.
            instead: returns how to do on a new branch of this name what is refused on main.
            exits: the workload exits that CLWLEXIT may name.
            create: whether to create the log if there is none.
            keeps_caches: whether saved estates may be written; by default unless `read_only`.
            tell: takes one line that the user should see, besides an answer.
            progress: called while an older log is migrated: (done, total, step); a total of 0 is
                unknown.

        Raises:
            TwinError: if the log or the branch does not exist, a newer twin wrote the log, or the
                log must be upgraded before it is read.
        """
        log = Log.open(
            url,
            mode="read" if read_only else "write",
            synchronous="NORMAL" if synchronous.upper() == "NORMAL" else "FULL",
            create=create,
            keeps_caches=keeps_caches,
            progress=progress,
        )
        try:
            log.branch(branch)
        except TwinError:
            log.keeps_unused = False
            log.close()
            raise
        compared = (monotonic_clock, boot_clock) if clock is system_clock else ()
        keeper = Timekeeper(
            clock,
            compared if monotonic is None else (monotonic,),
            server=log.server_clock(),
            trusted=trust_clock,
        )
        protection = Protection(simulate_on_main, instead)
        return cls(log, clock=keeper, branch=branch, exits=exits, tell=tell, protection=protection)

    def close(self) -> None:
        """Close the log."""
        self.log.close()

    def __enter__(self) -> Self:
        """Use as a context manager that closes the log."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log."""
        self.close()

    # Acting

    def check_instant(self, at: Instant | None) -> None:
        """Check that a command may have this instant. None means now, and is always allowed.

        Raises:
            InThePast, InTheFuture: if the command must not have this instant.
        """
        if at is not None:
            self._clock_policy.check(self.branch, at)

    # Time

    def due(self) -> Instant | None:
        """Return the instant at which the next timed event is due; None if none is."""
        return min(self.agenda().values(), default=None)

    def present(self) -> Instant:
        """Return the latest instant of this branch: its latest event, or its fork; else now."""
        return self._clock_policy.present(self.branch)

    @sound
    def agenda(self) -> dict[TimerKind, Instant]:
        """Return, for each kind of timer, the instant at which it is due next."""
        due = self.read(due_timers.by_kind)
        return {kind: each.instant for kind, each in due.items()}

    def tick(self, upto: Instant, *, limit: int | None = None) -> Ticked:
        """Record everything that is due up to an instant, each event at its own due instant.

        With `limit`, stop once that many events were recorded, but never within an instant.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
        """
        return self.writer.tick(upto=upto, limit=limit)

    def append_due(self, decide: Callable[[OpenBatch], Decision], *, upto: Instant) -> Decision:
        """Append what `decide` puts into an open batch, in one transaction; return its result.

        `decide` records what is due, up to this instant at most. If another process appends to
        the branch first, it is called again with a new batch. If it raises, nothing is appended.

        Raises:
            InTheFuture: on main, if the instant is after the wall clock.
        """
        return self.writer.append_due(decide, upto=upto)

    def pass_time(self, upto: Instant) -> None:
        """Record that time passed up to an instant. It becomes the latest instant of the branch."""
        self.record([Fact(events.TimePassed(qmgr=""), CLOCK)], at=upto)

    # Caches

    @sound
    def snapshot(
        self, *, every: int = SNAPSHOT_EVERY, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Replay the branch and save a snapshot every `every` events; return how many.

        `progress` is called with the events replayed so far, and all events.
        """
        return self.views.snapshot(branch=self.branch, every=every, progress=progress)

    # Branches

    def create_branch(
        self, name: str, *, at: Instant | None = None, assume_healed: bool = False
    ) -> Branch:
        """Fork this branch at its head, or at an earlier instant.

        What was broken stays broken: the link of an observed channel that was last seen RETRYING is
        assumed to be cut. With `assume_healed`, these links work again on the new branch.

        Raises:
            NotThereYet: if the branch has not reached the instant.
        """
        if at is not None and at > (now := self.now()):
            raise NotThereYet(format_instant(at), format_instant(now), self.branch)
        made = self.log.create_branch(name, parent=self.branch, at_occurred=at)
        if assume_healed:
            self.on_branch(name).assume_healed()
        return made

    def delete_branch(self) -> None:
        """Retire this branch: it is hidden and refused, its name is free, its events stay.

        Raises:
            MainStays: if this is branch main.
        """
        if self.branch == MAIN:
            raise MainStays(MAIN)
        self.record([Fact(events.BranchRetired(qmgr="", branch=self.branch), COMMAND)])

    def on_branch(self, name: str) -> Twin:
        """Return a twin of another branch of the same open log."""
        self.log.branch(name)
        return Twin(
            self.log,
            clock=self.clock,
            branch=name,
            exits=self.exits,
            tell=self.tell,
            protection=self.protection,
        )
