"""Why a route was chosen: what every rule was given, what fell by which value, what was left.

A trace is computed when it is asked for, from the same rules as the choice, and never stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from twin.fold.messaging import Workload
from twin.rules.workload.choosing import Step, funnel
from twin.rules.workload.context import Context
from twin.rules.workload.filters import Fall
from twin.rules.workload.routes import Route, in_order
from twin.rules.workload.rules import ORDERS, Rule

Row: TypeAlias = dict[str, str | int | bool | None]


@dataclass(frozen=True, slots=True)
class Trace:
    """One choice, rule by rule.

    Attributes:
        context: what was chosen for.
        routes: all candidates, in order.
        steps: the rules that were applied.
        finalists: the routes that took turns; one where it was taken outright.
        chosen: the route, None where the choice fails.
        outright: whether the local instance was taken outright, and nothing is counted.
        reason: the reason code where the choice fails, else 0.
        bound: where the choice fails, the local instance that an MQOPEN leads to all the same.
    """

    context: Context
    routes: tuple[Route, ...]
    steps: tuple[Step, ...]
    finalists: tuple[Route, ...]
    chosen: Route | None
    outright: bool = False
    reason: int = 0
    bound: Route | None = None

    @classmethod
    def of(cls, routes: Iterable[Route], context: Context, workload: Workload) -> Trace:
        """Choose for one message, and keep the reasons."""
        candidates = in_order(routes)
        found = funnel(candidates, context, ORDERS[context.profile], workload.uses)
        chosen = found.left[0] if found.left else None
        last = found.steps[-1] if found.steps else None
        finalists = found.left
        if chosen and last and last.rule.name == "weight":
            finalists = tuple(in_order([chosen, *(fall.route for fall in last.falls)]))
        return cls(
            context,
            tuple(candidates),
            found.steps,
            finalists,
            chosen,
            found.ended,
            found.reason,
            found.bound,
        )

    @property
    def by_exit(self) -> bool:
        """Whether a workload exit decided otherwise than the rules."""
        return bool(self.steps) and self.steps[-1].rule.name == "exit"

    def removals(self) -> list[tuple[Route, Rule | None, Fall | None]]:
        """Give each candidate, in order, with the rule it fell by, and by what."""
        fell = {id(fall.route): (step.rule, fall) for step in self.steps for fall in step.falls}
        return [(route, *fell.get(id(route), (None, None))) for route in self.routes]

    def rows(self) -> list[Row]:
        """Give one row for each candidate, in order: the answer to the question `explain`."""
        return [_row(route, rule, fall, self.chosen) for route, rule, fall in self.removals()]


def _row(route: Route, rule: Rule | None, fall: Fall | None, chosen: Route | None) -> Row:
    return {
        "qmgr": route.qmgr,
        "channel": route.channel,
        "removed_by": rule.name if rule else None,
        "attribute": rule.attribute if rule else None,
        "value": fall.value if fall else None,
        "best": fall.best if fall else None,
        "chosen": route is chosen,
    }
