"""Simulates a cell: a twin carries out its plan on a new log, and applications put and get.

There is more traffic by day and on working days.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from twin import events
from twin.app.twin import Twin
from twin.events import PutEntered
from twin.model.instants import DAY, MINUTE, SECOND, Instant
from twin.rules.commands.control import ControlRefused
from twin.sampling.cell import Cell
from twin.sampling.plan import CellPlan
from twin.sampling.shape import TRAFFIC, WEEK_OF_TRAFFIC, chance, moment, weekday
from twin.sampling.steps import PlannedStep, entered

GROWTH: Final = 0.1
"""How much the traffic grows in a year, as a fraction."""

_WEEK: Final = sum(WEEK_OF_TRAFFIC) / 7
_PER_PUT: Final = 7.5
_ALL: Final = 99_999
_TAKES: Final = (1, 12)
_FIRST_TAKE: Final = 150 * MINUTE


@dataclass(slots=True)
class Traffic:
    """The traffic of a cell: enough to make about `a_day` events on a usual day."""

    plan: CellPlan
    a_day: float
    draw: random.Random
    _per_put: float = _PER_PUT

    def day(self, day: Instant) -> Iterator[PlannedStep]:
        """Yield the steps of applications on a day."""
        cell, draw = self.plan.cell, self.draw
        grown = 1 + GROWTH * ((day - self.plan.since) / (365 * DAY) - 0.5)
        wanted = self.a_day * WEEK_OF_TRAFFIC[weekday(day)] / _WEEK * grown
        low, high = _TAKES
        takes = round(min(high, max(low, wanted / 60)))
        yield from _takes(cell, day, takes)
        weights = [app.weight for app in cell.apps]
        for _ in range(max(1, round(wanted / self._per_put))):
            (app,) = draw.choices(cell.apps, weights)
            at = moment(draw, day, TRAFFIC)
            if not any((since < at < until for since, until in self.plan.quiet_periods)):
                count = draw.randint(1, app.most)
                yield entered(at, events.PutEntered(qmgr=app.qmgr, queue=app.queue, count=count))

    def learn(self, *, puts: int, events: int) -> None:
        """Adjust the traffic to the number of events that a day's puts made."""
        if puts:
            self._per_put += 0.1 * (max(1.0, events / puts) - self._per_put)


def _takes(cell: Cell, day: Instant, takes: int) -> Iterator[PlannedStep]:
    """Yield the steps in which applications get all messages, `takes` times a day."""
    every = DAY // takes
    for number in range(takes):
        for place, server in enumerate(cell.servers):
            at = day + number * every + _FIRST_TAKE % every + (place * 101 + 37) * SECOND
            queues = [queue for queue, hosts in cell.queues.items() if server in hosts]
            if at < day + DAY:
                got = (events.GetEntered(qmgr=server, queue=each, count=_ALL) for each in queues)
                yield entered(at, *got)


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
        plan: the plan of the cell.
        file: the SQLite file of the new log.
        a_day: the desired number of events on a usual day.
        seed: the seed of the randomness.
        progress: called with the number of days that are done.
    """
    clock = _Clock(plan.since)
    traffic = Traffic(plan, a_day, chance(seed, plan.cell.size, "traffic"))
    steps = list(plan.steps)
    with Twin.open(f"sqlite:///{file}", synchronous="NORMAL", clock=clock) as twin:
        last = 0
        for number, day in enumerate(range(plan.since, plan.until, DAY), start=1):
            today = steps[: bisect_left(steps, day + DAY, key=attrgetter("at"))]
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
                puts = sum(isinstance(step.facts[0].event, PutEntered) for step in today)
                traffic.learn(puts=puts, events=last - before)
            progress(number)


def _carry_out(twin: Twin, clock: _Clock, step: PlannedStep) -> None:
    """Carry out one step, except what is impossible because a queue manager is down."""
    clock.now = step.at
    if step.seen is not None:
        twin.record_observations(step.facts, at=step.seen)
        return
    with suppress(ControlRefused):
        twin.record(step.facts, at=step.at)
