"""What waits on transmission queues, in the order in which it leaves, and what may go elsewhere.

Sources: IBM's article on re-allocation, "Messages not eligible for re-allocation": those bound at
the open or in a managed group, those for a named queue manager, and the queue manager's own stay
with their destination. "Cluster-administration considerations": a batch in doubt waits for the
queue manager it was sent to.
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
    """Messages of one put that wait alike: where, and why they stay; '' where they may move.

    `stranded` are those on a queue that their channel does not get from any more: they wait until
    it has that queue again, and no pass looks at them.
    """

    queue: str
    parcel: Parcel
    why: str
    stranded: bool = False

    @property
    def eligible(self) -> bool:
        """Whether a reallocation pass chooses for them again."""
        return bool(self.parcel.to) and not self.why and not self.stranded


def pieces(qmgr: QueueManager, channel: str) -> Iterator[Piece]:
    """Go through what waits for a channel, first things first, what is to be told apart divided.

    In doubt are the first so many; at risk the first so many of the other ones that are not
    persistent.
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
    """Name the transmission queues that a channel gets from; a sender has its own."""
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
