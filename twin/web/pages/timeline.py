"""The events of a branch as steps in time: when something happened, and of which kind it was."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from twin.events.catalogue import EVENTS
from twin.model.instants import Instant

LANES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "managers": "queue managers",
        "definitions": "definitions",
        "cluster": "cluster",
        "channels": "channels",
        "messages": "messages",
        "observed": "observed",
        "due": "will be due",
    }
)
"""The kinds of events, from top to bottom, and how a page names them."""

_FAMILIES: Final = {
    "queue_managers": "managers",
    "restoring": "managers",
    "objects": "definitions",
    "clusters": "cluster",
    "repository": "cluster",
    "subscriptions": "cluster",
    "channels": "channels",
    "messages": "messages",
    "observations": "observed",
    "assumptions": "observed",
}
"""The module of `twin.events` that defines a type -> its lane."""

_BY_TYPE: Final = {
    "LinkChanged": "channels",
    "QueueOpened": "messages",
    "ControlCommandEntered": "managers",
    "ErrorLogged": "channels",
}
_NO_STEPS: Final = frozenset({"TimePassed", "ImportBegun", "ImportEnded"})
"""Types after which nothing looks different."""

MOST_STOPS: Final = 240
"""How many stops a bar has at most; more steps share stops."""


def lane_of(column: str) -> str | None:
    """Return the lane of a type column; None if its events have no lane."""
    name = column.partition("@")[0]
    if name in _BY_TYPE:
        return _BY_TYPE[name]
    if name not in EVENTS:
        return None
    return _FAMILIES.get(EVENTS[name].__module__.rpartition(".")[2])


class TimeStep(NamedTuple):
    """An instant at which events happened, and how many of each lane did."""

    at: Instant
    lanes: Mapping[str, int]


class Timeline(NamedTuple):
    """The steps of a branch, in the order of time.

    Attributes:
        position: the last position of the log that was read.
        steps: the steps.
    """

    position: int
    steps: Sequence[TimeStep]

    @classmethod
    def of(cls, position: int, rows: Iterable[tuple[Instant, str]]) -> Self:
        """Return the steps of events, given as (instant, type column) in fold order."""
        return cls(position, _steps(rows))

    def followed_by(self, position: int, rows: Iterable[tuple[Instant, str]]) -> Timeline:
        """Return the steps with later events after them; none is earlier than the last step."""
        added, steps = _steps(rows), list(self.steps)
        if added and steps and added[0].at == steps[-1].at:
            both = Counter(steps[-1].lanes) + Counter(added[0].lanes)
            steps[-1], added = TimeStep(added[0].at, both), added[1:]
        return Timeline(position, [*steps, *added])

    def before(self, at: Instant) -> Instant | None:
        """Return the instant of the last step before an instant."""
        place = bisect_left(self.steps, at, key=lambda step: step.at)
        return self.steps[place - 1].at if place else None

    def after(self, at: Instant) -> Instant | None:
        """Return the instant of the first step after an instant."""
        place = bisect_right(self.steps, at, key=lambda step: step.at)
        return self.steps[place].at if place < len(self.steps) else None


def _steps(rows: Iterable[tuple[Instant, str]]) -> list[TimeStep]:
    steps = []
    for at, same in groupby(rows, key=lambda row: row[0]):
        columns = Counter(column for _, column in same if column not in _NO_STEPS)
        if columns:
            lanes: Counter[str] = Counter()
            for column, count in columns.items():
                if lane := lane_of(column):
                    lanes[lane] += count
            steps.append(TimeStep(at, lanes))
    return steps


def stops_of(steps: Sequence[TimeStep], most: int = MOST_STOPS) -> list[TimeStep]:
    """Join steps next to each other into at most `most` stops; each has its last instant."""
    if len(steps) <= most:
        return list(steps)
    stops = []
    for number in range(most):
        joined = steps[number * len(steps) // most : (number + 1) * len(steps) // most]
        lanes: Counter[str] = Counter()
        for step in joined:
            lanes.update(step.lanes)
        stops.append(TimeStep(joined[-1].at, lanes))
    return stops
