"""The time bar under every view: events as ticks by kind, a handle for the instant, and steps.

The events of a branch as steps in time: when something happened, and of which kind it was.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import sqrt
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from twin.app.twin import Twin
from twin.events.catalogue import EVENTS
from twin.model.instants import AsOf, Instant, format_instant
from twin.web.pages.view import PageReading
from twin.web.service import Service

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


LANE: Final = 11
"""The height of a lane in pixels."""

_LABELS: Final = 7

_ROOM: Final = 17
"""The room of a label, in percent of the bar."""

_NARROW_ROOM: Final = 34
"""The same on a narrow bar, which shows fewer labels."""

_LAST: Final = 100
"""The end of the bar, in percent."""


class Tick(NamedTuple):
    """A mark in a lane; x and width in percent of the bar, y and height in pixels."""

    lane: str
    x: float
    y: float
    width: float
    height: float


class BarLabel(NamedTuple):
    """A date below the bar, at a percentage of its width; `wide` if only a wide bar has it."""

    x: float
    text: str
    anchor: str
    wide: bool


class TimeBar(NamedTuple):
    """What the bar shows.

    Attributes:
        stops: the instants that the handle can stand at, as text; '' is now.
        here: the stop of the page.
        against: the stop of the instant that is compared with; None if none is.
        ticks: the events.
        labels: dates along the bar.
        lanes: lane -> its name, from top to bottom.
        before: the instant of the step before, as text; None if there is none.
        after: the instant of the step after; '' is now, None if there is none.
        events: how many events there are.
    """

    stops: Sequence[str]
    here: int
    against: int | None
    ticks: Sequence[Tick]
    labels: Sequence[BarLabel]
    lanes: Mapping[str, str]
    before: str | None
    after: str | None
    events: int

    @property
    def stops_json(self) -> str:
        """The stops as JSON."""
        return json.dumps(self.stops)

    @property
    def height(self) -> int:
        """The height of all lanes, in pixels."""
        return LANE * len(self.lanes)


def time_bar(service: Service, reading: PageReading) -> TimeBar:
    """Return the bar of a page."""
    twin, at = reading.twin, reading.at
    timeline = _timeline(service, twin, at)
    now = twin.now() if reading.place.point.as_of else at.valid
    past = [step for step in timeline.steps if step.at <= now]
    due = [TimeStep(each, {"due": 1}) for each in _due(twin, at, now)]
    stops = [*stops_of(past), TimeStep(now, {}), *due]
    instants = [stop.at for stop in stops]
    is_now = reading.place.point.as_of is None
    here = len(stops) - len(due) - 1 if is_now else _place(instants, at.valid)
    reference = reading.reference()
    return TimeBar(
        stops=["" if stop.at == now else format_instant(stop.at) for stop in stops],
        here=here,
        against=_place(instants, reference) if isinstance(reference, int) else None,
        ticks=list(_ticks(stops)),
        labels=_labels(reading, instants),
        lanes={lane: name for lane, name in LANES.items() if _used(lane, stops)},
        before=_text(timeline.before(at.valid)),
        after=_after(timeline, due, at.valid, now),
        events=sum(sum(step.lanes.values()) for step in past),
    )


def _due(twin: Twin, at: AsOf, now: Instant) -> list[Instant]:
    """Return when something will be due, unless the page leaves out what was learnt lately."""
    if at.position < twin.log.head(at.branch).position:
        return []
    return sorted({due for due in twin.agenda().values() if due > now})


def _place(instants: Sequence[Instant], at: Instant) -> int:
    """Return the last stop that is not after an instant; the first if all are."""
    return max(bisect_right(instants, at) - 1, 0)


def _after(timeline: Timeline, due: Sequence[TimeStep], at: Instant, now: Instant) -> str | None:
    """Return the next step after an instant; between the last one and what is due, it is now."""
    following = timeline.after(at)
    if following is not None and following <= now:
        return format_instant(following)
    if at < now:
        return ""
    place = bisect_left(due, at + 1, key=lambda step: step.at)
    return format_instant(due[place].at) if place < len(due) else None


def _text(at: Instant | None) -> str | None:
    return None if at is None else format_instant(at)


def _used(lane: str, stops: Sequence[TimeStep]) -> bool:
    return any(lane in stop.lanes for stop in stops)


def _ticks(stops: Sequence[TimeStep]) -> Iterator[Tick]:
    lanes = [lane for lane in LANES if _used(lane, stops)]
    width = max(0.25, min(1.2, 70 / len(stops)))
    most = {lane: max(stop.lanes.get(lane, 0) for stop in stops) for lane in lanes}
    for number, stop in enumerate(stops):
        x = _x(number, len(stops))
        for row, lane in enumerate(lanes):
            if count := stop.lanes.get(lane, 0):
                height = 2 + (LANE - 3) * sqrt(count / most[lane])
                yield Tick(lane, x - width / 2, (row + 1) * LANE - height, width, height)


def _x(number: int, count: int) -> float:
    return 100 * number / max(count - 1, 1)


def _labels(reading: PageReading, instants: Sequence[Instant]) -> list[BarLabel]:
    """Label a few stops with their day; one without room beside the last one is left out."""
    labels: list[BarLabel] = []
    narrow = 0.0
    count = min(_LABELS, len(instants))
    zone = reading.place.zone
    for each in range(count):
        number = each * (len(instants) - 1) // max(count - 1, 1)
        text, x = zone.day(instants[number]), _x(number, len(instants))
        if labels and (labels[-1].text == text or x - labels[-1].x < _ROOM):
            continue
        anchor = "start" if each == 0 else "end" if x > _LAST - _ROOM / 2 else "middle"
        wide = bool(labels) and x - narrow < _NARROW_ROOM
        narrow = narrow if wide else x
        labels.append(BarLabel(x, text, anchor, wide))
    return labels


def _timeline(service: Service, twin: Twin, at: AsOf) -> Timeline:
    """Return the timeline of a branch up to a position; only what was added is read."""
    computed = service.computed
    branch = twin.log.branch(at.branch).id

    def read() -> Timeline:
        return _read(twin, at, computed.newest("timeline", branch))

    return computed.get("timeline", (branch, at.position), read)


def _read(twin: Twin, at: AsOf, before: Timeline | None) -> Timeline:
    """Read a timeline; go on from one that was read before if nothing late was recorded since."""
    if before is not None and before.steps and before.position <= at.position:
        added = twin.log.rows_after(
            before.position,
            instant=before.steps[-1].at,
            branch=at.branch,
            upto=at.position,
        )
        if added is not None:
            return before.followed_by(at.position, ((row[0], row[2]) for row in added))
    rows = twin.log.rows(branch=at.branch, known=at.position)
    return Timeline.of(at.position, ((row[0], row[2]) for row in rows))
