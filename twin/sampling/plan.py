"""The plan of a cell: all that happens in it but the traffic, and what of it was planted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant
from twin.sampling.cell import Cell
from twin.sampling.outages import Outage, outages, steps_of
from twin.sampling.planted import Plant
from twin.sampling.planting import Garden, maintain, plant
from twin.sampling.shape import chance, how_many, moment, weekday
from twin.sampling.steps import Step, control, mqsc

JOIN_EVERY: Final = 7 * MINUTE
"""How long after one another queue managers join."""

_CHANGES_A_DAY: Final = 0.15
_CHANGE_HOURS: Final = (*[0] * 8, 2, 4, 4, 3, 1, 3, 4, 4, 2, 1, *[0] * 6)


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in a cell, in the order of time.

    Attributes:
        cell: the cell.
        since: the midnight at which it begins.
        until: when it ends.
        steps: what happens.
        plants: what of it is to be found again.
        hushed: when nobody puts anything, from one instant to another.
    """

    cell: Cell
    since: Instant
    until: Instant
    steps: tuple[Step, ...]
    plants: tuple[Plant, ...]
    hushed: tuple[tuple[Instant, Instant], ...]

    @property
    def begin(self) -> Instant:
        """When all have joined, and applications begin."""
        return self.since + DAY


def planned(cell: Cell, since: Instant, until: Instant, *, seed: int, first: bool) -> Plan:
    """Plan a cell between two midnights; all but maintenance is planted in the `first` alone."""
    begin = since + DAY
    garden = Garden()
    if first:
        plant(garden, cell, begin, until, seed=seed)
    maintain(garden, cell, chance(seed, first, "maintenance"), begin, until)
    broken = list(outages(chance(seed, first, "outages"), cell, begin, until, garden.free))
    for outage in broken:
        garden.steps += steps_of(outage, cell)
    garden.steps += _joins(cell, since)
    garden.steps += _changes(cell, begin, until, seed=seed, first=first)
    plants = [*garden.plants, *_plants_of(broken, cell, begin, until)]
    return Plan(
        cell,
        since,
        until,
        tuple(sorted(garden.steps, key=lambda step: step.at)),
        tuple(plants),
        tuple(garden.hushed),
    )


def _joins(cell: Cell, since: Instant) -> Iterator[Step]:
    """Let all queue managers join, seven minutes apart, full repositories first."""
    for number, qmgr in enumerate(cell.names):
        at = since + 8 * HOUR + number * JOIN_EVERY + (number * 17 % 60) * SECOND
        yield control(at, qmgr, "crtmqm", "cmdlevel=940", "platform=UNIX")
        yield control(at + SECOND, qmgr, "strmqm")
        yield mqsc(at + 20 * SECOND, qmgr, *cell.script(qmgr))


def _changes(
    cell: Cell, since: Instant, until: Instant, *, seed: int, first: bool
) -> Iterator[Step]:
    """Let administrators alter something now and then."""
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


def _plants_of(broken: list[Outage], cell: Cell, since: Instant, until: Instant) -> Iterator[Plant]:
    metrics = ("channel_status_days", "outages")
    yield Plant(
        "outage-shape",
        {"cluster": cell.cluster},
        since,
        until,
        metrics,
        "Links break most from 08 to 16 UTC, at night from 01 to 03, and seldom at weekends.",
    )
    for begin, end, one, other, stopped in broken:
        yield Plant(
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
