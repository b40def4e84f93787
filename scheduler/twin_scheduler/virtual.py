"""The virtual scheduler: APScheduler's jobs on a clock that jumps to the next due instant."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple, Self

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler

from twin.app.ticking import OpenBatch, Ticked
from twin.app.twin import Twin
from twin.fold.agenda import TimerKind
from twin.model.instants import Instant, instant_of
from twin_scheduler.clock import VirtualClock
from twin_scheduler.errors import ClockSetBack
from twin_scheduler.jobs import CHUNK, OPTIONS, Jobs
from twin_scheduler.triggers import moment_of


class Wake(NamedTuple):
    """One run of a job: its instant, its rule, and the number of events that were decided."""

    at: Instant
    kind: TimerKind
    events: int


class VirtualZone(tzinfo):
    """A time zone in which it is always the instant that a virtual clock shows.

    APScheduler reads the time as `datetime.now(timezone)`, which asks the time zone. So the
    public option `timezone` gives it another clock.
    """

    def __init__(self, clock: VirtualClock) -> None:
        """Set the clock to show."""
        self._clock = clock

    def fromutc(self, moment: datetime, /) -> datetime:
        """Return the instant that the clock shows, in UTC, whatever the machine's clock says."""
        del moment
        return moment_of(self._clock())

    def utcoffset(self, moment: datetime | None, /) -> timedelta:
        """Return 0: the clock shows UTC."""
        del moment
        return timedelta(0)

    def dst(self, moment: datetime | None, /) -> None:
        """Return None: there is no summer time."""

    def tzname(self, moment: datetime | None, /) -> str:
        """Return the name of the zone."""
        del moment
        return "virtual"


class VirtualScheduler(BaseScheduler):  # type: ignore[misc] # APScheduler has no types
    """Runs what is due on a branch as fast as it can be decided, in the caller's thread.

    The clock jumps to the next run of a job. The job decides what is due at that instant into an
    open batch. The batch is appended as one transaction when it has `chunk` events, when it is
    late, or when nothing more is due. With a chunk of 1 each due instant has a transaction of its
    own, and the events are the same.

    Attributes:
        clock: shows how far time has come.
        wakes: the runs of jobs that made up the last transaction.
    """

    def __init__(self, twin: Twin, *, chunk: int = CHUNK) -> None:
        """Start at the present of the twin's branch."""
        self.clock = VirtualClock(twin.present())
        self.wakes: list[Wake] = []
        super().__init__(
            timezone=VirtualZone(self.clock),
            job_defaults=OPTIONS,
            executors={"default": DebugExecutor()},  # runs a job where it is submitted
        )
        self._twin = twin
        self._chunk = chunk
        self._batch: OpenBatch | None = None
        self._failure: BaseException | None = None
        self._jobs = Jobs(self, self._wake)

    def __enter__(self) -> Self:
        """Start; shut down at the end."""
        self._jobs.move(self._twin.agenda())
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Shut down."""
        self.shutdown()

    def advance(self, upto: Instant) -> Iterator[Ticked]:
        """Let time pass up to and including an instant; yield the result of each transaction.

        A caller that stops iterating stops time: the log holds what was yielded, and nothing else.

        Raises:
            ClockSetBack: when the instant lies before the one the clock shows.
            InTheFuture: when the branch may not go there.
        """
        if upto < self.clock():
            raise ClockSetBack(shown=self.clock(), wanted=upto)
        self._twin.check_instant(upto)
        finished = False
        while not finished:
            ticked = self._twin.append_due(lambda batch: self._fill(batch, upto), upto=upto)
            finished = ticked.finished
            if self.wakes:
                yield ticked
        self.clock.set(upto)

    def next_runs(self) -> dict[TimerKind, Instant]:
        """Return the next run of the job of each rule that has something to do."""
        self._jobs.move(self._twin.agenda())
        return self._jobs.next_runs()

    def next_due(self) -> Instant | None:
        """Return the next instant at which something is due; None if nothing is."""
        return min(self.next_runs().values(), default=None)

    def shutdown(self, wait: bool = True) -> None:  # noqa: FBT001, FBT002 - APScheduler's own
        """Stop, as APScheduler does; there is nothing to wait for."""
        super().shutdown(wait)

    def wakeup(self) -> None:
        """Do nothing: no thread sleeps here, and `advance` looks at the jobs before each jump."""

    def _fill(self, batch: OpenBatch, upto: Instant) -> Ticked:
        """Jump from one run of a job to the next, until the batch is full or nothing is due."""
        self._batch = batch
        self.wakes = []
        self._jobs.move(batch.wakes())
        while (due := self._next_run()) <= upto:
            if batch.events >= self._chunk or batch.is_late:
                break
            self.clock.set(max(due, self.clock()))
            self._process_jobs()
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
        finished = due > upto
        return Ticked(batch.events, upto if finished else self.clock(), finished)

    def _next_run(self) -> Instant:
        """Return the earliest next run of any job; APScheduler sorts the jobs by it."""
        moment: datetime = self.get_jobs()[0].next_run_time
        return instant_of(moment)

    def _wake(self, kind: TimerKind) -> None:
        """Decide what is due now, for all rules; `advance` raises any error.

        An executor would write a failure to a logger and go on, also after Ctrl-C.
        """
        try:
            assert self._batch is not None  # noqa: S101 - jobs run while a batch is open
            before = self._batch.events
            self._batch.decide(self.clock())
            self.wakes.append(Wake(self.clock(), kind, self._batch.events - before))
            self._jobs.move(self._batch.wakes(), running=kind)
        except BaseException as error:  # noqa: BLE001 - see above
            self._failure = error
