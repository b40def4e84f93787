"""Each rule by example, in order, with examples of the sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.workload.routing import SENDER, fell, route, shares
from twin.fold.messaging import RouteUse, Workload
from twin.rules.workload.choosing import ORDERS, RULES, RoutePlan, Trace
from twin.rules.workload.routes import Context, profile_of

HOST = Context(qmgr="A", queue="ORD", queue_useq="QMGR", qmgr_useq="LOCAL")


@pytest.mark.parametrize(
    ("better", "worse", "rule"),
    [
        ({"channel_rank": 1}, {"channel_priority": 9}, "channel-rank"),
        ({"queue_rank": 1}, {"queue_priority": 9}, "queue-rank"),
        ({}, {"put_enabled": False}, "put"),
        ({}, {"suspended": True}, "suspended"),
        ({"status": "RUNNING"}, {"status": "STARTING"}, "status"),
        ({"status": "STOPPING"}, {"status": "RETRYING"}, "status"),
        ({"status": "RETRYING"}, {"status": "STOPPED"}, "status"),
        ({"channel_priority": 1}, {"queue_priority": 9}, "channel-priority"),
        ({"queue_priority": 1}, {"weight": 99}, "queue-priority"),
        ({}, {}, "weight"),
    ],
)
def test_a_rule_removes_what_is_worse(
    better: dict[str, object], worse: dict[str, object], rule: str
) -> None:
    """The worse of two routes is excluded by the first rule that distinguishes them."""
    assert fell([route("B", **worse), route("A", **better)]) == {"A": None, "B": rule}


def test_inactive_is_as_good_as_running() -> None:
    """An INACTIVE channel takes turns, because it starts when needed."""
    assert shares([route("A", status="RUNNING"), route("B")], 10) == {"CA.A": 5, "CA.B": 5}


def test_netprty_is_compared_for_each_queue_manager() -> None:
    """A channel with higher NETPRTY excludes only others to the same queue manager."""
    routes = [route("A", "CA.A.FAST", netprty=5), route("A", "CA.A.SLOW"), route("B")]
    assert shares(routes, 10) == {"CA.A.FAST": 5, "CA.B": 5}


def test_two_channels_to_one_queue_manager_are_two_candidates() -> None:
    """A queue manager with two equal channels gets two turns of three."""
    routes = [route("A", "CA.A.1"), route("A", "CA.A.2"), route("B")]
    assert shares(routes, 9) == {"CA.A.1": 3, "CA.A.2": 3, "CA.B": 3}


def test_rank_goes_before_put_since_8_and_after_it_before() -> None:
    """With the best rank put-disabled, a put fails from 8.0 on; in 7.5 it went to a lower rank."""
    routes = [route("A", channel_rank=1, put_enabled=False), route("B")]
    trace = Trace.of(routes, SENDER, Workload())
    assert (trace.chosen, trace.reason, trace.bound) == (None, 2268, None)
    assert fell(routes, replace(SENDER, profile="v7")) == {"A": "put", "B": None}


def test_rank_goes_before_the_local_instance_since_8() -> None:
    """A local instance of lower rank loses to a remote one from 8.0 on, and wins in 7.5."""
    routes = [route("A", local=True, status="RUNNING"), route("B", queue_rank=1)]
    assert fell(routes, HOST) == {"A": "queue-rank", "B": None}
    assert fell(routes, replace(HOST, profile="v7")) == {"A": None, "B": "local"}


@pytest.mark.parametrize(
    ("queue", "qmgr", "arrived", "stays"),
    [
        ("LOCAL", "ANY", False, True),
        ("QMGR", "LOCAL", False, True),
        ("QMGR", "ANY", False, False),
        ("ANY", "LOCAL", False, False),
        ("", "LOCAL", False, False),  # a local alias has no CLWLUSEQ
        ("ANY", "ANY", True, True),  # what came over a cluster channel does not go on
        ("", "ANY", True, True),
    ],
)
def test_clwluseq_says_whether_the_local_instance_is_taken(
    queue: str, qmgr: str, *, arrived: bool, stays: bool
) -> None:
    """CLWLUSEQ of the queue decides, or that of the queue manager if it is QMGR."""
    context = Context(queue_useq=queue, qmgr_useq=qmgr, arrived=arrived)
    routes = [route("A", local=True, status="RUNNING", suspended=True), route("B")]
    assert shares(routes, 10, context) == ({"CA.A": 10} if stays else {"CA.A": 5, "CA.B": 5})


def test_a_local_instance_taken_outright_is_not_counted() -> None:
    """A local instance that CLWLUSEQ prefers is chosen without changing counters."""
    (portion,) = RoutePlan.of([route("A", local=True), route("B")], HOST).take(Workload(), 7)
    assert (portion.count, portion.before, portion.after) == (7, None, None)


def test_a_put_disabled_local_instance_is_not_preferred() -> None:
    """CLWLUSEQ(LOCAL) prefers a local queue only if it is put-enabled."""
    assert fell([route("A", local=True, put_enabled=False), route("B")], HOST) == {
        "A": "put",
        "B": None,
    }


def test_a_local_instance_competes_by_its_own_receivers() -> None:
    """With CLWLUSEQ(ANY), a host with four CLUSRCVRs gets four of five turns."""
    context = replace(HOST, queue_useq="ANY", even=True)
    here = [route("A", f"CA.A.{n}", local=True, status="RUNNING") for n in range(4)]
    assert shares([*here, route("B")], 10, context)["CA.B"] == 2
    stopping = [replace(each, status="STOPPING") for each in here]
    assert shares([*stopping, route("B")], 10, context) == {"CA.B": 10}


def test_suspension_counts_where_only_remote_instances_are_left() -> None:
    """A suspended queue manager is used if all are, or beside a competing local instance."""
    routes = [route("A", suspended=True), route("B", suspended=True)]
    assert shares(routes, 4) == {"CA.A": 2, "CA.B": 2}
    local = route("C", local=True, status="RUNNING")
    any_ = replace(HOST, qmgr="C", queue_useq="ANY")
    assert shares([local, *routes], 6, any_) == {"CA.A": 2, "CA.B": 2, "CA.C": 2}


def test_all_put_disabled_fails_by_whether_one_is_local() -> None:
    """If all are put-disabled, the reason is 2268; 2051 with a local one, and in the v7 order."""
    remote = [route("A", put_enabled=False), route("B", put_enabled=False)]
    here = route("C", local=True, put_enabled=False)
    for profile in ORDERS:
        context = replace(HOST, profile=profile)
        assert RoutePlan.of(remote, context).reason == {"v8": 2268, "v7": 2051}[profile]
        plan = RoutePlan.of([*remote, here], context)
        assert (plan.reason, plan.bound) == (2051, here)
        assert plan.take(Workload(), 5) == ()
        assert list(plan.sequence(Workload())) == []


def test_a_channel_in_another_cluster_than_the_queue_is_no_way_to_it() -> None:
    """A channel of another cluster than the queue is excluded, even if there is no other."""
    routes = [route("A", "CB.A", cluster="CB"), route("A", "CA.A")]
    assert [row["removed_by"] for row in Trace.of(routes, SENDER, Workload()).rows()] == [
        None,
        "cluster",
    ]
    assert RoutePlan.of(routes[:1], SENDER).reason == 2270
    assert RoutePlan.of([], SENDER).reason == 2270


def test_a_cluster_that_was_left_is_the_last_resort() -> None:
    """A record from a left cluster is used only if no joined cluster has the queue."""
    gone = route("A", cluster="OLD", queue_cluster="OLD", member=False)
    assert fell([gone]) == {"A": None}
    assert fell([gone, route("B")]) == {"A": "cluster", "B": None}


def test_an_alias_counts_by_its_own_values_or_its_channels() -> None:
    """A queue manager alias has rank and priority of its own or of its channel."""
    alias = {"alias": True, "queue_type": "QREMOTE"}
    assert fell([route("A", **alias), route("B", queue_rank=1, **alias)]) == {
        "A": "channel-rank",
        "B": None,
    }
    assert fell([route("A", **alias), route("B", channel_priority=1, **alias)]) == {
        "A": "channel-priority",
        "B": None,
    }
    only_named = route("C", queue="", queue_type="")
    assert shares([route("A", queue_priority=1), only_named], 4) == {"CA.A": 2, "CA.C": 2}


def test_clwlmruc_keeps_the_channels_used_last() -> None:
    """CLWLMRUC keeps the channels used last, then unused ones by name."""
    routes = [route(name) for name in "ABCD"]
    workload = Workload({routes[2].key: RouteUse(1, 20)}, last=1)
    context = replace(SENDER, mruc=2)
    trace = Trace.of(routes, context, workload)
    assert {row["qmgr"]: row["removed_by"] for row in trace.rows()} == {
        "A": None,
        "B": "mruc",
        "C": "weight",
        "D": "mruc",
    }
    taken = RoutePlan.of(routes, context).take(workload, 10)
    assert {each.route.qmgr for each in taken} == {"A", "C"}


def test_nine_queue_managers_of_the_published_example() -> None:
    """The nine queue managers of the published 7.x example get the published shares.

    Source: "Cluster Workload management attributes and algorithm".
    """
    usual = {"channel_rank": 4, "queue_rank": 4, "channel_priority": 3, "queue_priority": 4}
    routes = [
        route("QMA", **{**usual, "channel_rank": 5}, put_enabled=False),
        route("QMB", **{**usual, "queue_rank": 3}),
        route("QMC", **usual, status="RETRYING"),
        route("QMD", **usual, suspended=True),
        route("QME", **{**usual, "queue_priority": 3}),
        route("QMF", **usual, suspended=True),
        route("QMG", **usual, weight=30),
        route("QMH", **usual, weight=20),
        route("QMI", **usual, weight=50),
    ]
    old = replace(SENDER, profile="v7")
    assert shares(routes, 10, old) == {"CA.QMG": 3, "CA.QMH": 2, "CA.QMI": 5}
    assert fell(routes, old) == {
        "QMA": "put",
        "QMB": "queue-rank",
        "QMC": "status",
        "QMD": "suspended",
        "QME": "queue-priority",
        "QMF": "suspended",
        "QMG": None,
        "QMH": "weight",
        "QMI": "weight",
    }


def test_only_the_order_of_use_counts_while_all_weights_are_the_default() -> None:
    """With all weights 50, the messages of other queues on a channel are not compensated for."""
    routes = [route("A"), route("B")]
    workload = Workload({routes[1].key: RouteUse(10, 200)}, last=10)
    even, weighted = replace(SENDER, even=True), SENDER
    assert [each.count for each in RoutePlan.of(routes, even).take(workload, 4)] == [2, 2]
    assert [each.count for each in RoutePlan.of(routes, weighted).take(workload, 4)] == [4]
    after = {each.route.qmgr: each.after for each in RoutePlan.of(routes, even).take(workload, 4)}
    assert after == {"A": RouteUse(13, 0), "B": RouteUse(14, 200)}


@pytest.mark.parametrize(("level", "profile"), [(600, "v7"), (750, "v7"), (800, "v8"), (940, "v8")])
def test_the_command_level_chooses_the_order(level: int, profile: str) -> None:
    """The order of the rules is that of 8.0 from command level 800 on."""
    assert profile_of(level) == profile


def test_the_table_has_a_source_for_every_rule() -> None:
    """Both orders have the same rules, each with its keyword and its source."""
    assert set(ORDERS["v7"]) == set(ORDERS["v8"]) == set(RULES)
    assert all(rule.source and rule.attribute.isupper() for rule in RULES.values())


def test_rows_show_value_and_best() -> None:
    """A row of `explain` has the keyword, its value and the value that was best."""
    rows = Trace.of(
        [route("A", channel_rank=2), route("B"), route("C", channel_rank=2, weight=20)],
        SENDER,
        Workload(),
    ).rows()
    assert rows == [
        {
            "qmgr": "A",
            "channel": "CA.A",
            "removed_by": None,
            "attribute": None,
            "value": None,
            "best": None,
            "chosen": True,
            "factor": 0,
            "last_use": 0,
        },
        {
            "qmgr": "B",
            "channel": "CA.B",
            "removed_by": "channel-rank",
            "attribute": "CLWLRANK",
            "value": 0,
            "best": 2,
            "chosen": False,
            "factor": 0,
            "last_use": 0,
        },
        {
            "qmgr": "C",
            "channel": "CA.C",
            "removed_by": "weight",
            "attribute": "CLWLWGHT",
            "value": 20,
            "best": 50,
            "chosen": False,
            "factor": 0,
            "last_use": 0,
        },
    ]


def test_the_value_of_an_exclusion_is_the_attribute_or_the_turn() -> None:
    """The value of an exclusion is that of the attribute in force, or the turn."""
    routes = [route("A", local=True), route("B", weight=20), route("C")]
    used = Workload({routes[0].key: RouteUse(4, 50), routes[1].key: RouteUse(5, 20)}, last=5)

    def fallen(**context: Any) -> list[tuple[Any, ...]]:
        trace = Trace.of(routes, replace(SENDER, **context), used)
        return [
            (row["qmgr"], row["attribute"], row["value"], row["best"], trace.fell_by(rule, fall))
            for row, (_, rule, fall) in zip(trace.rows(), trace.removals(), strict=True)
            if rule is not None and fall is not None
        ]

    any_, local = {"queue_useq": "ANY"}, "CLWLUSEQ(LOCAL): the local instance is taken"
    assert fallen(**any_) == [
        ("A", "CLWLWGHT", 50, 50, "CLWLWGHT(50): factor 50, the lowest is 0"),
        ("B", "CLWLWGHT", 20, 50, "CLWLWGHT(20): factor 20, the lowest is 0"),
    ]
    assert fallen(**any_, even=True) == [
        ("A", "CLWLWGHT", 50, 50, "last use 4, another was never used"),
        ("B", "CLWLWGHT", 20, 50, "last use 5, another was never used"),
    ]
    assert fallen(**any_, mruc=1)[1] == (
        "C",
        "CLWLMRUC",
        1,
        None,
        "CLWLMRUC(1): never used, another was",
    )
    assert fallen(queue_useq="LOCAL") == [
        ("B", "CLWLUSEQ", "LOCAL", None, local),
        ("C", "CLWLUSEQ", "LOCAL", None, local),
    ]
    arrived = (
        "B",
        "CLWLUSEQ",
        None,
        None,
        "the message came over a cluster channel: the local instance is taken",
    )
    assert fallen(**any_, arrived=True)[0] == arrived
