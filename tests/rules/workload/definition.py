"""The choice as documented, literally and one message at a time: slow and simple."""

from __future__ import annotations

from twin.fold.messaging import NEVER, RouteUse, Workload
from twin.rules.workload.routes import Context, Route

BEST_STATES = (
    {"INACTIVE", "RUNNING"},
    {"BINDING", "INITIALIZING", "STARTING", "STOPPING"},
    {"RETRYING"},
)


def choose(routes: list[Route], context: Context, workload: Workload) -> tuple[Route | None, int]:
    """Choose for one message and count it; return the reason code if there is no route."""
    left = sorted(routes, key=lambda each: each.place)
    if context.profile == "v7":
        if _inhibited(left):
            return None, 2051
        left = _belonging([each for each in left if each.put_enabled])
        if (here := _preferred(left, context)) is not None:
            return here, 0
        left = _ranked(left)
    else:
        left = _ranked(_belonging(left))
        if reason := _inhibited(left):
            return None, reason
        left = [each for each in left if each.put_enabled]
        if (here := _preferred(left, context)) is not None:
            return here, 0
    if not left:
        return None, 2270
    return _by_turn(_tail(left, context, workload), context, workload), 0


def _inhibited(left: list[Route]) -> int:
    if not left or any(each.put_enabled for each in left):
        return 0
    return 2051 if any(each.local for each in left) else 2268


def _belonging(left: list[Route]) -> list[Route]:
    left = [each for each in left if each.cluster == each.queue_cluster]
    return [each for each in left if each.member] or left


def _preferred(left: list[Route], context: Context) -> Route | None:
    wanted = context.arrived or context.useq == "LOCAL"
    return next((each for each in left if each.local and wanted), None)


def _ranked(left: list[Route]) -> list[Route]:
    left = [each for each in left if not _beaten(each, left, "channel_rank")]
    return [each for each in left if not _beaten(each, left, "queue_rank")]


def _tail(left: list[Route], context: Context, workload: Workload) -> list[Route]:
    if not any(each.local for each in left):
        left = [each for each in left if not each.suspended] or left
    for states in BEST_STATES:
        if good := [each for each in left if each.status in states]:
            left = good
            break
    left = [
        each
        for each in left
        if not any(o.qmid == each.qmid and o.netprty > each.netprty for o in left)
    ]
    for attribute in ("channel_priority", "queue_priority"):
        left = [each for each in left if not _beaten(each, left, attribute)]
    while len(left) > context.mruc:
        numbers = [workload.uses.get(each.key, NEVER).number for each in left]
        least = max(n for n, number in enumerate(numbers) if number == min(numbers))
        left = [each for n, each in enumerate(left) if n != least]
    return left


def _beaten(route: Route, left: list[Route], attribute: str) -> bool:
    return any(getattr(each, attribute) > getattr(route, attribute) for each in left)


def _by_turn(left: list[Route], context: Context, workload: Workload) -> Route:
    def turn(route: Route) -> tuple[int, int]:
        use = workload.uses.get(route.key, NEVER)
        return (0 if context.even else use.factor), use.number

    chosen = left[0]
    for each in left[1:]:
        if turn(each) < turn(chosen):
            chosen = each
    before = workload.uses.get(chosen.key, NEVER)
    step = 0 if context.even else 1000 // chosen.weight
    workload.last += 1
    workload.uses[chosen.key] = RouteUse(workload.last, before.factor + step)
    return chosen
