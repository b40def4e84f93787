"""How the messages of one act divide: which way so many go, in which order, and how many fit.

Source for what fits: IBM MQ, "API reason codes", 2053 (a queue has MAXDEPTH messages). Messages
that leave their transmission queue at once do not fill it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from twin.events import ExitSaid, Share
from twin.fold.estate import QueueManager
from twin.model.objects import number_of
from twin.rules import channels, destinations, exiting
from twin.rules.destinations import Candidates
from twin.rules.draft import Draft
from twin.rules.resolved import Resolved
from twin.rules.workload.choosing import Plan
from twin.rules.workload.exit_structures import REASON_PUT


class Division(NamedTuple):
    """How messages divide.

    Attributes:
        shares: gives the ways that the first so many go.
        order: gives the queue managers that the first so many are for, one by one.
        most: how many can be chosen for, None for any number.
        reason: the reason code of the message behind those.
        said: what a workload exit came to.
    """

    shares: Callable[[int], tuple[Share, ...]]
    order: Callable[[int], Sequence[str]]
    most: int | None = None
    reason: int = 0
    said: ExitSaid | None = None


def along(draft: Draft, share: Share) -> Division:
    """Let all messages go one way, where the first of them goes."""
    to = draft.estate.names[share.to] if share.to else share.named

    def shares(count: int) -> tuple[Share, ...]:
        return (replace(share, count=count),) if count else ()

    return Division(shares, lambda count: [to] * count)


def by_plan(draft: Draft, qmgr: QueueManager, resolved: Resolved, plan: Plan) -> Division:
    """Choose for one message after the other by the rules."""
    workload = qmgr.messaging.workload

    def shares(count: int) -> tuple[Share, ...]:
        portions = destinations.take(qmgr, resolved, plan, count)
        return destinations.shares_of(draft, qmgr, resolved, portions)

    def order(count: int) -> Sequence[str]:
        return [route.qmgr for route in islice(plan.sequence(workload), count)]

    return Division(shares, order)


def by_exit(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, found: Candidates, count: int
) -> Division | None:
    """Choose for so many messages with a workload exit; None where none is loaded."""
    name, exit_ = exiting.exit_of(draft, qmgr)
    if exit_ is None:
        return None
    choices = exiting.choose(qmgr, name, exit_, found, count, exit_reason=REASON_PUT)

    def shares(some: int) -> tuple[Share, ...]:
        portions = exiting.portions(qmgr, found, choices, some)
        return destinations.shares_of(draft, qmgr, resolved, portions)

    def order(some: int) -> Sequence[str]:
        return [route.qmgr for route in choices.routes[:some]]

    return Division(shares, order, len(choices.routes), choices.reason, choices.said)


def fitting(draft: Draft, qmgr: QueueManager, division: Division, count: int) -> int:
    """Say how many of so many messages can be put before one of them finds its queue full."""
    rooms = _rooms(draft, qmgr, division.shares(count))
    if not rooms:
        return count

    def fits(some: int) -> bool:
        lying: Counter[str] = Counter()
        for share in division.shares(some):
            if (share.lies_on, share.channel) in rooms:
                lying[share.lies_on] += share.count
        return all(lying[queue] <= room for (queue, _), room in rooms.items())

    if fits(count):
        return count
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _rooms(draft: Draft, qmgr: QueueManager, shares: Sequence[Share]) -> dict[tuple[str, str], int]:
    """Say how many more fit on each queue that messages would have to stay on."""
    rooms: dict[tuple[str, str], int] = {}
    for share in shares:
        queue = qmgr.definitions.get(("QUEUE", share.lies_on))
        if queue is None or queue.type != "QLOCAL" or _leaves(draft, qmgr, share):
            continue
        room = number_of(queue, "MAXDEPTH") - qmgr.messaging.depth(share.lies_on)
        rooms[share.lies_on, share.channel] = max(0, room)
    return rooms


def _leaves(draft: Draft, qmgr: QueueManager, share: Share) -> bool:
    """Say whether what is put on a transmission queue leaves it at once."""
    channel, messaging = share.channel, qmgr.messaging
    if not channel or channel in messaging.held or channel in messaging.in_doubt:
        return False
    if share.to:
        partner = draft.estate.qmgrs.get(draft.estate.names[share.to])
    else:
        partner = channels.partner_of(draft, qmgr, qmgr.definitions["CHANNEL", channel])
    return partner is not None and channels.usable(draft, qmgr, channel, partner)
