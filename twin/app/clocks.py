"""The clock that dates what is recorded, and what speaks against believing it.

`ClockPolicy` decides which instant a command may have, and whether main may be written under this
clock. No command is earlier than a recorded command or timed event of its branch. On main, no
command is later than the wall clock, and nothing is recorded while the clock is in doubt, or before
the latest instant of main.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from twin.app.acting import CLOCK, COMMAND
from twin.errors import SubjectError, TwinError
from twin.log import Head, Log
from twin.log.visibility import OWN
from twin.model.instants import (
    DAY,
    HOUR,
    MAIN,
    MINUTE,
    SECOND,
    Instant,
    format_instant,
    is_instant,
)

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
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1000


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


TRUSTED: Final = "trusted_recorded_at"
"""The name under which the log keeps the latest `recorded_at` after the clock that was accepted."""


class InThePast(
    TwinError,
    ValueError,
    message="{0} lies before {1}, the latest instant of "
    "branch {2}, and the past is fixed; try it on a branch: "
    "twin branch create NAME --from {2} --at {0}",
):
    """A command earlier than a recorded command or timed event of its branch."""


class InTheFuture(
    TwinError,
    ValueError,
    message="{} lies after {}, and main never runs ahead of "
    "the clock; try it on a branch (twin branch create NAME)",
):
    """A command on main later than the wall clock."""


class AheadOfClock(TwinError, ValueError):
    """The latest instant of main lies after the clock: one of them is wrong.

    Attributes:
        latest: the latest instant of main.
    """

    def __init__(self, latest: Instant, now: Instant) -> None:
        self.latest = latest
        after = (now // SECOND + 1) * SECOND
        super().__init__(
            f"main has reached {format_instant(latest)}, but the clock shows {format_instant(now)}:"
            " main cannot be changed, and answers about now leave out what lies later; if the clock"
            f" is right, retract what lies later: twin retract --since {format_instant(after)}"
        )


class ClockInDoubt(
    SubjectError,
    ValueError,
    message="{}: nothing was recorded on main; if the clock is right, say --trust-clock",
):
    """A clock that may be wrong: what is dated by it could not be taken for right later."""


class ClockPolicy:
    """The rules for the instant of a command on a branch."""

    def __init__(self, log: Log, clock: Timekeeper) -> None:
        """Use the events of this log, and this wall clock for main."""
        self._log = log
        self.clock = clock
        self._ahead: AheadOfClock | None = None

    def check(self, branch: str, at: Instant) -> None:
        """Check that a command may have this instant.

        Raises:
            InThePast, InTheFuture: if it must not have it.
        """
        self.instant(self._log.head(branch), branch, at)

    def present(self, branch: str) -> Instant:
        """Return the latest instant of a branch: its latest event, or its fork; else now."""
        latest = self._log.head(branch).occurred_at
        forked = self._log.branch(branch).fork_occurred_at
        return max(latest or 0, forked) or self.clock()

    def instant(self, head: Head, branch: str, at: Instant | None) -> Instant:
        """Return the instant of a command after a head.

        If `at` is None, that is now, or the instant of the head if it is later.

        Raises:
            InThePast, InTheFuture: if a command must not have this instant.
            AheadOfClock, ClockInDoubt: if main must not be written under this clock.
        """
        self.demand_sound(head, branch)
        latest = head.occurred_at
        if at is None:
            default = self.clock() if branch == MAIN else self.present(branch)
            return default if latest is None else max(default, latest)
        if branch == MAIN and at > (now := self.clock()):
            raise InTheFuture(format_instant(at), format_instant(now))
        if latest is not None and at < latest:
            self._check_not_past(head, branch, at)
        return at

    def ahead(self, head: Head, branch: str) -> AheadOfClock | None:
        """Return the error that the latest instant of main lies after the clock; None if not."""
        latest = head.occurred_at
        if branch != MAIN or latest is None or not is_ahead(latest, now := self.clock.judge()):
            return None
        if self._ahead is None or self._ahead.latest != latest:  # say it in the same words again
            self._ahead = AheadOfClock(latest, now)
        return self._ahead

    def problem(self, head: Head, branch: str) -> str:
        """Return why answers about now on main may be wrong; '' if nothing speaks for that."""
        if error := self.ahead(head, branch):
            return str(error)
        return "" if branch != MAIN else server_doubt(self.clock.read())

    def demand_sound(self, head: Head, branch: str) -> None:
        """Check that main may be written under this clock; any other branch may always.

        Raises:
            AheadOfClock: if the latest instant of main lies after the clock.
            ClockInDoubt: if something else speaks against the clock, and nobody trusts it.
        """
        if error := self.ahead(head, branch):
            raise error
        if branch != MAIN:
            return
        if self.clock.trusted:
            self.trust(head)
        elif reason := doubt(head.recorded_at, self.clock.read(), trusted=self._trusted(head)):
            raise ClockInDoubt(reason)

    def trust(self, head: Head) -> None:
        """Accept what main recorded so far, though the clock may be before it.

        `recorded_at` never decreases. After a wrong clock it stays ahead for years, and to be
        asked once is enough.
        """
        recorded = head.recorded_at
        if is_ahead(recorded, self.clock()) and recorded != self._trusted(head):
            self._log.set_info(TRUSTED, str(recorded))

    def _trusted(self, head: Head) -> Instant | None:
        """Return the latest recording ahead of the clock that was accepted; None if none was."""
        if not is_ahead(head.recorded_at, self.clock()):
            return None  # nobody asks for it
        noted = self._log.info(TRUSTED)
        return int(noted) if noted else None

    def _check_not_past(self, head: Head, branch: str, at: Instant) -> None:
        """Refuse an instant before a recorded command or timed event of the branch.

        Observations do not count. Events at an instant without a primary fact were caused by time.
        """
        later = self._log.primary_after(at, branch=branch, known=head.position)
        conflicting = [stored.occurred_at for stored in later if stored.source in (COMMAND, CLOCK)]
        instants = {stored.occurred_at for stored in later}
        rows = self._log.rows(branch=branch, known=head.position, since_valid=at)
        conflicting += [row[0] for row in rows if row[0] not in instants and row[2] not in OWN]
        if conflicting:
            raise InThePast(format_instant(at), format_instant(max(conflicting)), branch)
