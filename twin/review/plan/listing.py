"""The lines of a plan, and how they name several queue managers or queues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

NAMED: Final = 4
"""So many are named; more are counted."""


class PlanLine(NamedTuple):
    """A line of a section of a plan.

    Attributes:
        sign: `+` is added, `~` changes, `-` is removed, `!` needs attention; '' for none.
        text: what it says.
        depth: 0, or 1 and more for a line that belongs to the one before it.
    """

    sign: str
    text: str
    depth: int = 0

    def __str__(self) -> str:
        """Write it with its sign, indented by its depth."""
        return "    " * self.depth + " ".join(filter(None, (self.sign, self.text)))

    @property
    def parts(self) -> tuple[str, str]:
        """Its sign and its text; of a line that belongs to another one, '' and all that it says."""
        return ("", str(self).lstrip()) if self.depth else (self.sign, self.text)


def names(qmgrs: Iterable[str]) -> str:
    """Name queue managers; of many only some, and how many they are."""
    return listed(qmgrs, "queue managers")


def listed(given: Iterable[str], what: str) -> str:
    """Write names once each, sorted; of many only some, and how many of `what` they are."""
    distinct = sorted(set(given))
    if len(distinct) <= NAMED:
        return ", ".join(distinct)
    return f"{len(distinct)} {what} ({', '.join(distinct[: NAMED - 1])} ...)"
