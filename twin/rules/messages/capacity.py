"""How many messages fit on their queues, and how many of them are put before any leaves.

Each message needs space when it is put, even on a transmission queue that it leaves at once. The
messages before it that have left need no space any more. Messages that their receiver might return
are put in parts, each as large as the queue can hold, so that the queue never holds more than
MAXDEPTH.

Source: IBM MQ, "API reason codes", 2051 and 2053.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from twin.events import Parcel, Share
from twin.fold.estate import QueueManager
from twin.rules.channels import (
    channel_status,
    command_queue,
    starting,
    switching,
)
from twin.rules.draft import Draft
from twin.rules.messages.arrival import Arrival
from twin.rules.path import partners
from twin.rules.queues import left_clusters
from twin.rules.queues.local_queues import Refusal, depth_left, local_queue, refusal
from twin.rules.repository import answers

Shares: TypeAlias = Callable[[int], Sequence[Share]]
"""A function that returns the shares of the first n messages."""

PlacedParcel: TypeAlias = Callable[[Share], Parcel]
"""A function that returns the messages of a share as they will be on its queue."""


class Fit(NamedTuple):
    """How many of some messages fit on their queues.

    Attributes:
        first: how many can be put before any of them leaves.
        total: how many can be put before one of them does not fit.
        refusal: why that one does not fit.
    """

    first: int
    total: int
    refusal: Refusal = Refusal()


class _Queue(NamedTuple):
    """A local queue: how many more messages fit, and why the next one would fail."""

    name: str
    space: int
    refusal: Refusal


def fit(
    draft: Draft,
    qmgr: QueueManager,
    shares: Shares,
    count: int,
    placed_parcel: PlacedParcel,
    *,
    already: str = "",
) -> Fit:
    """Return how many of `count` messages fit, and how many of them to put first.

    The first part is small enough that the queues can hold the messages that stay and those that
    might come back. The queue on which the messages are `already` needs no space for them.
    """
    all_shares = shares(count)
    short = [
        queue
        for queue in _queues(qmgr, all_shares, already)
        if sum(share.count for share in _on(queue, all_shares)) > queue.space
    ]
    if not short:
        return Fit(count, count)
    total, why = min(_before_refusal(draft, qmgr, shares, count, queue) for queue in short)
    return Fit(_first_part(draft, qmgr, shares, total, short, placed_parcel), total, why)


def _before_refusal(
    draft: Draft, qmgr: QueueManager, shares: Shares, count: int, queue: _Queue
) -> tuple[int, Refusal]:
    """Return how many can be put before one does not fit on a queue, and why that one fails."""
    staying = {
        share.channel for share in _on(queue, shares(count)) if not _leaves(draft, qmgr, share)
    }

    def stay(some: int) -> int:
        return sum(share.count for share in _on(queue, shares(some)) if share.channel in staying)

    def put(some: int) -> int:
        return sum(share.count for share in _on(queue, shares(some)))

    full = 0
    if queue.space:
        if stay(count) < queue.space:
            return count, Refusal()
        full = bisect_left(range(count), queue.space, key=stay)
    before = put(full)
    if put(count) == before:
        return count, Refusal()
    return bisect_left(range(count), before + 1, lo=full, key=put) - 1, queue.refusal


def _first_part(
    draft: Draft,
    qmgr: QueueManager,
    shares: Shares,
    count: int,
    short: Sequence[_Queue],
    placed_parcel: PlacedParcel,
) -> int:
    """Return how many of `count` messages can be put first; all of them fit if put in parts."""
    all_shares = shares(count)
    receivers = Counter(share.to for share in all_shares)  # several channels may share a receiver
    sure = {
        (share.lies_on, share.channel): _surely_leaving(draft, qmgr, share, placed_parcel)
        // receivers[share.to]
        for queue in short
        for share in _on(queue, all_shares)
    }

    def at_stake(some: int, queue: _Queue) -> int:
        return sum(
            max(0, share.count - sure[share.lies_on, share.channel])
            for share in _on(queue, shares(some))
        )

    def holds(some: int) -> bool:
        return all(at_stake(some, queue) <= queue.space for queue in short)

    if holds(count):
        return count
    return max(1, bisect_left(range(count), x=True, key=lambda some: not holds(some)) - 1)


def _queues(qmgr: QueueManager, shares: Iterable[Share], already: str) -> list[_Queue]:
    """Return the local queues that some shares are put on."""
    names = dict.fromkeys(share.lies_on for share in shares if share.lies_on != already)
    queues = (local_queue(qmgr, name) for name in names)
    return [
        _Queue(queue.name, depth_left(qmgr, queue), refusal(qmgr, queue))
        for queue in queues
        if queue is not None
    ]


def _on(queue: _Queue, shares: Iterable[Share]) -> Iterable[Share]:
    return (share for share in shares if share.lies_on == queue.name)


def _leaves(draft: Draft, qmgr: QueueManager, share: Share) -> bool:
    """Return whether messages that are put on a transmission queue leave it at once."""
    channel, messaging = share.channel, qmgr.messaging
    if not channel or channel in messaging.held or channel in messaging.in_doubt:
        return False
    if channel in messaging.switching:  # they are put on the old queue
        return False
    receiver = _receiver(draft, qmgr, share)
    starts = bool(share.to) and channel_status.current_state(qmgr, channel, draft.at) is None
    return (
        receiver is not None
        and not (starts and switching.keeps_back(draft, qmgr, channel, share.count))
        and channel_status.is_usable(draft, qmgr, channel, receiver)
        and not command_queue.is_held_up(qmgr, channel)
        and not starting.inhibited_queue(qmgr, channel)
        and not left_clusters.left_cluster(qmgr, channel)
        and not answers.holds_up(draft.estate, receiver, qmgr.name, channel)
    )


def _receiver(draft: Draft, qmgr: QueueManager, share: Share) -> QueueManager | None:
    if share.to:
        return draft.estate.qmgrs.get(draft.estate.names[share.to])
    return partners.partner_of(draft.estate, qmgr, qmgr.definitions["CHANNEL", share.channel])


def _surely_leaving(
    draft: Draft, qmgr: QueueManager, share: Share, placed_parcel: PlacedParcel
) -> int:
    """Return how many messages of a share will surely leave their queue and not come back."""
    receiver = _receiver(draft, qmgr, share) if _leaves(draft, qmgr, share) else None
    if receiver is None:
        return 0
    arrival, parcel = Arrival(draft, receiver, qmgr, share.channel), placed_parcel(share)
    return 0 if arrival.may_wait_for(parcel) else arrival.space_for(parcel)
