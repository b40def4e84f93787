"""Samples: long logs that look like years of real ones, made quickly from simulated patterns.

A sample is made of *cells*, each a cluster of its own. Two of them are simulated: one with all that
is planted, and an ordinary one, of which every further cell is a copy under names, instants, ids
and positions of its own. A queue manager makes about 28,000 events in a year, so that 12 of them
make a third of a million, and 120 in three years ten million.
"""

from __future__ import annotations

from twin.sampling.errors import BadSize, LogExists, NoSuchSample, TooShort
from twin.sampling.making import UNTIL, Progress, make
from twin.sampling.planted import Plant, Planted, planted_beside

__all__ = [
    "UNTIL",
    "BadSize",
    "LogExists",
    "NoSuchSample",
    "Plant",
    "Planted",
    "Progress",
    "TooShort",
    "make",
    "planted_beside",
]
