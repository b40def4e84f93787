"""Samples: long logs that look like years of real ones, made quickly from two simulated clusters.

A sample consists of *cells*; each cell is one cluster. Two cells are simulated: the first contains
all planted faults, the second is ordinary. Every other cell is a copy of the second, with its own
names, instants, ids and positions. A queue manager makes about 28,000 events in a year: 12 queue
managers make a third of a million in a year, and 120 of them make ten million in three years.
"""

from __future__ import annotations

from twin.sampling.errors import BadSize, LogExists, NoSuchSample, TooShort
from twin.sampling.making import UNTIL, Progress, make
from twin.sampling.planted import Planted, PlantedFault, planted_beside

__all__ = [
    "UNTIL",
    "BadSize",
    "LogExists",
    "NoSuchSample",
    "Planted",
    "PlantedFault",
    "Progress",
    "TooShort",
    "make",
    "planted_beside",
]
