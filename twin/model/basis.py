"""The basis of what is said about an estate: observed, derived by the rules, or assumed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Basis(StrEnum):
    """What a statement rests on, from the strongest to the weakest."""

    OBSERVED = "observed"
    """A feed said so."""
    DERIVED = "derived"
    """The rules of MQ say so, from commands or from what was observed."""
    ASSUMED = "assumed"
    """It is what would usually be; nothing says so."""

    @property
    def rank(self) -> int:
        """How weak it is: 0 is the strongest."""
        return _RANKS[self]


_RANKS = {basis: rank for rank, basis in enumerate(Basis)}


def strongest(bases: Iterable[Basis]) -> Basis:
    """Return the strongest of several; without any, the rules say so."""
    return min(bases, key=lambda each: each.rank, default=Basis.DERIVED)


def weakest(bases: Iterable[Basis]) -> Basis:
    """Return the weakest of several; without any, the rules say so."""
    return max(bases, key=lambda each: each.rank, default=Basis.DERIVED)
