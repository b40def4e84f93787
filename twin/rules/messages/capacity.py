"""How many messages there is room for, where they are put one after the other.

Source: IBM MQ, "API reason codes", 2051 and 2053. Each message needs room for itself at the moment
at which it is put, also on a transmission queue that it leaves at once; those before it that left
have made theirs again. Messages that their receiver might give back are laid in portions that the
queue can hold, so that it never holds more than MAXDEPTH.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from twin.events import Parcel, Share
from twin.fold.estate import QueueManager
from twin.rules.channels import channel_status, get_inhibited, reaching
from twin.rules.draft import Draft
from twin.rules.messages import inbound
from twin.rules.queues.local_queues import Refusal, depth_left, local_queue, refusal

Shares: TypeAlias = Callable[[int], Sequence[Share]]
"""Gives the ways that the first so many messages go."""

Lying: TypeAlias = Callable[[Share], Parcel]
"""Gives messages as they lie on the queue of a share."""


def as_laid(parcel: Parcel, share: Share) -> Parcel:
    """Give messages as they lie on the queue of a share that they go by now."""
    return replace(parcel, queue=share.queue, to=share.to, channel=share.channel, named=share.named)


class Portion(NamedTuple):
    """The first of so many messages that are put one after the other.

    Attributes:
        laid: how many of them are laid now, before any of these leaves.
        fits: how many can be put before one of them finds no room.
        refusal: why that one finds none.
    """

    laid: int
    fits: int
    refusal: Refusal = Refusal()


class _Queue(NamedTuple):
    """A queue that messages are put on: how many it takes, and why no more."""

    name: str
    room: int
    refusal: Refusal


def portion(
    draft: Draft,
    qmgr: QueueManager,
    shares: Shares,
    count: int,
    lying: Lying,
    *,
    already: str = "",
) -> Portion:
    """Say how many of so many messages there is room for, and how many to lay first.

    So many that their queues hold what stays and what might come back. What goes on a queue on
    which these messages lie `already` needs no room.
    """
    ways = shares(count)
    short = [
        queue
        for queue in _queues(qmgr, ways, already)
        if sum(each.count for each in _on(queue, ways)) > queue.room
    ]
    if not short:
        return Portion(count, count)
    fits, why = min(_before_refusal(draft, qmgr, shares, count, queue) for queue in short)
    return Portion(_together(draft, qmgr, shares, fits, short, lying), fits, why)


def _before_refusal(
    draft: Draft, qmgr: QueueManager, shares: Shares, count: int, queue: _Queue
) -> tuple[int, Refusal]:
    """Say how many can be put before one is for a queue with no room left, and why that fails."""
    staying = {
        share.channel for share in _on(queue, shares(count)) if not _leaves(draft, qmgr, share)
    }

    def stay(some: int) -> int:
        return sum(each.count for each in _on(queue, shares(some)) if each.channel in staying)

    def lie(some: int) -> int:
        return sum(each.count for each in _on(queue, shares(some)))

    full = 0
    if queue.room:
        if stay(count) < queue.room:
            return count, Refusal()
        full = bisect_left(range(count), queue.room, key=stay)
    laid = lie(full)
    if lie(count) == laid:
        return count, Refusal()
    return bisect_left(range(count), laid + 1, lo=full, key=lie) - 1, queue.refusal


def _together(
    draft: Draft,
    qmgr: QueueManager,
    shares: Shares,
    count: int,
    short: Sequence[_Queue],
    lying: Lying,
) -> int:
    """Say how many of so many messages, which fit, can be laid before any of them leaves."""
    ways = shares(count)
    ends = Counter(share.to for share in ways)  # several channels may lead to one receiver
    sure = {
        (share.lies_on, share.channel): _sure(draft, qmgr, share, lying(share)) // ends[share.to]
        for queue in short
        for share in _on(queue, ways)
    }

    def at_stake(some: int, queue: _Queue) -> int:
        return sum(
            max(0, each.count - sure[each.lies_on, each.channel])
            for each in _on(queue, shares(some))
        )

    def holds(some: int) -> bool:
        return all(at_stake(some, queue) <= queue.room for queue in short)

    if holds(count):
        return count
    return max(1, bisect_left(range(count), x=True, key=lambda some: not holds(some)) - 1)


def _queues(qmgr: QueueManager, shares: Iterable[Share], already: str) -> list[_Queue]:
    """List the local queues that messages are put on by some shares."""
    names = dict.fromkeys(share.lies_on for share in shares if share.lies_on != already)
    found = (local_queue(qmgr, name) for name in names)
    return [
        _Queue(queue.name, depth_left(qmgr, queue), refusal(queue))
        for queue in found
        if queue is not None
    ]


def _on(queue: _Queue, shares: Iterable[Share]) -> Iterable[Share]:
    return (share for share in shares if share.lies_on == queue.name)


def _leaves(draft: Draft, qmgr: QueueManager, share: Share) -> bool:
    """Say whether what is put on a transmission queue leaves it at once."""
    channel, messaging = share.channel, qmgr.messaging
    if not channel or channel in messaging.held or channel in messaging.in_doubt:
        return False
    partner = _receiver(draft, qmgr, share)
    return (
        partner is not None
        and channel_status.is_usable(draft, qmgr, channel, partner)
        and not get_inhibited.inhibited_queue(qmgr, channel)
    )


def _receiver(draft: Draft, qmgr: QueueManager, share: Share) -> QueueManager | None:
    if share.to:
        return draft.estate.qmgrs.get(draft.estate.names[share.to])
    return reaching.partner_of(draft, qmgr, qmgr.definitions["CHANNEL", share.channel])


def _sure(draft: Draft, qmgr: QueueManager, share: Share, parcel: Parcel) -> int:
    """Say how many of the messages of a share surely leave their queue for good."""
    if not _leaves(draft, qmgr, share):
        return 0
    partner = _receiver(draft, qmgr, share)
    return 0 if partner is None else inbound.taken(draft, partner, qmgr, share.channel, parcel)
