"""The way on which the messages of an act go: bound, named, or chosen for one by one.

Sources: IBM MQ 9.2, "MQOPEN option for cluster queue"; "API reason codes"; "When does re-allocation
occur?" for what is bound.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.events import PutEntered, Share
from twin.fold.estate import QueueManager
from twin.fold.messaging import Handle
from twin.model import reasons
from twin.rules.draft import Draft
from twin.rules.messages import destinations, dividing, workload_exits
from twin.rules.messages.destinations import Candidates
from twin.rules.messages.dividing import Division
from twin.rules.messages.opening import Opened
from twin.rules.messages.resolved import NAMED, Resolved
from twin.rules.queues.local_queues import Refusal, is_put_inhibited
from twin.rules.workload.choosing import Plan

ON_OPEN: Final = "bind-on-open"
ON_GROUP: Final = "bind-on-group"


class Way(NamedTuple):
    """How the messages of an act find their way: all along one share, or by a plan."""

    resolved: Resolved
    bind: str = ""
    fixed: str = ""
    bound: Share | None = None
    plan: Plan | None = None
    candidates: Candidates | None = None


def of_opened(entered: PutEntered, opened: Opened) -> Way:
    """Say how messages go that a queue was opened for."""
    resolved = opened.resolved
    if opened.bound is not None:
        return Way(resolved, opened.bind, resolved.fixed or ON_OPEN, opened.bound, opened.plan)
    managed = opened.bind == "group" and entered.logical_order
    fixed = resolved.fixed or (ON_GROUP if managed else "")
    return Way(resolved, opened.bind, fixed, None, opened.plan, opened.candidates)


def of_bound(handle: Handle, resolved: Resolved, bound: Share) -> Way:
    """Say how messages go on a handle that was bound as it was opened: it chose then.

    Only a named queue manager is chosen for without being counted.
    """
    named = bool(bound.channel) and bound.after is None
    return Way(resolved, handle.bind, NAMED if named else ON_OPEN, destinations.uncounted(bound, 1))


def refusal(qmgr: QueueManager, way: Way) -> Refusal:
    """Say why nothing at all can be put, if nothing can."""
    resolved, bound = way.resolved, way.bound
    if resolved.via == "model":
        return Refusal(reasons.QUEUE_TYPE_ERROR, resolved.queue)
    if resolved.inhibited:
        return Refusal(reasons.PUT_INHIBITED, resolved.inhibited)
    if bound is not None:
        return _refusal_of_bound(qmgr, bound)
    return Refusal()


def _refusal_of_bound(qmgr: QueueManager, bound: Share) -> Refusal:
    """Say why nothing can be put where a handle is bound to.

    PUT is looked at of a local queue only, beside that of the transmission queue. Once the
    repository has nothing of the queue manager any more, the handle is of no use (IBM PH34265,
    reason code 2041).
    """
    if bound.channel:
        known = qmgr.repository.routes.get((bound.cluster, bound.to), {})
        return Refusal() if bound.channel in known else Refusal(reasons.OBJECT_CHANGED)
    local = qmgr.definitions.get(("QUEUE", bound.lies_on))
    if local is None:
        return Refusal(reasons.QUEUE_DELETED, bound.lies_on)
    return Refusal(reasons.PUT_INHIBITED, local.name) if is_put_inhibited(local) else Refusal()


def division(draft: Draft, qmgr: QueueManager, way: Way, count: int) -> Division:
    """Say how so many messages divide."""
    resolved, plan = way.resolved, way.plan
    if way.bound is not None:
        return dividing.along(draft, destinations.of_now(draft, qmgr, way.bound))
    if plan is None:
        return dividing.along(draft, destinations.unclustered(qmgr, resolved, 1))
    chosen: Division | None = None
    if way.candidates is not None and not resolved.fixed:
        wanted = 1 if way.fixed else count
        chosen = dividing.by_exit(draft, qmgr, resolved, way.candidates, wanted)
    if chosen is None:
        name, _ = workload_exits.exit_of(draft, qmgr)
        chosen = dividing.by_plan(draft, qmgr, resolved, plan)._replace(
            most=0 if plan.reason else None,
            reason=plan.reason,
            said=workload_exits.not_loaded(name) if name and not resolved.fixed else None,
        )
    if way.fixed and chosen.most != 0:  # a group, or a queue manager that is named: one choice
        (share,) = chosen.shares(1)
        return dividing.along(draft, share)._replace(said=chosen.said)
    return chosen
