"""The choice: apply the rules to the candidates, then let the routes that are left take turns.

The rules are a table, in two orders. Each filters the routes that the rule before it left. A route
that is removed never returns.

A plan holds the routes that are left after the rules that do not depend on counters. It is valid
while beliefs, local definitions and channel states do not change; code that keeps a plan must drop
it then. The counters are arguments of every call, so a plan cannot have outdated counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.fold.messaging import NEVER, RouteUse, Workload
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.workload import counters, filters
from twin.rules.workload.filters import Fall, Filtered, Uses, mruc
from twin.rules.workload.routes import Context, Profile, Route, in_order

VERSION: Final = 1
"""The version of the rules; it is recorded with each choice."""

Apply: TypeAlias = Callable[[Sequence[Route], Context, Uses], Filtered]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its name, the MQSC keyword it depends on, its source, and its filter function."""

    name: str
    attribute: str
    source: str
    apply: Apply


_PAGE: Final = "IBM MQ {}, The cluster workload management algorithm, {}"
_STEP: Final = "IBM, Need to understand precedence of cluster workload attributes, step {}"

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("cluster", "CLUSTER", _PAGE.format("9.2", "rules 1 and 2"), filters.cluster),
            Rule("channel-rank", "CLWLRANK", _PAGE.format("9.0", "rule 3"), filters.channel_rank),
            Rule("queue-rank", "CLWLRANK", _PAGE.format("9.0", "rule 4"), filters.queue_rank),
            Rule("put", "PUT", _PAGE.format("9.0", "rule 5"), filters.put),
            Rule("local", "CLWLUSEQ", _PAGE.format("9.0", "rule 6"), filters.local),
            Rule("suspended", "SUSPEND", _STEP.format(4), filters.suspended),
            Rule("status", "STATUS", _STEP.format(5), filters.status),
            Rule("netprty", "NETPRTY", _STEP.format(6), filters.netprty),
            Rule("channel-priority", "CLWLPRTY", _STEP.format(7), filters.channel_priority),
            Rule("queue-priority", "CLWLPRTY", _STEP.format(8), filters.queue_priority),
            Rule("mruc", "CLWLMRUC", "IBM MQ 8.0, CLWLMRUC queue manager attribute", filters.mruc),
            Rule("weight", "CLWLWGHT", "IBM MQ 8.0, CLWLWGHT channel attribute", filters.weight),
        )
    }
)
"""Name -> rule."""

_TAIL: Final = (
    *("suspended", "status", "netprty", "channel-priority", "queue-priority", "mruc", "weight"),
)

ORDERS: Final[Mapping[Profile, tuple[str, ...]]] = MappingProxyType(
    {
        "v8": ("cluster", "channel-rank", "queue-rank", "put", "local", *_TAIL),
        "v7": ("put", "cluster", "local", "channel-rank", "queue-rank", *_TAIL),
    }
)
"""Profile -> the names of the rules, in the order in which they are applied.

Sources: for v8 IBM MQ 8.0 to 9.2, "The cluster workload management algorithm"; for v7 the same page
of 6.0 and 7.5, and "Cluster Workload management attributes and algorithm": in v7, `put` and `local`
are applied before rank.
"""


_BY_USE: Final = 2
"""The number of rules at the end of each order that use counters: CLWLMRUC and CLWLWGHT."""

_NO_USES: Final[Uses] = {}


class AppliedRule(NamedTuple):
    """A rule that was applied: how many routes it got and left, which it removed, and why."""

    rule: Rule
    given: int
    left: int
    falls: Sequence[Fall] = ()


class Funnel(NamedTuple):
    """The result of applying rules in order.

    Attributes:
        steps: the rules that were applied, in order.
        left: the routes that are left, in order.
        ended: whether a rule chose the route that is left at once; then nothing is counted.
        reason: the reason code if the choice fails, else 0.
        bound: the local instance to which an MQOPEN leads although the choice fails.
    """

    steps: tuple[AppliedRule, ...]
    left: tuple[Route, ...]
    ended: bool = False
    reason: int = 0
    bound: Route | None = None


def funnel(routes: Sequence[Route], context: Context, names: Iterable[str], uses: Uses) -> Funnel:
    """Apply rules in order until one ends the choice or no route is left."""
    left = routes
    steps: list[AppliedRule] = []
    ended = False
    for name in names:
        if not left:
            return Funnel(tuple(steps), (), reason=NO_DESTINATIONS)
        rule = RULES[name]
        filtered = rule.apply(left, context, uses)
        steps.append(AppliedRule(rule, len(left), len(filtered.kept), filtered.falls))
        if filtered.reason:
            return Funnel(tuple(steps), (), reason=filtered.reason, bound=filtered.bound)
        left, ended = filtered.kept, filtered.ends
        if ended:
            break
    return Funnel(tuple(steps), tuple(left), ended, 0 if left else NO_DESTINATIONS)


@dataclass(frozen=True, slots=True)
class RoutePortion:
    """The messages on one route: how many, and the counters of the route before and after.

    `before` and `after` are None if the local instance was chosen at once: nothing is counted then.
    """

    route: Route
    count: int
    before: RouteUse | None
    after: RouteUse | None


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """The candidates that are left before the counters decide.

    Attributes:
        context: the attributes that the choice depends on besides the routes.
        left: the routes among which the counters decide, in order; only one if `outright`.
        outright: whether the local instance is chosen at once, without counting.
        reason: the reason code if every choice fails, else 0.
        bound: the local instance to which an MQOPEN leads although every choice fails.
    """

    context: Context
    left: tuple[Route, ...]
    outright: bool = False
    reason: int = 0
    bound: Route | None = None

    @classmethod
    def of(cls, routes: Iterable[Route], context: Context) -> RoutePlan:
        """Apply the rules that do not use counters."""
        names = ORDERS[context.profile][:-_BY_USE]
        result = funnel(in_order(routes), context, names, _NO_USES)
        return cls(context, result.left, result.ended, result.reason, result.bound)

    def take(self, workload: Workload, count: int) -> tuple[RoutePortion, ...]:
        """Choose for `count` messages, exactly as one by one; return the routes used, in order.

        The result is empty if the choice fails. The counters are not changed: the portions have
        their new values. CLWLMRUC keeps the same channels for all messages, because only channels
        that it keeps are used and become more recent.
        """
        if self.reason or count <= 0:
            return ()
        if self.outright:
            return (RoutePortion(self.left[0], count, None, None),)
        finalists = self.finalists(workload)
        taken = counters.split(self._turns(finalists, workload), workload.last, count)
        portions = []
        for route, turns_taken in zip(finalists, taken, strict=True):
            if turns_taken.times:
                before = workload.uses.get(route.key, NEVER)
                factor = before.factor if self.context.even else turns_taken.factor
                portions.append(
                    RoutePortion(
                        route, turns_taken.times, before, RouteUse(turns_taken.number, factor)
                    )
                )
        return tuple(portions)

    def choose(self, workload: Workload) -> RoutePortion | None:
        """Choose for one message; return None if the choice fails."""
        return next(iter(self.take(workload, 1)), None)

    def sequence(self, workload: Workload, *, skip: int = 0) -> Iterator[Route]:
        """Yield the route of each message, without end; yield nothing if the choice fails.

        `skip` is the number of messages to leave out at the beginning.
        """
        if self.reason:
            return
        finalists = self.finalists(workload)
        for index in counters.sequence(self._turns(finalists, workload), workload.last, skip=skip):
            yield finalists[index]

    def order(self, workload: Workload, count: int) -> list[Route]:
        """Return the routes of the first `count` messages, one by one."""
        return list(islice(self.sequence(workload), count))

    def finalists(self, workload: Workload) -> Sequence[Route]:
        """Return the routes that take turns: those that CLWLMRUC keeps."""
        return mruc(self.left, self.context, workload.uses).kept

    def _turns(self, routes: Iterable[Route], workload: Workload) -> list[counters.Turn]:
        even, uses = self.context.even, workload.uses
        return [
            counters.turn_of(route.weight, uses.get(route.key, NEVER), even=even)
            for route in routes
        ]
