"""Decide which instant a command may have, and whether main may be written under this clock.

No command is earlier than a recorded command or timed event of its branch. On main, no command is
later than the wall clock, and nothing is recorded while the clock is in doubt, or before the latest
instant of main.
"""

from __future__ import annotations

from typing import Final

from twin.app.acting import CLOCK, COMMAND
from twin.app.clocks import Timekeeper, doubt, is_ahead, server_doubt
from twin.errors import SubjectError, TwinError
from twin.log import Head, Log
from twin.log.visibility import OWN
from twin.model.instants import MAIN, SECOND, Instant, format_instant

TRUSTED: Final = "trusted_recorded_at"
"""The name under which the log keeps the latest `recorded_at` after the clock that was accepted."""


class InThePast(TwinError, ValueError):
    """A command earlier than a recorded command or timed event of its branch."""

    def __init__(self, at: Instant, latest: Instant, branch: str) -> None:
        super().__init__(
            f"{format_instant(at)} lies before {format_instant(latest)}, the latest instant of "
            f"branch {branch}, and the past is fixed; try it on a branch: "
            f"twin branch create NAME --from {branch} --at {format_instant(at)}"
        )


class InTheFuture(TwinError, ValueError):
    """A command on main later than the wall clock."""

    def __init__(self, at: Instant, now: Instant) -> None:
        super().__init__(
            f"{format_instant(at)} lies after {format_instant(now)}, and main never runs ahead of "
            "the clock; try it on a branch (twin branch create NAME)"
        )


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
            raise InTheFuture(at, now)
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
            raise InThePast(at, max(conflicting), branch)
