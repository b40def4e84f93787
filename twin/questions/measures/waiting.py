"""Measures of waiting messages: how many wait for each channel, and whether a pass may move them.

Repository commands are not counted, and neither are messages that belong to no channel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.estate import Estate
from twin.questions.sender_channels import messaging_of
from twin.questions.transmission import pieces


class WaitingCount(NamedTuple):
    """How many messages wait at a queue manager for a channel that a pass may move, or may not."""

    qmgr: str
    channel: str
    eligible: bool
    number: int


def waiting_counts(estate: Estate) -> Iterator[WaitingCount]:
    """Count the messages on transmission queues; a channel for which none waits is passed over."""
    for name in sorted(estate.qmgrs_with_waiting_messages):
        qmgr = estate.qmgrs[name]
        for channel in messaging_of(qmgr).channels():
            counts: Counter[bool] = Counter()
            for piece in pieces(qmgr, channel):
                counts[piece.eligible] += piece.parcel.count
            for eligible in (True, False):
                yield WaitingCount(name, channel, eligible, counts[eligible])
