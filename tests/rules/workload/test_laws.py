"""Laws of the choice: the implementation agrees with the definition and has no hidden inputs."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from tests.rules.workload import definition
from tests.rules.workload.routing import contexts, histories, routes
from twin.fold.messaging import Workload
from twin.rules.workload.choosing import ORDERS, RoutePlan, RoutePortion, Trace
from twin.rules.workload.routes import Context, Route


def _counted(workload: Workload, portions: tuple[RoutePortion, ...]) -> Workload:
    """Count shares as the fold does."""
    after = copy.deepcopy(workload)
    for each in portions:
        if each.after is not None:
            after.uses[each.route.key] = each.after
            after.last = max(after.last, each.after.number)
    return after


@given(st.data(), contexts(), st.integers(0, 40))
def test_a_bulk_put_is_the_definition_applied_to_every_message(
    data: st.DataObject, context: Context, count: int
) -> None:
    """A put of many messages has the shares, counters and order of choices one by one.

    This includes CLWLMRUC: the channels that it leaves are the same for every message of a put.
    """
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    plain = copy.deepcopy(workload)
    went = [definition.choose(candidates, context, plain) for _ in range(count)]
    plan = RoutePlan.of(candidates, context)
    portions = plan.take(workload, count)
    if plan.reason:
        assert all(each == (None, plan.reason) for each in went)
        return
    order = [chosen for chosen, _ in went]
    assert {each.route.key: each.count for each in portions} == {
        each.key: order.count(each) for each in order if each
    }
    assert list(islice(plan.sequence(workload), count)) == order
    skip = data.draw(st.integers(0, count))
    assert list(islice(plan.sequence(workload, skip=skip), count - skip)) == order[skip:]
    if not plan.outright:
        assert _counted(workload, portions) == plain


@given(st.data(), contexts())
def test_the_trace_chooses_as_the_plan_does(data: st.DataObject, context: Context) -> None:
    """A trace chooses the route of the next message, and has a reason for every other route."""
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    trace = Trace.of(candidates, context, workload)
    portion = RoutePlan.of(candidates, context).choose(workload)
    assert trace.chosen == (portion.route if portion else None)
    assert trace.reason == RoutePlan.of(candidates, context).reason
    for row in trace.rows():
        assert (row["removed_by"] is None) is row["chosen"]
    assert len(trace.rows()) == len(candidates)


@given(st.data(), contexts())
def test_the_order_of_candidates_does_not_matter(data: st.DataObject, context: Context) -> None:
    """The same candidates are excluded by the same rules in any order of candidates."""
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    shuffled = data.draw(st.permutations(candidates))
    assert Trace.of(candidates, context, workload) == Trace.of(shuffled, context, workload)


@given(st.data(), contexts())
def test_no_rule_brings_back_what_an_earlier_one_removed(
    data: st.DataObject, context: Context
) -> None:
    """Every route is excluded once or chosen; each rule gets the routes that are left."""
    candidates = data.draw(routes())
    trace = Trace.of(candidates, context, data.draw(histories(candidates)))
    fallen = [fall.route.key for step in trace.steps for fall in step.falls]
    assert len(fallen) == len(set(fallen))
    given_to = len(candidates)
    for step in trace.steps:
        assert step.given == given_to
        given_to = step.left
        assert step.given == step.left + len(step.falls)
    assert (
        tuple(step.rule.name for step in trace.steps) == ORDERS[context.profile][: len(trace.steps)]
    )


@given(st.data(), contexts())
def test_an_attribute_of_what_fell_early_changes_nothing(
    data: st.DataObject, context: Context
) -> None:
    """An attribute of a later rule cannot help a candidate that an earlier rule excluded."""
    candidates = data.draw(routes())
    workload = data.draw(histories(candidates))
    trace = Trace.of(candidates, context, workload)
    early = {"cluster", "channel-rank", "suspended"}
    fallen = {
        each.key for each, rule, _ in trace.removals() if rule is not None and rule.name in early
    }
    better = [
        replace(each, status="RUNNING", netprty=9, channel_priority=9, weight=99)
        if each.key in fallen
        else each
        for each in candidates
    ]
    assert Trace.of(better, context, workload).chosen == trace.chosen


@given(st.data(), contexts())
def test_both_orders_agree_where_all_can_be_put_to_and_none_is_local(
    data: st.DataObject, context: Context
) -> None:
    """Both orders of the rules agree if all instances are remote and put-enabled."""
    candidates = [replace(each, put_enabled=True) for each in data.draw(routes(local=False))]
    workload = data.draw(histories(candidates))
    chosen = [
        Trace.of(candidates, replace(context, profile=profile), workload).chosen
        for profile in ORDERS
    ]
    assert chosen[0] == chosen[1]


@given(st.lists(st.integers(1, 99), min_size=1, max_size=6), st.integers(0, 3000))
def test_shares_are_in_proportion_to_weights(weights: list[int], count: int) -> None:
    """From equal counters, every factor is within one step of the lowest."""
    from tests.rules.workload.routing import SENDER, route

    candidates: list[Route] = [
        route(f"Q{number}", weight=weight) for number, weight in enumerate(weights)
    ]
    portions = RoutePlan.of(candidates, SENDER).take(Workload(), count)
    assert sum(each.count for each in portions) == count
    factors = {each.key: 0 for each in candidates}
    factors |= {each.route.key: each.after.factor for each in portions if each.after}
    lowest = min(factors.values())
    for each in candidates:
        assert factors[each.key] - lowest <= 1000 // each.weight
