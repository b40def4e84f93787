"""Triggers: when a job of APScheduler wakes; neither of the two ever stands still."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from apscheduler.triggers.base import BaseTrigger

from twin.model.instants import Instant, datetime_of, instant_of

NEVER: Final = datetime.max.replace(tzinfo=UTC)
"""When what waits for nothing wakes: APScheduler drops a job that has no next time at all."""

AGAIN: Final = timedelta(seconds=10)
"""How much later a job wakes once more where nothing came of it the first time."""

_NEVER: Final = instant_of(NEVER)


@lru_cache(maxsize=256)
def moment_of(due: Instant | None) -> datetime:
    """Return a due instant as APScheduler wants it; None, and what no calendar has, is never."""
    return NEVER if due is None or due >= _NEVER else datetime_of(due)


class WhenDue(BaseTrigger):  # type: ignore[misc] # APScheduler has no types
    """Wakes when something of one kind falls due, as the agenda of the twin has it."""

    __slots__ = ("_due",)

    def __init__(self, due: Callable[[], Instant | None]) -> None:
        """Ask this for the instant."""
        self._due = due

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return the due instant, or later where the job has been woken for that one already.

        APScheduler asks for the next time before the job has run, in a loop until the answer lies
        after the present: an answer that did not move would never let it go.
        """
        due = moment_of(self._due())
        if previous_fire_time is None or due > previous_fire_time:
            return due
        return max(previous_fire_time, now) + AGAIN


class Every(BaseTrigger):  # type: ignore[misc] # (the same)
    """Wakes now, and so long after each time it looked; what was slept through is not made up."""

    __slots__ = ("_period",)

    def __init__(self, period: timedelta) -> None:
        """Wake once in this period."""
        self._period = period

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return the present at first, and a period after it from then on."""
        if previous_fire_time is None:
            return now
        return max(previous_fire_time, now) + self._period
