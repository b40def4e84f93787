"""`AsOf`: the instant that a question is about, the knowledge that it may use, and the branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from twin.model.instants import Instant, format_instant

MAIN: Final = "main"
"""The branch with the real history; every other branch is a what-if."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """The point that an answer is computed for.

    Attributes:
        valid: the instant that the question is about; events at this instant are included.
        known: only facts recorded by this instant count.
        branch: the branch that is read.
        position: the last position of the log that was recorded by `known`.
    """

    valid: Instant
    known: Instant
    branch: str = MAIN
    position: int = 0

    def __str__(self) -> str:
        """Write `valid`, `known` and `branch` as answers print them."""
        return (
            f"as of {format_instant(self.valid)} "
            f"known at {format_instant(self.known)} branch {self.branch}"
        )
