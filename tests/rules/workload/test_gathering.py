"""Candidates as one queue manager sees them: its beliefs, its channels and their states."""

from __future__ import annotations

from tests.sandbox import Sandbox, small_cluster
from twin.events import ChannelStatusChanged
from twin.fold.beliefs import Belief
from twin.fold.messaging import Workload
from twin.rules.workload.choosing import RoutePlan
from twin.rules.workload.routes import Route, context_of, is_even, routes_of


def _instances(sandbox: Sandbox, observer: str, queue: str) -> list[tuple[str, Belief]]:
    """Return the believed instances as MQOPEN finds them."""
    return [
        (name[0], belief)
        for name, belief in sandbox.estate.qmgr(observer).repository.of_kind("queue")
        if name[2] == queue
    ]


def _routes(sandbox: Sandbox, observer: str, queue: str = "ORD") -> dict[str, Route]:
    """Return the routes by channel."""
    candidates = routes_of(
        sandbox.estate.qmgr(observer), queue, _instances(sandbox, observer, queue)
    )
    assert list(candidates) == sorted(candidates, key=lambda each: each.place)
    return {each.channel: each for each in candidates}


def _cluster() -> Sandbox:
    """Make two hosts of a queue, PR1 and FR2, and a sender, PR2, that has asked for it."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA) CLWLRANK(2) CLWLPRTY(3)")
    sandbox.run("FR2", "DEFINE QALIAS(ORD) TARGET(BASE) CLUSTER(CA) PUT(DISABLED)")
    sandbox.open("PR2", "ORD")
    return sandbox


def test_a_route_has_what_the_records_say() -> None:
    """A route has attributes of the queue's record and of the CLUSRCVR's record."""
    sandbox = _cluster()
    sandbox.run(
        "PR1",
        "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(4) CLWLPRTY(5) CLWLWGHT(60) NETPRTY(7)"
        "\nSUSPEND QMGR CLUSTER(CA)",
    )
    candidates = _routes(sandbox, "PR2")
    assert list(candidates) == ["CA.FR2", "CA.PR1"]
    one = candidates["CA.PR1"]
    assert (one.queue_rank, one.queue_priority, one.channel_rank) == (2, 3, 4)
    assert (one.channel_priority, one.weight, one.netprty) == (5, 60, 7)
    assert (one.suspended, one.put_enabled, one.local) == (True, True, False)
    assert (one.queue, one.queue_type, one.queue_cluster) == ("ORD", "QLOCAL", "CA")
    other = candidates["CA.FR2"]
    assert (other.put_enabled, other.queue_type, other.alias) == (False, "QALIAS", False)
    assert len(one.evidence) >= 2


def test_status_is_that_of_the_local_channel() -> None:
    """A channel without a state is INACTIVE; states at other queue managers have no effect."""
    sandbox = _cluster()
    qmgr = sandbox.estate.qmgr("PR2")
    qmgr.activity.channels.pop("CA.PR1", None)
    assert _routes(sandbox, "PR2")["CA.PR1"].status == "INACTIVE"
    sandbox.draft.emit(
        ChannelStatusChanged(qmgr="PR2", channel="CA.PR1", status="STOPPED", partner="PR1")
    )
    assert _routes(sandbox, "PR2")["CA.PR1"].status == "STOPPED"


def test_the_local_instance_stands_first_with_its_own_receivers() -> None:
    """A host has one local route for each of its CLUSRCVRs, RUNNING without a state."""
    sandbox = _cluster()
    sandbox.run("PR1", "DEFINE CHANNEL(CA.PR1.2) CHLTYPE(CLUSRCVR) CONNAME(pr1) CLUSTER(CA)")
    sandbox.run("PR1", "DEFINE CHANNEL(CB.PR1) CHLTYPE(CLUSRCVR) CONNAME(pr1) CLUSTER(CB)")
    sandbox.open("PR1", "ORD")
    candidates = _routes(sandbox, "PR1")
    assert list(candidates)[:2] == ["CA.PR1", "CA.PR1.2"]
    assert "CB.PR1" not in candidates
    assert all(candidates[channel].local for channel in ("CA.PR1", "CA.PR1.2"))
    assert candidates["CA.PR1"].status == "RUNNING"
    assert len(_routes(sandbox, "PR2")) == 3


def test_a_channel_of_another_cluster_is_a_candidate_that_falls() -> None:
    """A host's CLUSRCVR in another cluster is a candidate that is excluded."""
    sandbox = _cluster()
    for name in ("FR1", "FR2"):
        sandbox.run(name, "DEFINE NAMELIST(BOTH) NAMES(CA,CB) REPLACE")
        sandbox.run(name, "ALTER QMGR REPOS(' ') REPOSNL(BOTH)")
        for other in ("FR1", "FR2"):
            kind = "CLUSRCVR" if other == name else "CLUSSDR"
            sandbox.run(
                name, f"ALTER CHANNEL(CA.{other}) CHLTYPE({kind}) CLUSTER(' ') CLUSNL(BOTH)"
            )
    sandbox.run(
        "PR1",
        "DEFINE NAMELIST(BOTH) NAMES(CA,CB)\n"
        "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CLUSTER(' ') CLUSNL(BOTH)\n"
        "DEFINE CHANNEL(CB.PR1) CHLTYPE(CLUSRCVR) CONNAME(pr1) CLUSTER(CB)",
    )
    candidates = _routes(sandbox, "FR1")
    assert (candidates["CB.PR1"].cluster, candidates["CB.PR1"].queue_cluster) == ("CB", "CA")
    assert candidates["CA.FR2"].cluster == candidates["CA.FR2"].queue_cluster == "CA"
    plan = RoutePlan.of(candidates.values(), context_of(sandbox.estate.qmgr("FR1"), "ORD"))
    assert [each.channel for each in plan.left] == ["CA.PR1"]


def test_a_named_queue_manager_is_no_queue() -> None:
    """An instance of a queue manager has channel attributes only."""
    sandbox = _cluster()
    sandbox.run("PR1", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLRANK(4)")
    qmgr = sandbox.estate.qmgr("PR2")
    instances = [
        (name[0], belief)
        for name, belief in qmgr.repository.of_kind("qmgr")
        if belief.owner_name == "PR1"
    ]
    (candidate,) = routes_of(qmgr, "ORD", instances)
    assert (candidate.queue, candidate.channel_rank, candidate.queue_rank) == ("", 4, 0)
    assert not candidate.is_queue


def test_a_queue_manager_alias_is_a_candidate() -> None:
    """A queue manager alias that a gateway advertises is a candidate."""
    sandbox = small_cluster()
    for name in ("PR1", "FR2"):
        sandbox.run(name, "DEFINE QREMOTE(ROME) RQMNAME(PALERMO) XMITQ(X) CLUSTER(CA)")
    sandbox.open("PR2", "Z", to="ROME")
    candidates = _routes(sandbox, "PR2", "ROME")
    assert {each.alias for each in candidates.values()} == {True}
    assert {each.queue_type for each in candidates.values()} == {"QREMOTE"}


def test_context_is_the_choosing_queue_managers_own() -> None:
    """CLWLUSEQ and CLWLMRUC are those of the choosing queue manager or its local queue."""
    sandbox = _cluster()
    sandbox.run("PR1", "ALTER QMGR CLWLUSEQ(ANY) CLWLMRUC(4)")
    host = context_of(sandbox.estate.qmgr("PR1"), "ORD")
    assert (host.queue_useq, host.qmgr_useq, host.mruc, host.profile) == ("QMGR", "ANY", 4, "v8")
    assert not host.prefers_local
    assert context_of(sandbox.estate.qmgr("FR2"), "ORD").queue_useq == ""
    assert context_of(sandbox.estate.qmgr("FR2"), "ORD", profile="v7").profile == "v7"
    assert context_of(sandbox.estate.qmgr("FR2"), "ORD", arrived=True).prefers_local


def test_one_other_weight_makes_totals_count() -> None:
    """The weight of any known cluster channel counts, whether it leads to this queue or not."""
    sandbox = _cluster()
    assert is_even(sandbox.estate.qmgr("PR2"))
    sandbox.run("FR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CLWLWGHT(51)")
    assert not is_even(sandbox.estate.qmgr("PR2"))


def test_an_instance_without_a_known_channel_is_no_route() -> None:
    """A queue whose queue manager is unknown has no route."""
    sandbox = _cluster()
    instances = _instances(sandbox, "PR2", "ORD")
    repository = sandbox.estate.qmgr("PR2").repository
    for name, belief in list(repository.of_kind("qmgr")):
        repository.forget(name, belief.owner)
    assert routes_of(sandbox.estate.qmgr("PR2"), "ORD", instances) == ()


def test_a_put_from_beliefs_is_shared() -> None:
    """A put is divided among the believed instances, without the put-disabled one."""
    sandbox = _cluster()
    sandbox.run("FR1", "DEFINE QLOCAL(ORD) CLUSTER(CA) CLWLRANK(2) CLWLPRTY(3)")
    qmgr = sandbox.estate.qmgr("PR2")
    plan = RoutePlan.of(_routes(sandbox, "PR2").values(), context_of(qmgr, "ORD"))
    taken = plan.take(Workload(), 10)
    assert {each.route.qmgr: each.count for each in taken} == {"FR1": 5, "PR1": 5}
