"""The rules of the choice as filters: one function for each rule.

A function gets the routes that the rules before it left, in order.

Sources: IBM MQ 9.2, 9.0, 8.0, 7.5 and 6.0, "The cluster workload management algorithm"; the list of
steps under "Need to understand precedence of cluster workload attributes", in IBM's article on
re-allocation; "Cluster Workload management attributes and algorithm". The docstrings below call
these three "the page", "the precedence" and "the attributes".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.fold.messaging import NEVER, RouteKey, RouteUse
from twin.model.reasons import CLUSTER_PUT_INHIBITED, PUT_INHIBITED
from twin.rules.workload.routes import Context, Route

Shown: TypeAlias = str | int
"""The value of an attribute, as a trace shows it."""

Uses: TypeAlias = Mapping[RouteKey, RouteUse]


TurnOrder: TypeAlias = tuple[int, int]
"""(DestSeqFactor, DestSeqNumber) of a route; the factor is 0 if only the order of use counts."""


class Fall(NamedTuple):
    """A route that a rule removed.

    Attributes:
        route: the route.
        value: its value of the rule's attribute; None if the rule does not compare one.
        best: the value that would have kept it; None if no value would.
        turns: its counters and the best counters, if these decided.
    """

    route: Route
    value: Shown | None
    best: Shown | None
    turns: tuple[TurnOrder, TurnOrder] | None = None


class Filtered(NamedTuple):
    """The routes that a rule kept and removed.

    Attributes:
        kept: the routes that it kept.
        falls: the routes that it removed.
        ends: whether the route that it kept is chosen at once: no further rules, no counting.
        reason: the reason code if the choice fails.
        bound: the local instance to which an MQOPEN leads although the choice fails.
    """

    kept: Sequence[Route]
    falls: Sequence[Fall] = ()
    ends: bool = False
    reason: int = 0
    bound: Route | None = None


def _highest(left: Sequence[Route], value: Callable[[Route], int | None]) -> Filtered:
    """Keep the routes with the highest value, and all routes without a value."""
    values = [value(route) for route in left]
    compared = [own for own in values if own is not None]
    best = max(compared, default=0)
    if min(compared, default=best) == best:
        return Filtered(left)
    pairs = list(zip(left, values, strict=True))
    return Filtered(
        [route for route, own in pairs if own in (None, best)],
        [Fall(route, own, best) for route, own in pairs if own not in (None, best)],
    )


def cluster(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Remove channels outside the queue's cluster, and clusters that this queue manager left.

    Source: the page, 9.2, rules 1 and 2. A queue that is known only from clusters that were left is
    still used: IBM MQ, "Removing a queue manager from a cluster" [inferred].
    """
    kept: list[Route] = []
    falls: list[Fall] = []
    for route in left:
        if route.queue_cluster in ("", route.cluster):
            kept.append(route)
        else:
            falls.append(Fall(route, route.cluster, route.queue_cluster))
    if any(route.member for route in kept) and not all(route.member for route in kept):
        joined = ",".join(sorted({route.cluster for route in kept if route.member}))
        falls += [Fall(route, route.cluster, joined) for route in kept if not route.member]
        kept = [route for route in kept if route.member]
    return Filtered(kept, falls)


def channel_rank(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the channels, and queue manager aliases, of the highest CLWLRANK.

    Source: the page, 9.0, rule 3. An alias has its own rank or that of its channel, whichever is
    higher [inferred].
    """
    return _highest(
        left,
        lambda route: (
            max(route.channel_rank, route.queue_rank) if route.alias else route.channel_rank
        ),
    )


def queue_rank(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the queues of the highest CLWLRANK, and all queue manager aliases.

    Source: the page, 9.0, rule 4.
    """
    return _highest(left, lambda route: route.queue_rank if route.is_queue else None)


def put(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Remove put-disabled instances; fail if all instances are.

    Sources: the page, 9.0, rule 5 and its note (2268); "Cluster-administration considerations" for
    the v7 order (2051); "API reason codes", 2268: with a local instance the MQOPEN succeeds, and
    the put fails with 2051, as for any local queue [inferred].
    """
    kept = [route for route in left if route.put_enabled]
    falls = [Fall(route, "DISABLED", "ENABLED") for route in left if not route.put_enabled]
    if kept:
        return Filtered(kept, falls)
    bound = next((route for route in left if route.local), None)
    inhibited = bound is not None or context.profile == "v7"
    reason = PUT_INHIBITED if inhibited else CLUSTER_PUT_INHIBITED
    return Filtered((), falls, reason=reason, bound=bound)


def local(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Choose the local instance at once if `Context.prefers_local`.

    The choice ends then, and nothing is counted. So it makes no difference which CLUSRCVR of its
    own the route has [inferred]. Sources: the page, 9.0, rule 6; for the conditions 7.5 and 6.0.
    """
    if not context.prefers_local:
        return Filtered(left)
    here = [route for route in left if route.local]
    if not here:
        return Filtered(left)
    value = None if context.arrived else "LOCAL"
    falls = [Fall(route, value, None) for route in left if route is not here[0]]
    return Filtered(here[:1], falls, ends=True)


def suspended(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Prefer queue managers that are not suspended, if only remote instances are left.

    Sources: the precedence, step 4; the attributes, step 6; "Cluster-administration considerations"
    (the local queue manager is used even when it is suspended).
    """
    if any(route.local for route in left):
        return Filtered(left)
    kept = [route for route in left if not route.suspended]
    if not kept or len(kept) == len(left):
        return Filtered(left)
    return Filtered(kept, [Fall(route, "YES", "NO") for route in left if route.suspended])


_GROUPS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("INACTIVE", "RUNNING"), 0),
        **dict.fromkeys(("BINDING", "INITIALIZING", "STARTING", "STOPPING"), 1),
        "RETRYING": 2,
        **dict.fromkeys(("REQUESTING", "PAUSED", "STOPPED", "SWITCHING"), 3),
    }
)
"""Status -> its group; 0 is the best."""

_WORST: Final = max(_GROUPS.values())


def group_of(status: str) -> int:
    """Return the group of a channel status, 0 for the best; an unknown status counts as STOPPED."""
    return _GROUPS.get(status, _WORST)


def status(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the channels in the best group of states.

    Sources: the precedence, step 5; the groups [memory, unverified]. INACTIVE is as good as
    RUNNING, because such a channel starts when there is something to send.
    """
    groups = [group_of(route.status) for route in left]
    best = min(groups)
    if max(groups) == best:
        return Filtered(left)
    pairs = list(zip(left, groups, strict=True))
    shown = next(route.status for route, own in pairs if own == best)
    return Filtered(
        [route for route, own in pairs if own == best],
        [Fall(route, route.status, shown) for route, own in pairs if own != best],
    )


def netprty(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the channels with the highest NETPRTY among those to the same queue manager.

    Sources: the precedence, step 6; the attributes, step 8.
    """
    best: dict[str, int] = defaultdict(int)
    for route in left:
        best[route.qmid] = max(best[route.qmid], route.netprty)
    kept = [route for route in left if route.netprty == best[route.qmid]]
    if len(kept) == len(left):
        return Filtered(left)
    return Filtered(
        kept,
        [
            Fall(route, route.netprty, best[route.qmid])
            for route in left
            if route.netprty != best[route.qmid]
        ],
    )


def channel_priority(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the channels, and queue manager aliases, of the highest CLWLPRTY.

    Sources: the precedence, step 7; the attributes, step 9; for aliases [memory, unverified].
    """
    return _highest(
        left,
        lambda route: (
            max(route.channel_priority, route.queue_priority)
            if route.alias
            else route.channel_priority
        ),
    )


def queue_priority(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep the queues of the highest CLWLPRTY.

    Sources: the precedence, step 8; the attributes, step 10.
    """
    return _highest(left, lambda route: route.queue_priority if route.is_queue else None)


def mruc(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Keep at most CLWLMRUC channels: the most recently used ones.

    Among routes that were never used, the first by name are kept. Sources: the attributes, step 11;
    IBM MQ 8.0, "CLWLMRUC queue manager attribute". DestSeqNumber gives the order of use [memory,
    unverified].
    """
    if len(left) <= context.mruc:
        return Filtered(left)
    recent = sorted(left, key=lambda route: -uses.get(route.key, NEVER).number)
    stay = {route.key for route in recent[: context.mruc]}
    least = (0, uses.get(recent[context.mruc - 1].key, NEVER).number)
    return Filtered(
        [route for route in left if route.key in stay],
        [
            Fall(route, context.mruc, None, ((0, uses.get(route.key, NEVER).number), least))
            for route in left
            if route.key not in stay
        ],
    )


def weight(left: Sequence[Route], context: Context, uses: Uses) -> Filtered:
    """Choose the route whose turn it is: the lowest factor, then the least recently used.

    Sources: IBM MQ 9.2, "Fields in MQWDR" (DestSeqFactor, DestSeqNumber); 8.0, "CLWLWGHT channel
    attribute"; the attributes, step 12. If all weights are equal, only the order of use counts.
    """
    turns = {
        route.key: (0 if context.even else use.factor, use.number)
        for route in left
        for use in (uses.get(route.key, NEVER),)
    }
    best = min(left, key=lambda route: (turns[route.key], route.place))

    turn = turns[best.key]
    return Filtered(
        [best],
        [
            Fall(route, route.weight, best.weight, (turns[route.key], turn))
            for route in left
            if route is not best
        ],
    )
