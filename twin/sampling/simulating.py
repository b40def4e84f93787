"""Simulating: a twin on a log of its own lives through the plan of a cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from twin.app.twin import Twin
from twin.events import PutEntered
from twin.model.instants import DAY, Instant
from twin.rules.commands.control import ControlRefused
from twin.sampling.plan import Plan
from twin.sampling.shape import chance
from twin.sampling.steps import Step
from twin.sampling.traffic import Traffic


@dataclass(slots=True)
class _Clock:
    now: Instant

    def __call__(self) -> Instant:
        return self.now


def simulate(
    plan: Plan,
    file: Path,
    *,
    a_day: float,
    seed: int,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Live through a plan, with so many events on a usual day, into a new log in a file.

    `progress` is told how many days are done.
    """
    clock = _Clock(plan.since)
    traffic = Traffic(plan, a_day, chance(seed, plan.cell.size, "traffic"))
    steps = list(plan.steps)
    with Twin.open(f"sqlite:///{file}", synchronous="NORMAL", clock=clock) as twin:
        last = 0
        for number, day in enumerate(range(plan.since, plan.until, DAY), start=1):
            today = steps[: _reach(steps, day + DAY)]
            del steps[: len(today)]
            if day >= plan.begin:
                today += traffic.day(day)
            today.sort(key=attrgetter("at"))
            for step in today:
                _take(twin, clock, step)
            clock.now = min(day + DAY, plan.until) - 1
            twin.tick(clock.now)
            made, last = twin.log.tail()[0] - last, twin.log.tail()[0]
            if day >= plan.begin:
                traffic.made(sum(map(_is_put, today)), made)
            progress(number)


def _reach(steps: list[Step], until: Instant) -> int:
    return next((place for place, step in enumerate(steps) if step.at >= until), len(steps))


def _is_put(step: Step) -> bool:
    return isinstance(step.facts[0].event, PutEntered)


def _take(twin: Twin, clock: _Clock, step: Step) -> None:
    """Take one step; what a queue manager that is down cannot do is left out."""
    clock.now = step.at
    if step.seen is not None:
        twin.record_observations(step.facts, at=step.seen)
        return
    try:
        twin.record(step.facts, at=step.at)
    except ControlRefused:
        return
