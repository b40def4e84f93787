"""What came of letting time pass."""

from __future__ import annotations

from typing import NamedTuple

from twin.model.instants import Instant


class Ticked(NamedTuple):
    """How many events were recorded, which instant was reached, and if that is all there was."""

    events: int
    reached: Instant
    finished: bool
