"""The choice: the rules applied to the candidates, a plan to keep, and what is taken by it.

A plan is what the rules leave that do not look at counters. It holds while beliefs, local
definitions and channel states stay as they are; whoever keeps it knows that. Counters are given at
every use, so that a plan is never out of step with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin.fold.messaging import NEVER, RouteUse, Workload
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.workload import counters
from twin.rules.workload.context import Context
from twin.rules.workload.filters import Fall, Uses, mruc
from twin.rules.workload.routes import Route, in_order
from twin.rules.workload.rules import ORDERS, RULES, Rule

_BY_USE: Final = 2
"""How many rules at the end of an order look at counters: those of CLWLMRUC and CLWLWGHT."""

_NO_USES: Final[Uses] = {}


class AppliedRule(NamedTuple):
    """A rule as it was applied: how many routes it was given and left, and which fell by what."""

    rule: Rule
    given: int
    left: int
    falls: Sequence[Fall] = ()


class Funnel(NamedTuple):
    """What came of a run of rules.

    Attributes:
        steps: the rules that were applied, in their order.
        left: the routes that are left, in order.
        ended: whether a rule took what is left outright; nothing is counted then.
        reason: the reason code where the choice fails, else 0.
        bound: where the choice fails, the local instance that an MQOPEN leads to all the same.
    """

    steps: tuple[AppliedRule, ...]
    left: tuple[Route, ...]
    ended: bool = False
    reason: int = 0
    bound: Route | None = None


def funnel(routes: Sequence[Route], context: Context, names: Iterable[str], uses: Uses) -> Funnel:
    """Apply rules by their names to routes in order, until one ends the choice or none is left."""
    left = routes
    steps: list[AppliedRule] = []
    ended = False
    for name in names:
        if not left:
            return Funnel(tuple(steps), (), reason=NO_DESTINATIONS)
        rule = RULES[name]
        verdict = rule.apply(left, context, uses)
        steps.append(AppliedRule(rule, len(left), len(verdict.kept), verdict.falls))
        if verdict.reason:
            return Funnel(tuple(steps), (), reason=verdict.reason, bound=verdict.bound)
        left, ended = verdict.kept, verdict.ends
        if ended:
            break
    return Funnel(tuple(steps), tuple(left), ended, 0 if left else NO_DESTINATIONS)


@dataclass(frozen=True, slots=True)
class RoutePortion:
    """What goes one way: how many messages, and what was counted of the route before and after.

    `before` and `after` are None where a route was taken outright: nothing is counted then.
    """

    route: Route
    count: int
    before: RouteUse | None
    after: RouteUse | None


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """What is left of the candidates before counters are looked at.

    Attributes:
        context: what was chosen for.
        left: the routes between which the counters decide, in order; one if it was taken outright.
        outright: whether the local instance was taken outright.
        reason: the reason code where every choice fails, else 0.
        bound: where every choice fails, the local instance that an MQOPEN leads to all the same.
    """

    context: Context
    left: tuple[Route, ...]
    outright: bool = False
    reason: int = 0
    bound: Route | None = None

    @classmethod
    def of(cls, routes: Iterable[Route], context: Context) -> RoutePlan:
        """Apply the rules that do not look at counters."""
        names = ORDERS[context.profile][:-_BY_USE]
        found = funnel(in_order(routes), context, names, _NO_USES)
        return cls(context, found.left, found.ended, found.reason, found.bound)

    def take(self, workload: Workload, count: int) -> tuple[RoutePortion, ...]:
        """Choose for `count` messages, exactly as one by one: the routes used, in order.

        Nothing is taken where the choice fails. Counters are not changed: the portions say what
        becomes of them. CLWLMRUC leaves the same channels from the first message to the last,
        because those that are used become more recent and the others do not.
        """
        if self.reason or count <= 0:
            return ()
        if self.outright:
            return (RoutePortion(self.left[0], count, None, None),)
        finalists = self.finalists(workload)
        taken = counters.split(self._turns(finalists, workload), workload.last, count)
        portions = []
        for route, each in zip(finalists, taken, strict=True):
            if each.times:
                before = workload.uses.get(route.key, NEVER)
                factor = before.factor if self.context.even else each.factor
                portions.append(
                    RoutePortion(route, each.times, before, RouteUse(each.number, factor))
                )
        return tuple(portions)

    def choose(self, workload: Workload) -> RoutePortion | None:
        """Choose for one message; None where the choice fails."""
        return next(iter(self.take(workload, 1)), None)

    def sequence(self, workload: Workload, *, skip: int = 0) -> Iterator[Route]:
        """Go through the routes as message after message would take them, for ever.

        `skip` leaves out as many at the beginning. Where the choice fails there is none.
        """
        if self.reason:
            return
        finalists = self.finalists(workload)
        for each in counters.sequence(self._turns(finalists, workload), workload.last, skip=skip):
            yield finalists[each]

    def turns(self, workload: Workload) -> RouteTurns:
        """Begin to choose one by one, from a copy of the counters.

        Raises:
            ValueError: when the choice fails.
        """
        if self.reason:
            message = f"no route to choose from: reason {self.reason}"
            raise ValueError(message)
        finalists = self.finalists(workload)
        return RouteTurns(
            finalists, counters.Turns(self._turns(finalists, workload), workload.last)
        )

    def finalists(self, workload: Workload) -> Sequence[Route]:
        """Return the routes that take turns: CLWLMRUC may leave fewer than there are."""
        return mruc(self.left, self.context, workload.uses).kept

    def _turns(self, routes: Iterable[Route], workload: Workload) -> list[counters.Turn]:
        even, uses = self.context.even, workload.uses
        return [
            counters.turn_of(route.weight, uses.get(route.key, NEVER), even=even)
            for route in routes
        ]


class RouteTurns:
    """One choice after the other by a plan, counted here only."""

    __slots__ = ("_routes", "_turns")

    def __init__(self, routes: Sequence[Route], turns: counters.Turns) -> None:
        """Let routes take turns."""
        self._routes = routes
        self._turns = turns

    def choose(self) -> Route:
        """Choose the route that is next, and count it."""
        return self._routes[next(self._turns)]
