"""Small rules, each on its own."""

from __future__ import annotations

import pytest

from tests.rules.test_agenda import read_back
from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.model.instants import DAY
from twin.questions.belief import beliefs
from twin.rules.deriving import derive


def test_a_new_member_is_not_told_of_an_expired_full_repository() -> None:
    """A new member does not get the record of an expired full repository."""
    sandbox = Sandbox().create("FR1", "FR2", "PR1")
    sandbox.full("FR1", "FR2").full("FR2", "FR1")
    sandbox.control("endmqm", "FR2")
    sandbox.at("+31d").member("PR1", "FR1")
    assert "FR2" not in sandbox.knows("PR1", "qmgr")


def test_of_two_receivers_of_a_name_the_one_with_the_same_conname_is_reached() -> None:
    """Of two queue managers with one channel name, the one with the CONNAME is reached."""
    sandbox = Sandbox().create("FA", "FB", "PR1")
    for name in ("FA", "FB"):
        sandbox.run(
            name,
            "ALTER QMGR REPOS(CA)\nDEFINE CHANNEL(TO.FR) CHLTYPE(CLUSRCVR) +\n"
            f" CONNAME('{name}') CLUSTER(CA)",
        )
    sandbox.member("PR1")
    sandbox.run("PR1", "DEFINE CHANNEL(TO.FR) CHLTYPE(CLUSSDR) CONNAME('fb(1414)') CLUSTER(CA)")
    assert sandbox.knows("PR1", "qmgr") == {"PR1", "FB"}


def test_a_second_queue_manager_of_a_second_gets_the_next_qmid() -> None:
    """A queue manager that is created again within a second gets a QMID one second later."""
    sandbox = Sandbox()
    for _ in range(2):
        sandbox.create("QM1")
        sandbox.control("endmqm", "QM1")
        sandbox.control("dltmqm", "QM1")
    assert sorted(sandbox.estate.names) == ["QM1_2026-01-01_00.00.00", "QM1_2026-01-01_00.00.01"]


@pytest.mark.parametrize("days", [1, 28])
def test_a_deleted_queue_manager_seen_again_continues_its_sequence(days: int) -> None:
    """A deleted queue manager that is seen again continues its sequence numbers."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(Q1) CLUSTER(CA)\nDEFINE QLOCAL(Q2) CLUSTER(CA)")
    sandbox.open("PR2", "Q1")
    sandbox.pass_time(days * DAY)
    before = sandbox.estate.qmgr("PR1")
    sandbox.control("endmqm", "PR1")
    sandbox.control("dltmqm", "PR1")
    first_seen = events.QueueManagerFirstSeen(
        qmgr="PR1", qmid=before.qmid, cmdlevel=940, platform="UNIX"
    )
    derive(sandbox.draft, first_seen)
    sandbox.member("PR1", "FR1").run("PR1", "DEFINE QLOCAL(Q1) CLUSTER(CA) DESCR('again')")
    assert sandbox.estate.qmgr("PR1").repository.sequence > before.repository.sequence
    for name in ("FR1", "FR2", "PR2"):
        record = sandbox.estate.qmgr(name).repository.beliefs["CA", "queue", "Q1"][before.qmid]
        assert record.values["DESCR"] == "again"
    assert not sandbox.estate.departed
    read = read_back(sandbox.estate)
    assert read.qmgr("PR1").repository.sequence == sandbox.estate.qmgr("PR1").repository.sequence


def test_listeners_under_the_queue_managers_control_start_with_it() -> None:
    """A listener with CONTROL(QMGR) or CONTROL(STARTONLY) starts at strmqm, and no other."""
    sandbox = Sandbox().create("QM1")
    for control in ("QMGR", "STARTONLY", "MANUAL"):
        sandbox.run("QM1", f"DEFINE LISTENER(L.{control}) TRPTYPE(TCP) CONTROL({control})")
    sandbox.control("endmqm", "QM1")
    assert not sandbox.estate.qmgr("QM1").activity.listeners
    sandbox.control("strmqm", "QM1")
    assert set(sandbox.estate.qmgr("QM1").activity.listeners) == {"L.QMGR", "L.STARTONLY"}


def test_a_second_open_at_the_same_instant_is_no_reference() -> None:
    """An open is a use of a subscription only if it is later than the open that made it."""
    sandbox = small_cluster()
    sandbox.open("PR1", "Q")
    sandbox.open("PR1", "Q")
    made = sandbox.estate.qmgr("PR1").repository.subscriptions["CA", "queue", "Q"]
    assert made.referenced is None
    sandbox.at("+1h").open("PR1", "Q")
    sandbox.at("+2h").open("PR1", "Q")
    used = sandbox.estate.qmgr("PR1").repository.subscriptions["CA", "queue", "Q"]
    assert used.referenced == made.made + 3_600_000_000


def test_without_an_answer_the_reason_is_2189() -> None:
    """An open without an answer of any full repository fails with 2189."""
    sandbox = small_cluster()
    sandbox.open("PR1", "OTHER")
    sandbox.run("PR1", "STOP CHANNEL(CA.FR1)\nSTOP CHANNEL(CA.FR2)")
    opened = sandbox.open("PR1", "Q").opened
    assert opened is not None
    assert opened.reason == 2189


def test_monitoring_attributes_are_a_queue_managers_own() -> None:
    """The attributes MONCHL and STATCHL of a CLUSRCVR are not published."""
    sandbox = small_cluster()
    sandbox.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) MONCHL(HIGH) NETPRTY(3)")
    records = sandbox.estate.qmgr("FR1").repository.instances("CA", "qmgr", "CA.PR2")
    (values,) = [belief.values for belief in records.values()]
    assert values["NETPRTY"] == 3
    assert "MONCHL" not in values


def test_replacing_keeps_the_creation_and_resets_the_rest() -> None:
    """DEFINE REPLACE keeps CRDATE, and omitted attributes get the template's values."""
    sandbox = Sandbox().create("QM1")
    sandbox.run("QM1", "DEFINE QLOCAL(A) DESCR('x') MAXDEPTH(9)")
    sandbox.at("+1h").run("QM1", "DEFINE QLOCAL(A) MAXDEPTH(7) REPLACE")
    definition = sandbox.estate.qmgr("QM1").definitions["QUEUE", "A"]
    assert definition.values == {"MAXDEPTH": 7}
    assert definition.altered is not None
    assert definition.created is not None
    assert definition.created < definition.altered


def test_a_new_instance_is_not_told_to_its_owner() -> None:
    """An owner does not get its own record from others."""
    sandbox = small_cluster()
    sandbox.open("PR2", "Q")
    sandbox.run("PR2", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    answer = beliefs(sandbox.estate, sandbox.as_of, on="PR2", kind="queue")
    assert [(row["owner"], row["source"]) for row in answer.rows] == [("PR2", "PR2")]
