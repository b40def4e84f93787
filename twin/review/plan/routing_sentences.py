"""The lines of a plan about routing: where puts go before and after, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

from twin.model.amounts import counted
from twin.model.reasons import reason_name
from twin.review.plan.affected import ANY_QUEUE, NOT_OPENED
from twin.review.plan.asking_members import NO_SUCH_NAME
from twin.review.plan.passing_sentences import NAMED, PlanLine, SectionText, listed, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from twin.review.plan.plan import Plan
    from twin.review.plan.routing import Routing, RoutingChange
    from twin.review.plan.shares import RouteShare

_MOST_SHARES: Final = 12
"""The most shares of a put that are all listed."""


def routing_lines(plan: Plan) -> SectionText:
    """Return what the section says in one line, and its lines."""
    alike: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    count = 0
    for change in plan.routing:
        count += 1 + len(change.alike)
        alike[_said(plan, change)][_called(change)] += [change.put.on, *change.alike]
    lines: list[PlanLine] = []
    for (goes, *beside), queues in alike.items():
        by_senders: dict[str, list[str]] = defaultdict(list)
        for queue, on in queues.items():
            by_senders[names(on)].append(queue)
        for senders, called in by_senders.items():
            lines.append(PlanLine("~", f"{senders} to {listed(called, 'queues')}: {goes}"))
            lines += [PlanLine("", each, 1) for each in beside]
    return (f"{counted(count, 'put')} changed" if count else "no changes"), tuple(lines)


def _called(change: RoutingChange) -> str:
    """Return what the queue of a put is called."""
    if change.put.queue == NOT_OPENED:
        return f"any queue of {change.cluster} that they have not opened yet"
    if change.put.queue == NO_SUCH_NAME:
        return "any name that nobody has"
    return "any queue" if change.put.queue == ANY_QUEUE else change.put.queue


def _said(plan: Plan, change: RoutingChange) -> tuple[str, ...]:
    """Return what happens to a put: where it goes, then what else is to be said of that."""
    before, after = change.before, change.after
    dropped = [each for each in after.removed if each not in before.removed]
    excluded = ", ".join(f"{plan.named(each.qmgr, each.qmid)} by {each.rule}" for each in dropped)
    goes = _both(plan, before, after)
    onward = (
        [_onward(one, other) for one, other in ((before, after), (after, before)) if not one.reason]
        if _differ_onward(before, after)
        else []
    )
    blocked = [share for share in after.shares if share.obstacle]
    waits = after.waits if not blocked and after.waits != before.waits else ""
    return (
        f"{goes[0]}, as before" if goes[0] == goes[1] else " -> ".join(goes),
        *([f"onward: {' -> '.join(onward)}"] if onward else []),
        *([f"excluded: {excluded}"] if excluded else []),
        *([f"a message waits: {waits}"] if waits else []),
        *(_obstructed(plan, share) for share in blocked),
    )


def _obstructed(plan: Plan, share: RouteShare) -> str:
    """Return why a message to a queue manager is not sent on at once, and what becomes of it."""
    to = f"to {plan.named(share.qmgr, share.qmid)}: {share.obstacle}"
    if share.then:
        return f"{to}; a message then goes to {plan.named(share.then, share.then_qmid)}"
    return f"{to}; a message waits: {share.stays}"


def _differ_onward(before: Routing, after: Routing) -> bool:
    """Return whether it is worth saying what becomes of a message that is sent on."""
    comes = not after.reason and not all(share.obstacle for share in after.shares)
    return comes and before.ends != after.ends


def _onward(routing: Routing, other: Routing) -> str:
    """Return what becomes of a message after the queue manager that it goes to first.

    Of many ends, those come first that the other side does not have.
    """
    ends = sorted(routing.ends, key=lambda end: len(routing.ends) > NAMED and end in other.ends)
    shown = [str(end) for end in ends[:NAMED]]
    more = len(routing.ends) - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])]) or "delivered there"


def _both(plan: Plan, before: Routing, after: Routing) -> tuple[str, str]:
    """Return where puts go on both sides; with channels or addresses if only these differ."""
    for shows in ("", "channel", "address"):
        said = _goes(plan, before, after, shows), _goes(plan, after, before, shows)
        if said[0] != said[1]:
            return said
    return _goes(plan, before, after, "channel"), _goes(plan, after, before, "channel")


def _goes(
    plan: Plan, routing: Routing, other: Routing, shows: Literal["", "channel", "address"]
) -> str:
    """Return where a put goes on one side; of many, those that differ on the other one."""
    if routing.reason:
        return f"{routing.reason} {reason_name(routing.reason)}"
    shown: Sequence[RouteShare] = routing.shares
    if len(shown) > _MOST_SHARES:
        shown = _only_here(routing.shares, other.shares)[:NAMED]
    left = len(routing.shares) - len(shown)
    shares = [
        plan.named(share.qmgr, share.qmid)
        + (f" by {share.channel}" if shows == "channel" and share.channel else "")
        + (f" at {share.address}" if shows == "address" and share.address else "")
        + (f" {share.share}%" if len(routing.shares) > 1 else "")
        + (" (not reached)" if share.obstacle else "")
        for share in shown
    ]
    more = [counted(left, "queue manager") if not shares else f"{left} more"] if left else []
    return ", ".join([*shares, *more]) or "works"


def _only_here(shares: Sequence[RouteShare], others: Sequence[RouteShare]) -> list[RouteShare]:
    """Return the destinations that differ on the other side; if none does, those by their share."""
    here, there = ({each._replace(share=0) for each in side} for side in (shares, others))
    if here == there:
        return [each for each in shares if each not in others]
    return [each for each in shares if each._replace(share=0) not in there]
