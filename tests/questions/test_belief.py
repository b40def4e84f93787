"""Members, beliefs and divergence: the records of each queue manager, and where they are wrong."""

from __future__ import annotations

from tests.sandbox import START, Sandbox, small_cluster
from twin.model.instants import DAY, format_instant
from twin.questions.answer import Answer
from twin.questions.belief import beliefs, members
from twin.questions.divergence import divergence


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


def test_members_are_listed_with_who_knows_them() -> None:
    """A member that nobody used is known to itself and the full repositories only."""
    sandbox = small_cluster()
    answer = members(sandbox.estate, sandbox.as_of)
    assert _rows(answer, "qmgr", "qmtype", "suspend", "known_by") == [
        ("FR1", "REPOS", "NO", ("FR1", "FR2", "PR1", "PR2")),
        ("FR2", "REPOS", "NO", ("FR1", "FR2", "PR1", "PR2")),
        ("PR1", "NORMAL", "NO", ("FR1", "FR2", "PR1")),
        ("PR2", "NORMAL", "NO", ("FR1", "FR2", "PR2")),
    ]


def test_a_deleted_queue_manager_stays_a_member_while_it_is_believed_in() -> None:
    """A queue manager that was deleted without leaving stays a member beside a new one."""
    sandbox = small_cluster()
    sandbox.at("+1d").control("endmqm", "PR2")
    sandbox.control("dltmqm", "PR2")
    sandbox.create("PR2")
    sandbox.member("PR2", "FR1")
    found = members(sandbox.estate, sandbox.as_of, cluster="CA")
    twice = [row for row in found.rows if row["qmgr"] == "PR2"]
    assert [row["qmid"] for row in twice] == [
        "PR2_2026-01-01_00.00.00",
        "PR2_2026-01-02_00.00.00",
    ]


def test_a_belief_says_from_whom_and_until_when() -> None:
    """Any holder's record expires 30 days after it was sent and is removed after 90 days."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.at("+2d").open("PR1", "ORD")
    answer = beliefs(sandbox.estate, sandbox.as_of, on="PR1", kind="queue")
    (row,) = answer.as_json()["rows"]
    assert row.pop("evidence") == [answer.evidence[0][0]]
    assert row == {
        "observer": "PR1",
        "cluster": "CA",
        "kind": "queue",
        "name": "ORD",
        "owner": "PR2",
        "qmid": "PR2_2026-01-01_00.00.00",
        "channel": None,
        "state": "fresh",
        "source": "FR1",
        "received": format_instant(START + 2 * DAY),
        "expires": format_instant(START + 30 * DAY),
        "removal": format_instant(START + 90 * DAY),
        "basis": "derived",
    }


def test_a_record_expires_at_its_instant() -> None:
    """At its due instant a record has expired; a microsecond earlier it is fresh."""
    sandbox = small_cluster()
    sandbox.draft.at = START + 30 * DAY - 1
    assert set(_rows(beliefs(sandbox.estate, sandbox.as_of), "state")) == {("fresh",)}
    sandbox.draft.at += 1
    assert set(_rows(beliefs(sandbox.estate, sandbox.as_of), "state")) == {("expired",)}


def test_expired_information_answers_no_new_request() -> None:
    """An expired record is not sent to a queue manager that asks for it."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.control("endmqm", "PR2")
    sandbox.at("+31d").open("PR1", "ORD")
    assert sandbox.knows("PR1", "queue") == set()


def test_a_healthy_cluster_has_no_divergence() -> None:
    """If all queue managers run, no belief differs from what the owners say."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    assert divergence(sandbox.estate, sandbox.as_of).rows == ()


def test_divergence_names_the_field_here_and_there() -> None:
    """After a change that the observer missed, a row shows its old belief beside the true value."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)")
    answer = divergence(sandbox.estate, sandbox.as_of)
    assert _rows(answer, "observer", "name", "owner", "field", "here", "there") == [
        ("PR1", "ORD", "PR2", "PUT", "ENABLED", "DISABLED")
    ]


def test_a_full_repository_that_misses_a_record_diverges() -> None:
    """Full repositories without a manual channel between them lack each other's records."""
    sandbox = Sandbox().create("FR1", "FR2", "PR1")
    sandbox.full("FR1").full("FR2").member("PR1", "FR1")
    answer = divergence(sandbox.estate, sandbox.as_of, on="FR2")
    assert ("PR1", "record", None, "present") in _rows(answer, "name", "field", "here", "there")


def test_a_default_is_no_divergence_from_the_same_value_given() -> None:
    """A value that an owner now states and that was its default before is no difference."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "ALTER QLOCAL(ORD) PUT(ENABLED) CLWLRANK(0)")
    assert divergence(sandbox.estate, sandbox.as_of).rows == ()


def test_divergence_shows_the_role_a_record_is_silent_about() -> None:
    """A record without QMTYPE is shown as that of a partial repository."""
    sandbox = small_cluster()
    sandbox.control("endmqm", "PR1")
    sandbox.run("PR2", "ALTER QMGR REPOS(CA)")
    answer = divergence(sandbox.estate, sandbox.as_of, on="FR1")
    assert answer.rows == ()
    sandbox.control("endmqm", "FR1")
    sandbox.run("PR2", "ALTER QMGR REPOS(' ')")
    answer = divergence(sandbox.estate, sandbox.as_of, on="FR1")
    assert _rows(answer, "owner", "field", "here", "there") == [
        ("PR2", "QMTYPE", "REPOS", "NORMAL")
    ]
