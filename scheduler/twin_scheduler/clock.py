"""A virtual clock that a program sets; `twin.app.twin` has the machine's clock."""

from __future__ import annotations

from typing import Protocol

from twin.model.instants import Instant
from twin_scheduler.errors import ClockSetBack


class Clock(Protocol):
    """A callable that returns the present instant, in microseconds since 1970 UTC."""

    def __call__(self) -> Instant:
        """Return the present instant."""
        ...


class VirtualClock:
    """A clock that shows the instant it was last set to, and never goes back."""

    def __init__(self, start: Instant) -> None:
        self._shown = start

    def __call__(self) -> Instant:
        """Return the instant the clock was set to."""
        return self._shown

    def set(self, instant: Instant) -> None:
        """Move the clock to an instant at or after the one it shows.

        Raises:
            ClockSetBack: the instant is earlier; the clock is unchanged.
        """
        if instant < self._shown:
            raise ClockSetBack(shown=self._shown, wanted=instant)
        self._shown = instant
