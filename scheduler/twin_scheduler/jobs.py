"""Jobs: one for each rule of the lifecycle, the same on the live and the virtual scheduler."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from logging import NullHandler, getLogger
from typing import Any, Final

from apscheduler.schedulers.base import BaseScheduler

from twin.app.twin import Twin
from twin.app.writing import PIECE
from twin.fold.agenda import TimerKind
from twin.model.instants import Instant
from twin.rules.repository.lifetimes import LIFETIMES
from twin_scheduler.triggers import WhenDue, moment_of

CHUNK: Final = PIECE
"""Events of one tick: due instants that follow each other at once share a transaction."""

JOB_IDS: Final = {kind: f"{kind:02d}-{LIFETIMES[kind].name}" for kind in sorted(TimerKind)}
"""The id of each kind's job: they sort as the rules are applied at one instant."""

OPTIONS: Final[dict[str, Any]] = {
    "misfire_grace_time": None,  # however late: what was due is stamped when it was due
    "coalesce": True,
    "max_instances": 1,
}
"""What holds for every job."""

# What APScheduler logs goes where an application sends it, and not to standard error by itself:
# that a job is still waiting for its turn when it falls due again is nothing to warn of.
getLogger("apscheduler").addHandler(NullHandler())


class Jobs:
    """The jobs of one scheduler, and the agenda that their triggers ask.

    Whichever wakes first has everything done that is due, of all kinds in their order; the others
    find nothing left, or are moved on before they wake.
    """

    def __init__(self, scheduler: BaseScheduler, twin: Twin, wake: Callable[[], None]) -> None:
        """Add the jobs to a scheduler that has not started; each calls `wake`."""
        self._scheduler = scheduler
        self._twin = twin
        self._agenda: dict[TimerKind, Instant] = {}
        for kind, job_id in JOB_IDS.items():
            trigger = WhenDue(partial(self.due, kind))
            scheduler.add_job(wake, trigger, id=job_id, name=LIFETIMES[kind].name)

    def due(self, kind: TimerKind) -> Instant | None:
        """Return when something of a kind falls due, as of the last look."""
        return self._agenda.get(kind)

    def next_due(self) -> Instant | None:
        """Return when anything falls due, as of the last look."""
        return min(self._agenda.values(), default=None)

    def look(self) -> None:
        """Ask the twin what is due when."""
        self._agenda = dict(self._twin.agenda())

    def move(self) -> None:
        """Ask the twin what is due when, and move the jobs of a running scheduler there."""
        self.look()
        for kind, job_id in JOB_IDS.items():
            moment = moment_of(self.due(kind))
            if self._scheduler.get_job(job_id).next_run_time != moment:
                self._scheduler.modify_job(job_id, next_run_time=moment)
