"""Which instant a command has: the past is fixed, and main never runs ahead of the clock."""

from __future__ import annotations

from collections.abc import Callable

from twin.app.batch import CLOCK, COMMAND
from twin.errors import TwinError
from twin.log import Head, Log
from twin.model.instants import Instant, format_instant


class InThePast(TwinError, ValueError):
    """A command dated before the latest one of its branch, or before what fell due since."""

    def __init__(self, at: Instant, latest: Instant, branch: str) -> None:
        super().__init__(
            f"{format_instant(at)} lies before {format_instant(latest)}, the latest instant of "
            f"branch {branch}: the past is fixed; try it on a branch: "
            f"twin branch create NAME --from {branch} --at {format_instant(at)}"
        )


class InTheFuture(TwinError, ValueError):
    """A command on main dated after the wall clock."""

    def __init__(self, at: Instant, now: Instant) -> None:
        super().__init__(
            f"{format_instant(at)} lies after {format_instant(now)}, and main never runs ahead of "
            "the clock: try it on a branch (twin branch create NAME)"
        )


class Dates:
    """Dates what is asked on the branches of a log."""

    def __init__(self, log: Log, clock: Callable[[], Instant]) -> None:
        """Date by what this log holds, and by a clock on main."""
        self._log = log
        self._clock = clock

    def present(self, branch: str) -> Instant:
        """Return the latest instant of a branch: of its events, or of its fork; else now."""
        latest = self._log.head(branch).occurred_at
        forked = self._log.branch(branch).fork_occurred_at
        return max(latest or 0, forked) or self._clock()

    def instant(self, head: Head, branch: str, at: Instant | None) -> Instant:
        """Return the instant of a command at a head; of None it is now, or the latest there is.

        Raises:
            InThePast, InTheFuture: for one that commands may not have.
        """
        latest = head.occurred_at
        if at is None:
            default = self._clock() if branch == "main" else self.present(branch)
            return default if latest is None else max(default, latest)
        if branch == "main" and at > (now := self._clock()):
            raise InTheFuture(at, now)
        if latest is not None and at < latest:
            self._demand_present(head, branch, at)
        return at

    def _demand_present(self, head: Head, branch: str, at: Instant) -> None:
        """Hold a command to the latest one, and to what fell due since.

        What was only observed does not hold it back; events at no primary fact's instant are those
        that time made.
        """
        later = self._log.primary_after(at, branch=branch, known=head.position)
        asked = [stored.occurred_at for stored in later if stored.source in (COMMAND, CLOCK)]
        instants = {stored.occurred_at for stored in later}
        rows = self._log.rows(branch=branch, known=head.position, since_valid=at)
        asked += [row[0] for row in rows if row[0] not in instants]
        if asked:
            raise InThePast(at, max(asked), branch)
