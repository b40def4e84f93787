"""Outages: links that break, mostly in working hours, and are restored after minutes or hours."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from twin.model.instants import DAY, MINUTE, SECOND, Instant
from twin.sampling.cell import Cell
from twin.sampling.shape import BREAKS, WEEK_OF_BREAKS, how_many, moment, weekday
from twin.sampling.steps import PlannedStep, link, mqsc

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
"""Tells whether a queue manager is not reserved between two instants."""


def outages(
    draw: random.Random, cell: Cell, since: Instant, until: Instant, free: Free
) -> Iterator[Outage]:
    """Draw outages that overlap neither each other on one link nor anything planned."""
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
