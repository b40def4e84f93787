"""Triggers: when a job of APScheduler runs next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from apscheduler.triggers.base import BaseTrigger

from twin.model.instants import Instant, datetime_of, instant_of

NEVER: Final = datetime.max.replace(tzinfo=UTC)
"""The next run of a job that has nothing to do. Without a next run, APScheduler removes a job."""

AGAIN: Final = timedelta(seconds=10)
"""The time from a run that failed to its next attempt."""

_NEVER: Final = instant_of(NEVER)


@lru_cache(maxsize=256)
def moment_of(due: Instant | None) -> datetime:
    """Convert an instant for APScheduler; None, or an instant beyond the calendar, is `NEVER`."""
    return NEVER if due is None or due >= _NEVER else datetime_of(due)


class WhenDue(BaseTrigger):  # type: ignore[misc] # APScheduler has no types
    """Runs a job when something of one kind is due."""

    __slots__ = ("_due",)

    def __init__(self, due: Callable[[], Instant | None]) -> None:
        """Set the function that returns the due instant."""
        self._due = due

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return the due instant, or a later one if the job has run for that instant already.

        APScheduler asks before the job runs, in a loop that ends when the result is after `now`.
        So the result must be later than `previous_fire_time`.
        """
        due = moment_of(self._due())
        if previous_fire_time is None or due > previous_fire_time:
            return due
        return max(previous_fire_time, now) + AGAIN


class Every(BaseTrigger):  # type: ignore[misc] # (the same)
    """Runs a job at once, then one period after each run; missed runs are not made up."""

    __slots__ = ("_period",)

    def __init__(self, period: timedelta) -> None:
        """Set the period."""
        self._period = period

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return `now` the first time, then a period after the last run or `now`."""
        if previous_fire_time is None:
            return now
        return max(previous_fire_time, now) + self._period
