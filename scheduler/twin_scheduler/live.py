"""The live scheduler: APScheduler's background scheduler, on the machine's clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any, Final

from apscheduler.executors.base import BaseExecutor
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from twin.app.clocks import system_clock
from twin.app.ticking import Ticked
from twin.app.twin import Twin
from twin.fold.agenda import TimerKind
from twin.model.instants import Instant
from twin_scheduler.clock import Clock
from twin_scheduler.jobs import CHUNK, OPTIONS, Jobs
from twin_scheduler.triggers import Every

WATCH: Final = "watch"
"""The id of the job that looks for events of other processes."""

WATCH_EVERY: Final = timedelta(seconds=1)


def _ignore(_: object) -> None:
    """Do nothing."""


class LiveScheduler(BackgroundScheduler):  # type: ignore[misc] # APScheduler has no types
    """Records timed events on a branch when they are due, until it is shut down.

    It stores nothing. It reads the agenda from the log at the start, after each tick, and when
    another process has appended. So a restart records what fell due meanwhile, at the due instants,
    and two schedulers on one log record nothing twice.

    One worker thread does everything: `on_tick` and `on_error` are never called at the same time.
    After an error the same work is tried again some seconds later.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        clock: Clock = system_clock,
        on_tick: Callable[[Ticked], None] = _ignore,
        on_error: Callable[[Exception], None] = _ignore,
        executor: BaseExecutor | None = None,
    ) -> None:
        """Serve the branch of a twin.

        Args:
            twin: a twin on that branch; the worker thread uses it too.
            clock: tells the present; APScheduler itself sleeps on the machine's clock.
            on_tick: called after each tick that recorded events.
            on_error: called with each exception.
            executor: runs the jobs; by default one worker thread.
        """
        super().__init__(
            timezone=UTC,
            job_defaults=OPTIONS,
            executors={"default": executor or ThreadPoolExecutor(1)},
        )
        self._twin = twin
        self._clock = clock
        self._on_tick = on_tick
        self._on_error = on_error
        self._position_read = 0
        self._turn = threading.Lock()
        self._stopping = False
        self._jobs = Jobs(self, self._wake)
        self.add_job(self._watch, Every(WATCH_EVERY), id=WATCH, name=WATCH)

    def start(self, *arguments: Any, **options: Any) -> None:
        """Read the agenda, then start as APScheduler does."""
        self._position_read = self._position()
        self._jobs.move(self._twin.agenda())
        super().start(*arguments, **options)

    def shutdown(self, *arguments: Any, **options: Any) -> None:
        """Stop after the current tick.

        APScheduler holds a lock while it waits for its worker, and moving a job needs that lock. So
        the worker must be idle before APScheduler waits.
        """
        with self._turn:
            self._stopping = True
        super().shutdown(*arguments, **options)

    def next_runs(self) -> dict[TimerKind, Instant]:
        """Return the next run of the job of each rule that has something to do."""
        return self._jobs.next_runs()

    def next_due(self) -> Instant | None:
        """Return the next instant at which something is due; None if nothing is."""
        return min(self.next_runs().values(), default=None)

    def _wake(self, kind: TimerKind) -> None:
        """Record what is due by now, for all rules: the first job that wakes does it."""
        del kind
        self._in_turn(self._tick)

    def _watch(self) -> None:
        self._in_turn(self._look_for_appends)

    def _in_turn(self, work: Callable[[], None]) -> None:
        """Do some work, unless the scheduler is stopping; report an exception."""
        with self._turn:
            if self._stopping:
                return
            try:
                work()
            except Exception as error:  # noqa: BLE001 - a thread has no caller to raise it to
                self._on_error(error)

    def _tick(self) -> None:
        """Record what is due by now, up to the size of one transaction.

        The rest stays due, so that its job runs again at once.
        """
        ticked = self._twin.tick(self._clock(), limit=CHUNK)
        self._read_agenda()
        if ticked.events:
            self._on_tick(ticked)

    def _look_for_appends(self) -> None:
        """Read the agenda again if any process has appended to the branch.

        Raises:
            LogMoved: if the file of the log was moved or replaced.
        """
        self._twin.log.demand_place()
        if self._position() != self._position_read:
            self._read_agenda()

    def _read_agenda(self) -> None:
        position = self._position()  # read first: a later append is noticed next time
        self._jobs.move(self._twin.agenda())
        self._position_read = position

    def _position(self) -> int:
        return self._twin.log.head(self._twin.branch).position
