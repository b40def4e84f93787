"""How the lines of a plan name several queue managers or queues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

NAMED: Final = 4
"""So many are named; more are counted."""


def names(qmgrs: Iterable[str]) -> str:
    """Name queue managers; of many only some, and how many they are."""
    return listed(qmgrs, "queue managers")


def listed(given: Iterable[str], what: str) -> str:
    """Write names once each, sorted; of many only some, and how many of `what` they are."""
    distinct = sorted(set(given))
    if len(distinct) <= NAMED:
        return ", ".join(distinct)
    return f"{len(distinct)} {what} ({', '.join(distinct[: NAMED - 1])} ...)"
