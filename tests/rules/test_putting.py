"""MQPUT: how messages are bound, how they are counted, and how many fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.fold.messaging import Workload
from twin.rules.deriving import derive
from twin.rules.messages.putting import Put


def pair(attributes: str = "DEFBIND(NOTFIXED)") -> Sandbox:
    """Make a cluster in which FR2 and PR1 have Q."""
    sandbox = small_cluster()
    for host in ("FR2", "PR1"):
        sandbox.run(host, f"DEFINE QLOCAL(Q) CLUSTER(CA) {attributes}")
    return sandbox


def counts(sandbox: Sandbox, put: Put) -> dict[str, int]:
    """Count messages by their chosen queue manager."""
    counts: dict[str, int] = {}
    for share in put.shares:
        name = sandbox.estate.names[share.to]
        counts[name] = counts.get(name, 0) + share.count
    return counts


def uses(sandbox: Sandbox, name: str = "PR2") -> Workload:
    """Return the counters of routes."""
    return sandbox.estate.qmgr(name).messaging.workload


def test_a_put_without_a_handle_is_one_choice_where_binding_is_on_open() -> None:
    """A put with bind on open sends all messages to one destination; the next put chooses again."""
    sandbox = pair("DEFBIND(OPEN)")
    assert counts(sandbox, sandbox.put("PR2", "Q", count=3)) == {"FR2": 3}
    assert counts(sandbox, sandbox.put("PR2", "Q", count=3)) == {"PR1": 3}
    assert uses(sandbox).last == 2


def test_mqput1_is_a_choice_for_each_message_whatever_is_asked() -> None:
    """A put with MQPUT1 chooses for each message, whatever the bind option."""
    sandbox = pair("DEFBIND(OPEN)")
    put = sandbox.put("PR2", "Q", count=4, put1=True, bind="open")
    assert (put.bind, counts(sandbox, put)) == ("notfixed", {"FR2": 2, "PR1": 2})


def test_a_handle_keeps_its_binding_and_its_profile() -> None:
    """A handle keeps the binding of its MQOPEN until MQCLOSE, and is invalid afterwards."""
    sandbox = pair()
    sandbox.open("PR2", "Q", bind="open", handle="h", profile="v7")
    assert counts(sandbox, sandbox.put("PR2", handle="h", count=2)) == {"FR2": 2}
    assert sandbox.estate.qmgr("PR2").messaging.handles["h"].profile == "v7"
    derive(sandbox.draft, events.HandleClosed(qmgr="PR2", handle="h"))
    assert sandbox.put("PR2", handle="h").reason == 2019


def test_handles_go_with_their_queue_manager() -> None:
    """A handle is invalid after its queue manager ends."""
    sandbox = pair()
    sandbox.open("PR2", "Q", handle="h")
    sandbox.control("endmqm", "PR2")
    sandbox.control("strmqm", "PR2")
    assert sandbox.put("PR2", handle="h").reason == 2019


def test_a_managed_group_is_one_choice_and_goes_on_over_several_puts() -> None:
    """A group stays together over several puts on a handle; the next group has the next turn."""
    sandbox = pair()
    sandbox.open("PR2", "Q", bind="group", handle="h")

    def group(name: str) -> dict[str, int]:
        put = sandbox.put("PR2", handle="h", count=3, group=name, logical_order=True)
        return counts(sandbox, put)

    assert [group("G1"), group("G1"), group("G2")] == [{"FR2": 3}, {"FR2": 3}, {"PR1": 3}]
    lying = sandbox.estate.qmgr("FR2").messaging.local["Q"]
    assert {parcel.fixed for parcel in lying} == {"bind-on-group"}


def test_a_group_of_ones_own_is_not_kept_together() -> None:
    """Bind on group without MQPMO_LOGICAL_ORDER acts like bind not fixed."""
    sandbox = pair()
    put = sandbox.put("PR2", "Q", count=4, bind="group", group="MINE")
    assert counts(sandbox, put) == {"FR2": 2, "PR1": 2}
    assert {parcel.fixed for parcel in sandbox.estate.qmgr("FR2").messaging.local["Q"]} == {""}


@pytest.mark.parametrize(
    ("options", "reason", "at"),
    [
        ({"bind": "open"}, 2268, "open"),
        ({"bind": "notfixed"}, 2268, "put"),
        ({"bind": "group"}, 2268, "put"),
        ({"bind": "open", "put1": True}, 2268, "put"),
    ],
)
def test_with_every_remote_instance_disabled_it_depends_on_the_binding(
    options: dict[str, object], reason: int, at: str
) -> None:
    """If all remote instances are put-disabled, bind open fails at the open, others at the put."""
    sandbox = pair("PUT(DISABLED)")
    put = sandbox.put("PR2", "Q", **options)
    assert (put.reason, put.at, put.shares) == (reason, at, ())


@pytest.mark.parametrize("bind", ["open", "notfixed", "group"])
def test_with_a_local_instance_among_those_disabled_the_put_is_inhibited(bind: str) -> None:
    """If a local instance is among those disabled, MQOPEN works and the put fails with 2051."""
    sandbox = pair("PUT(DISABLED)")
    sandbox.run("PR2", "DEFINE QLOCAL(Q) CLUSTER(CA) PUT(DISABLED)")
    put = sandbox.put("PR2", "Q", bind=bind)
    assert (put.reason, put.at) == (2051, "put")


def test_a_known_instance_without_a_route_is_an_unknown_name() -> None:
    """An instance without a route gives 2085 for bind open, and 2270 otherwise."""
    sandbox = pair()
    sandbox.open("PR2", "Q", bind="notfixed", handle="h")
    for host in ("FR2", "PR1"):
        sandbox.run(host, f"ALTER CHANNEL(CA.{host}) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    assert sandbox.put("PR2", handle="h").reason == 2270
    assert sandbox.put("PR2", "Q", bind="open").reason == 2085


def test_of_a_put_that_does_not_fit_the_first_messages_stand() -> None:
    """A put that does not fit keeps the first messages, and fails with 2053 after them."""
    sandbox = pair()
    sandbox.run("PR2", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.PR1') MAXDEPTH(5)")
    derive(sandbox.draft, events.ChannelHeld(qmgr="PR2", channel="CA.PR1"))
    put = sandbox.put("PR2", "Q", count=100)
    assert (put.count, put.reason, put.at) == (11, 2053, "put")
    assert counts(sandbox, put) == {"FR2": 6, "PR1": 5}
    assert (sandbox.depth("PR2", "XQ"), uses(sandbox).last) == (5, 11)


def test_a_full_local_queue_takes_what_fits() -> None:
    """A local queue accepts messages up to MAXDEPTH, including those already there."""
    sandbox = Sandbox().create("QM1")
    sandbox.run("QM1", "DEFINE QLOCAL(L) MAXDEPTH(10)")
    assert sandbox.put("QM1", "L", count=7).reason == 0
    put = sandbox.put("QM1", "L", count=7)
    assert (put.count, put.reason, put.at) == (3, 2053, "put")
    assert sandbox.get("QM1", "L", 4).left == 6
    assert sandbox.put("QM1", "L", count=4).reason == 0


def test_messages_that_leave_at_once_do_not_fill_their_transmission_queue() -> None:
    """A message on a running channel does not fill its transmission queue."""
    sandbox = pair()
    sandbox.run("PR2", "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('CA.PR1') MAXDEPTH(2)")
    put = sandbox.put("PR2", "Q", count=20)
    assert (put.reason, counts(sandbox, put)) == (0, {"FR2": 10, "PR1": 10})


def test_a_clustered_alias_here_joins_the_choice_and_leads_on() -> None:
    """A local clustered alias takes part in the choice, and its messages go to its target."""
    sandbox = small_cluster()
    for host in ("PR1", "PR2"):
        sandbox.run(host, "DEFINE QLOCAL(T)\nDEFINE QALIAS(A) TARGET(T) CLUSTER(CA)")
    put = sandbox.put("PR2", "A", bind="notfixed", count=4)
    assert put.order == ("PR2", "PR1") * 2
    assert (sandbox.depth("PR2", "T"), sandbox.depth("PR1", "T")) == (2, 2)


def test_weights_are_counted_anew_when_a_destination_becomes_available() -> None:
    """The factors are reset when a destination becomes available or changes, but not on a start."""
    sandbox = pair()
    sandbox.run("PR1", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLWLWGHT(25)")
    assert counts(sandbox, sandbox.put("PR2", "Q", count=6)) == {"FR2": 4, "PR1": 2}
    assert any(use.factor for use in uses(sandbox).uses.values())
    sandbox.run("PR2", "STOP CHANNEL(CA.PR1)")
    assert any(use.factor for use in uses(sandbox).uses.values())
    sandbox.run("PR2", "START CHANNEL(CA.PR1)")
    assert not any(use.factor for use in uses(sandbox).uses.values())
    sandbox.put("PR2", "Q", count=6)
    sandbox.run("FR2", "ALTER CHANNEL(CA.FR2) CHLTYPE(CLUSRCVR) DESCR('no matter')")
    assert any(use.factor for use in uses(sandbox).uses.values())
    sandbox.run("FR2", "ALTER CHANNEL(CA.FR2) CHLTYPE(CLUSRCVR) NETPRTY(1)")
    assert not any(use.factor for use in uses(sandbox).uses.values())


def test_a_queue_with_messages_is_deleted_with_purge_only() -> None:
    """CLEAR and DELETE PURGE lose messages with an event, and are refused on an open queue."""
    sandbox = Sandbox().create("QM1")
    sandbox.run("QM1", "DEFINE QLOCAL(L)")
    sandbox.put("QM1", "L", count=3)
    assert sandbox.run("QM1", "DELETE QLOCAL(L)") == ["AMQ8143E"]
    sandbox.open("QM1", "L", handle="h")
    assert sandbox.run("QM1", "CLEAR QLOCAL(L)\nDELETE QLOCAL(L) PURGE") == ["AMQ8148E"] * 2
    derive(sandbox.draft, events.HandleClosed(qmgr="QM1", handle="h"))
    assert sandbox.run("QM1", "CLEAR QLOCAL(L)") == ["AMQ8022I"]
    assert sandbox.depth("QM1", "L") == 0
    sandbox.put("QM1", "L", count=2)
    assert sandbox.run("QM1", "DELETE QLOCAL(L) PURGE") == ["AMQ8007I"]
    lost = [each.event for each in sandbox.draft.events]
    losses = [(e.why, e.count) for e in lost if isinstance(e, events.MessagesLost)]
    assert losses == [("cleared", 3), ("deleted", 2)]


def test_getting_takes_what_is_there() -> None:
    """A get of too many messages gets those that exist, and its last call fails."""
    sandbox = Sandbox().create("QM1")
    sandbox.run("QM1", "DEFINE QLOCAL(L)\nDEFINE QALIAS(A) TARGET(L)\nDEFINE QALIAS(B) TARGET(A)")
    sandbox.run("QM1", "DEFINE QREMOTE(R) RNAME(R) RQMNAME(X)\nDEFINE QALIAS(C) TARGET(NONE)")
    sandbox.put("QM1", "A", count=3)
    got = sandbox.get("QM1", "A", 5)
    assert (got.count, got.reason, got.left) == (3, 2033, 0)
    reasons = [sandbox.get("QM1", queue).reason for queue in ("NONE", "R", "B", "C")]
    assert reasons == [2085, 2045, 2001, 2082]
    sandbox.run("QM1", "ALTER QLOCAL(L) GET(DISABLED)")
    assert sandbox.get("QM1", "A").reason == 2016


CHANNEL = st.fixed_dictionaries(
    {
        "CLWLWGHT": st.sampled_from([50, 50, 50, 1, 20, 33, 99]),
        "CLWLRANK": st.sampled_from([0, 0, 0, 1]),
        "CLWLPRTY": st.sampled_from([0, 0, 0, 1]),
        "NETPRTY": st.sampled_from([0, 0, 1]),
    }
)
HOST = st.fixed_dictionaries(
    {
        "channels": st.lists(CHANNEL, min_size=1, max_size=2),
        "queue": st.sampled_from(["", "CLWLRANK(1)", "CLWLPRTY(1)", "PUT(DISABLED)"]),
        "suspended": st.sampled_from([False, False, True]),
    }
)


def built(hosts: list[dict[str, object]], *, local: str, mruc: int) -> Sandbox:
    """Make a full repository that puts, and members that have the queue."""
    sandbox = Sandbox().create("FR", *(f"H{number}" for number in range(len(hosts)))).full("FR")
    for number, host in enumerate(hosts):
        name = f"H{number}"
        channels = host["channels"]
        assert isinstance(channels, list)
        for each, attributes in enumerate(channels):
            given_values = " ".join(f"{key}({value})" for key, value in attributes.items())
            sandbox.run(
                name,
                f"DEFINE CHANNEL(CA.{name}.{each}) CHLTYPE(CLUSRCVR) CONNAME('h') CLUSTER(CA)"
                f" {given_values}",
            )
        sandbox.sender(name, "FR")
        sandbox.run(name, f"DEFINE QLOCAL(Q) CLUSTER(CA) MAXDEPTH(999999) {host['queue']}")
        if host["suspended"]:
            sandbox.run(name, "SUSPEND QMGR CLUSTER(CA)")
    if local:
        sandbox.run("FR", f"DEFINE QLOCAL(Q) CLUSTER(CA) MAXDEPTH(999999) CLWLUSEQ({local})")
    sandbox.run("FR", f"ALTER QMGR CLWLMRUC({mruc})")
    return sandbox


@given(
    hosts=st.lists(HOST, min_size=1, max_size=4),
    local=st.sampled_from(["", "", "ANY", "LOCAL"]),
    mruc=st.sampled_from([999_999_999, 999_999_999, 1, 3]),
    before=st.integers(0, 5),
    count=st.integers(1, 60),
)
def test_a_put_of_many_is_as_many_puts_of_one(
    hosts: list[dict[str, object]], local: str, mruc: int, before: int, count: int
) -> None:
    """A put of many messages gives the same routes, counters and depths as many puts of one."""
    bulk, single = (built(hosts, local=local, mruc=mruc) for _ in range(2))
    for sandbox in (bulk, single):
        for _ in range(before):
            sandbox.put("FR", "Q", bind="open")
    whole = bulk.put("FR", "Q", bind="notfixed", count=count)
    ones = [single.put("FR", "Q", bind="notfixed") for _ in range(count)]
    assert whole.order == tuple(name for one in ones for name in one.order)
    assert {whole.reason} == {one.reason for one in ones}
    assert whole.count == sum(one.count for one in ones)
    assert uses(bulk, "FR") == uses(single, "FR")
    depths = [
        {name: sandbox.depth(name, "Q") for name in sandbox.estate.qmgrs}
        for sandbox in (bulk, single)
    ]
    assert depths[0] == depths[1]
