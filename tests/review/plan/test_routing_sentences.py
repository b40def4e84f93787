"""What a plan says of puts with many destinations."""

from __future__ import annotations

import pytest

from twin.model.instants import AsOf
from twin.review.plan.affected import PlannedPut
from twin.review.plan.plan import Plan
from twin.review.plan.routing import Routing, RoutingChange
from twin.review.plan.routing_sentences import routing_lines
from twin.review.plan.shares import RouteShare

MANY = tuple(RouteShare(f"QM{number:02}", f"CA.QM{number:02}", 5) for number in range(20))
ENDED = MANY[7]._replace(obstacle="QM07 has ended", stays="it is bound to QM07")
WEIGHTED = tuple(each._replace(share=24 if each.qmgr == "QM03" else 4) for each in MANY)


def line(before: tuple[RouteShare, ...], after: tuple[RouteShare, ...]) -> str:
    """Return what is said of a put that goes to some queue managers before and after a change."""
    change = RoutingChange(
        PlannedPut("QM1", "ORDERS"), Routing(before, 0, "", ()), Routing(after, 0, "", ())
    )
    plan = Plan(
        point=AsOf(0, 0, "main"),
        until=0,
        scripts=(),
        commands=(),
        definitions=(),
        beliefs=(),
        routing=(change,),
        waiting=(),
        dates=(),
        error_log=(),
        findings=(),
    )
    _, (first, *_) = routing_lines(plan)
    return str(first)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (MANY[:3], MANY[:2], "QM00 5%, QM01 5%, QM02 5% -> QM00 5%, QM01 5%"),
        (MANY, MANY[:19], "QM19 5%, 19 more -> 19 queue managers"),
        (
            MANY,
            (*MANY[:7], ENDED, *MANY[8:]),
            "QM07 5%, 19 more -> QM07 5% (not reached), 19 more",
        ),
        (
            MANY,
            WEIGHTED,
            (
                "QM00 5%, QM01 5%, QM02 5%, QM03 5%, 16 more -> "
                "QM00 4%, QM01 4%, QM02 4%, QM03 24%, 16 more"
            ),
        ),
    ],
)
def test_of_many_destinations_those_that_differ_are_named(
    before: tuple[RouteShare, ...], after: tuple[RouteShare, ...], said: str
) -> None:
    """A few are all named; of many, those that only one side has, and how many more there are."""
    assert line(before, after) == f"~ QM1 to ORDERS: {said}"
