"""Whether a message that is put now would find room on the queue it is to lie on.

Sources: IBM MQ, "API reason codes", 2051 and 2053. Nothing is decided and nothing changes: this is
for who wants to know beforehand; what is put is held to the same by `ways` and `fitting`.
"""

from __future__ import annotations

from twin.events import Share
from twin.fold.estate import QueueManager
from twin.fold.messaging import Handle
from twin.rules.draft import Draft
from twin.rules.messages import destinations, put_plan
from twin.rules.messages.put_plan import Way
from twin.rules.messages.resolution import Resolver
from twin.rules.messages.resolved import Resolved
from twin.rules.queues import transmission_queues
from twin.rules.queues.local_queues import Refusal, depth_left, local_queue, refusal
from twin.rules.workload.routes import Route


def of_route(draft: Draft, qmgr: QueueManager, resolved: Resolved, route: Route) -> Refusal:
    """Say why a message could not be put that goes by the route which was chosen, if it could not.

    Where an alias here is the local instance, what it leads to counts; no repository is asked.
    """
    refused = put_plan.refusal(qmgr, Way(resolved))
    if refused.reason:
        return refused
    if not route.local:
        return _of_queue(qmgr, transmission_queues.in_use(qmgr, route.channel))
    local = qmgr.definitions.get(("QUEUE", resolved.queue))
    if local is None or local.type == "QLOCAL":
        return _of_queue(qmgr, resolved.queue)
    return _behind_alias(draft, qmgr, Resolver(draft, qmgr, asks=False).local(local))


def _behind_alias(draft: Draft, qmgr: QueueManager, resolved: Resolved) -> Refusal:
    if resolved.reason:
        return Refusal(resolved.reason)
    if not resolved.clustered:
        return of_share(qmgr, resolved, destinations.unclustered(qmgr, resolved, 1))
    plan = destinations.candidates(qmgr, resolved).plan()
    portion = plan.choose(qmgr.messaging.workload)
    if portion is None:
        return Refusal(plan.reason)
    return of_route(draft, qmgr, resolved, portion.route)


def of_share(qmgr: QueueManager, resolved: Resolved, share: Share) -> Refusal:
    """Say why a message could not be put that goes by a share of no choice, if it could not."""
    refused = put_plan.refusal(qmgr, Way(resolved))
    return refused if refused.reason else _of_queue(qmgr, share.lies_on)


def of_handle(qmgr: QueueManager, resolved: Resolved, handle: Handle, bound: Share) -> Refusal:
    """Say why a message could not be put on a handle that is bound, if it could not."""
    refused = put_plan.refusal(qmgr, put_plan.of_bound(handle, resolved, bound))
    if refused.reason:
        return refused
    lies_on = transmission_queues.in_use(qmgr, bound.channel) if bound.channel and bound.to else ""
    return _of_queue(qmgr, lies_on or bound.lies_on)


def _of_queue(qmgr: QueueManager, name: str) -> Refusal:
    """Say why a queue of this queue manager takes no message; one that is to be made takes it."""
    queue = local_queue(qmgr, name)
    return Refusal() if queue is None or depth_left(qmgr, queue) else refusal(queue)
