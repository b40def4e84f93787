"""DISPLAY CLUSQMGR: the members of its clusters that a queue manager knows."""

from __future__ import annotations

from tests.questions.display.shown import ask, column, lines, problem, rows
from tests.sandbox import Sandbox, small_cluster
from twin.events import InformationPublished, RecordPublished, TransmissionQueueAssigned
from twin.questions.answer import Row


def by_name(sandbox: Sandbox, qmgr: str, attributes: str) -> dict[object, Row]:
    """Return the rows of DISPLAY CLUSQMGR(*) by queue manager."""
    shown = rows(sandbox, qmgr, f"DISPLAY CLUSQMGR(*) {attributes}")
    return {row["clusqmgr"]: row for row in shown}


def test_deftype_tells_how_a_queue_manager_became_known() -> None:
    """DEFTYPE is CLUSRCVR for the own row, CLUSSDRB with a manual CLUSSDR, else CLUSSDRA."""
    sandbox = small_cluster()
    assert column(sandbox, "FR1", "DIS CLUSQMGR(*) DEFTYPE", "deftype") == [
        "CLUSRCVR",
        "CLUSSDRB",
        "CLUSSDRA",
        "CLUSSDRA",
    ]


def test_requested_attributes_follow_channel_and_cluster() -> None:
    """A row has name, channel and cluster, then the requested attributes alphabetically."""
    assert lines(small_cluster(), "PR1", "DIS CLUSQMGR(FR*) STATUS QMTYPE DEFTYPE") == [
        "AMQ8441I: Display Cluster Queue Manager details.",
        "   CLUSQMGR(FR1)                           CHANNEL(CA.FR1)",
        "   CLUSTER(CA)                             DEFTYPE(CLUSSDRB)",
        "   QMTYPE(REPOS)                           STATUS(RUNNING)",
        "AMQ8441I: Display Cluster Queue Manager details.",
        "   CLUSQMGR(FR2)                           CHANNEL(CA.FR2)",
        "   CLUSTER(CA)                             DEFTYPE(CLUSSDRA)",
        "   QMTYPE(REPOS)                           STATUS(RUNNING)",
    ]


def test_a_partial_repository_shows_only_whom_it_knows() -> None:
    """A member that used nothing shows itself and the full repositories."""
    assert column(small_cluster(), "PR1", "DIS CLUSQMGR(*)", "clusqmgr") == ["FR1", "FR2", "PR1"]


def test_attributes_are_those_the_target_published() -> None:
    """Workload attributes come from the CLUSRCVR of the target, not from a manual CLUSSDR."""
    sandbox = small_cluster()
    sandbox.run("FR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CLWLPRTY(7) DESCR('one')")
    sandbox.run("PR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CLWLPRTY(3)")
    row = by_name(sandbox, "PR1", "CLWLPRTY DESCR CONNAME")["FR1"]
    assert (row["clwlprty"], row["descr"], row["conname"]) == (7, "one", "fr1(1414)")


def test_clusdate_is_when_it_became_known_here() -> None:
    """A queue manager that joins later has a later CLUSDATE at the others."""
    sandbox = small_cluster().at("2026-03-01T10:20:30Z").create("PR3").member("PR3", "FR1")
    row = by_name(sandbox, "FR2", "CLUSDATE CLUSTIME ALTDATE")["PR3"]
    assert (row["clusdate"], row["clustime"]) == ("2026-03-01", "10.20.30")
    assert by_name(sandbox, "FR2", "CLUSDATE")["PR1"]["clusdate"] == "2026-01-01"


def test_a_manual_sender_without_an_answer_has_a_temporary_name() -> None:
    """A CLUSSDR whose target is unknown shows SYSTEM.TEMPQMGR and SYSTEM.TEMPUUID."""
    sandbox = Sandbox().create("PR1").member("PR1", "FR1")
    row = by_name(sandbox, "PR1", "DEFTYPE QMID STATUS")["SYSTEM.TEMPQMGR.fr1(1414)"]
    assert row == {
        "clusqmgr": "SYSTEM.TEMPQMGR.fr1(1414)",
        "channel": "CA.FR1",
        "cluster": "CA",
        "deftype": "CLUSSDR",
        "qmid": "SYSTEM.TEMPUUID.fr1(1414)",
        "status": "RETRYING",
    }


def test_the_temporary_name_goes_when_the_target_answers() -> None:
    """A temporary name is replaced when the full repository joins."""
    sandbox = Sandbox().create("PR1", "FR1").member("PR1", "FR1").full("FR1")
    assert column(sandbox, "PR1", "DIS CLUSQMGR(*)", "clusqmgr") == ["FR1", "PR1"]


def test_xmitq_is_the_queue_in_use() -> None:
    """XMITQ of a channel that has run stays until its next start; the own row has none."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.FR2')")
    sandbox.run("PR1", "ALTER QMGR DEFCLXQ(CHANNEL)")
    shown = by_name(sandbox, "PR1", "XMITQ")
    assert {name: row["xmitq"] for name, row in shown.items()} == {
        "FR1": "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
        "FR2": "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
        "PR1": "",
        "PR2": "SYSTEM.CLUSTER.TRANSMIT.CA.PR2",
    }
    sandbox.draft.emit(TransmissionQueueAssigned(qmgr="PR1", channel="CA.FR2", queue="X"))
    assert by_name(sandbox, "PR1", "XMITQ")["FR2"]["xmitq"] == "X"


def test_a_channel_that_does_not_run_is_inactive() -> None:
    """A queue manager that is known, but was never used, is INACTIVE."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    assert by_name(sandbox, "PR1", "STATUS")["PR2"]["status"] == "INACTIVE"


def test_a_stopped_receiver_shows_in_its_own_row() -> None:
    """The own row is RUNNING until the CLUSRCVR is stopped."""
    sandbox = small_cluster()
    assert by_name(sandbox, "PR1", "STATUS")["PR1"]["status"] == "RUNNING"
    sandbox.run("PR1", "STOP CHANNEL(CA.PR1)")
    assert by_name(sandbox, "PR1", "STATUS")["PR1"]["status"] == "STOPPED"


def test_channel_and_cluster_select() -> None:
    """CHANNEL and CLUSTER take generic names; a queue manager in two clusters has two rows."""
    sandbox = small_cluster().member("PR1", cluster="CB")
    assert column(sandbox, "PR1", "DIS CLUSQMGR(PR1)", "cluster") == ["CA", "CB"]
    assert column(sandbox, "PR1", "DIS CLUSQMGR(*) CLUSTER(CB*)", "clusqmgr") == ["PR1"]
    assert column(sandbox, "PR1", "DIS CLUSQMGR(*) CHANNEL(CA.F*)", "clusqmgr") == ["FR1", "FR2"]
    assert problem(sandbox, "PR1", "DIS CLUSQMGR(*) CLUSTER(CC)") == "AMQ8147 *"


def test_a_rebuilt_queue_manager_is_seen_twice() -> None:
    """A queue manager that was deleted and created again has two rows with different QMIDs."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "PR2")
    sandbox.control("dltmqm", "PR2")
    sandbox.at("+1d").create("PR2").member("PR2", "FR1")
    assert column(sandbox, "FR1", "DIS CLUSQMGR(PR2) QMID", "qmid") == [
        "PR2_2026-01-01_00.00.00",
        "PR2_2026-01-02_00.00.00",
    ]


def test_a_suspended_queue_manager_can_be_filtered_for() -> None:
    """SUSPEND shows what the owner last published."""
    sandbox = small_cluster()
    owner = sandbox.estate.qmgr("PR1")
    record = RecordPublished(kind="qmgr", name="CA.PR1", values={"SUSPEND": "YES"})
    sandbox.draft.emit(
        InformationPublished(
            qmgr="PR1", qmid=owner.qmid, cluster="CA", sequence=99, records=(record,)
        )
    )
    shown = rows(sandbox, "PR1", "DISPLAY CLUSQMGR(*) WHERE(SUSPEND EQ YES)")
    assert [(row["clusqmgr"], row["suspend"]) for row in shown] == [("PR1", "YES")]


def test_a_belief_is_not_the_truth() -> None:
    """A queue manager that is cut off still shows the records that it received before."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) CLWLRANK(9)")
    assert by_name(sandbox, "FR1", "CLWLRANK")["PR2"]["clwlrank"] == 9
    ended = ask(sandbox, "PR1", "DIS CLUSQMGR(*)")
    assert ended.problem is not None
