"""The shape of days and weeks: when applications are busy, and when things break."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from twin.model.instants import DAY, HOUR, SECOND, Instant, datetime_of

TRAFFIC: Final = (
    *(2, 1, 1, 1, 1, 2, 5, 12, 22, 28, 30, 28),
    *(22, 26, 30, 29, 26, 20, 13, 9, 7, 6, 4, 3),
)
"""How busy applications are in each hour of a working day (UTC)."""

BREAKS: Final = (
    *(2, 6, 6, 2, 1, 1, 2, 5, 9, 11, 10, 8),
    *(6, 8, 10, 9, 7, 5, 3, 2, 2, 2, 2, 2),
)
"""How often links break in each hour of a day: as people work, and in the batch of the night."""

WEEK_OF_TRAFFIC: Final = (1.0, 1.05, 1.05, 1.0, 0.95, 0.35, 0.25)
"""How much applications put on each day of a week, from Monday."""

WEEK_OF_BREAKS: Final = (1.5, 1.3, 1.2, 1.2, 1.1, 0.4, 0.3)
"""How often links break on each day of a week, from Monday."""


def chance(*parts: object) -> random.Random:
    """Return randomness that depends on these parts alone, in every process."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - no secrets here


def weekday(day: Instant) -> int:
    """Return the day of the week, 0 for Monday."""
    return datetime_of(day).weekday()


def moment(draw: random.Random, day: Instant, hours: Sequence[int]) -> Instant:
    """Draw an instant of a day: a whole second, never one that begins a minute."""
    (hour,) = draw.choices(range(24), hours)
    return (
        day // DAY * DAY
        + hour * HOUR
        + (draw.randrange(60) * 60 + draw.randrange(1, 60)) * (SECOND)
    )


def how_many(draw: random.Random, mean: float) -> int:
    """Draw a whole number of this mean."""
    whole = int(mean)
    return whole + (draw.random() < mean - whole)
