"""Name resolution: its order, and the reason codes of names that cannot be resolved."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin.events import MessagesSent
from twin.rules.messages.putting import Put

SETUP = """
DEFINE QLOCAL(LOC)
DEFINE QLOCAL(LOC.OFF) PUT(DISABLED)
DEFINE QALIAS(AL.OFF) TARGET(LOC) PUT(DISABLED)
DEFINE QALIAS(AL.MODEL) TARGET(SYSTEM.DEFAULT.MODEL.QUEUE)
DEFINE QLOCAL(XQ) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE QLOCAL(XQ.OFF) USAGE(XMITQ) PUT(DISABLED)
DEFINE QREMOTE(REM) RNAME(R) RQMNAME(FAR) XMITQ(XQ)
DEFINE QREMOTE(REM.OFF) RNAME(R) RQMNAME(FAR) XMITQ(XQ) PUT(DISABLED)
DEFINE QREMOTE(REM.XQ.OFF) RNAME(R) RQMNAME(FAR) XMITQ(XQ.OFF)
DEFINE QREMOTE(REM.NO.XQ) RNAME(R) RQMNAME(FAR) XMITQ(NOXQ)
DEFINE QREMOTE(REM.ALIAS) RNAME(R) RQMNAME(FAR) XMITQ(AL.OFF)
DEFINE QREMOTE(REM.USAGE) RNAME(R) RQMNAME(FAR) XMITQ(LOC)
DEFINE QREMOTE(REM.AT.LOC) RNAME(R) RQMNAME(LOC)
DEFINE QREMOTE(REM.AT.ALIAS) RNAME(R) RQMNAME(AL.OFF)
DEFINE QREMOTE(REM.AT.MODEL) RNAME(R) RQMNAME(SYSTEM.DEFAULT.MODEL.QUEUE)
DEFINE QREMOTE(REM.BLANK) RNAME(R)
DEFINE QREMOTE(REM.HERE) RNAME(R) RQMNAME(PR2)
DEFINE QREMOTE(REM.CLUSTER) RNAME(Q) RQMNAME(PR1)
DEFINE QREMOTE(QM.ALIAS) RQMNAME(PR1)
DEFINE QREMOTE(QM.TWICE) RQMNAME(QM.ALIAS)
DEFINE QREMOTE(HOME) RQMNAME(' ')
DEFINE QREMOTE(HERE) RQMNAME(PR2)
"""


@pytest.fixture
def cluster() -> Sandbox:
    """Make a cluster in which FR2 and PR1 have Q, and PR2 has all kinds of definitions."""
    sandbox = small_cluster()
    for host in ("FR2", "PR1"):
        sandbox.run(host, "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)")
    assert not any(answer.endswith("E") for answer in sandbox.run("PR2", SETUP))
    return sandbox


def failed(put: Put) -> tuple[int, str]:
    """Return how a put failed that put nothing."""
    assert not put.shares
    return put.reason, put.at


@pytest.mark.parametrize(
    ("queue", "to", "reason", "at"),
    [
        ("NOSUCH", "", 2085, "open"),
        ("LOC", "NOSUCH", 2087, "open"),
        ("LOC.OFF", "", 2051, "put"),
        ("AL.OFF", "", 2051, "put"),
        ("AL.MODEL", "", 2001, "open"),
        ("REM.OFF", "", 2051, "put"),
        ("REM.XQ.OFF", "", 2051, "put"),
        ("REM.NO.XQ", "", 2196, "open"),
        ("REM.ALIAS", "", 2091, "open"),
        ("REM.USAGE", "", 2092, "open"),
        ("REM.BLANK", "", 2087, "open"),
        ("REM.HERE", "", 2087, "open"),
        ("QM.ALIAS", "", 2184, "open"),
        ("SYSTEM.DEFAULT.MODEL.QUEUE", "", 2057, "put"),
        ("Q", "QM.TWICE", 2087, "open"),
        ("Q", "LOC", 2092, "open"),
        ("REM.AT.LOC", "", 2092, "open"),
        ("REM.AT.ALIAS", "", 2091, "open"),
        ("REM.AT.MODEL", "", 2091, "open"),
        ("Q", "PR2", 2085, "open"),
    ],
)
def test_a_name_that_leads_nowhere_fails_with_its_reason(
    cluster: Sandbox, queue: str, to: str, reason: int, at: str
) -> None:
    """Each wrong definition has its own reason code, from the call that detects it."""
    assert failed(cluster.put("PR2", queue, to=to)) == (reason, at)
    assert failed(cluster.put("PR2", queue, to=to, put1=True)) == (reason, "put")


def test_a_remote_definition_leads_to_its_transmission_queue(cluster: Sandbox) -> None:
    """A message to a remote definition waits there under its name at the destination."""
    (share,) = cluster.put("PR2", "REM", count=2).shares
    assert (share.lies_on, share.queue, share.named, share.channel) == ("XQ", "R", "FAR", "")
    assert cluster.depth("PR2", "XQ") == 2


def test_a_remote_definition_does_not_lead_to_an_alias_of_its_own_queue_manager(
    cluster: Sandbox,
) -> None:
    """RQMNAME is looked up among the clustered aliases of others only, also for its own name."""
    cluster.run("PR2", "DEFINE QREMOTE(U) RQMNAME(PR1) CLUSTER(CA)")
    cluster.run("PR2", "DEFINE QREMOTE(Q.U) RNAME(Q.U) RQMNAME(U)")
    assert failed(cluster.put("PR2", "Q.U")) == (2087, "open")
    cluster.run("FR2", "DEFINE QREMOTE(U) RQMNAME(PR1) CLUSTER(CA)")
    (share,) = cluster.put("PR2", "Q.U").shares
    assert (share.channel, share.named) == ("CA.FR2", "U")


def test_a_sender_channel_carries_what_lies_on_its_transmission_queue(cluster: Sandbox) -> None:
    """A message leaves its transmission queue over its sender channel."""
    cluster.run("PR2", "DEFINE CHANNEL(TO.FAR) CHLTYPE(SDR) CONNAME('far') XMITQ(XQ)")
    cluster.create("FAR").run("FAR", "DEFINE CHANNEL(TO.FAR) CHLTYPE(RCVR)\nDEFINE QLOCAL(R)")
    (share,) = cluster.put("PR2", "REM", count=2).shares
    assert share.channel == "TO.FAR"
    assert (cluster.depth("PR2", "XQ"), cluster.depth("FAR", "R")) == (0, 2)


@pytest.mark.parametrize(("queue", "to"), [("REM.CLUSTER", ""), ("Q", "PR1"), ("Q", "QM.ALIAS")])
def test_a_cluster_queue_manager_that_is_named_gets_all(
    cluster: Sandbox, queue: str, to: str
) -> None:
    """A named queue manager (ObjectQMgrName, RQMNAME or alias) gets all, without a choice."""
    put = cluster.put("PR2", queue, to=to, count=3)
    (share,) = put.shares
    assert (share.queue, share.channel, share.after) == ("Q", "CA.PR1", None)
    assert cluster.depth("PR1", "Q") == 3
    assert not cluster.estate.qmgr("PR2").messaging.workload.uses


def test_an_alias_that_leads_home_lets_the_cluster_choose(cluster: Sandbox) -> None:
    """An alias with a blank RQMNAME chooses; one with the own name means the local queue."""
    assert cluster.put("PR2", "Q", to="HOME", count=4).order == ("FR2", "PR1") * 2
    assert cluster.put("PR2", "LOC", to="HERE").shares[0].lies_on == "LOC"


def test_a_clustered_alias_of_a_queue_manager_leads_through_who_advertises_it(
    cluster: Sandbox,
) -> None:
    """A message for a clustered queue manager alias goes through the gateway that advertises it."""
    cluster.run("PR1", "DEFINE QLOCAL(ROME.X) USAGE(XMITQ)")
    cluster.run("PR1", "DEFINE QREMOTE(ROME) RQMNAME(PALERMO) XMITQ(ROME.X) CLUSTER(CA)")
    (share,) = cluster.put("PR2", "ANY", to="ROME", count=2).shares
    assert (share.named, share.channel) == ("ROME", "CA.PR1")
    (parcel,) = cluster.estate.qmgr("PR1").messaging.local["ROME.X"]
    assert (parcel.queue, parcel.named, parcel.count) == ("ANY", "PALERMO", 2)


def test_several_who_advertise_an_alias_of_a_queue_manager_share_its_messages(
    cluster: Sandbox,
) -> None:
    """The instances of a queue manager alias take turns."""
    for gateway in ("FR2", "PR1"):
        cluster.run(gateway, "DEFINE QLOCAL(R.X) USAGE(XMITQ)")
        cluster.run(gateway, "DEFINE QREMOTE(ROME) RQMNAME(PALERMO) XMITQ(R.X) CLUSTER(CA)")
    assert cluster.put("PR2", "ANY", to="ROME", bind="notfixed", count=4).order == (
        *("FR2", "PR1"),
        *("FR2", "PR1"),
    )


def test_two_gateways_with_an_alias_of_one_queue_manager_pass_nothing_to_each_other() -> None:
    """Where the queue manager itself is known, the alias of another gateway does not count."""
    made = Sandbox().create("FA", "FB", "G1", "G2", "QM1", "QM2")
    made.full("FA").full("FB", cluster="CB").member("QM1", "FA").member("QM2", "FB", cluster="CB")
    made.run("QM2", "DEFINE QLOCAL(Q)")
    for gateway in ("G1", "G2"):
        made.member(gateway, "FA").member(gateway, "FB", cluster="CB")
        made.run(gateway, "DEFINE QREMOTE(QM2) RQMNAME(QM2) CLUSTER(CA)")
    put = made.put("QM1", "Q", to="QM2", bind="notfixed", count=8)
    assert put.order == ("G1", "G2") * 4
    assert made.depth("QM2", "Q") == 8
    assert [share.channel for share in made.put("G1", "Q", to="QM2", count=4).shares] == ["CB.QM2"]
    sent = [
        event
        for event in (each.event for each in made.draft.events)
        if isinstance(event, MessagesSent)
    ]
    assert {event.channel for event in sent} == {"CA.G1", "CA.G2", "CB.QM2"}
    assert sum(event.count for event in sent) == 20


def test_the_default_transmission_queue_must_be_one(cluster: Sandbox) -> None:
    """A DEFXMITQ that is missing, not local, or of other usage has its own reason code."""
    for value, reason in (("NOXQ", 2197), ("AL.OFF", 2198), ("LOC", 2199)):
        cluster.run("PR2", f"ALTER QMGR DEFXMITQ({value})")
        assert failed(cluster.put("PR2", "Z", to="NOSUCH")) == (reason, "open")
    cluster.run("PR2", "ALTER QMGR DEFXMITQ(XQ)")
    assert cluster.put("PR2", "Z", to="NOSUCH").shares[0].named == "NOSUCH"


def test_a_local_remote_definition_goes_before_what_the_cluster_has(cluster: Sandbox) -> None:
    """A local remote definition takes precedence over a cluster queue of the same name."""
    cluster.run("PR2", "DEFINE QREMOTE(Q) RNAME(Q) RQMNAME(FAR) XMITQ(XQ)")
    assert cluster.put("PR2", "Q").shares[0].lies_on == "XQ"


def test_a_queue_manager_that_is_down_takes_no_call(cluster: Sandbox) -> None:
    """Open, put and get at an ended queue manager fail with 2059."""
    cluster.control("endmqm", "PR2")
    opened = cluster.open("PR2", "Q").opened
    assert opened is not None
    assert opened.reason == 2059
    assert failed(cluster.put("PR2", "Q")) == (2059, "open")
    assert cluster.get("PR2", "LOC").reason == 2059


def test_a_local_queue_hides_the_cluster_queue_manager_of_its_name(cluster: Sandbox) -> None:
    """What names a queue manager finds a local queue first: no transmission queue, no message."""
    assert cluster.put("PR2", "REM.CLUSTER").shares
    cluster.run("PR2", "DEFINE QLOCAL(PR1)")
    cluster.run("PR2", "ALTER QMGR DEFXMITQ(XQ)")
    assert failed(cluster.put("PR2", "REM.CLUSTER")) == (2092, "open")
    assert failed(cluster.put("PR2", "Q", to="PR1")) == (2092, "open")
    cluster.run("PR2", "ALTER QLOCAL(PR1) USAGE(XMITQ)")
    (share,) = cluster.put("PR2", "REM.CLUSTER").shares
    assert share.lies_on == "PR1"
