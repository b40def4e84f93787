"""Changes: the differences between two points, their names, and their order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin.fold.estate import Estate
from twin.questions.answer import Answer
from twin.questions.changes import changes

_DEAD_LETTERS = "IBM MQ Default Dead Letter Queue"


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


def test_changes_are_ranked_by_effect() -> None:
    """Membership and records come before a description."""
    before = small_cluster()
    after = small_cluster()
    after.at("+1h").run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    after.run("PR2", "ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) DESCR('mine')")
    answer = changes(before.estate, after.estate, after.as_of)
    assert _rows(answer, "on", "kind", "name", "field", "before", "after") == [
        ("FR1", "belief:queue", "ORD@PR2 in CA", "record", None, "present"),
        ("FR2", "belief:queue", "ORD@PR2 in CA", "record", None, "present"),
        ("PR2", "queue", "ORD", "definition", None, "QLOCAL"),
        ("PR2", "queue", "SYSTEM.DEAD.LETTER.QUEUE", "DESCR", _DEAD_LETTERS, "mine"),
    ]
    assert all(position for (position,) in _rows(answer, "position"))


def test_rows_of_two_clusters_and_two_channels_are_told_apart() -> None:
    """Each record's row is unique by its name, owner and cluster."""
    sandbox = Sandbox().create("FR1", "PR1")
    sandbox.full("FR1").run("FR1", "DEFINE NAMELIST(BOTH) NAMES(CA, CB)")
    sandbox.run("FR1", "ALTER QMGR REPOS(' ') REPOSNL(BOTH)")
    sandbox.run("FR1", "ALTER CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(BOTH)")
    sandbox.run(
        "PR1",
        """DEFINE NAMELIST(BOTH) NAMES(CA, CB)
DEFINE CHANNEL(TO.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSNL(BOTH)
DEFINE CHANNEL(TO.PR1.B) CHLTYPE(CLUSRCVR) CONNAME('pr1b(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSNL(BOTH)
DEFINE QLOCAL(ORD) CLUSNL(BOTH)""",
    )
    answer = changes(Estate(), sandbox.estate, sandbox.as_of, on="FR1")
    named = [row["name"] for row in answer.rows if str(row["kind"]).startswith("belief:")]
    assert named == [
        "ORD@PR1 in CA",
        "ORD@PR1 in CB",
        "TO.PR1.B@PR1 in CA",
        "TO.PR1@PR1 in CA",
        "TO.PR1@PR1 in CB",
    ]


def test_owners_that_share_a_name_are_told_apart_by_their_qmid() -> None:
    """A deleted queue manager and a new one of the same name have separate rows."""
    sandbox = small_cluster()
    sandbox.at("+1d").control("endmqm", "PR2")
    sandbox.control("dltmqm", "PR2")
    sandbox.create("PR2")
    sandbox.member("PR2", "FR1")
    answer = changes(Estate(), sandbox.estate, sandbox.as_of, on="FR1")
    assert [row["name"] for row in answer.rows if "CA.PR2@" in str(row["name"])] == [
        "CA.PR2@PR2_2026-01-01_00.00.00 in CA",
        "CA.PR2@PR2_2026-01-02_00.00.00 in CA",
    ]


@pytest.mark.parametrize(
    ("first", "then", "shown"),
    [
        ("DEFINE QLOCAL(X)", "ALTER QLOCAL(X) PUT(DISABLED)", ("PUT", "ENABLED", "DISABLED")),
        (
            "DEFINE QLOCAL(X) PUT(DISABLED)",
            "ALTER QLOCAL(X) PUT(ENABLED)",
            ("PUT", "DISABLED", "ENABLED"),
        ),
        (
            "DEFINE QLOCAL(X) MAXDEPTH(7)",
            "DEFINE QLOCAL(X) REPLACE",
            ("MAXDEPTH", "7", "5000"),
        ),
        ("", "ALTER QMGR CHAD(ENABLED)", ("CHAD", "DISABLED", "ENABLED")),
        ("", "ALTER QMGR CERTLABL('x')", ("CERTLABL", "ibmwebspheremqpr1", "x")),
        (
            "DEFINE TOPIC(T) TOPICSTR(/t)",
            "ALTER TOPIC(T) PUB(DISABLED)",
            ("PUB", "ASPARENT", "DISABLED"),
        ),
    ],
)
def test_a_default_is_shown_as_the_product_has_it(
    first: str, then: str, shown: tuple[str, str, str]
) -> None:
    """An omitted attribute is shown with its default, not blank."""
    before, after = Sandbox().create("PR1"), Sandbox().create("PR1")
    for sandbox in (before, after):
        sandbox.run("PR1", first)
    after.run("PR1", then)
    answer = changes(before.estate, after.estate, after.as_of)
    assert _rows(answer, "field", "before", "after") == [shown]


def test_the_defaults_of_a_record_are_those_of_what_it_is_of() -> None:
    """The defaults of a record depend on its kind: NORMAL, or the binding of a QREMOTE."""
    before, after = small_cluster(), small_cluster()
    for sandbox in (before, after):
        sandbox.run("PR2", "DEFINE QREMOTE(ALIAS) RQMNAME(FAR) CLUSTER(CA)")
    after.run("PR2", "ALTER QREMOTE(ALIAS) DEFBIND(NOTFIXED)")
    after.run("PR2", "ALTER QMGR REPOS(CA)")
    after.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) NETPRTY(3)")
    found = _rows(
        changes(before.estate, after.estate, after.as_of, on="FR1"),
        *("name", "field", "before", "after"),
    )
    assert set(found) == {
        ("ALIAS@PR2 in CA", "DEFBIND", "OPEN", "NOTFIXED"),
        ("CA.PR2@PR2 in CA", "NETPRTY", "0", "3"),
        ("CA.PR2@PR2 in CA", "QMTYPE", "NORMAL", "REPOS"),
    }


def _with_access_records() -> tuple[Sandbox, Sandbox]:
    before, after = Sandbox().create("PR1"), Sandbox().create("PR1")
    after.run(
        "PR1",
        """DEFINE QLOCAL(ORDERS)
DEFINE QLOCAL(OTHER)
SET CHLAUTH(APP.*) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)
SET AUTHREC PROFILE(OTHER) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT)""",
    )
    return before, after


@pytest.mark.parametrize(
    ("asked", "names", "notes"),
    [
        ({}, ["ORDERS", "OTHER"], 1),
        (
            {"all": "yes"},
            ["APP.* ADDRESSMAP *", "ORDERS", "ORDERS QUEUE app", "OTHER", "OTHER QUEUE app"],
            0,
        ),
        ({"kind": "authrec"}, ["ORDERS QUEUE app", "OTHER QUEUE app"], 0),
        ({"kind": "CHLAUTH"}, ["APP.* ADDRESSMAP *"], 0),
        ({"kind": "queue"}, ["ORDERS", "OTHER"], 0),
        ({"name": "ORDERS"}, ["ORDERS", "ORDERS QUEUE app"], 0),
        ({"name": "O*", "kind": "queue"}, ["ORDERS", "OTHER"], 0),
        ({"name": "APP.*"}, ["APP.* ADDRESSMAP *"], 0),
    ],
)
def test_access_records_are_counted_unless_they_are_asked_for(
    asked: dict[str, Any], names: list[str], notes: int
) -> None:
    """A kind, a name or `all` asks for them; else a note says how many were left out."""
    before, after = _with_access_records()
    answer = changes(before.estate, after.estate, after.as_of, **asked)
    assert sorted(str(row["name"]) for row in answer.rows) == names
    line = "3 rows about AUTHREC and CHLAUTH left out; --all shows them"
    assert answer.notes == (line,) * notes


def test_a_record_is_found_by_the_name_of_its_object_and_by_its_kind() -> None:
    """`belief` is every kind of record, `belief:queue` one of them."""
    before, after = small_cluster(), small_cluster()
    after.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    after.run("PR2", "ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) NETPRTY(3)")

    def kinds(**asked: Any) -> set[object]:
        answer = changes(before.estate, after.estate, after.as_of, **asked)
        return {row["kind"] for row in answer.rows}

    assert kinds(kind="belief") == {"belief:qmgr", "belief:queue"}
    assert kinds(kind="belief:queue") == kinds(name="ORD", kind="belief") == {"belief:queue"}
    assert kinds(name="ORD") == {"belief:queue", "queue"}


def test_an_object_of_another_type_is_another_object() -> None:
    """If a name now belongs to another object type, the types are shown and no attributes."""
    before, after = Sandbox().create("PR1"), Sandbox().create("PR1")
    before.run("PR1", "DEFINE QLOCAL(X) MAXDEPTH(7)")
    after.run("PR1", "DEFINE QALIAS(X) TARGET(Y)")
    answer = changes(before.estate, after.estate, after.as_of)
    assert _rows(answer, "name", "field", "before", "after") == [
        ("X", "definition", "QLOCAL", "QALIAS")
    ]
