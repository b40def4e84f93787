"""The workload exit in a choice: called message by message, where CLWLEXIT names one.

Sources: IBM MQ 9.2, "Writing and compiling cluster workload exits"; "API reason codes", 2188, 2266
(the exit failed: it is left out for the rest of the handle) and 2267 (it could not be loaded: a
warning, and work goes on without it). An exit may choose what the rules would not, a put-disabled
instance for one. It is not asked for messages that wait or come over a channel, nor again where
what follows from a fact is decided anew: there the rules' own choice stands [inferred].
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from twin.events import ExitSaid
from twin.fold.estate import QueueManager
from twin.fold.messaging import NEVER, RouteUse, Workload
from twin.model.reasons import EXIT_LOAD_ERROR, NO_DESTINATIONS, STOPPED_BY_EXIT
from twin.rules.draft import Draft
from twin.rules.messages import destinations
from twin.rules.workload.choosing import Portion
from twin.rules.workload.counters import step_of
from twin.rules.workload.exits import WorkloadExit, applied, consult
from twin.rules.workload.routes import Route
from twin.rules.workload.trace import Trace

_REFUSED: Final = (STOPPED_BY_EXIT, NO_DESTINATIONS)


class Choices(NamedTuple):
    """What came of so many messages: the route of each, up to the one that failed.

    Attributes:
        routes: of each message, in order.
        counted: whether the choice of each is counted: not that of a local instance taken outright.
        reason: the reason code of the message behind them, 0 where all have a route.
        said: what the exit came to: the last word, or what went wrong.
    """

    routes: tuple[Route, ...]
    counted: tuple[bool, ...]
    reason: int
    said: ExitSaid | None


def exit_of(draft: Draft, qmgr: QueueManager) -> tuple[str, WorkloadExit | None]:
    """Return the name of the exit of a queue manager, '' for none, and the exit if it is loaded."""
    name = str(qmgr.values.get("CLWLEXIT", ""))
    return name, draft.exits.get(name)


def not_loaded(name: str) -> ExitSaid:
    """Say that an exit could not be loaded: the choice of the rules stands."""
    return ExitSaid(name=name, reason=EXIT_LOAD_ERROR, problem="it is not loaded")


def choose(
    qmgr: QueueManager,
    name: str,
    exit_: WorkloadExit,
    found: destinations.Candidates,
    count: int,
    *,
    exit_reason: int,
) -> Choices:
    """Choose for messages one by one, with the exit's say in each choice."""
    workload = _copy(qmgr.messaging.workload)
    data = str(qmgr.values.get("CLWLDATA", ""))
    routes: list[Route] = []
    counted: list[bool] = []
    said: ExitSaid | None = None
    over = False
    for _ in range(count):
        trace = Trace.of(found.routes, found.context, workload)
        if not over:
            outcome = consult(exit_, name, trace, workload, exit_reason=exit_reason, exit_data=data)
            over, said = outcome.over, outcome.said()
            if outcome.reason in _REFUSED or outcome.to:
                trace = applied(trace, outcome)
        if trace.chosen is None:
            return Choices(tuple(routes), tuple(counted), trace.reason, said)
        routes.append(trace.chosen)
        counted.append(not trace.outright)
        if not trace.outright:
            _count(workload, trace.chosen, even=found.context.even)
    return Choices(tuple(routes), tuple(counted), 0, said)


def portions(
    qmgr: QueueManager, found: destinations.Candidates, choices: Choices, count: int
) -> tuple[Portion, ...]:
    """Put the first so many choices together by route, with what is counted before and after."""
    workload = _copy(qmgr.messaging.workload)
    before = dict(workload.uses)
    chosen = choices.routes[:count]
    for route, counts in zip(chosen, choices.counted, strict=False):
        if counts:
            _count(workload, route, even=found.context.even)
    numbers = Counter(route.key for route in chosen)
    return tuple(
        _portion(route, numbers[route.key], before, workload)
        for route in {route.key: route for route in chosen}.values()
    )


def _portion(
    route: Route, count: int, before: dict[tuple[str, str], RouteUse], workload: Workload
) -> Portion:
    was, now = before.get(route.key, NEVER), workload.uses.get(route.key, NEVER)
    return Portion(route, count, *((None, None) if was == now else (was, now)))


def _count(workload: Workload, route: Route, *, even: bool) -> None:
    use = workload.uses.get(route.key, NEVER)
    workload.last += 1
    factor = use.factor + (0 if even else step_of(route.weight))
    workload.uses[route.key] = RouteUse(workload.last, factor)


def _copy(workload: Workload) -> Workload:
    return Workload(dict(workload.uses), workload.last)
