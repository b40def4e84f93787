"""DISPLAY of queues, local and of the cluster."""

from __future__ import annotations

import pytest

from tests.questions.display.shown import ask, column, lines, problem, rows
from tests.sandbox import Sandbox, small_cluster


@pytest.fixture
def sandbox() -> Sandbox:
    """Make a cluster in which PR2 hosts ORD and FR1 a second instance of it."""
    sandbox = small_cluster().at("2026-01-02T03:04:05Z")
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED) CLWLRANK(2)")
    sandbox.run("FR1", "DEFINE QALIAS(ORD) TARGET(X) CLUSTER(CA)")
    return sandbox


def test_a_queue_tells_when_it_was_made_and_altered(sandbox: Sandbox) -> None:
    """CRDATE is the time of the definition, ALTDATE that of the last ALTER."""
    sandbox.at("2026-02-01T00:00:01Z").run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    (row,) = rows(sandbox, "PR2", "DIS QL(ORD) CRDATE CRTIME ALTDATE ALTTIME")
    assert (row["crdate"], row["crtime"]) == ("2026-01-02", "03.04.05")
    assert (row["altdate"], row["alttime"]) == ("2026-02-01", "00.00.01")


def test_a_default_object_is_as_old_as_its_queue_manager(sandbox: Sandbox) -> None:
    """A default object has the creation time of its queue manager, also once it was altered."""
    command = "DIS QL(SYSTEM.DEFAULT.LOCAL.QUEUE) CRDATE ALTTIME"
    (row,) = rows(sandbox, "PR2", command)
    assert (row["crdate"], row["alttime"]) == ("2026-01-01", "00.00.00")
    sandbox.run("PR2", "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(7)")
    (row,) = rows(sandbox, "PR2", command)
    assert (row["crdate"], row["alttime"]) == ("2026-01-01", "03.04.05")


def test_a_local_queue_is_empty_and_not_open(sandbox: Sandbox) -> None:
    """The depth and open handles of an unused queue are 0, as numbers."""
    (row,) = rows(sandbox, "PR2", "DIS QL(ORD) CURDEPTH IPPROCS OPPROCS")
    assert (row["curdepth"], row["ipprocs"], row["opprocs"]) == (0, 0, 0)


def test_a_cluster_queue_has_one_row_per_instance(sandbox: Sandbox) -> None:
    """A full repository shows every instance with its owner, its type and its identifier."""
    shown = rows(sandbox, "FR2", "DIS QC(ORD) CLUSQMGR CLUSQT QMID CLUSTER CLWLRANK")
    assert shown == [
        {
            "queue": "ORD",
            "type": "QCLUSTER",
            "clusqmgr": owner,
            "clusqt": kind,
            "cluster": "CA",
            "clwlrank": rank,
            "qmid": f"{owner}_2026-01-01_00.00.00",
        }
        for owner, kind, rank in (("FR1", "QALIAS", 0), ("PR2", "QLOCAL", 2))
    ]


def test_a_whole_cluster_queue_stands_in_its_order(sandbox: Sandbox) -> None:
    """An exact name shows every attribute in a queue's record."""
    assert lines(sandbox, "FR2", "DIS QCLUSTER(ORD) WHERE(CLUSQMGR EQ PR2)") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORD)                              TYPE(QCLUSTER)",
        "   ALTDATE(2026-01-02)                     ALTTIME(03.04.05)",
        "   CLUSDATE(2026-01-02)                    CLUSQMGR(PR2)",
        "   CLUSQT(QLOCAL)                          CLUSTER(CA)",
        "   CLUSTIME(03.04.05)                      CLWLPRTY(0)",
        "   CLWLRANK(2)                             DEFBIND(NOTFIXED)",
        "   DEFPRTY(0)                              DEFPSIST(NO)",
        "   DEFPRESP(SYNC)                          DEFREADA(NO)",
        "   DESCR( )                                PUT(ENABLED)",
        f"   {'QMID(PR2_2026-01-01_00.00.00)':<37}",
    ]


def test_a_partial_repository_shows_what_it_asked_for(sandbox: Sandbox) -> None:
    """A member shows instances of a cluster queue only after it has opened the queue."""
    nothing = ask(sandbox, "PR1", "DIS QC(*)")
    assert nothing.problem is not None
    sandbox.at("+2d").open("PR1", "ORD")
    shown = rows(sandbox, "PR1", "DIS QC(*) CLUSQMGR CLUSDATE")
    assert [row["clusqmgr"] for row in shown] == ["FR1", "PR2"]
    assert {row["clusdate"] for row in shown} == {"2026-01-03"}


def test_queue_leaves_the_cluster_out_unless_asked(sandbox: Sandbox) -> None:
    """QUEUE shows local definitions, CLUSINFO also cluster queues, TYPE(QCLUSTER) only these."""
    command = "DIS Q(ORD*)"
    assert column(sandbox, "PR2", command, "type") == ["QLOCAL"]
    assert column(sandbox, "PR2", f"{command} CLUSINFO", "type") == ["QLOCAL", "QCLUSTER"]
    assert column(sandbox, "PR2", f"{command} TYPE(QCLUSTER)", "type") == ["QCLUSTER"]
    assert column(sandbox, "PR2", f"{command} TYPE(ALL)", "type") == ["QLOCAL"]
    assert column(sandbox, "FR1", f"{command} TYPE(QALIAS)", "type") == ["QALIAS"]


def test_cluster_with_a_value_selects_and_shows(sandbox: Sandbox) -> None:
    """CLUSTER(name) selects queues by cluster and shows the attribute."""
    assert rows(sandbox, "PR2", "DIS Q(*) CLUSTER(C*)") == [
        {"queue": "ORD", "type": "QLOCAL", "cluster": "CA"}
    ]
    assert problem(sandbox, "FR2", "DIS QC(*) CLUSTER(CB)") == "AMQ8147 *"


def test_an_alias_for_a_queue_manager_says_so(sandbox: Sandbox) -> None:
    """A clustered QREMOTE without RNAME is a queue manager alias: CLUSQT(QMGR)."""
    sandbox.run("PR2", "DEFINE QREMOTE(ROME) RNAME(' ') RQMNAME(PALERMO) CLUSTER(CA)")
    assert column(sandbox, "FR1", "DIS QC(ROME) CLUSQT", "clusqt") == ["QMGR"]


def test_an_instance_rests_on_its_receipt(sandbox: Sandbox) -> None:
    """The evidence of a cluster queue's row is the event that received its record."""
    held = sandbox.estate.qmgr("FR2").repository.instances("CA", "queue", "ORD")
    answer = ask(sandbox, "FR2", "DIS QC(ORD)")
    assert {record.evidence for record in answer.records} == {
        (belief.position,) for belief in held.values()
    }
