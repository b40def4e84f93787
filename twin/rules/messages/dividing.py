"""How the messages of one act divide: which way so many go, and in which order.

How many of them there is room for is said by `twin.rules.messages.capacity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from twin.events import ExitSaid, Share
from twin.fold.estate import QueueManager
from twin.rules.draft import Draft
from twin.rules.messages import destinations, workload_exits
from twin.rules.messages.resolved import Resolved
from twin.rules.workload.choosing import Plan
from twin.rules.workload.exit_structures import REASON_PUT


class Division(NamedTuple):
    """How messages divide.

    Attributes:
        shares: gives the ways that the first so many go.
        order: gives the queue managers that the first so many are for, one by one.
        rest: gives how those divide that come behind the first so many, once these are laid.
        most: how many can be chosen for, None for any number.
        reason: the reason code of the message behind those.
        said: what a workload exit came to.
    """

    shares: Callable[[int], tuple[Share, ...]]
    order: Callable[[int], Sequence[str]]
    rest: Callable[[int], Division]
    most: int | None = None
    reason: int = 0
    said: ExitSaid | None = None

    def behind(self, count: int) -> Division:
        """Give how those divide that come behind the first so many, which are laid by now."""
        most = None if self.most is None else self.most - count
        return self.rest(count)._replace(most=most, reason=self.reason, said=self.said)

    def at_bases(self, qmgr: QueueManager) -> Division:
        """Let what goes by an alias of a local queue here lie on that queue."""

        def shares(count: int) -> tuple[Share, ...]:
            return tuple(
                share
                if share.channel
                else replace(share, lies_on=destinations.local_base(qmgr, share.lies_on))
                for share in self.shares(count)
            )

        return self._replace(shares=shares, rest=lambda count: self.rest(count).at_bases(qmgr))


def along(draft: Draft, share: Share) -> Division:
    """Let all messages go one way, where the first of them goes."""
    to = draft.estate.names[share.to] if share.to else share.named

    def shares(count: int) -> tuple[Share, ...]:
        return (replace(share, count=count),) if count else ()

    def rest(count: int) -> Division:
        return along(draft, destinations.uncounted(share, 1) if count else share)

    return Division(shares, lambda count: [to] * count, rest)


def by_plan(draft: Draft, qmgr: QueueManager, resolved: Resolved, plan: Plan) -> Division:
    """Choose for one message after the other by the rules."""
    workload = qmgr.messaging.workload

    def shares(count: int) -> tuple[Share, ...]:
        portions = destinations.take(qmgr, resolved, plan, count)
        return destinations.shares_of(draft, qmgr, resolved, portions)

    def order(count: int) -> Sequence[str]:
        return [route.qmgr for route in islice(plan.sequence(workload), count)]

    def rest(count: int) -> Division:
        del count  # what was laid is counted
        return by_plan(draft, qmgr, resolved, plan)

    return Division(shares, order, rest)


def by_exit(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, found: destinations.Candidates, count: int
) -> Division | None:
    """Choose for so many messages with a workload exit; None where none is loaded."""
    name, exit_ = workload_exits.exit_of(draft, qmgr)
    if exit_ is None:
        return None
    choices = workload_exits.choose(qmgr, name, exit_, found, count, exit_reason=REASON_PUT)
    return _chosen(draft, qmgr, resolved, found, choices)._replace(
        most=len(choices.routes), reason=choices.reason, said=choices.said
    )


def _chosen(
    draft: Draft,
    qmgr: QueueManager,
    resolved: Resolved,
    found: destinations.Candidates,
    choices: workload_exits.Choices,
) -> Division:
    def shares(some: int) -> tuple[Share, ...]:
        portions = workload_exits.portions(qmgr, found, choices, some)
        return destinations.shares_of(draft, qmgr, resolved, portions)

    def order(some: int) -> Sequence[str]:
        return [route.qmgr for route in choices.routes[:some]]

    def rest(some: int) -> Division:
        behind = choices._replace(routes=choices.routes[some:], counted=choices.counted[some:])
        return _chosen(draft, qmgr, resolved, found, behind)

    return Division(shares, order, rest)
