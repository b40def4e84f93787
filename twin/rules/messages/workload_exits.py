"""Workload choices for which a workload exit (CLWLEXIT) is called, message by message.

An exit may choose a route that the rules would not, such as a put-disabled instance. It is not
called for messages that arrive over a channel, nor when the consequences of a fact are derived
again: then the choice of the rules counts [inferred].

If an exit fails or does not answer, the call fails with 2266, and later calls on that handle go as
if CLWLEXIT were blank. The exit is called again for each message that a reallocation pass may move.
Its default is then the message's own route, if that is still among the best. A message stays if
the exit refuses, chooses nothing, or fails; after a failure the rest of the pass goes by the rules.
While a channel retries, the exit is called at each retry that fails, because nobody else knows
what it would choose; such a pass is recorded even if it moves nothing.

Decided here: an exit that twin is not given (--exit) is recorded as 2267, and the rules choose
without it, as on z/OS. On Multiplatforms MQCONN would fail.

Sources: IBM MQ 9.2, "Writing and compiling cluster workload exits"; 8.0, "Return codes specific to
clusters" (2266, 2267); "Fields in MQWXP" (MQXR_CLWL_MOVE); "API reason codes", 2188.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from twin.events import ExitSaid, WorkloadExitFailed
from twin.fold.estate import QueueManager
from twin.fold.messaging import NEVER, RouteKey, RouteUse, Workload
from twin.model.reasons import EXIT_ERROR, EXIT_LOAD_ERROR
from twin.rules.draft import Draft
from twin.rules.messages import destinations
from twin.rules.workload.choosing import RoutePortion, Trace
from twin.rules.workload.counters import step_of
from twin.rules.workload.exits import REASON_MOVE, WorkloadExit, applied, consult
from twin.rules.workload.routes import Route


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
    name = qmgr.text("CLWLEXIT")
    return name, draft.exits.get(name)


def not_loaded(name: str) -> ExitSaid:
    """Return the record of an exit that could not be loaded; the choice of the rules is kept."""
    return ExitSaid(name=name, reason=EXIT_LOAD_ERROR, problem="it is not loaded")


class _Choosing:
    """Choices for messages one by one: the counters after them, and what the exit said last."""

    def __init__(
        self,
        qmgr: QueueManager,
        name: str,
        exit_: WorkloadExit,
        candidates: destinations.Candidates,
        exit_reason: int,
    ) -> None:
        self._candidates = candidates
        self._workload = _copy(qmgr.messaging.workload)
        self._consult = partial(
            consult,
            exit_,
            name,
            exit_reason=exit_reason,
            exit_data=qmgr.text("CLWLDATA"),
        )
        self._routes: list[Route] = []
        self._counted: list[bool] = []
        self._said: ExitSaid | None = None
        self._over = False

    def next(self, current: RouteKey | None = None) -> Trace | None:
        """Return the choice for the next message; None if the exit fails now.

        The `current` route of a message is the default if it is still among the best.
        """
        trace = Trace.of(self._candidates.routes, self._candidates.context, self._workload)
        own = next((route for route in trace.finalists if route.key == current), None)
        trace = trace if own is None else replace(trace, chosen=own)
        if self._over:
            return trace
        self._said, self._over = self._consult(trace, self._workload)
        return None if self._said.reason == EXIT_ERROR else applied(trace, self._said)

    def take(self, route: Route, *, outright: bool) -> None:
        """Give a message a route, and count it unless it was chosen `outright`."""
        self._routes.append(route)
        self._counted.append(not outright)
        if not outright:
            _count(self._workload, route, even=self._candidates.context.even)

    def result(self, reason: int = 0) -> ExitChoices:
        """Return the routes that were taken, and why the next message gets none."""
        return ExitChoices(
            tuple(self._routes), tuple(self._counted), reason, self._said, self._over
        )


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
    choosing = _Choosing(qmgr, name, exit_, candidates, exit_reason)
    for _ in range(count):
        trace = choosing.next()
        if trace is None or trace.chosen is None:
            return choosing.result(EXIT_ERROR if trace is None else trace.reason)
        choosing.take(trace.chosen, outright=trace.outright)
    return choosing.result()


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
    choosing = _Choosing(qmgr, name, exit_, candidates, REASON_MOVE)
    for _ in range(count):
        trace = choosing.next(current)
        if trace is not None and trace.chosen is not None and trace.chosen.key != current:
            choosing.take(trace.chosen, outright=trace.outright)
    return choosing.result()


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
