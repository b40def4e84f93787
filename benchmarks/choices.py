"""Workload choices for one queue with 100 instances: with a plan, and by applying all rules anew.

The peer follows the definition literally: it applies all rules to all candidates for every message.
For a million messages at once, the peer is choosing one by one. Both sides must choose the same
routes for the same messages.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final

from benchmarks.table import Result, interleaved, seconds
from twin.fold.messaging import NEVER, RouteUse, Workload
from twin.rules.workload.choosing import RoutePlan, Trace
from twin.rules.workload.counterfactuals import alternatives
from twin.rules.workload.counters import step_of
from twin.rules.workload.routes import Context, Route
from twin.rules.workload.trace_text import trace_lines

INSTANCES: Final = 100
ONE_BY_ONE: Final = 200_000
BY_DEFINITION: Final = 1_000
MANY: Final = 1_000_000
EXPLAINED: Final = 1_000

CONTEXT: Final = Context(qmgr="QMS", queue="ORD", queue_useq="")
WEIGHTS: Final = (50, 50, 50, 25, 75, 99, 1)


def measure(rounds: int) -> list[Result]:
    """Measure choices one by one and all at once, and one explanation among 1,000 instances."""
    routes = _routes(INSTANCES)
    _same(routes)
    mine, other = interleaved(rounds, lambda: _one_by_one(routes), lambda: _by_definition(routes))
    many, single = interleaved(rounds, lambda: _at_once(routes), lambda: _a_million(routes))
    explained, _ = interleaved(rounds, lambda: _explained(_routes(EXPLAINED)), lambda: 0.0)
    return [
        Result(
            work="choices one by one, 100 instances",
            unit="k/s",
            ours=mine,
            peer=other,
            target=200,
            absolute=True,
            name="all rules for each",
        ),
        Result(
            work="1,000,000 choices at once, 100 instances, same split",
            unit="ms",
            ours=many,
            peer=single,
            target=1000,
            absolute=True,
            name="one by one",
        ),
        Result(work="explain among 1,000 instances", unit="ms", ours=explained, target=50),
    ]


def _routes(count: int) -> list[Route]:
    """Make instances with several weights; rules exclude some of them."""
    return [
        Route(
            qmgr=f"QM{number:04}",
            qmid=f"QM{number:04}_2026-01-01_00.00.00",
            channel=f"CA.QM{number:04}",
            cluster="CA",
            queue="ORD",
            queue_cluster="CA",
            weight=WEIGHTS[number % len(WEIGHTS)],
            suspended=number % 10 == 3,
            status="RETRYING" if number % 10 == 7 else "RUNNING",
        )
        for number in range(count)
    ]


def _one_by_one(routes: list[Route]) -> float:
    turns = RoutePlan.of(routes, CONTEXT).sequence(Workload())

    def work() -> None:
        for _ in range(ONE_BY_ONE):
            next(turns)

    return ONE_BY_ONE / seconds(work) / 1000


def _by_definition(routes: list[Route]) -> float:
    return BY_DEFINITION / seconds(lambda: _defined(routes, BY_DEFINITION)) / 1000


def _defined(routes: list[Route], count: int) -> list[Route]:
    """Apply all rules for every message, and count its use."""
    workload, chosen = Workload(), []
    for _ in range(count):
        route = Trace.of(routes, CONTEXT, workload).chosen
        assert route is not None
        before = workload.uses.get(route.key, NEVER)
        workload.last += 1
        workload.uses[route.key] = RouteUse(workload.last, before.factor + step_of(route.weight))
        chosen.append(route)
    return chosen


def _at_once(routes: list[Route]) -> float:
    """Time the choices of a million messages at once in milliseconds, including making the plan."""
    return 1000 * seconds(lambda: RoutePlan.of(routes, CONTEXT).take(Workload(), MANY))


def _a_million(routes: list[Route]) -> float:
    """Time a million choices one by one in milliseconds, and check that the result is the same."""
    turns = RoutePlan.of(routes, CONTEXT).sequence(Workload())
    chosen: list[Route] = []
    taken = seconds(lambda: chosen.extend(islice(turns, MANY)))
    at_once = RoutePlan.of(routes, CONTEXT).take(Workload(), MANY)
    one_by_one = Counter(route.key for route in chosen)
    assert {each.route.key: each.count for each in at_once} == one_by_one
    return 1000 * taken


def _explained(routes: list[Route]) -> float:
    """Time a trace, the smallest changes and the text, in milliseconds."""

    def work() -> None:
        workload = Workload()
        trace = Trace.of(routes, CONTEXT, workload)
        assert trace_lines(trace, alternatives(trace, workload))

    return 1000 * seconds(work)


def _same(routes: list[Route]) -> None:
    """Check that both sides choose the same routes for the same messages."""
    plan = RoutePlan.of(routes, CONTEXT)
    defined = _defined(routes, BY_DEFINITION)
    assert list(islice(plan.sequence(Workload()), BY_DEFINITION)) == defined
    shares = plan.take(Workload(), BY_DEFINITION)
    assert {each.route.key: each.count for each in shares} == {
        route.key: defined.count(route) for route in set(defined)
    }
