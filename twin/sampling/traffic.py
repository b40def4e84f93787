"""Traffic: what applications put and get; there is more by day and on working days."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from twin import events
from twin.model.instants import DAY, MINUTE, SECOND, Instant
from twin.sampling.cell import Cell
from twin.sampling.plan import CellPlan
from twin.sampling.shape import TRAFFIC, WEEK_OF_TRAFFIC, moment, weekday
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
        """Yield what applications do on a day."""
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
            if not self._is_quiet(at):
                count = draw.randint(1, app.most)
                yield entered(at, events.PutEntered(qmgr=app.qmgr, queue=app.queue, count=count))

    def learn(self, *, puts: int, events: int) -> None:
        """Adjust to the number of events that a day had for its number of puts."""
        if puts:
            self._per_put += 0.1 * (max(1.0, events / puts) - self._per_put)

    def _is_quiet(self, at: Instant) -> bool:
        return any(since < at < until for since, until in self.plan.quiet_periods)


def _takes(cell: Cell, day: Instant, takes: int) -> Iterator[PlannedStep]:
    """Let the applications of every server get all messages, `takes` times a day."""
    every = DAY // takes
    for number in range(takes):
        for place, server in enumerate(cell.servers):
            at = day + number * every + _FIRST_TAKE % every + (place * 101 + 37) * SECOND
            queues = [queue for queue, hosts in cell.queues.items() if server in hosts]
            if at < day + DAY:
                got = (events.GetEntered(qmgr=server, queue=each, count=_ALL) for each in queues)
                yield entered(at, *got)
