"""The route that the view Why looks at: why it fell, what would choose it, what can be edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from twin.questions.explanation import Explanation
from twin.web.pages.choice_picture import TURNS, key_of, words_of
from twin.web.pages.route_edits import RouteField, fields_of

if TYPE_CHECKING:
    from twin.app.results import Alternative, Route, Trace


def picked_route(trace: Trace, key: str) -> Route | None:
    """Return the route of a key; without one, the last that a rule excluded, or the chosen one."""
    for route in trace.routes:
        if key_of(route) == key:
            return route
    fallen = [
        fall.route for step in trace.steps if step.rule.name not in TURNS for fall in step.falls
    ]
    return fallen[-1] if fallen else trace.chosen


class PickedRoute(NamedTuple):
    """The route that is looked at.

    Attributes:
        route: the route.
        key: what identifies it.
        rule: the rule that excluded it; '' if none did.
        keeps: what a route needs to pass the rule, in words.
        source: the source of the rule.
        why: why it fell.
        is_chosen: whether it is chosen.
        takes_turns: whether it only is not the next.
        ways: how its queue manager would be chosen.
        fields: what can be edited.
        evidence: the positions of the events that it rests on.
    """

    route: Route
    key: str
    rule: str
    keeps: str
    source: str
    why: str
    is_chosen: bool
    takes_turns: bool
    ways: Sequence[Alternative]
    fields: Sequence[RouteField]
    evidence: tuple[int, ...]

    @classmethod
    def of(
        cls, explanation: Explanation, trace: Trace, route: Route, evidence: tuple[int, ...]
    ) -> Self:
        """Look at one route of an explanation."""
        rule, fall = next(
            ((rule, fall) for each, rule, fall in trace.removals() if each is route), (None, None)
        )
        return cls(
            route,
            key_of(route),
            rule.name if rule else "",
            words_of(rule.name) if rule else "",
            rule.source if rule else "",
            trace.fell_by(rule, fall) if rule and fall else "",
            route is trace.chosen,
            rule is not None and rule.name in TURNS,
            [way for way in explanation.alternatives if way.qmid == route.qmid],
            list(fields_of(route, explanation.qmgr)),
            evidence,
        )
