"""Errors of the clocks."""

from __future__ import annotations

from twin.errors import TwinError
from twin.model.instants import Instant, format_instant


class ClockSetBack(TwinError, ValueError):
    """A virtual clock cannot be set to an instant before the one it shows."""

    def __init__(self, *, shown: Instant, wanted: Instant) -> None:
        super().__init__(
            f"the clock shows {format_instant(shown)} and cannot go back to "
            f"{format_instant(wanted)}: create a branch that forks at that instant"
        )
