"""The window of time that is analysed."""

from __future__ import annotations

from typing import NamedTuple

from twin.history.errors import BadWindow
from twin.model.instants import Instant, format_instant


class Window(NamedTuple):
    """A span of time from one instant to another (not included), in microseconds since 1970 UTC.

    If something began before the window, only its part inside the window counts. If it has not
    ended when the log ends, it lasts until the end of the window. From `forked` on, the branch
    simulates all queue managers, also those that were observed; None on main.
    """

    since: Instant
    until: Instant
    forked: Instant | None = None

    @classmethod
    def of(cls, since: Instant, until: Instant, *, forked: Instant | None = None) -> Window:
        """Make a window.

        Raises:
            BadWindow: if it does not end after it begins.
        """
        if until <= since:
            raise BadWindow(format_instant(since), format_instant(until))
        return cls(since, until, forked)
