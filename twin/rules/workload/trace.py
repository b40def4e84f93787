"""The trace of a choice: for each rule the routes that it got, and those it removed, and why.

The reason is given in words: what the route has, and what another one has. A trace is computed on
demand by the same rules as the choice. It is never stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.fold.messaging import NEVER, RouteKey, RouteUse, Workload
from twin.rules.workload.choosing import ORDERS, AppliedRule, Rule, funnel
from twin.rules.workload.filters import Fall
from twin.rules.workload.routes import Context, Route, in_order

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
