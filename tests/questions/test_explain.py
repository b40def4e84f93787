"""The question `explain`: a row for each candidate, and recorded choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin import Twin
from twin.app.acting import Fact
from twin.errors import TwinError
from twin.events import ObjectObserved
from twin.events.messages import Bind
from twin.model.instants import HOUR, parse_instant
from twin.questions.explanation import ExplainRequest

FULL = "ALTER QMGR REPOS(CA)\nDEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME(X) CLUSTER(CA)"
MEMBER = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME(X) CLUSTER(CA)
DEFINE CHANNEL(CA.FR) CHLTYPE(CLUSSDR) CONNAME(X) CLUSTER(CA)"""


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    """Make a cluster in which A, B and C have Q; B is suspended, and D puts."""
    made = Twin.open(f"sqlite:///{tmp_path / 'log.db'}", synchronous="NORMAL")
    for name in ("FR", "A", "B", "C", "D"):
        made.crtmqm(name)
        made.strmqm(name)
        made.runmqsc(name, (FULL if name == "FR" else MEMBER).format(name))
    for name in ("A", "B", "C"):
        made.runmqsc(name, "DEFINE QLOCAL(Q) CLUSTER(CA)")
    made.runmqsc("B", "SUSPEND QMGR CLUSTER(CA)")
    return made


def chosen(rows: object) -> list[str]:
    """Return the queue managers that are chosen."""
    assert isinstance(rows, tuple)
    return [row["qmgr"] for row in rows if row["chosen"]]


def test_every_candidate_has_a_row_with_the_rule_it_fell_by(twin: Twin) -> None:
    """Each route has a row with the rule that excluded it, even if the name must be asked for."""
    answer = twin.ask("explain", on="D", queue="Q")
    assert [(row["qmgr"], row["removed_by"]) for row in answer.rows] == [
        ("A", None),
        ("B", "suspended"),
        ("C", "weight"),
    ]
    assert all(answer.evidence)
    assert answer.lines[0] == "Q at D goes to A by CA.A."
    assert any(line.startswith("suspended ") and "B excluded: " in line for line in answer.lines)


def test_a_channel_that_has_disconnected_is_inactive_in_its_row(tmp_path: Path) -> None:
    """After the disconnect interval the status is what DISPLAY CHSTATUS shows: none."""
    start = parse_instant("2026-01-01T00:00:00Z", now=0)
    clock = [start]
    made = Twin.open(f"sqlite:///{tmp_path / 'idle.db'}", clock=lambda: clock[0])
    for name in ("FR", "A", "D"):
        made.crtmqm(name)
        made.strmqm(name)
        made.runmqsc(name, (FULL if name == "FR" else MEMBER).format(name))
    made.runmqsc("A", "DEFINE QLOCAL(Q) CLUSTER(CA)")
    made.put("D", "Q")
    (row,) = made.ask("explain", on="D", queue="Q").rows
    assert row["status"] == "RUNNING"
    clock[0] += 2 * HOUR
    (row,) = made.ask("explain", on="D", queue="Q").rows
    assert (row["status"], row["waits"]) == ("INACTIVE", False)


def test_to_explain_changes_nothing(twin: Twin) -> None:
    """An explanation puts, counts, requests and records nothing."""
    head = twin.log.head("main")
    for _ in range(3):
        assert chosen(twin.ask("explain", on="D", queue="Q").rows) == ["A"]
        assert chosen(
            twin.explain("D", ExplainRequest(queue="Q"))[0].answer(twin.as_of()).rows
        ) == ["A"]
    assert twin.log.head("main") == head


def test_what_fails_is_told_by_its_reason(twin: Twin) -> None:
    """An unknown name, or a queue manager that is down, gives a reason and no candidates."""
    explanation, point = twin.explain("D", ExplainRequest(queue="NOPE"))
    assert (explanation.reason, explanation.answer(point).rows) == (2085, ())
    twin.endmqm("D")
    assert twin.explain("D", ExplainRequest(queue="Q"))[0].reason == 2059


@pytest.mark.parametrize(
    ("mqsc", "queue", "reason"),
    [
        ("ALTER QLOCAL({XQ}) PUT(DISABLED)", "Q", 2051),
        ("ALTER QLOCAL({XQ}) MAXDEPTH(0)", "Q", 2053),
        ("DEFINE QLOCAL(Q) CLUSTER(CA) MAXDEPTH(0)", "Q", 2053),
        ("DEFINE QLOCAL(Q) CLUSTER(CA) PUT(DISABLED)", "Q", 0),
        ("DEFINE QLOCAL(L) PUT(DISABLED)", "L", 2051),
        ("DEFINE QLOCAL(L) MAXDEPTH(0)", "L", 2053),
        ("DEFINE QLOCAL(L)\nDEFINE QALIAS(A) TARGET(L) PUT(DISABLED)", "A", 2051),
        ("DEFINE QLOCAL(L) PUT(DISABLED)\nDEFINE QALIAS(A) TARGET(L)", "A", 2051),
        ("DEFINE QALIAS(A) TARGET(Q) PUT(DISABLED)", "A", 2051),
        ("DEFINE QLOCAL(L) MAXDEPTH(0)\nDEFINE QALIAS(Q) TARGET(L) CLUSTER(CA)", "Q", 2053),
        ("DEFINE QLOCAL(L) MAXDEPTH(0)\nDEFINE QALIAS(P) TARGET(L) CLUSTER(CA)", "P", 2053),
        ("DEFINE QMODEL(M)", "M", 2057),
        (
            """DEFINE QLOCAL(X) USAGE(XMITQ) PUT(DISABLED)
            DEFINE QREMOTE(R) RNAME(Y) RQMNAME(FAR) XMITQ(X)""",
            "R",
            2051,
        ),
        ("ALTER QMGR DEFCLXQ(CHANNEL)\nALTER QLOCAL({XQ}) PUT(DISABLED)", "Q", 0),
    ],
)
@pytest.mark.parametrize("bind", ["notfixed", "open"])
def test_it_ends_in_the_reason_that_a_put_ends_in(
    twin: Twin, mqsc: str, queue: str, reason: int, bind: Bind
) -> None:
    """An explanation names the full or put-disabled queue because of which the put fails."""
    twin.open_queue("D", "Q")  # once it knows Q, it needs no answer from a full repository
    made = twin.runmqsc("D", mqsc.replace("{XQ}", "SYSTEM.CLUSTER.TRANSMIT.QUEUE"))
    assert made.exit_code == 0, made.lines
    explanation, _ = twin.explain("D", ExplainRequest(queue=queue, bind=bind))
    put = twin.put("D", queue, bind=bind)
    assert (put.reason, explanation.reason) == (reason, reason)
    assert explanation.refused_by == put.refused_by
    assert bool(put.refused_by) == bool(reason)


def test_a_handle_that_is_bound_ends_in_the_reason_that_a_put_ends_in(twin: Twin) -> None:
    """A bound handle's transmission queue is checked again at each put."""
    twin.open_queue("D", "Q", handle="h", bind="open")
    twin.runmqsc("D", "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)")
    explanation, _ = twin.explain("D", ExplainRequest(handle="h"))
    put = twin.put("D", handle="h")
    assert (explanation.reason, explanation.refused_by) == (put.reason, put.refused_by)
    assert put.reason == 2051


def test_a_queue_outside_clusters_is_explained_in_one_row(twin: Twin) -> None:
    """A local queue or a transmission queue is one row, because there is no choice."""
    twin.runmqsc("D", "DEFINE QLOCAL(L)\nDEFINE QLOCAL(X) USAGE(XMITQ)")
    twin.runmqsc("D", "DEFINE QREMOTE(R) RNAME(Y) RQMNAME(FAR) XMITQ(X)")
    for queue, qmgr in (("L", "D"), ("R", "FAR")):
        assert chosen(twin.ask("explain", on="D", queue=queue).rows) == [qmgr]


def test_a_handle_that_is_bound_chooses_no_more(twin: Twin) -> None:
    """A put to a bound handle is explained by the choice of its MQOPEN."""
    bound = twin.open_queue("D", "Q", handle="h", bind="open").bound_to
    explanation, point = twin.explain("D", ExplainRequest(handle="h"))
    assert chosen(explanation.answer(point).rows) == [bound]
    assert twin.explain("D", ExplainRequest(handle="none"))[0].reason == 2019


def test_an_earlier_instant_is_explained_by_what_was_believed_then(twin: Twin) -> None:
    """A queue that was put-disabled later is shown as chosen at an earlier instant."""
    twin.open_queue("D", "Q", bind="notfixed")
    then = twin.as_of().valid
    twin.runmqsc("A", "ALTER QLOCAL(Q) PUT(DISABLED)")
    now, before = (twin.ask("explain", on="D", queue="Q", as_of=at) for at in (None, then))
    assert (chosen(now.rows), chosen(before.rows)) == (["C"], ["A"])


def choices(twin: Twin) -> list[int]:
    """Return the positions of recorded choices."""
    rows = twin.log.rows(types=["MessagesPut", "HandleOpened"])
    return [position for _, position, _, _ in rows]


def test_a_choice_that_was_made_is_explained_as_it_was(twin: Twin) -> None:
    """A recorded choice is explained from beliefs and counters just before it."""
    twin.put("D", "Q", count=3, bind="notfixed")
    twin.put("D", "Q", to="C")
    twin.open_queue("D", "Q", bind="open")
    twin.runmqsc("A", "ALTER QLOCAL(Q) PUT(DISABLED)")
    found = [twin.ask("explain", position=str(position)) for position in choices(twin)]
    assert [chosen(answer.rows) for answer in found] == [["A"], ["C"], ["C"]]
    assert "3 messages" in found[0].lines[0]
    assert found[0].as_of.valid < found[2].as_of.valid


def test_a_retracted_choice_is_explained_by_the_one_that_replaced_it(twin: Twin) -> None:
    """If a late fact replaced a choice, the new choice is explained and the answer says so."""
    begin = twin.as_of().valid
    twin.put("D", "Q", count=2, bind="notfixed")
    (position,) = choices(twin)
    assert "withdrawn" not in twin.ask("explain", position=str(position)).lines[0]
    event = ObjectObserved(
        qmgr="A", kind="QUEUE", name="Q", type="QLOCAL", values={"CLUSTER": "CA", "PUT": "DISABLED"}
    )
    twin.record_observations([Fact(event, "observation:test")], at=begin)
    (standing,) = choices(twin)
    answer = twin.ask("explain", position=str(position))
    assert answer.lines[0] == (
        f"Position {position} was withdrawn after a late fact or a retraction; "
        f"position {standing} replaces it."
    )
    assert answer.lines == (answer.lines[0], *twin.ask("explain", position=str(standing)).lines)


def test_where_messages_were_redirected_to_is_explained(twin: Twin) -> None:
    """A redirection is explained with its reason, its queue manager and its candidates."""
    twin.hold("D", "CA.A")
    twin.put("D", "Q", count=5, bind="notfixed")
    twin.runmqsc("A", "ALTER QLOCAL(Q) PUT(DISABLED)")
    twin.release("D", "CA.A")
    (_, position, _, _), *_ = twin.log.rows(types=["MessagesRedirected"])
    answer = twin.ask("explain", position=str(position))
    assert answer.lines[:3] == (
        (
            f"Redirected by A at position {position}, 3 messages "
            "(2051 MQRC_PUT_INHIBITED of Q): the first choice."
        ),
        "They came from D by CA.A and went on: 3 to C.",
        "Q at A goes to C by CA.C.",
    )
    assert [(row["qmgr"], row["removed_by"]) for row in answer.rows] == [
        ("B", "suspended"),
        ("C", None),
    ]


def test_a_position_without_a_choice_is_an_error(twin: Twin) -> None:
    """An incomplete question is an error, and so is a position without a choice."""
    with pytest.raises(TwinError, match="no choice is recorded at position 1"):
        twin.ask("explain", position="1")
    with pytest.raises(TwinError, match="explain takes position alone"):
        twin.ask("explain", position="1", on="D", queue="Q")
    with pytest.raises(TwinError, match="explain needs on"):
        twin.ask("explain", on="D")


def test_attributes_are_those_of_the_instance_a_name_resolves_to(twin: Twin) -> None:
    """MQINQ gives the attributes of the instance that is resolved, even if put-disabled."""
    twin.runmqsc("A", "ALTER QLOCAL(Q) DEFPRTY(7) PUT(DISABLED)")
    (row,) = twin.inquire("A", "Q").rows
    assert (row["qmgr"], row["defprty"], row["curdepth"]) == ("A", 7, 0)
    (row,) = twin.inquire("D", "Q").rows
    assert (row["qmgr"], row["defprty"], "curdepth" in row) == ("C", 0, False)
    for name in ("B", "C"):
        twin.runmqsc(name, "ALTER QLOCAL(Q) PUT(DISABLED)")
    assert twin.inquire("D", "Q").reason == 0
    assert twin.inquire("D", "NOPE").reason == 2085
