"""Decide which instant a command may have.

No command is earlier than a recorded command or timed event of its branch. On main, no command is
later than the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable

from twin.app.facts import CLOCK, COMMAND
from twin.errors import TwinError
from twin.log import Head, Log
from twin.model.asof import MAIN
from twin.model.instants import Instant, format_instant


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


class ClockPolicy:
    """The rules for the instant of a command on a branch."""

    def __init__(self, log: Log, clock: Callable[[], Instant]) -> None:
        """Use the events of this log, and this wall clock for main."""
        self._log = log
        self.clock = clock

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
        """
        latest = head.occurred_at
        if at is None:
            default = self.clock() if branch == MAIN else self.present(branch)
            return default if latest is None else max(default, latest)
        if branch == MAIN and at > (now := self.clock()):
            raise InTheFuture(at, now)
        if latest is not None and at < latest:
            self._check_not_past(head, branch, at)
        return at

    def _check_not_past(self, head: Head, branch: str, at: Instant) -> None:
        """Refuse an instant before a recorded command or timed event of the branch.

        Observations do not count. Events at an instant without a primary fact were caused by time.
        """
        later = self._log.primary_after(at, branch=branch, known=head.position)
        conflicting = [stored.occurred_at for stored in later if stored.source in (COMMAND, CLOCK)]
        instants = {stored.occurred_at for stored in later}
        rows = self._log.rows(branch=branch, known=head.position, since_valid=at)
        conflicting += [row[0] for row in rows if row[0] not in instants]
        if conflicting:
            raise InThePast(at, max(conflicting), branch)
