"""The virtual scheduler: APScheduler's jobs on a clock that jumps to the next due instant."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Self

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler

from twin.app.ticking import Ticked
from twin.app.twin import Twin
from twin.model.instants import Instant, datetime_of, instant_of
from twin_scheduler.clock import VirtualClock
from twin_scheduler.errors import ClockSetBack
from twin_scheduler.jobs import CHUNK, OPTIONS, Jobs


def stands_at(twin: Twin) -> Instant:
    """Return how far the log of a branch has come: its latest event or its fork, else now."""
    return twin.present()


class VirtualScheduler(BaseScheduler):  # type: ignore[misc] # APScheduler has no types
    """Lets happen what is due on a branch as fast as it can be decided, in the caller's thread.

    Nothing can come in between two jumps, so what falls due behind the instant that was jumped to
    shares its transaction, until there are `chunk` events. With a chunk of 1 every due instant is
    a jump of its own, and the events are the same.

    Attributes:
        clock: shows how far time has come.
    """

    def __init__(self, twin: Twin, *, chunk: int = CHUNK) -> None:
        """Start where the log of the twin's branch stands."""
        self._executor = DebugExecutor()  # runs a job where it is submitted
        super().__init__(timezone=UTC, job_defaults=OPTIONS, executors={"default": self._executor})
        self.clock = VirtualClock(stands_at(twin))
        self._twin = twin
        self._chunk = chunk
        self._upto = self.clock()
        self._ticked: Ticked | None = None
        self._failure: BaseException | None = None
        self._jobs = Jobs(self, twin, self._wake)

    def __enter__(self) -> Self:
        """Start, and shut down at the end."""
        self._jobs.look()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Shut down."""
        self.shutdown()

    def advance(self, upto: Instant) -> Iterator[Ticked]:
        """Let time pass up to and including an instant, and say after each jump what came of it.

        Whoever stops asking stops time: what was told stands in the log, and nothing else.

        Raises:
            ClockSetBack: when the instant lies before the one the clock shows.
            InTheFuture: when the branch may not go there.
        """
        if upto < self.clock():
            raise ClockSetBack(shown=self.clock(), wanted=upto)
        self._twin.check_instant(upto)
        self._upto = upto
        self._jobs.move()
        finished = False
        while not finished and (due := self._next_wakeup()) <= upto:
            self.clock.set(max(due, self.clock()))
            self._process_jobs()
            ticked = self._outcome()
            self.clock.set(max(ticked.reached, self.clock()))
            finished = ticked.finished
            yield ticked
        self.clock.set(upto)

    def next_due(self) -> Instant | None:
        """Return when something falls due next, None where nothing ever does."""
        return self._jobs.next_due()

    def shutdown(self, wait: bool = True) -> None:  # noqa: FBT001, FBT002 - APScheduler's own
        """Stop, as APScheduler does; there is nothing to wait for."""
        super().shutdown(wait)

    def wakeup(self) -> None:
        """Do nothing: nobody sleeps here, and each jump looks at the jobs anyhow."""

    def _next_wakeup(self) -> Instant:
        """Return when the first job wakes; the jobs come in the order of that, and of their ids."""
        moment: datetime = self.get_jobs()[0].next_run_time
        return instant_of(moment)

    def _process_jobs(self) -> None:
        """Run the jobs that are due by the virtual clock.

        This replaces a method that is not part of APScheduler's interface: the round is the same,
        but there it reads the machine's clock, and nothing else can give it another.
        """
        now = datetime_of(self.clock())
        for job in self.get_jobs():
            moment = job.next_run_time
            if moment <= now:  # one that ran before may have moved this one on
                self._executor.submit_job(job, [moment])
                upcoming = job.trigger.get_next_fire_time(moment, now)
                self.modify_job(job.id, next_run_time=upcoming)

    def _wake(self) -> None:
        """Record what is due, of one transaction at most; a failure is raised by `advance`.

        An executor would write it to a logger and go on, an interrupt from the keyboard included.
        """
        try:
            self._ticked = self._twin.tick(self._upto, limit=self._chunk)
            self._jobs.move()
        except BaseException as error:  # noqa: BLE001 - see above
            self._failure = error

    def _outcome(self) -> Ticked:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        ticked, self._ticked = self._ticked, None
        assert ticked is not None  # noqa: S101 - a job was due, and every job wakes
        return ticked
