"""What was imported, and what is missing: the question `ingest`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.app.scenes import LATER, START, make_twin
from tests.declared_rows import problems
from tests.feeds.test_dumps import OWN, QUEUE, dump
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY

FR1 = """ALTER QMGR REPOS(CA) DEADQ(DLQ)
DEFINE CHANNEL(TO.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(TO.FR2) CHLTYPE(CLUSSDR) CONNAME('localhost(4715)') CLUSTER(CA)
"""
QM1 = """DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1') CLUSNL(NOLIST)
DEFINE CHANNEL(TO.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE CHANNEL(QM1.OUT) CHLTYPE(SDR) CONNAME('out') XMITQ(NOXMITQ)
DEFINE QALIAS(A) TARGET(NOWHERE)
DEFINE QALIAS(B) TARGET(LOCAL)
DEFINE QALIAS(S) TARGET(SHARED)
DEFINE QALIAS(T) TARGET(NOTOPIC) TARGTYPE(TOPIC)
DEFINE QREMOTE(R) RNAME(X) RQMNAME(FAR) XMITQ(LOCAL)
DEFINE QREMOTE(R2) RNAME(X) RQMNAME(FAR)
DEFINE QREMOTE(R3) RNAME(X) RQMNAME(FR1)
DEFINE QLOCAL(LOCAL) PROCESS(P) INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)
"""


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Import two queue managers."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        shared = FR1 + "DEFINE QLOCAL(SHARED) CLUSTER(CA)\n"
        twin.ingest_files([FileText(shared, "FR1"), FileText(QM1, "QM1")], at=START)
        yield twin


def rows(twin: Twin, *keys: str, **filters: Any) -> list[tuple[Any, ...]]:
    """Return values of the rows."""
    answer = twin.ask("ingest", **filters)
    assert not problems(answer)
    return [tuple(row[key] for key in keys) for row in answer.rows]


def test_a_channel_without_its_other_end_names_a_missing_queue_manager(twin: Twin) -> None:
    """The name is guessed from the channel; one whose receiver was imported is not missing."""
    assert rows(twin, "name", "by", "on", "why", kind="not-in-twin") == [
        ("FR2?", "CLUSSDR TO.FR2", "FR1", "localhost(4715)"),
        ("OUT?", "SDR QM1.OUT", "QM1", "out"),
    ]


@pytest.mark.parametrize(
    ("address", "is_known"),
    [("fr1(1414)", True), ("FR1", True), ("x,fr1", True), ("fr1(1415)", False), ("fr", False)],
)
def test_a_channel_to_the_address_of_an_imported_queue_manager_leads_to_no_unknown_one(
    twin: Twin, address: str, *, is_known: bool
) -> None:
    """Its last part names nobody, but who listens at its CONNAME is in the twin."""
    sender = f"DEFINE CHANNEL(CA.HUB) CHLTYPE(CLUSSDR) CONNAME('{address}') CLUSTER(CA)\n"
    twin.ingest_files([FileText(sender, "QM1")], at=START + DAY)
    missing = {name for (name,) in rows(twin, "name", kind="not-in-twin")}
    assert missing == {"FR2?", "OUT?", *(() if is_known else ("HUB?",))}


def test_each_reference_to_nothing_is_listed(twin: Twin) -> None:
    """Targets, queue managers, transmission queues, namelists, processes; not what exists."""
    assert sorted(rows(twin, "on", "by", "name", kind="undefined")) == [
        ("FR1", "QMGR", "DLQ"),
        ("QM1", "CLUSRCVR TO.QM1", "NOLIST"),
        ("QM1", "QALIAS A", "NOWHERE"),
        ("QM1", "QALIAS T", "NOTOPIC"),
        ("QM1", "QLOCAL LOCAL", "P"),
        ("QM1", "QREMOTE R", "LOCAL"),
        ("QM1", "QREMOTE R2", "FAR"),
        ("QM1", "SDR QM1.OUT", "NOXMITQ"),
    ]


def test_what_arrives_later_is_no_longer_missing(twin: Twin) -> None:
    """A missing queue manager that is imported is missing only before that."""
    script = "DEFINE CHANNEL(TO.FR2) CHLTYPE(CLUSRCVR) CONNAME('fr2') CLUSTER(CA)\n"
    twin.ingest(script, qmgr="FR2", at=START + DAY)
    assert rows(twin, "name", kind="not-in-twin") == [("OUT?",)]
    before = twin.ask("ingest", kind="not-in-twin", as_of=START)
    assert [row["name"] for row in before.rows] == ["FR2?", "OUT?"]


def test_a_simulated_queue_manager_lacks_nothing(tmp_path: Path) -> None:
    """What a user made refers to what the user wants."""
    with make_twin(f"sqlite:///{tmp_path / 'made.db'}", lambda: LATER) as made:
        made.crtmqm("FR1", at=START)
        made.strmqm("FR1", at=START)
        made.runmqsc("FR1", FR1, at=START)
        assert rows(made, "name") == []


def test_files_of_one_instant_that_differ_are_contradictions(twin: Twin) -> None:
    """What two files say of one attribute of one object at one instant, or only one of them."""
    twin.ingest("DEFINE QLOCAL(LOCAL) MAXDEPTH(7) PROCESS(Q)\n", qmgr="QM1", at=START)
    columns = ("name", "on", "by", "at", "why")
    assert rows(twin, *columns, kind="contradiction") == [
        ("LOCAL", "QM1", "QUEUE", START, f"{why}")
        for why in (
            "INITQ: 'SYSTEM.DEFAULT.INITIATION.QUEUE' and the default",
            "MAXDEPTH: 7 and the default",
            "PROCESS: 'P' and 'Q'",
        )
    ]


def test_an_import_without_an_end_is_named_until_it_is_finished(twin: Twin) -> None:
    """A later end of the same file, even if the file has grown meanwhile, finishes it."""
    begun = events.ImportBegun(qmgr="", digest="ab" * 32, name="AMQERR01.LOG")
    twin.record_observations([Fact(begun, "import")], at=START)
    assert rows(twin, "name", "count", kind="unfinished") == [("AMQERR01.LOG", None)]
    assert rows(twin, "name", kind="file") == []
    again = events.ImportBegun(qmgr="", digest="cd" * 32, name="AMQERR01.LOG")
    ended = events.ImportEnded(
        qmgr="",
        digest="cd" * 32,
        events=7,
        format="error-log",
        qmgrs=("QM1",),
        not_understood=(("AMQ1234I", "its message id is not in the table", 3),),
    )
    twin.record_observations([Fact(again, "import")], at=START)
    twin.record_observations([Fact(ended, "import")], at=START)
    assert rows(twin, "name", kind="unfinished") == []
    assert rows(twin, "name", "on", "count", "format", kind="file") == [
        ("AMQERR01.LOG", "QM1", 7, "error-log")
    ]
    assert rows(twin, "by", "why", "count", kind="not-understood") == [
        ("AMQ1234I", "its message id is not in the table", 3)
    ]


def test_commands_that_were_passed_over_are_counted(tmp_path: Path) -> None:
    """One row for each file; what the twin takes, or does not understand, has no row."""
    script = "PING QMGR\nDEFINE QLOCAL(A) COLOUR(RED)\nPING QMGR\nDISPLAY QLOCAL(*)\n"
    session = (
        "Starting MQSC for queue manager QM1.\n     1 : DISPLAY CONN(*)\n"
        "AMQ8276I: Display Connection details.\n   CONN(A1)\nOne MQSC command read.\n"
    )
    files = [
        FileText(script, qmgr="QM1", file="QM1.mqsc"),
        FileText(session, qmgr="QM1", file="conn.txt"),
    ]
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        twin.ingest_files(files, at=START, marked=True)
        assert rows(twin, "name", "on", "count", "why", kind="passed-over") == [
            ("QM1.mqsc", "QM1", 3, "no fact is taken: 2 PING QMGR, 1 DISPLAY QLOCAL"),
            ("conn.txt", "QM1", 1, "no fact is taken: 1 DISPLAY CONN"),
        ]
        assert rows(twin, "name", "count", kind="not-understood") == [("QM1.mqsc", 1)]


def test_rows_can_be_narrowed_to_a_queue_manager(twin: Twin) -> None:
    """`on` leaves what is about one queue manager."""
    assert {row[0] for row in rows(twin, "on", on="FR1")} == {"FR1"}


def dumped(qmid: str, depth: int = 5) -> FileText:
    """Return a dump of QM7 with this QMID."""
    own = OWN.replace("QM7_2025-12-31_23.59.58", qmid)
    return FileText(dump(own, QUEUE.format(depth=depth)), file=f"{qmid}.mqsc")


def test_another_qmid_is_a_row_whatever_came_in_first(tmp_path: Path) -> None:
    """The QMID that is known at its instant is kept; the row has the instant of the statement."""
    early, late = "QM7_2025-12-30_00.00.00", "QM7_2025-12-31_23.59.58"
    files = [(START, dumped(late)), (START + DAY, dumped(early)), (START + 2 * DAY, dumped(early))]
    answers = []
    for number, order in enumerate(permutations(files)):
        with make_twin(f"sqlite:///{tmp_path / str(number)}.db", lambda: LATER) as twin:
            for at, file in order:
                twin.ingest_files([file], at=at, marked=True)
            columns = ("name", "on", "by", "why", "at")
            assert rows(twin, "why", kind="not-understood") == []
            answers.append(rows(twin, *columns, kind="contradiction"))
    why = f"{early} differs from {late}, which is kept"
    assert answers == [[("QM7", "QM7", "QMID", why, START + DAY)]] * len(answers)
