"""Why a message could not be put, for `explain`; nothing is put.

Source: IBM MQ, "API reason codes", 2051 and 2053.
"""

from __future__ import annotations

from twin.events import Share
from twin.fold.estate import QueueManager
from twin.rules.draft import Draft
from twin.rules.messages import destinations, put_plan
from twin.rules.messages.destinations import Resolver
from twin.rules.messages.opening import PutTarget
from twin.rules.messages.put_plan import PutPlan
from twin.rules.path.resolved import Resolved
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import Refusal, depth_left, local_queue, refusal
from twin.rules.workload.routes import Route


def refusal_of_route(
    draft: Draft, qmgr: QueueManager, resolved: Resolved, route: Route, *, asks: bool = False
) -> Refusal:
    """Return why a message could not be put on the chosen route; reason 0 if it could.

    If the local instance is an alias, the queue that it leads to counts. With `asks` its records
    are requested, as by a put; else no events are emitted.
    """
    refused = put_plan.refusal(qmgr, PutPlan(resolved))
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
    refused = put_plan.refusal(qmgr, PutPlan(resolved))
    return refused if refused.reason else _refusal_of_queue(qmgr, share.lies_on)


def refusal_of_handle(qmgr: QueueManager, target: PutTarget, bound: Share) -> Refusal:
    """Return why a message could not be put on a bound handle; reason 0 if it could."""
    refused = put_plan.refusal(qmgr, put_plan.of_bound(target, bound))
    if refused.reason:
        return refused
    lies_on = transmission_queues.in_use(qmgr, bound.channel) if bound.channel and bound.to else ""
    return _refusal_of_queue(qmgr, lies_on or bound.lies_on)


def _refusal_of_queue(qmgr: QueueManager, name: str) -> Refusal:
    """Return why a put on a queue fails; a queue that is only created by the put has space."""
    queue = local_queue(qmgr, name)
    return Refusal() if queue is None or depth_left(qmgr, queue) else refusal(queue)
