"""DISPLAY CHSTATUS: both ends of running channels."""

from __future__ import annotations

import pytest

from tests.questions.display.shown import column, lines, problem, rows
from tests.sandbox import Sandbox, small_cluster
from twin import events
from twin.model.instants import MINUTE


def test_the_default_row_of_a_sender() -> None:
    """A running CLUSSDR shows its partner, its substate and its transmission queue."""
    assert lines(small_cluster(), "PR1", "DIS CHS(CA.FR1)") == [
        "AMQ8417I: Display Channel Status details.",
        "   CHANNEL(CA.FR1)                         CHLTYPE(CLUSSDR)",
        "   CONNAME(fr1(1414))                      CURRENT",
        "   RQMNAME(FR1)                            STATUS(RUNNING)",
        "   SUBSTATE(MQGET)                         XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)",
    ]


def test_a_receiver_has_one_row_per_partner() -> None:
    """A CLUSRCVR shows every partner whose channel runs to it, without a transmission queue."""
    shown = rows(small_cluster(), "FR1", "DIS CHSTATUS(CA.FR1)")
    assert shown == [
        {
            "channel": "CA.FR1",
            "chltype": "CLUSRCVR",
            "conname": partner.lower(),
            "current": "YES",
            "rqmname": partner,
            "status": "RUNNING",
            "substate": "RECEIVE",
        }
        for partner in ("FR2", "PR1", "PR2")
    ]


def test_a_filter_keeps_the_senders() -> None:
    """WHERE(CHLTYPE EQ CLUSSDR) excludes the receiving ends."""
    command = "DISPLAY CHSTATUS(*) WHERE(CHLTYPE EQ CLUSSDR)"
    assert column(small_cluster(), "PR1", command, "channel") == ["CA.FR1", "CA.FR2"]


def test_attributes_come_beside_the_default_row() -> None:
    """Requested columns are inserted in alphabetical order, with counters as numbers."""
    (row,) = rows(small_cluster(), "PR1", "DIS CHS(CA.FR1) MSGS BATCHES CHSTADA CHSTATI")
    assert list(row) == [
        *("channel", "chltype", "batches", "chstada", "chstati", "conname", "current"),
        *("msgs", "rqmname", "status", "substate", "xmitq"),
    ]
    assert row["batches"] is None
    assert (row["msgs"], row["chstada"], row["chstati"]) == (0, "2026-01-01", "00.00.00")


def test_units_of_work_are_unknown() -> None:
    """The twin does not model LUWIDs: equal values would mean that the partner has the batch."""
    (row,) = rows(small_cluster(), "PR1", "DIS CHS(CA.FR1) CURLUWID LSTLUWID")
    assert (row["curluwid"], row["lstluwid"]) == (None, None)


def test_a_retrying_channel_has_no_substate() -> None:
    """A channel whose partner ended retries, and the partner has no row of it."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "FR2")
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.FR2)")
    assert (row["status"], row["substate"], row["rqmname"]) == ("RETRYING", "", "FR2")


def test_a_channel_that_never_reached_anyone_has_no_partner() -> None:
    """A manual CLUSSDR without a partner has a blank RQMNAME and its own CONNAME."""
    sandbox = Sandbox().create("PR1").member("PR1", "FR1")
    (row,) = rows(sandbox, "PR1", "DIS CHS(*)")
    assert (row["channel"], row["rqmname"], row["conname"]) == ("CA.FR1", "", "fr1(1414)")


def test_an_inactive_channel_has_no_status() -> None:
    """A channel that never started is not found."""
    assert problem(small_cluster(), "PR1", "DIS CHS(CA.PR2)") == "AMQ8420 CA.PR2"


def test_saved_rows_are_marked() -> None:
    """SAVED rows have no status and no substate."""
    shown = rows(small_cluster(), "PR1", "DIS CHS(CA.FR*) SAVED CURMSGS INDOUBT")
    assert [row["channel"] for row in shown] == ["CA.FR1", "CA.FR2"]
    assert shown[0] == {
        "channel": "CA.FR1",
        "chltype": "CLUSSDR",
        "conname": "fr1(1414)",
        "curmsgs": 0,
        "indoubt": "NO",
        "rqmname": "FR1",
        "saved": "YES",
        "xmitq": "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
    }


def test_xmitq_with_a_value_selects_senders() -> None:
    """XMITQ(name) selects the channels that get from a queue; receiving ends have none."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ)")
    assigned = events.TransmissionQueueAssigned(qmgr="PR1", channel="CA.FR2", queue="X")
    sandbox.draft.emit(assigned)
    assert column(sandbox, "PR1", "DIS CHS(*) XMITQ(X)", "channel") == ["CA.FR2"]


def test_a_stopped_channel_shows_the_queue_it_had() -> None:
    """A stopped channel shows its last queue, and during a switch the old one."""
    sandbox = small_cluster()
    sandbox.run("PR1", "DEFINE QLOCAL(X) USAGE(XMITQ) CLCHNAME('CA.FR2')")
    sandbox.run("PR1", "STOP CHANNEL(CA.FR2)")
    command = "DISPLAY CHSTATUS(*) WHERE(CHLTYPE EQ CLUSSDR)"
    assert column(sandbox, "PR1", command, "xmitq") == ["SYSTEM.CLUSTER.TRANSMIT.QUEUE"] * 2
    assert column(sandbox, "PR1", "DIS CHS(CA.FR2) SAVED", "xmitq") == [
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    ]
    began = events.TransmissionQueueSwitchBegan(
        qmgr="PR1", channel="CA.FR2", queue="SYSTEM.CLUSTER.TRANSMIT.QUEUE", to="X"
    )
    sandbox.draft.emit(began)
    assert column(sandbox, "PR1", command, "xmitq") == ["SYSTEM.CLUSTER.TRANSMIT.QUEUE"] * 2


def test_a_batch_in_doubt_is_shown_at_its_sending_end() -> None:
    """INDOUBT(YES) is shown with the number of messages, in CURRENT and in SAVED rows."""
    sandbox = small_cluster()
    doubtful = events.ChannelBatchInDoubt(qmgr="PR1", channel="CA.FR1", count=7)
    sandbox.draft.emit(doubtful)
    for words in ("INDOUBT CURMSGS", "SAVED INDOUBT CURMSGS"):
        (row,) = rows(sandbox, "PR1", f"DIS CHS(CA.FR1) {words}")
        assert (row["indoubt"], row["curmsgs"]) == ("YES", 7)
    receiving = rows(sandbox, "FR1", "DIS CHS(CA.FR1) INDOUBT CURMSGS")
    assert {(row["indoubt"], row["curmsgs"]) for row in receiving} == {("NO", 0)}


def test_messages_sent_outside_syncpoint_are_of_the_current_batch() -> None:
    """Messages at risk are counted, and are not in doubt."""
    sandbox = small_cluster()
    sandbox.draft.emit(events.MessagesAtRisk(qmgr="PR1", channel="CA.FR1", count=3))
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.FR1) INDOUBT CURMSGS")
    assert (row["indoubt"], row["curmsgs"]) == ("NO", 3)


@pytest.mark.parametrize(
    ("minutes", "short", "long"),
    [(0, 10, 999_999_999), (1, 9, 999_999_999), (10, 0, 999_999_999), (30, 0, 999_999_998)],
)
def test_retries_left_are_counted_down(minutes: int, short: int, long: int) -> None:
    """SHORTRTS and LONGRTS decrease with the time since the failure."""
    sandbox = small_cluster()
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.FR2) SHORTRTS LONGRTS")
    assert (row["shortrts"], row["longrts"]) == (10, 999_999_999)
    sandbox.control("endmqm", "FR2")
    sandbox.draft.at += minutes * MINUTE
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.FR2) SHORTRTS LONGRTS")
    assert (row["shortrts"], row["longrts"]) == (short, long)


def test_saved_status_outlives_the_channel() -> None:
    """An inactive channel that has run has a SAVED row at both ends, and no CURRENT one."""
    sandbox = small_cluster()
    sandbox.run("PR1", "STOP CHANNEL(CA.FR2) STATUS(INACTIVE)")
    assert problem(sandbox, "PR1", "DIS CHS(CA.FR2)") == "AMQ8420 CA.FR2"
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.FR2) SAVED")
    assert (row["rqmname"], row["conname"], row["saved"]) == ("FR2", "fr2(1414)", "YES")
    assert "PR1" in column(sandbox, "FR2", "DIS CHS(CA.FR2) SAVED", "rqmname")
    assert "PR1" not in column(sandbox, "FR2", "DIS CHS(CA.FR2)", "rqmname")


def test_a_stopped_channel_shows_its_partner() -> None:
    """A stopped channel shows CONNAME and RQMNAME; one that never ran shows only CONNAME."""
    sandbox = small_cluster()
    sandbox.run("PR1", "STOP CHANNEL(CA.FR2)")
    assert lines(sandbox, "PR1", "DIS CHS(CA.FR2)") == [
        "AMQ8417I: Display Channel Status details.",
        "   CHANNEL(CA.FR2)                         CHLTYPE(CLUSSDR)",
        "   CONNAME(fr2(1414))                      CURRENT",
        "   RQMNAME(FR2)                            STATUS(STOPPED)",
        "   SUBSTATE( )                             XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE)",
    ]
    sandbox.run("FR2", "STOP CHANNEL(CA.PR2)")
    (row,) = rows(sandbox, "FR2", "DIS CHS(CA.PR2)")
    assert (row["status"], row["conname"], row["rqmname"]) == ("STOPPED", "pr2(1414)", "")


def test_messages_are_counted_at_both_ends_since_the_channel_began() -> None:
    """MSGS and the time of the last message are shown; the time is blank if there was none."""
    sandbox = small_cluster()
    sandbox.run("FR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.at("+1h").put("FR1", "ORD", count=4)
    command = "DIS CHS(CA.FR2) MSGS LSTMSGDA LSTMSGTI"
    sent = rows(sandbox, "FR1", f"{command} WHERE(CHLTYPE EQ CLUSSDR)")
    received = rows(sandbox, "FR2", command)
    told = {
        str(row["rqmname"]): (row["msgs"], row["lstmsgda"], row["lstmsgti"])
        for row in [*sent, *received]
    }
    assert told["FR2"] == told["FR1"] == (4, "2026-01-01", "01.00.00")
    assert told["PR1"] == (0, "", "")


def test_a_channel_that_never_ran_has_no_saved_status() -> None:
    """A channel that only retried has no SAVED row."""
    sandbox = Sandbox().create("PR1").member("PR1", "FR1")
    assert problem(sandbox, "PR1", "DIS CHS(CA.FR1) SAVED") == "AMQ8420 CA.FR1"


def test_a_stopped_receiver_has_a_row_of_its_own() -> None:
    """A stopped CLUSRCVR is shown as STOPPED, without a partner."""
    sandbox = small_cluster()
    sandbox.run("PR1", "STOP CHANNEL(CA.PR1)")
    (row,) = rows(sandbox, "PR1", "DIS CHS(CA.PR1)")
    assert (row["chltype"], row["status"], row["rqmname"]) == ("CLUSRCVR", "STOPPED", "")


def test_a_plain_sender_shows_its_own_transmission_queue() -> None:
    """An SDR shows the transmission queue in its definition."""
    sandbox = Sandbox().create("QM1", "QM2")
    sandbox.run("QM2", "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)")
    sandbox.run("QM1", "DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    sandbox.run("QM1", "DEFINE CHANNEL(A.B) CHLTYPE(SDR) CONNAME('b(1)') XMITQ(QM2)")
    sandbox.run("QM1", "START CHANNEL(A.B)")
    (row,) = rows(sandbox, "QM1", "DIS CHS(A.B)")
    assert (row["chltype"], row["xmitq"], row["rqmname"]) == ("SDR", "QM2", "QM2")
    assert column(sandbox, "QM2", "DIS CHS(A.B)", "rqmname") == ["QM1"]
