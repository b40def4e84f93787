"""Workload choices for which a workload exit (CLWLEXIT) is called, message by message.

An exit may choose a route that the rules would not, such as a put-disabled instance. It is not
called for messages that arrive over a channel, nor when the consequences of a fact are derived
again: then the choice of the rules counts [inferred].

If an exit fails or does not answer, the call fails with 2266, and later calls on that handle go as
if CLWLEXIT were blank. The exit is called again for each message that a reallocation pass may move.
Its default is then the message's own route, if that is still among the best. A message stays if
the exit refuses, chooses nothing, or fails; after a failure the rest of the pass goes by the rules.
While a channel retries, the exit is called at the first retry after a change of what its choice
depends on, because a retry that moves nothing is not on the agenda [inferred].

Decided here: an exit that twin is not given (--exit) is recorded as 2267, and the rules choose
without it, as on z/OS. On Multiplatforms MQCONN would fail.

Sources: IBM MQ 9.2, "Writing and compiling cluster workload exits"; 8.0, "Return codes specific to
clusters" (2266, 2267); "Fields in MQWXP" (MQXR_CLWL_MOVE); "API reason codes", 2188.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from twin.events import ExitSaid, WorkloadExitFailed
from twin.fold.estate import QueueManager
from twin.fold.messaging import NEVER, RouteKey, RouteUse, Workload
from twin.model.reasons import EXIT_ERROR, EXIT_LOAD_ERROR
from twin.rules.draft import Draft
from twin.rules.messages import destinations
from twin.rules.workload.choosing import RoutePortion
from twin.rules.workload.counters import step_of
from twin.rules.workload.exit_structures import REASON_MOVE
from twin.rules.workload.exits import WorkloadExit, applied, consult
from twin.rules.workload.routes import Route
from twin.rules.workload.trace import Trace


class ExitChoices(NamedTuple):
    """The choices for some messages, up to the first that failed.

    Attributes:
        routes: the route of each message, in order.
        counted: whether each choice is counted; a local instance chosen at once is not counted.
        reason: the reason code of the next message; 0 if all have a route.
        exit_said: the last answer of the exit, or its failure.
        over: whether the exit is not called again, because it asked for that or failed.
    """

    routes: tuple[Route, ...]
    counted: tuple[bool, ...]
    reason: int
    exit_said: ExitSaid | None
    over: bool = False

    def after(self, count: int) -> ExitChoices:
        """Return the choices without the first `count`."""
        return self._replace(routes=self.routes[count:], counted=self.counted[count:])


def exit_of(draft: Draft, qmgr: QueueManager) -> tuple[str, WorkloadExit | None]:
    """Return the name in CLWLEXIT ('' for none), and the exit; None if it is not loaded."""
    name = str(qmgr.values.get("CLWLEXIT", ""))
    return name, draft.exits.get(name)


def not_loaded(name: str) -> ExitSaid:
    """Return the record of an exit that could not be loaded; the choice of the rules is kept."""
    return ExitSaid(name=name, reason=EXIT_LOAD_ERROR, problem="it is not loaded")


def choose(
    qmgr: QueueManager,
    name: str,
    exit_: WorkloadExit,
    candidates: destinations.Candidates,
    count: int,
    *,
    exit_reason: int,
) -> ExitChoices:
    """Choose for `count` messages one by one, and call the exit for each choice."""
    workload = _copy(qmgr.messaging.workload)
    data = str(qmgr.values.get("CLWLDATA", ""))
    routes: list[Route] = []
    counted: list[bool] = []
    exit_said: ExitSaid | None = None
    over = False
    for _ in range(count):
        trace = Trace.of(candidates.routes, candidates.context, workload)
        if not over:
            exit_said, over = consult(
                exit_, name, trace, workload, exit_reason=exit_reason, exit_data=data
            )
            if exit_said.reason == EXIT_ERROR:
                return ExitChoices(tuple(routes), tuple(counted), EXIT_ERROR, exit_said)
            trace = applied(trace, exit_said)
        if trace.chosen is None:
            return ExitChoices(tuple(routes), tuple(counted), trace.reason, exit_said)
        routes.append(trace.chosen)
        counted.append(not trace.outright)
        if not trace.outright:
            _count(workload, trace.chosen, even=candidates.context.even)
    return ExitChoices(tuple(routes), tuple(counted), 0, exit_said)


def choose_again(
    qmgr: QueueManager,
    name: str,
    exit_: WorkloadExit,
    candidates: destinations.Candidates,
    count: int,
    *,
    current: RouteKey,
) -> ExitChoices:
    """Choose again for `count` waiting messages that have the same route, one by one.

    The result has the routes of those that leave their current route.
    """
    workload = _copy(qmgr.messaging.workload)
    data = str(qmgr.values.get("CLWLDATA", ""))
    routes: list[Route] = []
    counted: list[bool] = []
    said: ExitSaid | None = None
    over = False
    for _ in range(count):
        trace = Trace.of(candidates.routes, candidates.context, workload)
        own = next((route for route in trace.finalists if route.key == current), None)
        trace = trace if own is None else replace(trace, chosen=own)
        if not over:
            said, over = consult(
                exit_, name, trace, workload, exit_reason=REASON_MOVE, exit_data=data
            )
            if said.reason == EXIT_ERROR:
                continue
            trace = applied(trace, said)
        if trace.chosen is None or trace.chosen.key == current:
            continue
        routes.append(trace.chosen)
        counted.append(not trace.outright)
        if not trace.outright:
            _count(workload, trace.chosen, even=candidates.context.even)
    return ExitChoices(tuple(routes), tuple(counted), 0, said, over)


def note_failure(
    draft: Draft, qmgr: QueueManager, said: ExitSaid | None, queue: str, *, handle: str = ""
) -> None:
    """Record that an exit failed in a call, if it did."""
    if said is not None and said.reason == EXIT_ERROR:
        draft.emit(WorkloadExitFailed(qmgr=qmgr.name, queue=queue, exit=said, handle=handle))


def portions(
    qmgr: QueueManager, candidates: destinations.Candidates, choices: ExitChoices, count: int
) -> tuple[RoutePortion, ...]:
    """Group the first `count` choices by route, with the counters before and after."""
    workload = _copy(qmgr.messaging.workload)
    before = dict(workload.uses)
    chosen = choices.routes[:count]
    for route, counts in zip(chosen, choices.counted, strict=False):
        if counts:
            _count(workload, route, even=candidates.context.even)
    numbers = Counter(route.key for route in chosen)
    return tuple(
        _portion(route, numbers[route.key], before, workload)
        for route in {route.key: route for route in chosen}.values()
    )


def _portion(
    route: Route, count: int, before: Mapping[RouteKey, RouteUse], workload: Workload
) -> RoutePortion:
    was, now = before.get(route.key, NEVER), workload.uses.get(route.key, NEVER)
    return RoutePortion(route, count, *((None, None) if was == now else (was, now)))


def _count(workload: Workload, route: Route, *, even: bool) -> None:
    use = workload.uses.get(route.key, NEVER)
    workload.last += 1
    factor = use.factor + (0 if even else step_of(route.weight))
    workload.uses[route.key] = RouteUse(workload.last, factor)


def _copy(workload: Workload) -> Workload:
    return Workload(dict(workload.uses), workload.last)
