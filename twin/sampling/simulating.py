"""Simulating: a twin carries out the plan of a cell on a log of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from twin.app.twin import Twin
from twin.events import PutEntered
from twin.model.instants import DAY, Instant
from twin.rules.commands.control import ControlRefused
from twin.sampling.plan import CellPlan
from twin.sampling.shape import chance
from twin.sampling.steps import PlannedStep
from twin.sampling.traffic import Traffic


@dataclass(slots=True)
class _Clock:
    now: Instant

    def __call__(self) -> Instant:
        return self.now


def simulate(
    plan: CellPlan,
    file: Path,
    *,
    a_day: float,
    seed: int,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Carry out a plan on a new log.

    Args:
        plan: what happens in the cell.
        file: the SQLite file of the new log.
        a_day: how many events there are to be on a usual day.
        seed: what the randomness begins with.
        progress: called with the number of days that are done.
    """
    clock = _Clock(plan.since)
    traffic = Traffic(plan, a_day, chance(seed, plan.cell.size, "traffic"))
    steps = list(plan.steps)
    with Twin.open(f"sqlite:///{file}", synchronous="NORMAL", clock=clock) as twin:
        last = 0
        for number, day in enumerate(range(plan.since, plan.until, DAY), start=1):
            today = steps[: _count_before(steps, day + DAY)]
            del steps[: len(today)]
            if day >= plan.begin:
                today += traffic.day(day)
            today.sort(key=attrgetter("at"))
            for step in today:
                _carry_out(twin, clock, step)
            clock.now = min(day + DAY, plan.until) - 1
            twin.tick(clock.now)
            before, last = last, twin.log.last().position
            if day >= plan.begin:
                traffic.learn(puts=sum(map(_is_put, today)), events=last - before)
            progress(number)


def _count_before(steps: list[PlannedStep], until: Instant) -> int:
    return next((index for index, step in enumerate(steps) if step.at >= until), len(steps))


def _is_put(step: PlannedStep) -> bool:
    return isinstance(step.facts[0].event, PutEntered)


def _carry_out(twin: Twin, clock: _Clock, step: PlannedStep) -> None:
    """Carry out one step; leave out what a queue manager cannot do because it is down."""
    clock.now = step.at
    if step.seen is not None:
        twin.record_observations(step.facts, at=step.seen)
        return
    try:
        twin.record(step.facts, at=step.at)
    except ControlRefused:
        return
