"""What files say again: one event stands for many rows that earlier files had said, too."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from twin.events.base import Observation, event


@event
class SeenAgain(Observation):
    """A file said of a queue manager, row by row, what earlier files had said.

    It stands for one observation for each position in `again`: that of an earlier event that has
    the text, and is no reference itself. Whoever reads the log to fold it gets these observations
    instead, with the instant, the branch, the source and the file of this event. `again` has ranges
    of positions, both ends included. `lines` has the line of each row in the file, in the order of
    the positions; None if they are those of the earlier rows.
    """

    understood_since: ClassVar[str] = "0.2.0"

    again: tuple[tuple[int, int], ...]
    lines: tuple[int, ...] | None = field(default=None, repr=False)
