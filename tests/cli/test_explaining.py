"""`twin explain`: its options, and the questions that they ask."""

from __future__ import annotations

import pytest

from tests.cli.conftest import AT, Run


@pytest.fixture
def waiting(cluster: Run) -> Run:
    """Let a message for ORDERS wait at QM1, because QM2 has ended."""
    cluster("open", "QM1", "ORDERS", "--at", AT)
    cluster("endmqm", "QM2", "--at", AT)
    cluster("put", "QM1", "ORDERS", "--at", AT)
    return cluster


def test_a_route_is_what_the_question_answers(cluster: Run) -> None:
    """`--route` prints what `ask route` does, and exits 10 if the call fails at once."""
    asked = ("--as-of", AT, "--format", "csv")
    route = cluster("explain", "QM1", "ORDERS", "--route", *asked)
    assert route.code == 0
    assert route.out == cluster("ask", "route", "--on", "QM1", "--queue", "ORDERS", *asked).out
    put1 = cluster("explain", "QM1", "ORDERS", "--put1", "--route", "--as-of", AT)
    assert put1.lines[0] == "1  QM1: ORDERS is a queue of cluster CA; to QM2 by CA.QM2"
    assert cluster("explain", "QM1", "NONE", "--route", "--as-of", AT).code == 10


def test_a_route_that_ends_in_a_reason_code_or_a_loop_exits_10(cluster: Run) -> None:
    """The put succeeds, but the message comes to no queue."""
    for name, script in {
        "QM2": "DEFINE QALIAS(NOWHERE) TARGET(NOTHING) CLUSTER(CA) DEFBIND(NOTFIXED)\n"
        "DEFINE QALIAS(RING) TARGET(ROUND) CLUSTER(CA) DEFBIND(NOTFIXED)",
        "FR1": "DEFINE QALIAS(ROUND) TARGET(RING) CLUSTER(CA) DEFBIND(NOTFIXED)",
    }.items():
        assert cluster("runmqsc", name, "--at", AT, typed=script).code == 0
    for queue, end in (("NOWHERE", "2082"), ("RING", ": a loop")):
        shown = cluster("explain", "QM1", queue, "--route", "--as-of", AT)
        assert shown.code == 10
        assert end in shown.out


def test_waiting_messages_are_named_by_queue_or_by_position(waiting: Run) -> None:
    """`--message` prints what `ask waiting` does, for a queue, a queue manager or a put."""
    asked = ("--as-of", AT, "--format", "csv")
    all_ = waiting("ask", "waiting", "--on", "QM1", *asked)
    assert len(all_.lines) == 2
    assert waiting("explain", "QM1", "ORDERS", "--message", *asked).out == all_.out
    assert waiting("explain", "QM1", "--message", *asked).out == all_.out
    shown = waiting("log", "show", "--type", "MessagesPut", "--format", "json").json
    position = str(shown["rows"][0]["position"])
    assert waiting("explain", "--position", position, "--message", *asked).out == all_.out
    none = waiting("explain", "QM1", "NONE", "--message", "--as-of", AT)
    assert (none.code, none.lines[0]) == (0, "no waiting messages")


def test_why_a_name_is_unknown_is_in_text_and_json(cluster: Run) -> None:
    """The reasons are lines of the text and notes of JSON, and the exit code is 10."""
    shown = cluster("explain", "QM1", "NONE", "--as-of", AT)
    assert shown.code == 10
    assert shown.lines[:3] == [
        "NONE on QM1: 2085 MQRC_UNKNOWN_OBJECT_NAME",
        "QM1 has no queue NONE.",
        "FR1, a full repository of CA, is asked by this call, and holds no record of it.",
    ]
    notes = cluster("explain", "QM1", "NONE", "--as-of", AT, "--format", "json").json["notes"]
    assert notes == shown.lines[1:-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["QM1", "ORDERS", "--message", "--route"], "answer different questions; choose one"),
        (["QM1", "ORDERS", "--with", "X", "--message"], "answer different questions"),
        (["--position", "3", "--route"], "answer different questions"),
        (["--position", "3", "--with", "X"], "answer different questions"),
        (["QM1", "ORDERS", "--message", "--to", "QM2"], "leave out the options of a put"),
        (["QM1", "ORDERS", "--message", "--put1"], "leave out the options of a put"),
        (["--position", "3", "--as-of", AT], "give --position alone"),
        (["--position", "3", "--bind", "open"], "give --position alone"),
        (["--message"], "name QM and QUEUE, or --position N alone"),
        (["QM1", "--route"], "name QM and QUEUE, or --position N alone"),
        (["QM9", "ORDERS", "--route"], "queue manager QM9 does not exist"),
    ],
)
def test_options_that_do_not_fit_are_one_line(cluster: Run, words: list[str], said: str) -> None:
    """No option is ignored: what does not fit is refused with exit code 20."""
    refused = cluster("explain", *words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert said in refused.err
