"""A CLWLRANK that only one queue manager has."""

from __future__ import annotations

from typing import NamedTuple


class SoleRank(NamedTuple):
    """A rank that only one queue manager has, so that all messages for a queue go to it.

    Attributes:
        kind, name, type: the queue or the CLUSRCVR that has it.
        rank: its CLWLRANK.
        others: the highest rank of the others, to which it has to be lowered.
        queue: the queue that messages are for.
    """

    kind: str
    name: str
    type: str
    rank: int
    others: int
    queue: str
