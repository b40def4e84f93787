"""Clocks return instants, and a virtual clock never goes back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from twin.app.clocks import system_clock
from twin.errors import TwinError
from twin.model.instants import DAY, instant_of
from twin_scheduler.clock import Clock, VirtualClock
from twin_scheduler.errors import ClockSetBack

START = instant_of(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("clock", [system_clock, VirtualClock(START)])
def test_every_clock_tells_an_instant_when_called(clock: Clock) -> None:
    """A clock returns the instant in integer microseconds when it is called."""
    assert isinstance(clock(), int)


def test_the_system_clock_tells_whole_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system clock cuts the machine's nanoseconds, so that it is never ahead of them."""
    monkeypatch.setattr("time.time_ns", lambda: START * 1000 + 7_999)
    assert system_clock() == START + 7


def test_a_virtual_clock_stands_still_until_it_is_set() -> None:
    """A virtual clock shows its start, and then the last instant it was set to."""
    clock = VirtualClock(START)
    assert (clock(), clock()) == (START, START)
    clock.set(START + 27 * DAY)
    assert clock() == START + 27 * DAY


def test_setting_a_virtual_clock_to_what_it_shows_is_allowed() -> None:
    """A virtual clock may be set again to the instant it shows."""
    clock = VirtualClock(START)
    clock.set(START)
    assert clock() == START


def test_a_virtual_clock_never_goes_back() -> None:
    """An earlier instant is refused with both times in the message, and the clock is unchanged."""
    clock = VirtualClock(START)
    with pytest.raises(ClockSetBack, match=r"2026-01-01T00:00:00Z.*2025-12-31T23:59:59.999999Z"):
        clock.set(START - 1)
    assert clock() == START
    assert issubclass(ClockSetBack, TwinError)
