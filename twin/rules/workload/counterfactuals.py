"""Find the fewest changes after which another queue manager would be chosen.

Every answer is checked by applying the rules. If a change resets all factors, the check uses
factors of zero.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from twin.fold.messaging import NEVER, RouteKey, RouteUse, Workload
from twin.rules.workload.choosing import ORDERS, Funnel, RoutePlan, Trace, funnel
from twin.rules.workload.filters import group_of
from twin.rules.workload.remedies import (
    KEPT_OUT,
    Change,
    Edit,
    above_all,
    change_of,
    edited,
    remedies,
    resets,
)
from twin.rules.workload.routes import Context, Route, in_order

NEAREST: Final = 9
"""The number of queue managers for which changes are searched: those that were removed last."""

MOST_CHANGES: Final = 4
"""The largest number of changes that are tried together."""

_TRIES: Final = 120
"""The largest number of sets of changes that are tried for one queue manager."""

_STAND_INS: Final = 2
"""How many of the queue managers with equal routes represent them."""

_LOOK_AHEAD: Final = 5000
"""The number of following messages within which a queue manager's turn is searched."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """How another queue manager would be chosen.

    Attributes:
        qmgr: the queue manager.
        qmid: its QMID.
        changes: the fewest changes that are enough, each to one attribute; () if its turn comes
            without a change.
        after: if no change is needed, how many messages go elsewhere first; else None.
        in_turn: whether, after the changes, it takes turns with others but is not the next.
        now: why messages for it would not arrive now, in words; '' if they would.
    """

    qmgr: str
    qmid: str
    changes: tuple[Change, ...] = ()
    after: int | None = None
    in_turn: bool = False
    now: str = ""


class RankTrap(NamedTuple):
    """A higher rank that would choose a queue manager whose channel cannot send.

    Rank is compared before the status of channels, so messages would wait.

    Attributes:
        change: the command.
        channel: the channel that they would wait for.
        status: its status.
    """

    change: Change
    channel: str
    status: str


def rank_traps(trace: Trace) -> Iterator[RankTrap]:
    """Yield higher ranks that would choose a route that lost because of its status.

    At most `NEAREST` routes are tried.
    """
    steps = () if trace.by_exit or trace.chosen is None else trace.steps
    lost = [fall.route for step in steps if step.rule.name == "status" for fall in step.falls]
    for route in lost[:NEAREST]:
        edit = above_all(route, trace.routes)
        if edit is None:
            continue
        routes, context = edited(trace.routes, trace.context, [edit])
        left = funnel(in_order(routes), context, ORDERS[context.profile], {}).left
        if left and left[0].qmid == route.qmid and group_of(left[0].status):
            change = change_of(edit, context, obstacle=_no_obstacle)
            yield RankTrap(change, left[0].channel, left[0].status)


def _no_obstacle(_route: Route) -> str:
    return ""


def alternatives(
    trace: Trace,
    workload: Workload,
    *,
    obstacle: Callable[[Route], str] = _no_obstacle,
) -> tuple[Alternative, ...]:
    """Find how the queue managers that were removed last would be chosen.

    First come those whose turn comes without a change, in that order; then the others, by the
    number of changes. Queue managers for which no small set of changes is enough are left out. If
    an exit decided, the result is empty, because it is unknown how the exit would decide then.
    Changes also count if the queue manager then takes turns and its turn comes later. No rank is
    raised for a channel that cannot send, because messages would wait for it: see `rank_traps`.

    Args:
        trace: the choice.
        workload: the counters.
        obstacle: returns why the channel of a route cannot reach its partner now, '' if it can; by
            default all can.
    """
    if trace.by_exit:
        return ()
    waiting = list(islice(_by_turn(trace, workload, obstacle), NEAREST))
    search = _Search(trace, workload)
    changed = []
    for routes in islice(_losers(trace), NEAREST):
        edits, in_turn = search.fewest(routes)
        if edits:
            changes = tuple(change_of(edit, trace.context, obstacle=obstacle) for edit in edits)
            route = edits[0].route
            now = "" if route.local or any(each.once for each in changes) else obstacle(route)
            changed.append(Alternative(route.qmgr, route.qmid, changes, in_turn=in_turn, now=now))
    return (*waiting, *sorted(changed, key=lambda alternative: len(alternative.changes)))


def _by_turn(
    trace: Trace, workload: Workload, obstacle: Callable[[Route], str]
) -> Iterator[Alternative]:
    """Yield the queue managers whose turn comes after the chosen route, in order."""
    if trace.outright or trace.chosen is None or len(trace.finalists) < 2:  # noqa: PLR2004
        return
    missing = {route.qmid for route in trace.finalists} - {trace.chosen.qmid}
    plan = RoutePlan.of(trace.routes, trace.context)
    for after, route in enumerate(islice(plan.sequence(workload), _LOOK_AHEAD)):
        if not missing:
            return
        if route.qmid in missing:
            missing.remove(route.qmid)
            now = "" if route.local else obstacle(route)
            yield Alternative(route.qmgr, route.qmid, after=after, now=now)


def unsought(trace: Trace) -> int:
    """Return how many queue managers lost and are beyond the `NEAREST` that are searched."""
    lost = {route.qmid for route in trace.routes} - _winners(trace)
    return 0 if trace.by_exit else max(len(lost) - NEAREST, 0)


def _winners(trace: Trace) -> set[str]:
    """Return the QMIDs of the chosen queue manager and of those that take turns with it."""
    return {route.qmid for route in trace.finalists} | (
        {trace.chosen.qmid} if trace.chosen else set()
    )


def _losers(trace: Trace) -> Iterator[list[Route]]:
    """Yield the routes of each queue manager that lost; the last that were removed come first."""
    depths: dict[str, int] = {}
    routes: dict[str, list[Route]] = defaultdict(list)
    removed = {id(fall.route): n for n, step in enumerate(trace.steps) for fall in step.falls}
    for route in trace.routes:
        routes[route.qmid].append(route)
        depth = removed.get(id(route), len(trace.steps))
        depths[route.qmid] = max(depths.get(route.qmid, 0), depth)
    winners = _winners(trace)
    for qmid in sorted(depths, key=lambda qmid: -depths[qmid]):
        if qmid not in winners:
            yield routes[qmid]


_Won: TypeAlias = Literal["", "next", "turn"]


class _Search:
    """A search for changes on a few representative routes.

    Queue managers with equal routes are represented by those that are next in turn. A set of
    changes that works for the representatives is checked with all routes.
    """

    def __init__(self, trace: Trace, workload: Workload) -> None:
        self._context = trace.context
        self._all = trace.routes
        self._uses: Mapping[RouteKey, RouteUse] = workload.uses
        self._group = group_of(trace.chosen.status if trace.chosen is not None else "")
        self._reset = {key: use._replace(factor=0) for key, use in workload.uses.items()}
        self._few = self._all if trace.context.mruc < len(self._all) else self._stand_ins()

    def fewest(self, routes: Sequence[Route]) -> tuple[tuple[Edit, ...], bool]:
        """Return the fewest changes after which a queue manager is chosen; () if none were found.

        The flag says whether it then takes turns with others but is not the next.
        """
        others = [route for route in self._few if route.qmid != routes[0].qmid]
        tried = 0
        level: list[tuple[Edit, ...]] = [()]
        for _ in range(MOST_CHANGES):
            following: list[tuple[Edit, ...]] = []
            for edits in level:
                for edit in self._next(routes, others, edits):
                    tried += 1
                    if tried > _TRIES:
                        return (), False
                    more = (*edits, edit)
                    candidates = in_order([*routes, *others])
                    if self._won(candidates, routes[0].qmid, more) and (
                        won := self._won(self._all, routes[0].qmid, more)
                    ):
                        return more, won == "turn"
                    following.append(more)
            level = following
        return (), False

    def _next(
        self, routes: Sequence[Route], others: Sequence[Route], edits: tuple[Edit, ...]
    ) -> Iterator[Edit]:
        """Yield the changes to try next, for those routes of the queue manager that got furthest.

        As a first change, changes for its other routes follow: a route that was removed early may
        need fewer changes, because a higher rank prefers it to all others.
        """
        result, context = self._run(in_order([*routes, *others]), edits)
        done = {(edit.rule, edit.route.key) for edit in edits}
        removed = {
            fall.route.key: (depth, fall.route)
            for depth, step in enumerate(result.steps)
            for fall in step.falls
        }
        mine = [removed[route.key] for route in routes if route.key in removed]
        for route in result.left:  # chosen by rank, but messages wait for its channel
            if route.qmid == routes[0].qmid and ("status", route.key) not in done:
                yield Edit("status", route, "RUNNING")
        furthest = max((depth for depth, _ in mine), default=0)
        for depth, route in sorted(mine, key=lambda each: -each[0]):
            if edits and depth < furthest:
                return
            for edit in remedies(route, result, context):
                if (edit.rule, route.key) not in done:
                    yield edit

    def _won(self, routes: Sequence[Route], qmid: str, edits: tuple[Edit, ...]) -> _Won:
        """Return whether a queue manager is chosen after changes: next, in its turn, or not ('').

        It does not count as chosen if messages would wait for its channel. Taking turns is enough
        only if all changes are in `KEPT_OUT`, which cannot make a route better than the others.
        """
        result, _ = self._run(routes, edits)
        if not result.left:
            return ""
        if result.left[0].qmid == qmid:
            return "next" if group_of(result.left[0].status) <= self._group else ""
        last = result.steps[-1]
        turns = last.rule.name == "weight" and all(edit.rule in KEPT_OUT for edit in edits)
        return "turn" if turns and any(fall.route.qmid == qmid for fall in last.falls) else ""

    def _run(self, routes: Sequence[Route], edits: tuple[Edit, ...]) -> tuple[Funnel, Context]:
        changed, context = edited(routes, self._context, edits)
        uses = self._reset if resets(edits) else self._uses
        return funnel(changed, context, ORDERS[context.profile], uses), context

    def _stand_ins(self) -> tuple[Route, ...]:
        """Return the routes of the representatives: of equal queue managers, those next in turn.

        Two are taken by the current counters and two by reset counters, so that one remains if the
        other is the one that is changed.
        """
        owned: dict[str, list[Route]] = defaultdict(list)
        for route in self._all:
            owned[route.qmid].append(route)
        alike: dict[Hashable, list[list[Route]]] = defaultdict(list)
        for routes in owned.values():
            alike[tuple(_values(route) for route in routes)].append(routes)
        chosen = {}
        for group in alike.values():
            for uses in (self._uses, self._reset):
                for routes in _next_in_turn(group, uses):
                    chosen[routes[0].qmid] = routes
        return tuple(route for routes in chosen.values() for route in routes)


def _next_in_turn(
    group: list[list[Route]], uses: Mapping[RouteKey, RouteUse]
) -> Sequence[list[Route]]:
    """Return the few queue managers that are next in turn, among those with equal routes."""
    return nsmallest(
        _STAND_INS, group, key=lambda routes: min(_turn(route, uses) for route in routes)
    )


def _values(route: Route) -> Hashable:
    """Return all attributes that rules compare, except the queue manager and the channel."""
    return (
        *(route.local, route.is_queue, route.alias, route.member),
        *(route.channel_rank, route.queue_rank, route.put_enabled, route.suspended, route.status),
        *(route.netprty, route.channel_priority, route.queue_priority, route.weight),
        route.queue_cluster in ("", route.cluster),
    )


def _turn(
    route: Route, uses: Mapping[RouteKey, RouteUse]
) -> tuple[int, int, tuple[bool, str, str, str]]:
    use = uses.get(route.key, NEVER)
    return use.factor, use.number, route.place
