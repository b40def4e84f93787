"""The axis of time: the place of an instant, and the dates that are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.model.instants import DAY, Instant, datetime_of, format_instant

_DAYS: Final = (1, 2, 5, 7, 14)
"""The intervals, in days, at which days of the month may be written."""

_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
"""The intervals, in months, at which months may be written."""

_ROOM_OF_DAY: Final = 22.0
_ROOM_OF_MONTH: Final = 58.0
_LEAST_BETWEEN_TICKS: Final = 2.5
_LAST_START_IN_MONTH: Final = 28
_MONTHS_A_YEAR: Final = 12


class Scale(NamedTuple):
    """A span of time on a line of pixels."""

    start: Instant
    end: Instant
    left: float
    width: float

    def x(self, at: Instant) -> float:
        """Return the place of an instant in pixels; outside the span it is the nearest end."""
        return self.left + self.width * (self.clip(at) - self.start) / (self.end - self.start)

    def clip(self, at: Instant) -> Instant:
        """Return the instant of the span that is nearest to an instant."""
        return min(max(at, self.start), self.end)

    def covers(self, at: Instant) -> bool:
        """Return whether an instant is in the span."""
        return self.start <= at <= self.end

    @property
    def day(self) -> float:
        """The width of a day in pixels."""
        return self.width * DAY / (self.end - self.start)

    @property
    def has_day_ticks(self) -> bool:
        """Whether days are wide enough for a tick each."""
        return self.day >= _LEAST_BETWEEN_TICKS


class AxisLabel(NamedTuple):
    """A midnight (UTC) and the text written at it."""

    at: Instant
    label: str


def whole_days(start: Instant, end: Instant) -> tuple[Instant, Instant]:
    """Widen a span to midnights (UTC), with at least half a day added at each end."""
    return (start - DAY // 2) // DAY * DAY, -((-end - DAY // 2) // DAY * DAY)


def midnights(scale: Scale) -> Iterator[Instant]:
    """Go through the midnights of a span."""
    return iter(range(-(-scale.start // DAY) * DAY, scale.end + 1, DAY))


def months(scale: Scale) -> list[AxisLabel]:
    """Label the first day of as many months as there is room for."""
    firsts = [at for at in midnights(scale) if datetime_of(at).day == 1]
    fitting = (step for step in _MONTHS if step * 30 * scale.day >= _ROOM_OF_MONTH)
    step = next(fitting, _MONTHS[-1])
    return [AxisLabel(at, format_instant(at)[:7]) for at in firsts if _month(at) % step == 0]


def days(scale: Scale) -> list[AxisLabel]:
    """Label as many days of the month as there is room for; none in a long span."""
    fitting = (step for step in _DAYS if step * scale.day >= _ROOM_OF_DAY)
    step = next(fitting, None)
    if step is None:
        return []
    return [
        AxisLabel(at, str(day))
        for at in midnights(scale)
        for day in (datetime_of(at).day,)
        if (day - 1) % step == 0 and day <= _last(step)
    ]


def _last(step: int) -> int:
    """Return the last day of a month that is labelled, well before the next month."""
    return 31 if step == 1 else _LAST_START_IN_MONTH - step // 2


def _month(at: Instant) -> int:
    moment = datetime_of(at)
    return moment.year * _MONTHS_A_YEAR + moment.month - 1
