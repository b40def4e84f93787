"""Whether a reason for REFRESH CLUSTER holds, and what was seen."""

from __future__ import annotations

from typing import NamedTuple


class Judgement(NamedTuple):
    """Whether a reason holds.

    Attributes:
        found: whether the fault is there.
        seen: what was looked at, in a sentence without its full stop.
        instead: what mends it without a refresh; '' if nothing is wrong, or only a refresh does.
        unknown: whether it cannot be seen.
        evidence: the positions of the events that say so.
    """

    found: bool
    seen: str
    instead: str = ""
    unknown: bool = False
    evidence: tuple[int, ...] = ()

    @property
    def needs_refresh(self) -> bool:
        """Whether REFRESH CLUSTER is what mends it."""
        return self.found and not self.instead
