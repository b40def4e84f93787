"""How the messages of a put divide: all to one destination, or among routes by workload choice.

`twin.rules.messages.capacity` finds how many of the messages fit on their queues.

Sources: IBM MQ 9.2, "MQOPEN option for cluster queue"; "API reason codes"; "When does re-allocation
occur?" for messages that are bound.

Source: IBM MQ, "API reason codes", 2051 and 2053.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from twin.events import ExitSaid, PutEntered, Share
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.rules.draft import Draft
from twin.rules.messages import destinations, workload_exits
from twin.rules.messages.destinations import Candidates, Resolver
from twin.rules.messages.opening import Opened, PutTarget
from twin.rules.path.resolved import NAMED, Resolved
from twin.rules.queues import local_queues, transmission_queues
from twin.rules.queues.local_queues import Refusal
from twin.rules.workload.choosing import RoutePlan
from twin.rules.workload.exits import REASON_PUT
from twin.rules.workload.routes import Route

ON_OPEN: Final = "bind-on-open"
ON_GROUP: Final = "bind-on-group"


class PutPlan(NamedTuple):
    """How the messages of a put find their destinations: by a bound share, or by a choice.

    Attributes:
        resolved: the resolved queue name.
        bind: how the messages are bound; '' without a cluster.
        fixed: why they may not be rerouted later; '' if they may.
        bound: the share with the one destination of all messages; None if routes are chosen.
        routes: the routes to choose from; None if nothing is chosen.
        candidates: the candidates of the choice, for a workload exit.
    """

    resolved: Resolved
    bind: str = ""
    fixed: str = ""
    bound: Share | None = None
    routes: RoutePlan | None = None
    candidates: Candidates | None = None

    @property
    def profile(self) -> str:
        """The order of the rules of the choice; '' if nothing is chosen."""
        return self.routes.context.profile if self.routes is not None else ""


def of_opened(entered: PutEntered, opened: Opened) -> PutPlan:
    """Return the plan of a put on a queue that was opened for it."""
    resolved = opened.resolved
    if opened.bound is not None:
        return PutPlan(resolved, opened.bind, resolved.fixed or ON_OPEN, opened.bound, opened.plan)
    managed = opened.bind == "group" and entered.logical_order
    fixed = resolved.fixed or (ON_GROUP if managed else "")
    return PutPlan(resolved, opened.bind, fixed, None, opened.plan, opened.candidates)


def of_bound(target: PutTarget, bound: Share) -> PutPlan:
    """Return the plan of a put on a handle with a destination: that of its MQOPEN or its group.

    The choice was made then. An MQOPEN did not count it if a queue manager was named.
    """
    if target.in_group:
        return PutPlan(target.resolved, target.bind, ON_GROUP, bound)
    named = bool(bound.channel) and bound.after is None
    fixed = NAMED if named else ON_OPEN
    return PutPlan(target.resolved, target.bind, fixed, destinations.uncounted(bound, 1))


def refusal(qmgr: QueueManager, plan: PutPlan) -> Refusal:
    """Return why no message at all can be put; reason 0 if messages can be put."""
    resolved, bound = plan.resolved, plan.bound
    if resolved.via == "model":
        return Refusal(reasons.QUEUE_TYPE_ERROR, resolved.queue)
    if resolved.inhibited:
        return Refusal(reasons.PUT_INHIBITED, resolved.inhibited)
    return _refusal_of_bound(qmgr, bound) if bound is not None else Refusal()


def _refusal_of_bound(qmgr: QueueManager, bound: Share) -> Refusal:
    """Return why nothing can be put on a bound handle; reason 0 if messages can be put.

    PUT of the destination is checked only if it is a local queue; PUT of the transmission queue is
    checked elsewhere. If the repository no longer has a record of the queue manager, the handle
    cannot be used (IBM PH34265, reason code 2041).
    """
    if bound.channel:
        channels = qmgr.repository.routes.get((bound.cluster, bound.to), {})
        return Refusal() if bound.channel in channels else Refusal(reasons.OBJECT_CHANGED)
    local = qmgr.definitions.get(("QUEUE", bound.lies_on))
    if local is None:
        return Refusal(reasons.QUEUE_DELETED, bound.lies_on)
    return Refusal(reasons.PUT_INHIBITED, local.name) if local.is_put_inhibited else Refusal()


class Division(NamedTuple):
    """How messages divide among destinations.

    Attributes:
        shares: returns the shares of the first n messages.
        order: returns the queue managers of the first n messages, one by one.
        rest: returns the division of the messages after the first n, when those have been put.
        most: for how many messages a choice succeeds; None for any number.
        reason: the reason code of the message after those.
        exit_said: the answer of a workload exit.
    """

    shares: Callable[[int], tuple[Share, ...]]
    order: Callable[[int], Sequence[str]]
    rest: Callable[[int], Division]
    most: int | None = None
    reason: int = 0
    exit_said: ExitSaid | None = None

    def after(self, count: int) -> Division:
        """Return the division of the messages after the first `count`, when those have been put."""
        most = None if self.most is None else self.most - count
        return self.rest(count)._replace(most=most, reason=self.reason, exit_said=self.exit_said)

    def at_bases(self, qmgr: QueueManager) -> Division:
        """Return the division with each alias of a local queue here replaced by that queue."""

        def shares(count: int) -> tuple[Share, ...]:
            return tuple(
                share
                if share.channel
                else replace(share, lies_on=destinations.local_base(qmgr, share.lies_on))
                for share in self.shares(count)
            )

        return self._replace(shares=shares, rest=lambda count: self.rest(count).at_bases(qmgr))


def division(
    draft: Draft, qmgr: QueueManager, plan: PutPlan, count: int, *, exitless: bool = False
) -> Division:
    """Return how `count` messages divide according to a plan; `exitless` means without the exit."""
    resolved, routes = plan.resolved, plan.routes
    if plan.bound is not None:
        return to_one_destination(draft, destinations.on_current_queue(draft, qmgr, plan.bound))
    if routes is None:
        return to_one_destination(draft, destinations.unclustered(qmgr, resolved, 1))
    chosen: Division | None = None
    asks = not (exitless or resolved.fixed)
    if plan.candidates is not None and asks:
        chosen = _by_exit(draft, qmgr, resolved, plan.candidates, 1 if plan.fixed else count)
    if chosen is None:
        name, _ = workload_exits.exit_of(draft, qmgr)
        chosen = by_routes(draft, qmgr, resolved, routes)._replace(
            most=0 if routes.reason else None,
            reason=routes.reason,
            exit_said=workload_exits.not_loaded(name) if name and asks else None,
        )
    if plan.fixed and chosen.most != 0:  # a group, or a named queue manager: a single choice
        (share,) = chosen.shares(1)
        return to_one_destination(draft, share)._replace(exit_said=chosen.exit_said)
    return chosen


def to_one_destination(draft: Draft, share: Share) -> Division:
    """Return the division of messages that all go to the destination of one share."""
    to = draft.estate.names[share.to] if share.to else share.named

    def shares(count: int) -> tuple[Share, ...]:
        return (replace(share, count=count),) if count else ()

    def rest(count: int) -> Division:
        return to_one_destination(draft, destinations.uncounted(share, 1) if count else share)

    return Division(shares, lambda count: [to] * count, rest)


def by_routes(draft: Draft, qmgr: QueueManager, resolved: Resolved, routes: RoutePlan) -> Division:
    """Return the division of messages for which the rules choose one by one."""
    workload = qmgr.messaging.workload

    def shares(count: int) -> tuple[Share, ...]:
        portions = destinations.choose_routes(qmgr, resolved, routes, count)
        return destinations.shares_of(draft, qmgr, resolved, portions)

    def order(count: int) -> Sequence[str]:
        return [route.qmgr for route in routes.order(workload, count)]

    def rest(count: int) -> Division:
        del count  # the counters include the messages that were put
        return by_routes(draft, qmgr, resolved, routes)

    return Division(shares, order, rest)


def _by_exit(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, candidates: Candidates, count: int
) -> Division | None:
    """Return the division of `count` messages by a workload exit; None if no exit is loaded."""
    name, exit_ = workload_exits.exit_of(draft, qmgr)
    if exit_ is None:
        return None
    choices = workload_exits.choose(qmgr, name, exit_, candidates, count, exit_reason=REASON_PUT)
    return by_choices(draft, qmgr, resolved, candidates, choices)


def by_choices(
    draft: Draft,
    qmgr: QueueManager,
    resolved: Resolved,
    candidates: Candidates,
    choices: workload_exits.ExitChoices,
) -> Division:
    """Return the division of messages according to the choices of a workload exit."""

    def divided(choices: workload_exits.ExitChoices) -> Division:
        def shares(some: int) -> tuple[Share, ...]:
            portions = workload_exits.portions(qmgr, candidates, choices, some)
            return destinations.shares_of(draft, qmgr, resolved, portions)

        return Division(
            shares,
            order=lambda some: [route.qmgr for route in choices.routes[:some]],
            rest=lambda some: divided(choices.after(some)),
        )

    return divided(choices)._replace(
        most=len(choices.routes), reason=choices.reason, exit_said=choices.exit_said
    )


def refusal_of_route(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, route: Route, *, asks: bool = False
) -> Refusal:
    """Return why a message could not be put on the chosen route; reason 0 if it could.

    If the local instance is an alias, the queue that it leads to counts. With `asks` its records
    are requested, as by a put; else no events are emitted.
    """
    refused = refusal(qmgr, PutPlan(resolved))
    if refused.reason:
        return refused
    if not route.local:
        return _refusal_of_queue(qmgr, transmission_queues.in_use(qmgr, route.channel))
    local = qmgr.definitions.get(("QUEUE", resolved.queue))
    if local is None or local.type == "QLOCAL":
        return _refusal_of_queue(qmgr, resolved.queue)
    return _refusal_of_alias(draft, qmgr, Resolver(draft, qmgr, asks=asks).local(local))


def _refusal_of_alias(draft: Draft, qmgr: QueueManager, resolved: Resolved) -> Refusal:
    if resolved.reason:
        return Refusal(resolved.reason)
    if not resolved.clustered:
        return refusal_of_share(qmgr, resolved, destinations.unclustered(qmgr, resolved, 1))
    plan = destinations.candidates(qmgr, resolved).plan()
    portion = plan.choose(qmgr.messaging.workload)
    if portion is None:
        return Refusal(plan.reason)
    return refusal_of_route(draft, qmgr, resolved, portion.route)


def refusal_of_share(qmgr: QueueManager, resolved: Resolved, share: Share) -> Refusal:
    """Return why a message that needs no choice could not be put; reason 0 if it could."""
    refused = refusal(qmgr, PutPlan(resolved))
    return refused if refused.reason else _refusal_of_queue(qmgr, share.lies_on)


def refusal_of_handle(qmgr: QueueManager, target: PutTarget, bound: Share) -> Refusal:
    """Return why a message could not be put on a bound handle; reason 0 if it could."""
    refused = refusal(qmgr, of_bound(target, bound))
    if refused.reason:
        return refused
    lies_on = transmission_queues.in_use(qmgr, bound.channel) if bound.channel and bound.to else ""
    return _refusal_of_queue(qmgr, lies_on or bound.lies_on)


def _refusal_of_queue(qmgr: QueueManager, name: str) -> Refusal:
    """Return why a put on a queue fails; a queue that is only created by the put has space."""
    queue = local_queues.local_queue(qmgr, name)
    return (
        Refusal()
        if queue is None or local_queues.depth_left(qmgr, queue)
        else local_queues.refusal(qmgr, queue)
    )
