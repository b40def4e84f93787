"""The window of time that is asked for."""

from __future__ import annotations

from typing import NamedTuple

from twin.history.errors import BadWindow
from twin.model.instants import Instant, format_instant


class Window(NamedTuple):
    """From an instant up to, and without, another; microseconds since 1970 UTC.

    What began before it and goes on in it counts for its part; what still lasts at the end of the
    record lasts until the window's end.
    """

    since: Instant
    until: Instant

    @classmethod
    def of(cls, since: Instant, until: Instant) -> Window:
        """Make a window.

        Raises:
            BadWindow: where it ends before it begins, or as it begins.
        """
        if until <= since:
            raise BadWindow(format_instant(since), format_instant(until))
        return cls(since, until)
