"""AsOf: which instant is asked about, with what was known when, on which branch."""

from __future__ import annotations

from dataclasses import dataclass

from twin.model.instants import Instant, format_instant


@dataclass(frozen=True, slots=True)
class AsOf:
    """The point an answer is computed at.

    Attributes:
        valid: the instant asked about; what happened at that very instant is included.
        known: what had been recorded by this instant counts, later facts do not.
        branch: the branch that is read.
        position: the last log position that counts, which is `known` as the log numbers it.
    """

    valid: Instant
    known: Instant
    branch: str = "main"
    position: int = 0

    def __str__(self) -> str:
        """Write the three parts as an answer prints them."""
        return (
            f"as of {format_instant(self.valid)} "
            f"known at {format_instant(self.known)} branch {self.branch}"
        )
