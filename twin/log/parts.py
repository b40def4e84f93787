"""The parts of a log that a branch sees: of its own events, and of those of each ancestor."""

from __future__ import annotations

from typing import Final, NamedTuple

ALWAYS: Final = 2**63 - 1
"""An upper bound that excludes nothing: greater than every instant and every position."""

LONG_AGO: Final = -(2**63)
"""A lower bound that excludes nothing: earlier than every instant."""


class VisiblePart(NamedTuple):
    """The part of one branch's own events that a branch sees; both bounds are inclusive."""

    branch: int
    position: int
    occurred_at: int

    def within(self, *, position: int, occurred_at: int) -> VisiblePart:
        """Return the part that is also within these bounds, which are inclusive."""
        return VisiblePart(
            self.branch, min(self.position, position), min(self.occurred_at, occurred_at)
        )

    def includes(self, position: int, occurred_at: int) -> bool:
        """Return whether the part includes an event of its branch."""
        return position <= self.position and occurred_at <= self.occurred_at

    def values(self) -> dict[str, int]:
        """Return the bounds as parameters for statements."""
        return {"branch": self.branch, "position": self.position, "occurred": self.occurred_at}
