"""Messages for a cluster that their queue manager has left wait until it joins again."""

from __future__ import annotations

import pytest

from tests.sandbox import Sandbox
from twin.model.instants import DAY
from twin.rules.queues.left_clusters import left_cluster

_LEAVE = "ALTER CHANNEL(CB.GW) CHLTYPE(CLUSRCVR) CLUSTER(' ')"
_JOIN = "ALTER CHANNEL(CB.GW) CHLTYPE(CLUSRCVR) CLUSTER(CB)"


def gateway() -> Sandbox:
    """Return cluster CA with QM1 and cluster CB with QM2; GW is in both and forwards into CB."""
    sandbox = Sandbox().create("FA", "FB", "GW", "QM1", "QM2")
    sandbox.full("FA").full("FB", cluster="CB")
    sandbox.member("QM1", "FA").member("QM2", "FB", cluster="CB")
    sandbox.member("GW", "FA").member("GW", "FB", cluster="CB")
    sandbox.run("QM2", "DEFINE QLOCAL(STOCK) CLUSTER(CB)")
    sandbox.run("GW", "DEFINE QALIAS(ALIAS) TARGET(STOCK) CLUSTER(CA) DEFBIND(NOTFIXED)")
    sandbox.run("GW", "DEFINE QREMOTE(REMOTE) RNAME(STOCK) RQMNAME(QM2) CLUSTER(CA)")
    for queue in ("ALIAS", "REMOTE"):
        assert sandbox.put("QM1", queue).reason == 0
    assert sandbox.depth("QM2", "STOCK") == 2
    return sandbox


def waiting(sandbox: Sandbox) -> int:
    """Count the messages that wait at the gateway for QM2."""
    queues = sandbox.estate.qmgr("GW").messaging.waiting.values()
    return sum(parcel.count for channels in queues for parcel in channels.get("CB.QM2", ()))


@pytest.mark.parametrize("also", ["", "STOP CHANNEL(CB.GW)\nDELETE CHANNEL(CB.GW)"])
def test_what_is_put_over_a_gateway_that_left_waits_there(also: str) -> None:
    """Names still resolve by retained records; the messages stay on the transmission queue."""
    made = gateway()
    made.run("GW", f"{_LEAVE}\n{also}")
    for on, queue in (("QM1", "ALIAS"), ("QM1", "REMOTE"), ("GW", "STOCK")):
        assert made.put(on, queue).reason == 0
    made.at("+3h")
    assert (waiting(made), made.depth("QM2", "STOCK")) == (3, 2)
    assert left_cluster(made.estate.qmgr("GW"), "CB.QM2") == "CB"


def test_messages_go_as_soon_as_their_queue_manager_joins_again() -> None:
    """The channel sends what has waited."""
    made = gateway()
    made.run("GW", _LEAVE)
    made.put("QM1", "ALIAS", count=3)
    made.at("+1d").run("GW", _JOIN)
    assert (waiting(made), made.depth("QM2", "STOCK")) == (0, 5)


def test_without_records_a_put_fails_and_what_waits_stays() -> None:
    """REFRESH CLUSTER REPOS(YES), or the 90th day, ends the puts; no message is lost."""
    made = gateway()
    made.run("GW", _LEAVE)
    made.put("GW", "STOCK")
    made.pass_time(91 * DAY)
    assert made.put("GW", "STOCK").reason == 2085
    assert (waiting(made), made.depth("QM2", "STOCK")) == (1, 2)


def test_a_channel_of_two_clusters_is_used_in_the_one_that_is_left() -> None:
    """A member that is reached by one channel in both clusters is reached in the other."""
    made = gateway()
    made.run("QM2", "DEFINE NAMELIST(BOTH) NAMES(CA,CB)")
    made.run("QM2", "ALTER CHANNEL(CB.QM2) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(BOTH)")
    made.sender("QM2", "FA")
    made.run("QM2", "DEFINE QLOCAL(OTHER) CLUSTER(CA)")
    assert made.put("GW", "OTHER").reason == 0
    made.run("GW", _LEAVE)
    made.put("GW", "OTHER")
    assert (waiting(made), made.depth("QM2", "OTHER")) == (0, 2)


def test_a_queue_manager_whose_channels_are_not_all_known_has_left_nothing() -> None:
    """Records of an observed queue manager without a CLUSRCVR do not say that it left."""
    made = Sandbox().create("FA", "QM1")
    made.full("FA").member("QM1", "FA")
    qmgr = made.estate.qmgr("QM1")
    made.run("QM1", "DELETE CHANNEL(CA.QM1)")
    assert left_cluster(qmgr, "CA.FA") == "CA"
    qmgr.observed = True
    assert left_cluster(qmgr, "CA.FA") == ""
