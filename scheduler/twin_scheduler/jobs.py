"""Jobs: one for each rule of the lifecycle, the same on the live and the virtual scheduler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from logging import NullHandler, getLogger
from typing import Any, Final

from apscheduler.schedulers.base import BaseScheduler

from twin.app.ticking import PIECE
from twin.fold.agenda import TimerKind
from twin.model.instants import Instant, instant_of
from twin.rules.due_timers import LIFETIMES
from twin_scheduler.triggers import NEVER, WhenDue, moment_of

CHUNK: Final = PIECE
"""The number of events after which a transaction ends, at the next whole instant."""

JOB_IDS: Final = {kind: f"{kind:02d}-{LIFETIMES[kind].name}" for kind in sorted(TimerKind)}
"""The job id of each kind of timer; ids sort in the order of the rules at one instant."""

OPTIONS: Final[dict[str, Any]] = {
    "misfire_grace_time": None,  # a late run is not skipped: its events have their due instants
    "coalesce": True,
    "max_instances": 1,
}
"""Options of every job."""

# Without a handler Python would write APScheduler's warnings to standard error, for example that a
# job is due again while it still waits for its turn. An application may add handlers.
getLogger("apscheduler").addHandler(NullHandler())


class Jobs:
    """The jobs of one scheduler, one for each rule, and the instants that their triggers return.

    The first job that wakes at an instant does everything that is due, for all rules in their
    order. The other jobs are moved before they wake, or find nothing to do.
    """

    def __init__(self, scheduler: BaseScheduler, wake: Callable[[TimerKind], None]) -> None:
        """Add the jobs to a scheduler that has not started; each calls `wake` with its rule."""
        self._agenda: Mapping[TimerKind, Instant] = {}
        self._jobs = {
            kind: scheduler.add_job(
                wake,
                WhenDue(partial(self._due, kind)),
                [kind],
                id=job_id,
                name=LIFETIMES[kind].name,
            )
            for kind, job_id in JOB_IDS.items()
        }

    def move(
        self, agenda: Mapping[TimerKind, Instant], *, running: TimerKind | None = None
    ) -> None:
        """Schedule the job of each rule at its instant on this agenda.

        A job that is `running` is left alone: APScheduler asks its trigger afterwards.
        """
        self._agenda = agenda
        for kind, job in self._jobs.items():
            moment = moment_of(agenda.get(kind))
            before = getattr(job, "next_run_time", moment)  # before the start a job has no next run
            if before != moment and kind is not running:
                job.modify(next_run_time=moment)

    def next_runs(self) -> dict[TimerKind, Instant]:
        """Return the next run of each job that has something to do."""
        return {
            kind: instant_of(job.next_run_time)
            for kind, job in self._jobs.items()
            if job.next_run_time < NEVER
        }

    def _due(self, kind: TimerKind) -> Instant | None:
        return self._agenda.get(kind)
