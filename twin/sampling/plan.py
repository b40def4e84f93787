"""The plan of a cell: everything that happens in it except the traffic, and the planted faults.

It includes outages: links that break, mostly in working hours, and are restored after minutes or
hours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant
from twin.sampling.cell import Cell
from twin.sampling.planting import PlantedFault, Scenario, maintain, plant
from twin.sampling.shape import BREAKS, WEEK_OF_BREAKS, chance, how_many, moment, weekday
from twin.sampling.steps import PlannedStep, control, link, mqsc

A_DAY: Final = 0.55
"""The average number of outages of a cell on a usual day."""

_LEAST: Final = 90 * SECOND
_MOST: Final = 9 * 60 * MINUTE
_LONG: Final = 40 * MINUTE
_APART: Final = 30 * MINUTE

_SERVER: Final = 0.1
_GATEWAY: Final = 0.25
_FULL: Final = 0.35
"""Upper limits of the draw for an outage of a server, a gateway, or a full repository."""


class Outage(NamedTuple):
    """A link between two queue managers that is cut for a time; `one` is the sender."""

    begin: Instant
    end: Instant
    one: str
    other: str
    stopped: bool = False


Free: TypeAlias = Callable[[str, Instant, Instant], bool]
"""Tells whether a queue manager has no reservation between two instants."""


def outages(
    draw: random.Random, cell: Cell, since: Instant, until: Instant, free: Free
) -> Iterator[Outage]:
    """Draw outages that overlap neither another outage of the same link nor anything planned."""
    busy: dict[tuple[str, str], Instant] = {}
    for day in range(since, until, DAY):
        for _ in range(how_many(draw, A_DAY * WEEK_OF_BREAKS[weekday(day)])):
            for outage in _draw(draw, cell, moment(draw, day, BREAKS)):
                key = outage.one, outage.other
                begin, end = outage.begin - _APART, outage.end + _APART
                fits = busy.get(key, since) < begin and end < until
                if fits and all(free(name, begin, end) for name in key):
                    busy[key] = end
                    yield outage


def _draw(draw: random.Random, cell: Cell, begin: Instant) -> list[Outage]:
    """Draw an outage of one link, or of all links of a server or gateway."""
    kind = draw.random()
    length = _length(draw)
    server, gateway = draw.choice(cell.servers), draw.choice(cell.gateways)
    if kind < _SERVER:
        return list(_staggered(draw, begin, length, [(one, server) for one in cell.gateways]))
    if kind < _GATEWAY:
        links = [(gateway, other) for other in cell.servers]
        draw.shuffle(links)
        return list(_staggered(draw, begin, length + 10 * MINUTE, links))
    if kind < _FULL:
        full = draw.choice(cell.full)
        return [Outage(begin, begin + length, draw.choice((gateway, server)), full)]
    stopped = length > _LONG and draw.random() < 0.4  # noqa: PLR2004
    return [Outage(begin, begin + length, gateway, server, stopped)]


def _staggered(
    draw: random.Random, begin: Instant, length: Instant, links: list[tuple[str, str]]
) -> Iterator[Outage]:
    for one, other in links:
        yield Outage(begin, begin + length, one, other)
        length += draw.randrange(2, 30) * MINUTE


def _length(draw: random.Random) -> Instant:
    minutes = draw.lognormvariate(2.1, 1.2)
    return min(_MOST, max(_LEAST, round(minutes * 60) * SECOND))


def steps_of(outage: Outage, cell: Cell) -> Iterator[PlannedStep]:
    """Yield the steps of an outage; in some long ones an operator stops the channel."""
    begin, end, one, other, stopped = outage
    channel = cell.channel(other)
    yield link(begin, one, other, cut=True)
    if stopped:
        yield mqsc(begin + 12 * MINUTE, one, f"STOP CHANNEL({channel})")
    yield link(end, one, other, cut=False)
    if stopped:
        yield mqsc(end + 2 * MINUTE, one, f"START CHANNEL({channel})")


JOIN_EVERY: Final = 7 * MINUTE
"""The time between the joins of two queue managers."""

_CHANGES_A_DAY: Final = 0.15
_CHANGE_HOURS: Final = (*[0] * 8, 2, 4, 4, 3, 1, 3, 4, 4, 2, 1, *[0] * 6)


@dataclass(frozen=True, slots=True)
class CellPlan:
    """What happens in a cell.

    Attributes:
        cell: the cell.
        since: the midnight at which it begins.
        until: when it ends.
        steps: what happens, in the order of time.
        faults: the planted faults, which the metrics should find.
        quiet_periods: spans, as (from, to), in which no application puts.
    """

    cell: Cell
    since: Instant
    until: Instant
    steps: tuple[PlannedStep, ...]
    faults: tuple[PlantedFault, ...]
    quiet_periods: tuple[tuple[Instant, Instant], ...]

    @property
    def begin(self) -> Instant:
        """The instant at which all queue managers have joined and applications begin."""
        return self.since + DAY


def planned(cell: Cell, since: Instant, until: Instant, *, seed: int, first: bool) -> CellPlan:
    """Plan a cell between two midnights; only the `first` cell has faults besides maintenance."""
    begin = since + DAY
    scenario = Scenario()
    if first:
        plant(scenario, cell, begin, until, seed=seed)
    maintain(scenario, cell, chance(seed, first, "maintenance"), begin, until)
    planned_outages = list(
        outages(chance(seed, first, "outages"), cell, begin, until, scenario.free)
    )
    for outage in planned_outages:
        scenario.steps += steps_of(outage, cell)
    scenario.steps += _joins(cell, since)
    scenario.steps += _changes(cell, begin, until, seed=seed, first=first)
    return CellPlan(
        cell,
        since,
        until,
        tuple(sorted(scenario.steps, key=lambda step: step.at)),
        (*scenario.faults, *_outage_faults(planned_outages, cell, begin, until)),
        tuple(scenario.quiet_periods),
    )


def _joins(cell: Cell, since: Instant) -> Iterator[PlannedStep]:
    """Yield the steps in which all queue managers join, full repositories first."""
    for number, qmgr in enumerate(cell.names):
        at = since + 8 * HOUR + number * JOIN_EVERY + (number * 17 % 60) * SECOND
        yield control(at, qmgr, "crtmqm", "cmdlevel=940", "platform=UNIX")
        yield control(at + SECOND, qmgr, "strmqm")
        yield mqsc(at + 20 * SECOND, qmgr, *cell.script(qmgr))


def _changes(
    cell: Cell, since: Instant, until: Instant, *, seed: int, first: bool
) -> Iterator[PlannedStep]:
    """Yield the steps in which administrators now and then alter an object."""
    draw = chance(seed, first, "changes")
    hosted = [(server, queue) for queue, hosts in cell.queues.items() for server in hosts]
    for day in range(since, until, DAY):
        for _ in range(how_many(draw, _CHANGES_A_DAY if weekday(day) < 5 else 0.02)):  # noqa: PLR2004
            server, queue = draw.choice(hosted)
            at = moment(draw, day, _CHANGE_HOURS)
            text = draw.choice(("DESCR('change {0:05d}')", "QDEPTHHI({1})", "MONQ({2})"))
            number = draw.randrange(100_000)
            value = text.format(number, 70 + number % 25, ("LOW", "MEDIUM", "HIGH")[number % 3])
            yield mqsc(at, server, f"ALTER QLOCAL({queue}) {value}")


def _outage_faults(
    broken: list[Outage], cell: Cell, since: Instant, until: Instant
) -> Iterator[PlantedFault]:
    metrics = ("channel_status_days", "outages")
    yield PlantedFault(
        "outage-shape",
        {"cluster": cell.cluster},
        since,
        until,
        metrics,
        "Links break mostly from 08 to 16 UTC, and at night from 01 to 03; seldom at weekends.",
    )
    for begin, end, one, other, stopped in broken:
        yield PlantedFault(
            "outage",
            {
                "cluster": cell.cluster,
                "qmgr": one,
                "channel": cell.channel(other),
                "partner": other,
            },
            begin,
            end,
            metrics,
            "Its link is cut" + (", and an operator stops the channel." if stopped else "."),
        )
