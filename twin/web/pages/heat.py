"""Channels by week: a row of cells for each of the worst channels, drawn from their outages.

The layout is pure: the same outages give the same picture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from twin.model.instants import DAY, SECOND, Instant

_MOST_ROWS: Final = 10
_MOST_CELLS: Final = 52
_LABELS: Final = 7
_LABEL: Final = 80
"""The width of a date."""

CELL: Final = 13
"""The width of a cell with its gap, in the units of the picture."""

ROW: Final = 20
"""The height of a row."""

NAMES: Final = 190
"""The width of the names before the cells."""


class HeatCell(NamedTuple):
    """A part of the time of one channel.

    Attributes:
        x: where it begins.
        at: the instant at which it begins.
        state: `up`, `planned`, `retrying` or `stopped`.
        letter: what stands in it besides the colour; '' for a channel that was up.
        seconds: how long the channel was not available.
    """

    x: float
    at: Instant
    state: str
    letter: str
    seconds: float


class HeatRow(NamedTuple):
    """A channel, or all others together."""

    name: str
    y: float
    cells: Sequence[HeatCell]


class HeatMap(NamedTuple):
    """Channels over time.

    Attributes:
        rows: the worst channels first, then all others.
        width, height: its size.
        labels: (x, instant) of the dates below it.
        length: how long a cell is, in microseconds.
    """

    rows: Sequence[HeatRow]
    width: float
    height: float
    labels: Sequence[tuple[float, Instant]]
    length: Instant


_LETTERS: Final = {"planned": "P", "retrying": "T", "stopped": "S"}
_RANK: Final = ("up", "planned", "retrying", "stopped")


def draw(
    outages: Sequence[Mapping[str, Any]], since: Instant | None, until: Instant | None
) -> HeatMap | None:
    """Draw the outages within a window; None if there is nothing to draw."""
    if since is None or until is None or until <= since or not outages:
        return None
    length = max(-(-(until - since) // _MOST_CELLS), DAY)
    count = -(-(until - since) // length)
    grouped = _by_channel(outages)
    worst = sorted(grouped, key=lambda name: (-_unplanned(grouped[name]), name))
    shown, others = worst[:_MOST_ROWS], worst[_MOST_ROWS:]
    named = [(name, grouped[name]) for name in shown]
    if others:
        named.append((f"{len(others)} others", [each for name in others for each in grouped[name]]))
    rows = [
        HeatRow(name, number * ROW, list(_cells(rows_, since, length, count)))
        for number, (name, rows_) in enumerate(named)
    ]
    step = max(count // _LABELS, 1)
    last = max(count - _LABEL // CELL, 1)
    labels = [(NAMES + n * CELL, since + n * length) for n in range(0, last, step)]
    return HeatMap(rows, NAMES + count * CELL, len(rows) * ROW + 18, labels, length)


def _by_channel(
    outages: Iterable[Mapping[str, Any]],
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    grouped: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each in outages:
        if each["began"] is not None:
            grouped[f"{each['qmgr']} {each['channel']}"].append(each)
    return grouped


def _unplanned(outages: Iterable[Mapping[str, Any]]) -> float:
    return float(sum(each["seconds"] for each in outages if not each["planned"]))


def _cells(
    outages: Iterable[Mapping[str, Any]], since: Instant, length: Instant, count: int
) -> Iterator[HeatCell]:
    states, seconds = ["up"] * count, [0.0] * count
    for each in outages:
        began = max(each["began"] - since, 0)
        ended = (each["ended"] or since + count * length) - since
        for number in range(began // length, min(max(ended - 1, began) // length + 1, count)):
            states[number] = max(states[number], _state(each), key=_RANK.index)
            within = min(ended, (number + 1) * length) - max(began, number * length)
            seconds[number] += max(within, 0) / SECOND
    for number in range(count):
        state = states[number]
        at = since + number * length
        yield HeatCell(NAMES + number * CELL, at, state, _LETTERS.get(state, ""), seconds[number])


def _state(outage: Mapping[str, Any]) -> str:
    if outage["planned"]:
        return "planned"
    return "stopped" if outage["cause"] == "stopped" else "retrying"
