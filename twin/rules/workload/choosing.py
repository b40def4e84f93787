"""The choice: apply the rules to the candidates, then let the routes that are left take turns.

The rules are a table, in two orders. Each filters the routes that the rule before it left. A route
that is removed never returns.

A plan holds the routes that are left after the rules that do not depend on counters. It is valid
while beliefs, local definitions and channel states do not change; code that keeps a plan must drop
it then. The counters are arguments of every call, so a plan cannot have outdated counters.

The trace of a choice: for each rule the routes that it got, and those it removed, and why.

The reason is given in words: what the route has, and what another one has. A trace is computed on
demand by the same rules as the choice. It is never stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.fold.messaging import NEVER, RouteKey, RouteUse, Workload
from twin.model.reasons import NO_DESTINATIONS
from twin.rules.workload import counters, filters
from twin.rules.workload.filters import Fall, Filtered, Uses, mruc
from twin.rules.workload.routes import Context, Profile, Route, in_order

_HIGHEST: Final = ", the highest is {best}"
_TAKEN: Final = "the local instance is taken"

_BESIDE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cluster": ", not {best}",
        "channel-rank": _HIGHEST,
        "queue-rank": _HIGHEST,
        "local": f": {_TAKEN}",
        "suspended": ", another is not",
        "status": ", the best is {best}",
        "netprty": _HIGHEST,
        "channel-priority": _HIGHEST,
        "queue-priority": _HIGHEST,
    }
)
"""Rule -> what is said after the attribute of the route; for PUT(DISABLED) nothing more."""


def attribute_of(rule: Rule, fall: Fall) -> str:
    """Return the attribute for which a rule excluded a route, such as `PUT(DISABLED)`."""
    if fall.value is None:
        return "the message came over a cluster channel"
    return f"{rule.attribute}({fall.value})"


def reason_of(rule: Rule, fall: Fall) -> str:
    """Return why a rule excluded a route: its attribute or its counters, and what it had to match.

    Counters decide who is next: the lowest factor, then the lowest number of the last use, which is
    0 for a route that was never used. For CLWLMRUC the highest numbers stay.
    """
    if fall.turns is None:
        return attribute_of(rule, fall) + _BESIDE.get(rule.name, "").format(best=fall.best)
    (factor, number), (least, first) = fall.turns
    if factor != least:
        return f"{attribute_of(rule, fall)}: factor {factor}, the lowest is {least}"
    limit = f"{attribute_of(rule, fall)}: " if rule.name == "mruc" else ""
    return limit + _use(number, first)


def _use(number: int, other: int) -> str:
    """Compare the number of the last use of a route with that of another one."""
    if number and other:
        return f"last use {number}, another's is {other}"
    if number:
        return f"last use {number}, another was never used"
    return "never used, another was" if other else "never used, another comes first"


TraceRow: TypeAlias = dict[str, str | int | bool | None]


@dataclass(frozen=True, slots=True)
class Trace:
    """One choice, rule by rule.

    Attributes:
        context: the attributes that the choice depends on besides the routes.
        routes: all candidates, in order.
        steps: the rules that were applied.
        finalists: the routes that took turns; only one if `outright`.
        chosen: the chosen route; None if the choice fails.
        outright: whether the local instance was chosen at once, without counting.
        reason: the reason code if the choice fails, else 0.
        bound: the local instance to which an MQOPEN leads although the choice fails.
        uses: the counters of the candidates that were used before.
    """

    context: Context
    routes: tuple[Route, ...]
    steps: tuple[AppliedRule, ...]
    finalists: tuple[Route, ...]
    chosen: Route | None
    outright: bool = False
    reason: int = 0
    bound: Route | None = None
    uses: Mapping[RouteKey, RouteUse] = field(default_factory=dict)

    @classmethod
    def of(cls, routes: Iterable[Route], context: Context, workload: Workload) -> Trace:
        """Choose for one message, and keep the result of each rule."""
        candidates, uses = in_order(routes), workload.uses
        result = funnel(candidates, context, ORDERS[context.profile], uses)
        chosen = result.left[0] if result.left else None
        last = result.steps[-1] if result.steps else None
        finalists = result.left
        if chosen and last and last.rule.name == "weight":
            finalists = tuple(in_order([chosen, *(fall.route for fall in last.falls)]))
        return cls(
            context,
            tuple(candidates),
            result.steps,
            finalists,
            chosen,
            result.ended,
            result.reason,
            result.bound,
            {route.key: uses[route.key] for route in candidates if route.key in uses},
        )

    @property
    def by_exit(self) -> bool:
        """Whether a workload exit overruled the rules."""
        return bool(self.steps) and self.steps[-1].rule.name == "exit"

    @property
    def by_counter(self) -> bool:
        """Whether the counters of the routes excluded one."""
        return any(fall.turns is not None for step in self.steps for fall in step.falls)

    def removals(self) -> list[tuple[Route, Rule | None, Fall | None]]:
        """Return each candidate, in order, with the rule that removed it and the reason, if any."""
        removed = {id(fall.route): (step.rule, fall) for step in self.steps for fall in step.falls}
        return [(route, *removed.get(id(route), (None, None))) for route in self.routes]

    def fell_by(self, rule: Rule, fall: Fall) -> str:
        """Return as text why a rule removed a route: its attribute, or its counters."""
        chosen = f", which chose {self.chosen.qmgr}" if self.by_exit and self.chosen else ""
        return f"{reason_of(rule, fall)}{chosen if rule.name == 'exit' else ''}"

    def rows(self) -> list[TraceRow]:
        """Return one row for each candidate, in order, for the question `explain`."""
        return [self._row(route, rule, fall) for route, rule, fall in self.removals()]

    def _row(self, route: Route, rule: Rule | None, fall: Fall | None) -> TraceRow:
        use = self.uses.get(route.key, NEVER)
        return {
            "qmgr": route.qmgr,
            "channel": route.channel,
            "removed_by": rule.name if rule else None,
            "attribute": rule.attribute if rule else None,
            "value": fall.value if fall else None,
            "best": fall.best if fall else None,
            "chosen": route is self.chosen,
            "factor": use.factor,
            "last_use": use.number,
        }


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
        result = funnel(in_order(routes), context, ORDERS[context.profile][:-_BY_USE], _NO_USES)
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
