"""The live scheduler: APScheduler's own, in the background, on the machine's clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any, Final

from apscheduler.executors.base import BaseExecutor
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from twin.app.ticking import Ticked
from twin.app.twin import Twin
from twin.fold.agenda import TimerKind
from twin.model.instants import Instant
from twin_scheduler.clock import Clock, SystemClock
from twin_scheduler.jobs import CHUNK, OPTIONS, Jobs
from twin_scheduler.triggers import Every

WATCH: Final = "watch"
"""The job that looks whether anybody wrote to the log."""

WATCH_EVERY: Final = timedelta(seconds=1)

_SYSTEM: Final = SystemClock()


def _ignore(_: object) -> None:
    """Tell nobody."""


class LiveScheduler(BackgroundScheduler):  # type: ignore[misc] # APScheduler has no types
    """Lets happen what is due on a branch when it is due, until it is shut down.

    It keeps nothing: what is due when is asked of the log, at the start, after every tick, and
    whenever anybody appended. So a restart catches up with what fell due meanwhile, stamped at
    the instants it was due, and two of them on one log do nothing twice.

    One worker does everything, so that `on_tick` and `on_error` are called by one thread at a time.
    After a failure the same is tried again a little later.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        clock: Clock = _SYSTEM,
        on_tick: Callable[[Ticked], None] = _ignore,
        on_error: Callable[[Exception], None] = _ignore,
        executor: BaseExecutor | None = None,
    ) -> None:
        """Serve the branch of a twin.

        Args:
            twin: where things fall due; it is shared with the worker.
            clock: says how late it is; APScheduler itself sleeps on the machine's.
            on_tick: is called after each tick at which something happened.
            on_error: is called with whatever went wrong.
            executor: runs the jobs; one worker thread by default.
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
        self._seen = 0
        self._turn = threading.Lock()
        self._stopping = False
        self._jobs = Jobs(self, self._wake)
        self.add_job(self._watch, Every(WATCH_EVERY), id=WATCH, name=WATCH)

    def start(self, *arguments: Any, **options: Any) -> None:
        """Find out what is due, then start as APScheduler does."""
        self._seen = self._position()
        self._jobs.move(self._twin.agenda())
        super().start(*arguments, **options)

    def shutdown(self, *arguments: Any, **options: Any) -> None:
        """Stop as soon as the tick that is under way is done.

        APScheduler waits for its worker while it holds the lock that moving a job takes: the
        worker must have nothing left to do before that.
        """
        with self._turn:
            self._stopping = True
        super().shutdown(*arguments, **options)

    def next_runs(self) -> dict[TimerKind, Instant]:
        """Return the next run of the job of each rule for which anything waits."""
        return self._jobs.next_runs()

    def next_due(self) -> Instant | None:
        """Return the next instant at which something is due; None if nothing is."""
        return min(self.next_runs().values(), default=None)

    def _wake(self, kind: TimerKind) -> None:
        """Record what is due by now, by all rules: the first job to wake does it."""
        del kind
        self._in_turn(self._tick)

    def _watch(self) -> None:
        self._in_turn(self._look)

    def _in_turn(self, work: Callable[[], None]) -> None:
        """Do some work unless it is time to stop, and tell what goes wrong."""
        with self._turn:
            if self._stopping:
                return
            try:
                work()
            except Exception as error:  # noqa: BLE001 - a thread has no caller to raise it to
                self._on_error(error)

    def _tick(self) -> None:
        """Record what is due by now, or as much of it as one tick takes.

        What is left is due still, so that the jobs wake again at once.
        """
        ticked = self._twin.tick(self._clock(), limit=CHUNK)
        self._look_again()
        if ticked.events:
            self._on_tick(ticked)

    def _look(self) -> None:
        """Ask what is due again where anybody, in any process, has appended to the branch."""
        if self._position() != self._seen:
            self._look_again()

    def _look_again(self) -> None:
        seen = self._position()  # first: what comes in between is seen next time
        self._jobs.move(self._twin.agenda())
        self._seen = seen

    def _position(self) -> int:
        return self._twin.log.head(self._twin.branch).position
