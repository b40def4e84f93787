"""The distribution of traffic and outages over days and weeks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from twin.model.instants import DAY, HOUR, SECOND, Instant, datetime_of

TRAFFIC: Final = (
    *(2, 1, 1, 1, 1, 2, 5, 12, 22, 28, 30, 28),
    *(22, 26, 30, 29, 26, 20, 13, 9, 7, 6, 4, 3),
)
"""The relative traffic in each hour of a working day (UTC)."""

BREAKS: Final = (
    *(2, 6, 6, 2, 1, 1, 2, 5, 9, 11, 10, 8),
    *(6, 8, 10, 9, 7, 5, 3, 2, 2, 2, 2, 2),
)
"""The relative frequency of outages in each hour of a day (UTC): working hours, nightly batch."""

WEEK_OF_TRAFFIC: Final = (1.0, 1.05, 1.05, 1.0, 0.95, 0.35, 0.25)
"""The relative traffic on each day of a week, from Monday."""

WEEK_OF_BREAKS: Final = (1.5, 1.3, 1.2, 1.2, 1.1, 0.4, 0.3)
"""The relative frequency of outages on each day of a week, from Monday."""


def chance(*parts: object) -> random.Random:
    """Return a random generator that depends on these parts only, the same in each process."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - no secrets here


def weekday(day: Instant) -> int:
    """Return the day of the week, 0 for Monday."""
    return datetime_of(day).weekday()


def moment(draw: random.Random, day: Instant, hours: Sequence[int]) -> Instant:
    """Draw an instant of a day: a whole second, but not the first second of a minute."""
    (hour,) = draw.choices(range(24), hours)
    return (
        day // DAY * DAY
        + hour * HOUR
        + (draw.randrange(60) * 60 + draw.randrange(1, 60)) * (SECOND)
    )


def how_many(draw: random.Random, mean: float) -> int:
    """Draw a whole number with this mean."""
    whole = int(mean)
    return whole + (draw.random() < mean - whole)
