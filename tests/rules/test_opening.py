"""MQOPEN: what names resolve to, and the reason codes of names that cannot be resolved."""

from __future__ import annotations

import pytest

from tests.sandbox import small_cluster

SETUP = """
DEFINE QLOCAL(LOC)
DEFINE QLOCAL(XQ) USAGE(XMITQ)
DEFINE QALIAS(AL) TARGET(LOC)
DEFINE QALIAS(AL.LOST) TARGET(NOSUCH)
DEFINE QALIAS(AL.AL) TARGET(AL)
DEFINE QREMOTE(REM.XQ) RNAME(R) RQMNAME(FAR) XMITQ(XQ)
DEFINE QREMOTE(REM.NOXQ) RNAME(R) RQMNAME(FAR) XMITQ(NOXQ)
DEFINE QREMOTE(REM.CL) RNAME(R) RQMNAME(PR1)
DEFINE QREMOTE(REM.LOST) RNAME(R) RQMNAME(NOWHERE)
DEFINE QREMOTE(LOCAL.ALIAS) RQMNAME(PR1)
"""


@pytest.mark.parametrize(
    ("queue", "to", "via", "reason"),
    [
        ("LOC", "", "local", 0),
        ("LOC", "PR2", "local", 0),
        ("Q", "PR2", "", 2085),
        ("Q", "", "cluster", 0),
        ("NOSUCH", "", "", 2085),
        ("AL", "", "alias", 0),
        ("AL.LOST", "", "", 2082),
        ("AL.AL", "", "", 2001),
        ("REM.XQ", "", "remote", 0),
        ("REM.NOXQ", "", "remote", 2196),
        ("REM.CL", "", "remote", 0),
        ("REM.LOST", "", "remote", 2087),
        ("Z", "XQ", "remote", 0),
        ("Z", "LOC", "remote", 2092),
        ("Z", "PR1", "cluster", 0),
        ("Z", "LOCAL.ALIAS", "remote", 0),
        ("Z", "CLUSTERED.ALIAS", "cluster", 0),
        ("Z", "UNKNOWN", "", 2087),
    ],
)
def test_a_name_leads_where_mqopen_would(queue: str, to: str, via: str, reason: int) -> None:
    """Each form of the object descriptor is resolved in the order of MQ's name resolution."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    sandbox.run("PR1", "DEFINE QREMOTE(CLUSTERED.ALIAS) RQMNAME(PR1) CLUSTER(CA)")
    assert not any(answer.endswith("E") for answer in sandbox.run("PR2", SETUP))
    opened = sandbox.open("PR2", queue, to=to).opened
    assert opened is not None
    assert (opened.via, opened.reason) == (via, reason)


def test_an_open_at_ones_own_name_asks_nobody() -> None:
    """A partial repository asks only if the queue manager name is blank."""
    sandbox = small_cluster()
    sandbox.open("PR2", "Q", to="PR2")
    assert not sandbox.estate.qmgr("PR2").repository.subscriptions


def test_the_default_transmission_queue_is_the_last_resort() -> None:
    """With DEFXMITQ, an unknown queue manager name is no error."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(XQ) USAGE(XMITQ)\nALTER QMGR DEFXMITQ(XQ)")
    opened = sandbox.open("PR2", "Z", to="UNKNOWN").opened
    assert opened is not None
    assert (opened.reason, opened.base) == (0, "XQ")
