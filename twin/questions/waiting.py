"""Messages on transmission queues, in the order in which they leave, and which may be rerouted.

Sources: IBM's article on re-allocation, "Messages not eligible for re-allocation": those bound at
open or in a managed group, those for a named queue manager, and repository commands keep their
destination. "Cluster-administration considerations": a batch in doubt waits for the queue manager
that it was sent to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from twin.events import Parcel
from twin.fold.estate import QueueManager
from twin.fold.messaging import Messaging
from twin.questions.sender_channels import messaging_of
from twin.rules.queues import transmission_queues

IN_DOUBT = "in-doubt"
AT_RISK = "at-risk"
SYSTEM = "system"


class Piece(NamedTuple):
    """Messages of one put that wait on one queue, and why they stay; '' if they may move.

    `stranded` messages are on a queue that their channel no longer uses: they wait until it uses
    that queue again, and reallocation ignores them.
    """

    queue: str
    parcel: Parcel
    why: str
    stranded: bool = False

    @property
    def eligible(self) -> bool:
        """Whether a reallocation pass may move them."""
        return bool(self.parcel.to) and not self.why and not self.stranded


def pieces(qmgr: QueueManager, channel: str) -> Iterator[Piece]:
    """Go through the messages for a channel in the order they leave, divided by why they stay.

    The first messages are those in doubt. Of the rest, the first non-persistent ones are at risk.
    """
    messaging = messaging_of(qmgr)
    doubtful = messaging.in_doubt.get(channel, 0)
    risky = messaging.at_risk.get(channel, 0)
    queues = _queues(qmgr, channel)
    for queue, parcel in _lying(messaging, channel, queues):
        first = min(doubtful, parcel.count)
        second = 0 if parcel.persistent else min(risky, parcel.count - first)
        doubtful, risky = doubtful - first, risky - second
        for count, why in (
            (first, IN_DOUBT),
            (second, AT_RISK),
            (parcel.count - first - second, parcel.fixed),
        ):
            if count:
                part = parcel if count == parcel.count else replace(parcel, count=count)
                yield Piece(queue, part, why)
    others = [queue for queue in sorted(messaging.waiting) if queue not in queues]
    for queue, parcel in _lying(messaging, channel, others):
        yield Piece(queue, parcel, parcel.fixed, stranded=True)


def _queues(qmgr: QueueManager, channel: str) -> tuple[str, ...]:
    """Return the transmission queues that a channel uses; a sender channel names its own."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        return transmission_queues.queues(qmgr, channel)
    return (str(definition.values.get("XMITQ", "")),)


def _lying(
    messaging: Messaging, channel: str, queues: Iterable[str]
) -> Iterator[tuple[str, Parcel]]:
    for queue in queues:
        for parcel in messaging.waiting.get(queue, {}).get(channel, ()):
            yield queue, parcel
