"""The clock that dates what is recorded, and what speaks against believing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from twin.errors import SubjectError
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant, format_instant, is_instant

TOLERANCE: Final = MINUTE
"""How far clocks may be apart: a clock is set right by seconds all the time."""

SILENCE: Final = 400 * DAY
"""How far the clock may be past the last record of main: a log is used at least once a year."""


class ClockOutOfRange(
    SubjectError, ValueError, message="this machine's clock is out of range: it shows {}"
):
    """A clock that shows no instant: outside the years 1900 to 9999."""


class ClockReading(NamedTuple):
    """What the clocks of a process show.

    Attributes:
        wall: the present instant.
        begun: the instant that the wall clock showed when the process began.
        elapsed: the microseconds since then by the monotonic clock; None if there is none.
        server: what the clock of the database server shows; None if the log is a file.
    """

    wall: Instant
    begun: Instant
    elapsed: int | None = None
    server: Instant | None = None


def doubt(
    recorded: Instant | None, reading: ClockReading, *, trusted: Instant | None = None
) -> str:
    """Return what speaks against the clock, as a clause; '' if nothing does.

    Args:
        recorded: when main was last recorded, by its `recorded_at`; None if it is empty.
        reading: what the clocks show.
        trusted: the latest `recorded` that somebody accepted although the clock was before it.
    """
    wall, begun, elapsed, _ = reading
    if other := server_doubt(reading):
        return other
    jump = 0 if elapsed is None else wall - begun - elapsed
    if abs(jump) > TOLERANCE:
        way = "ahead" if jump > 0 else "back"
        return f"the clock was set {way} by {_period(abs(jump))} while this command ran"
    if recorded is None:
        return ""
    last = f"{format_instant(recorded)}, when main was last recorded"
    if recorded > wall + TOLERANCE and recorded > (trusted or recorded - 1):
        return f"the clock shows {format_instant(wall)}, which lies before {last}"
    if begun - recorded > SILENCE:
        return f"the clock shows {format_instant(wall)}, {_period(wall - recorded)} after {last}"
    return ""


def server_doubt(reading: ClockReading) -> str:
    """Return how this machine's clock differs from that of the database server; '' if it agrees."""
    wall, server = reading.wall, reading.server
    if server is None or abs(wall - server) <= TOLERANCE:
        return ""
    other = f"that of the database server {format_instant(server)}"
    return f"this machine's clock shows {format_instant(wall)}, but {other}"


def is_ahead(latest: Instant | None, wall: Instant) -> bool:
    """Return whether the latest instant of main lies after the clock."""
    return latest is not None and latest > wall + TOLERANCE


def _period(length: int) -> str:
    """Write a length of time in its largest unit: 3 days, 2 hours, 5 minutes."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if length >= 2 * unit:
            return f"{length // unit:,} {name}s"
    return f"{length // SECOND} seconds"


def system_clock() -> Instant:
    """Return the instant of the wall clock."""
    return time.time_ns() // 1000


def monotonic_clock() -> int:
    """Return microseconds that only grow; they do not count while the machine is suspended."""
    return time.monotonic_ns() // 1000


def boot_clock() -> int:
    """Return microseconds that only grow, also while the machine is suspended, where it can."""
    boot = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(boot) // 1000


class Timekeeper:
    """A wall clock that was compared with monotonic clocks since it was made.

    A monotonic clock may stop while the machine is suspended. So there may be several; the wall
    clock was set only if it differs from all of them.

    Attributes:
        trusted: whether the wall clock is believed, whatever speaks against it.
    """

    def __init__(
        self,
        wall: Callable[[], Instant],
        monotonic: Sequence[Callable[[], int]] = (),
        *,
        server: Callable[[], Instant] | None = None,
        trusted: bool = False,
    ) -> None:
        """Begin to compare; `server` is the clock of the database server, which is the judge."""
        self.trusted = trusted
        self._wall = wall
        self._monotonic = monotonic
        self._server = None if trusted else server
        self._begun = self()
        self._marks = [clock() for clock in monotonic]

    def __call__(self) -> Instant:
        """Return the instant of the wall clock.

        Raises:
            ClockOutOfRange: if it shows no instant.
        """
        now = self._wall()
        if not is_instant(now):
            raise ClockOutOfRange(now)
        return now

    def read(self) -> ClockReading:
        """Return what the clocks show."""
        wall = self()
        gone = wall - self._begun
        passed = [clock() - mark for clock, mark in zip(self._monotonic, self._marks, strict=True)]
        elapsed = min(passed, key=lambda each: abs(gone - each), default=None)
        return ClockReading(wall, self._begun, elapsed, self._server() if self._server else None)

    def judge(self) -> Instant:
        """Return now by the clock that judges whether main is ahead."""
        return self._server() if self._server else self()
