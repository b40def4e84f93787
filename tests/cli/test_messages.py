"""`twin put`, `twin explain`, `twin get`, and the binding of `twin open`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

AT = ("--at", "2025-03-03T10:00")

EXIT = """
from dataclasses import replace

def last(block, destinations, queues):
    return replace(block, destination_chosen=len(destinations))
"""


@pytest.fixture
def two(cluster: Run) -> Run:
    """Let QM2 and FR1 both have ORDERS, and QM1 put to it."""
    typed = "DEFINE QLOCAL(ORDERS) CLUSTER(CA)"
    assert cluster("runmqsc", "FR1", "--at", "2025-03-03T09:30", typed=typed).code == 0
    return cluster


def test_put_says_where_messages_went(two: Run) -> None:
    """A put prints one line for each route, with the number of messages."""
    put = two("put", "QM1", "ORDERS", "--count", "5", "--bind", "notfixed", *AT)
    assert put.code == 0
    assert put.lines[:4] == [
        "5 messages put to ORDERS on QM1 (bind notfixed, v8)",
        "qmgr  channel  put on                         count",
        "FR1   CA.FR1   SYSTEM.CLUSTER.TRANSMIT.QUEUE  3",
        "QM2   CA.QM2   SYSTEM.CLUSTER.TRANSMIT.QUEUE  2",
    ]
    assert put.lines[4].startswith("recorded at position ")
    assert put.lines[5].startswith("as of 2025-03-03T10:00:00Z ")
    position = put.lines[4].rpartition(" ")[2]
    explained = two("explain", "--position", position)
    assert explained.lines[0].endswith(f"position {position}, 5 messages: its first choice.")


def test_put_says_whose_turn_did_not_come(two: Run) -> None:
    """A put names queue managers whose turn has not come; a failed put says nothing about turns."""
    two("runmqsc", "QM1", "--at", "2025-03-03T09:40", typed="DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    two("runmqsc", "QM1", "--at", "2025-03-03T09:40", typed="ALTER QMGR CLWLUSEQ(ANY)")
    said = [
        next(line for line in two("put", "QM1", "ORDERS", *AT).lines if "turn" in line)
        for _ in range(3)
    ]
    assert said == [
        "FR1, QM2 not chosen: not its turn",
        "QM1, QM2 not chosen: not its turn",
        "QM1, FR1 not chosen: not its turn",
    ]
    stopped = "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)"
    two("runmqsc", "QM1", *AT, typed=f"ALTER QLOCAL(ORDERS) PUT(DISABLED)\n{stopped}")
    put = two("put", "QM1", "ORDERS", *AT)
    assert put.code == 10
    assert not [line for line in put.lines if "turn" in line]
    assert "QM1 excluded by rule put: PUT(DISABLED)" in put.lines


def test_more_messages_than_any_queue_could_hold_are_bad_input(two: Run) -> None:
    """A put of more messages than any queue can hold is one line and exit code 20."""
    put = two("put", "QM1", "ORDERS", "--count", "1000000000", *AT)
    assert (put.code, put.out) == (20, "")
    assert "cannot put 1000000000 messages at once; expected 1 to 999,999,999" in put.err
    got = two("get", "QM2", "ORDERS", "--count", "99999999999", *AT)
    assert (got.code, got.out) == (20, "")
    assert "cannot get 99999999999 messages at once; expected 1 to 999,999,999" in got.err


def test_put_says_why_messages_did_not_go_elsewhere(two: Run) -> None:
    """An instance without messages is named with the rule that excluded it."""
    two("runmqsc", "QM2", "--at", "2025-03-03T09:40", typed="SUSPEND QMGR CLUSTER(CA)")
    assert "QM2 excluded by rule suspended: SUSPEND(YES)" in two("put", "QM1", "ORDERS", *AT).lines


def test_a_put_that_fails_has_a_code_and_a_name(two: Run) -> None:
    """A failed put prints the reason code, its name and the call, and exits 10."""
    put = two("put", "QM1", "NOPE", *AT)
    assert put.code == 10
    assert put.lines[0] == "NOPE on QM1: 2085 MQRC_UNKNOWN_OBJECT_NAME from the open"
    two("runmqsc", "QM1", *AT, typed="DEFINE QLOCAL(SMALL) MAXDEPTH(2)")
    put = two("put", "QM1", "SMALL", "--count", "5", *AT)
    assert put.code == 10
    assert put.lines[0] == (
        "SMALL on QM1: 2053 MQRC_Q_FULL from the put (queue SMALL of QM1), 2 of 5 were put"
    )
    (row,) = two("put", "QM1", "SMALL", *AT, "--format", "json").json["rows"]
    assert (row["reason"], row["refused_by"], row["put_on"]) == (2053, "SMALL", "SMALL")
    assert two("open", "QM1", "ORDERS", *AT).code == 0
    two("runmqsc", "QM1", *AT, typed="ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)")
    assert two("put", "QM1", "ORDERS", *AT).lines[0] == (
        "ORDERS on QM1: 2051 MQRC_PUT_INHIBITED from the put"
        " (queue SYSTEM.CLUSTER.TRANSMIT.QUEUE of QM1)"
    )


def test_put_tells_machines_what_was_not_delivered(two: Run) -> None:
    """The JSON of a put has the messages that were dead-lettered or redirected."""
    dead = "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)"
    two("runmqsc", "QM2", *AT, typed=f"{dead}\nALTER QLOCAL(ORDERS) MAXDEPTH(1)")
    named = ("put", "QM1", "ORDERS", "--count", "4", "--to", "QM2", *AT, "--format", "json")
    (row,) = two(*named).json["rows"]
    keys = ("delivered", "waiting", "redirected", "dead_lettered", "lost")
    assert [row[key] for key in keys] == [1, 0, 0, 3, 0]
    words = ("put", "QM1", "ORDERS", "--count", "4", "--bind", "notfixed", *AT)
    rows = two(*words, "--format", "json").json["rows"]
    assert [rows[0][key] for key in keys] == [2, 0, 0, 2, 0]
    assert rows[0]["position"] > row["position"]
    assert any(
        "2 on the dead-letter queue SYSTEM.DEAD.LETTER.QUEUE of QM2" in line
        for line in two(*words).lines
    )


def test_put_is_told_to_machines(two: Run) -> None:
    """The JSON of a put has one row for each route, or one row with the reason of a failure."""
    (row,) = two("put", "QM1", "ORDERS", "--to", "QM2", *AT, "--format", "json").json["rows"]
    assert {key: row[key] for key in ("qmgr", "channel", "count", "reason", "bind")} == {
        "qmgr": "QM2",
        "channel": "CA.QM2",
        "count": 1,
        "reason": 0,
        "bind": "open",
    }
    (row,) = two("put", "QM1", "NOPE", "--put1", *AT, "--format", "json").json["rows"]
    assert (row["qmgr"], row["count"], row["reason"], row["at"]) == (None, 0, 2085, "put")


def test_explain_tells_without_putting(two: Run) -> None:
    """The rows of `twin explain` are those of the question, and nothing is recorded."""
    two("put", "QM1", "ORDERS", *AT)
    before = two("log", "show").lines[:-1]
    for _ in range(2):
        told = two("explain", "QM1", "ORDERS")
        assert (told.code, told.lines[0]) == (0, "ORDERS at QM1 goes to QM2 by CA.QM2.")
    asked = two("ask", "explain", "--on", "QM1", "--queue", "ORDERS", "--format", "csv")
    assert asked.out == two("explain", "QM1", "ORDERS", "--format", "csv").out
    columns = "qmgr,channel,removed_by,attribute,value,best,chosen,status,waits,next_retry"
    assert asked.lines[0] == f"{columns},reason,refused_by,factor,last_use,bind,path,basis"
    assert two("log", "show").lines[:-1] == before


def test_explain_fails_where_put_does(two: Run) -> None:
    """`twin explain` shows the route and then the reason of a put that would fail, and exits 10."""
    full = "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)"
    two("open", "QM1", "ORDERS", "--bind", "notfixed", *AT)
    two("runmqsc", "QM1", *AT, typed=full)
    told = two("explain", "QM1", "ORDERS", "--as-of", AT[1])
    assert told.code == 10
    assert told.lines[:3] == [
        "ORDERS at QM1 goes to FR1 by CA.FR1.",
        "The put ends in 2051 MQRC_PUT_INHIBITED (queue SYSTEM.CLUSTER.TRANSMIT.QUEUE of",
        "  QM1).",
    ]
    rows = two("explain", "QM1", "ORDERS", "--as-of", AT[1], "--format", "json").json["rows"]
    assert [(row["chosen"], row["reason"]) for row in rows] == [(True, 2051), (False, None)]
    assert rows[0]["refused_by"] == "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    two("runmqsc", "QM1", *AT, typed="DEFINE QLOCAL(HERE) PUT(DISABLED)")
    told = two("explain", "QM1", "HERE", "--as-of", AT[1])
    assert (told.code, told.lines[1]) == (
        10,
        "The put ends in 2051 MQRC_PUT_INHIBITED (queue HERE of QM1).",
    )


def test_put_explains_first_when_asked(two: Run) -> None:
    """A put with --explain prints the choice rule by rule, then the result."""
    put = two("put", "QM1", "ORDERS", "--explain", "--profile", "v7", *AT)
    assert put.lines[0] == "ORDERS at QM1 goes to FR1 by CA.FR1."
    assert "1 message put to ORDERS on QM1 (bind open, v7)" in put.lines


def test_explain_tells_of_a_choice_that_was_made(two: Run) -> None:
    """A recorded choice is explained by its position; a position without a choice is bad input."""
    two("put", "QM1", "ORDERS", "--count", "4", "--bind", "notfixed", *AT)
    shown = two("log", "show", "--type", "MessagesPut", "--format", "json").json
    position = str(
        shown["rows"][0]["position"] if isinstance(shown, dict) else shown[0]["position"]
    )
    told = two("explain", "--position", position)
    assert told.code == 0
    assert told.lines[0].endswith(f"position {position}, 4 messages: its first choice.")
    assert not any("It waits" in line for line in told.lines)
    assert two("explain", "--position", "1").code == 20
    assert two("explain", "QM1").code == 20
    assert two("explain", "QM1", "ORDERS", "--position", "1").code == 20


def test_a_recorded_choice_says_that_its_message_waits(two: Run) -> None:
    """The explanation of a recorded choice says why its messages wait, as of a new put."""
    two("put", "QM1", "ORDERS", "--to", "QM2", *AT)
    two("runmqsc", "QM1", *AT, typed="STOP CHANNEL(CA.QM2)")
    two("put", "QM1", "ORDERS", "--to", "QM2", *AT)
    _, row = two("log", "show", "--type", "MessagesPut", "--format", "json").json["rows"]
    waits = "It waits: CA.QM2 is STOPPED"
    live = two("explain", "QM1", "ORDERS", "--to", "QM2", "--as-of", AT[1])
    past = two("explain", "--position", str(row["position"]))
    for told in (live, past):
        assert any(line.startswith(waits) for line in told.lines)


def test_get_takes_what_is_there(two: Run) -> None:
    """A get that finds fewer messages than requested exits 10."""
    two("put", "QM1", "ORDERS", "--count", "3", *AT)
    got = two("get", "FR1", "ORDERS", "--count", "2", *AT)
    assert (got.code, got.lines[0]) == (0, "2 messages got from ORDERS on FR1, 1 left")
    got = two("get", "FR1", "ORDERS", "--count", "2", *AT)
    assert got.code == 10
    assert got.lines[:2] == [
        "1 message got from ORDERS on FR1, 0 left",
        "ORDERS on FR1: 2033 MQRC_NO_MSG_AVAILABLE",
    ]
    (row,) = two("get", "QM1", "ORDERS", *AT, "--format", "json").json["rows"]
    assert (row["reason"], row["count"]) == (2085, 0)


def test_a_queue_manager_that_is_down_or_is_not(two: Run) -> None:
    """A queue manager that is down gives reason code 2059; an unknown one is bad input."""
    two("endmqm", "QM1", *AT)
    assert "2059 MQRC_Q_MGR_NOT_AVAILABLE" in two("put", "QM1", "ORDERS", *AT).lines[0]
    assert two("put", "NOPE", "ORDERS", *AT).code == 20
    assert two("explain", "NOPE", "ORDERS").code == 20


def test_a_workload_exit_is_named_on_the_command_line(two: Run) -> None:
    """A workload exit is imported only if the command names it; one not loaded is a warning."""
    Path("mine.py").write_text(EXIT, encoding="utf-8")
    two("runmqsc", "QM1", "--at", "2025-03-03T09:40", typed="ALTER QMGR CLWLEXIT('LAST')")
    put = two("put", "QM1", "ORDERS", *AT)
    assert put.code == 0
    warning = "workload exit LAST: 2267 MQRC_CLUSTER_EXIT_LOAD_ERROR: it is not loaded"
    assert warning in put.lines
    exits = ("--exit", "LAST=mine:last")
    put = two("put", "QM1", "ORDERS", "--count", "2", "--bind", "notfixed", *exits, *AT)
    assert put.lines[2].startswith("QM2   CA.QM2 ")
    assert "workload exit LAST chose CA.QM2" in put.lines
    assert two("put", "QM1", "ORDERS", "--exit", "LAST=nowhere:last", *AT).code == 20
    assert two("put", "QM1", "ORDERS", "--exit", "LAST", *AT).code == 20


def test_open_says_what_it_bound_to(two: Run) -> None:
    """An open prints where its handle is bound to, or when destinations are chosen."""
    opened = two("open", "QM1", "ORDERS", *AT)
    assert "bound on open to FR1 by CA.FR1" in opened.lines
    opened = two("open", "QM1", "ORDERS", "--bind", "notfixed", *AT)
    assert "bind notfixed: chosen for each message" in opened.lines
    (row, _) = two("open", "QM1", "ORDERS", *AT, "--format", "json").json["rows"]
    assert (row["bind"], row["bound_to"], row["bound_by"]) == ("open", "QM2", "CA.QM2")


def test_put_says_what_waits_and_why(two: Run) -> None:
    """A put prints how many messages left, how many wait, and the status of their channel."""
    assert two("put", "QM1", "ORDERS", "--bind", "notfixed", *AT).code == 0
    two("runmqsc", "QM1", *AT, typed="STOP CHANNEL(CA.QM2)")
    put = two("put", "QM1", "ORDERS", "--count", "3", "--to", "QM2", *AT)
    assert (put.code, put.lines[3:5]) == (
        0,
        ["0 delivered", "3 wait on SYSTEM.CLUSTER.TRANSMIT.QUEUE: CA.QM2 is STOPPED"],
    )
    explained = two("explain", "QM1", "ORDERS", "--to", "QM2", "--as-of", "2025-03-03T10:00")
    assert "It waits: CA.QM2 is STOPPED." in explained.lines
    two("endmqm", "QM2", *AT)
    two("runmqsc", "QM1", *AT, typed="START CHANNEL(CA.QM2)")
    words = ("put", "QM1", "ORDERS", "--to", "QM2", *AT)
    (row,) = two(*words, "--format", "json").json["rows"]
    told = ("delivered", "waiting", "waits", "status", "next_retry")
    assert {key: row[key] for key in told} == {
        "delivered": 0,
        "waiting": 1,
        "waits": 1,
        "status": "RETRYING",
        "next_retry": "2025-03-03T10:01:00Z",
    }
    retrying = "CA.QM2 is RETRYING, next retry 2025-03-03T10:01:00Z"
    assert f"1 waits on SYSTEM.CLUSTER.TRANSMIT.QUEUE: {retrying}" in two(*words).lines


@pytest.mark.parametrize("name", ["", "A*B", "A B", "A" * 49, "Ä"])
def test_a_name_that_mq_allows_nowhere_is_bad_input(two: Run, name: str) -> None:
    """An invalid name is one line and exit code 20, and is not recorded."""
    before = two("log", "show", "--format", "json").json["rows"]
    for words in (
        *(("put", "QM1", name), ("open", "QM1", name), ("get", "QM1", name)),
        *([("put", "QM1", "ORDERS", "--to", name)] if name else []),
        *([("explain", "QM1", name), ("explain", "QM1", "ORDERS", "--to", name)] if name else []),
    ):
        refused = two(*words)
        assert (refused.code, refused.out, len(refused.err.splitlines())) == (20, "", 1)
        assert "of A-Z a-z 0-9 . / _ %" in refused.err
    assert two("log", "show", "--format", "json").json["rows"] == before


def test_a_user_needs_authority_and_its_groups_may_have_it(two: Run) -> None:
    """--as checks authority: 2035 and what would grant it; a group of --groups may put."""
    grant = "SET AUTHREC PROFILE('SYSTEM.CLUSTER.**') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT)"
    two("runmqsc", "QM1", "--at", "2025-03-03T09:40", typed=grant)
    eve, ann = ("--as", "eve", "--groups", "staff"), ("--as", "ann", "--groups", "apps,staff")
    for command in ("open", "put"):
        refused = two(command, "QM1", "ORDERS", *eve, *AT)
        assert refused.code == 10
        assert "2035 MQRC_NOT_AUTHORIZED" in refused.lines[0]
        assert (
            "SET AUTHREC PROFILE('SYSTEM.CLUSTER.TRANSMIT.QUEUE') OBJTYPE(QUEUE) GROUP('staff') "
            "AUTHADD(PUT)" in refused.lines
        )
        assert two(command, "QM1", "ORDERS", *ann, *AT).code == 0
        assert two(command, "QM1", "ORDERS", *AT).code == 0
    alone = two("put", "QM1", "ORDERS", "--groups", "apps", *AT)
    assert (alone.code, alone.err) == (
        20,
        "twin: groups are those of a user: name it, too (as)\n",
    )


def test_an_explanation_says_whether_a_user_may_put_here_and_where_it_arrives(two: Run) -> None:
    """It names the profile here, and what MCAUSER lacks at the receiving end; --route, too."""
    two(
        "runmqsc",
        "QM1",
        "--at",
        "2025-03-03T09:40",
        typed="SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT)",
    )
    two(
        "runmqsc",
        "FR1",
        "--at",
        "2025-03-03T09:40",
        typed="ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) MCAUSER('mover')",
    )
    asked = ("QM1", "ORDERS", "--as", "ann", "--groups", "apps", "--groups", "mover=movers")
    said = two("explain", *asked, *AT_POINT).lines
    assert (
        "ann may put: QUEUE SYSTEM.CLUSTER.TRANSMIT.QUEUE is checked; GROUP(apps) by profile **"
        in said
    )
    assert (
        "where it arrives, at FR1: mover may not put: no profile grants PUT,SETALL on QUEUE ORDERS"
        in said
    )
    assert not [line for line in two("explain", *asked[:2], *AT_POINT).lines if "may" in line]
    assert two("explain", "QM1", "ORDERS", "--as", "eve", "--route", *AT_POINT).code == 10


AT_POINT = ("--as-of", "2025-03-03T10:00")
