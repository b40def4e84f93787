"""What was seen beside what the rules derive: the question `reconcile`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, START, make_twin
from tests.declared_rows import problems
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, parse_instant

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples" / "reference"

ALPHA: Final = [
    (observer, "qmgr", name, "record", "present", "present", "agrees")
    for observer in "AC"
    for name in "ABCD"
]
"""What a person finds by hand in the four definitions and the answers of A and C.

The scripts say no QMID and no level: the answer of A shows both for A, so they are what is known.
C shows D: its own Q1 and Q2 have CLWLUSEQ(ANY), so it is assumed to use the instances at D, and the
answer confirms it. All agrees.
"""

FR1: Final = """ALTER QMGR REPOS(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)
"""
QM2: Final = """DEFINE CHANNEL(CA.QM2) CHLTYPE(CLUSRCVR) CONNAME('qm2(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)
DEFINE QLOCAL(ORD) CLUSTER(CA) DESCR('{descr}')
"""
QUEUE: Final = """AMQ8409I: Display Queue details.
   QUEUE({queue})                              TYPE(QCLUSTER)
   CLUSTER(CA)                             CLUSQMGR({owner})
   CLUSQT(QLOCAL)                          DESCR({descr})
"""
NOON: Final = START + 12 * HOUR


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Open a twin on an empty log."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        yield twin


def answer_of(qmgr: str, *queues: tuple[str, str, str]) -> FileText:
    """Return a complete answer to DISPLAY QCLUSTER(*): queue, owner and description."""
    rows = (QUEUE.format(queue=queue, owner=owner, descr=descr) for queue, owner, descr in queues)
    head = f"Starting MQSC for queue manager {qmgr}.\n     1 : DISPLAY QCLUSTER(*) CLUSQT DESCR\n"
    nothing = "" if queues else "AMQ8147I: IBM MQ object * not found.\n"
    end = "One MQSC command read.\nNo commands have a syntax error.\n"
    return FileText(f"{head}{''.join(rows)}{nothing}{end}All valid MQSC commands were processed.\n")


def rows(twin: Twin, *keys: str, **filters: Any) -> list[tuple[Any, ...]]:
    """Return values of the rows."""
    answer = twin.ask("reconcile", **filters)
    assert not problems(answer)
    return [tuple(row[key] for key in keys) for row in answer.rows]


def test_the_sample_cluster_differs_where_a_person_finds_it(twin: Twin) -> None:
    """The definitions of four queue managers and the answers of two give the expected rows."""
    if not SAMPLES.is_dir():
        pytest.skip("the samples are not here")
    files = [
        FileText(path.read_text(encoding="utf-8"), path.stem, file=path.name)
        for path in sorted((SAMPLES / "mqsc" / "ALPHA").glob("*.mqsc"))
    ]
    (answers,) = (SAMPLES / "runmqsc-output").glob("*__ALPHA_clusqmgr.txt")
    files.append(FileText(answers.read_text(encoding="utf-8"), file=answers.name))
    twin.ingest_files(files, at=parse_instant("2019-01-25T09:30:00Z", now=0))
    keys = ("observer", "kind", "name", "field", "observed", "derived", "verdict")
    assert rows(twin, *keys) == ALPHA


def test_a_record_that_agrees_is_one_row(twin: Twin) -> None:
    """What was seen, and follows by the rules, agrees; nothing else is a row."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "x"))], at=NOON)
    keys = ("observer", "name", "owner", "field", "verdict", "reason", "at")
    assert rows(twin, *keys) == [("FR1", "ORD", "QM2", "record", "agrees", None, NOON)]


def test_each_attribute_that_differs_is_a_row(twin: Twin) -> None:
    """An attribute that was seen with another value differs; attributes not shown do not count."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "other"))], at=NOON)
    assert rows(twin, "field", "observed", "derived", "verdict") == [
        ("DESCR", "other", "x", "differs")
    ]


def test_a_change_that_waits_on_a_channel_is_behind(twin: Twin) -> None:
    """A record that was seen old, while the channel of its owner fails, is expected to lag."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="old"), "QM2")], at=START)
    twin.observe_channel("QM2", "CA.FR1", status="RETRYING", at=START + HOUR)
    twin.ingest_files([FileText(QM2.format(descr="new"), "QM2")], at=START + 2 * HOUR)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "old"))], at=NOON)
    ((field, verdict, reason),) = rows(twin, "field", "verdict", "reason")
    assert (field, verdict) == ("DESCR", "behind")
    assert reason == ("QM2 defines new; CA.FR1 at QM2 is RETRYING since 2026-01-01T01:00:00Z")


def test_the_way_failed_when_its_retries_say(twin: Twin) -> None:
    """Retries that are used up date the failure, at the latest and at the earliest."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="old"), "QM2")], at=START)
    status: dict[str, Any] = {"status": "RETRYING", "shortrts": 0, "longrts": 999999996}
    seen = events.ChannelObserved(qmgr="QM2", channel="CA.FR1", kind="CLUSSDR", **status)
    twin.record_observations([Fact(seen, "observation:test")], at=START + 11 * HOUR)
    twin.ingest_files([FileText(QM2.format(descr="new"), "QM2")], at=START + 11 * HOUR + 1)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "old"))], at=NOON)
    ((verdict, reason),) = rows(twin, "verdict", "reason")
    assert verdict == "behind"
    assert reason.endswith(
        "since 2026-01-01T09:50:00Z at the latest, 2026-01-01T09:30:00Z at the earliest"
    )


def test_what_a_complete_answer_lacks_is_derived_only(twin: Twin) -> None:
    """The rules let FR1 hold the queue; FR1 was seen to hold none."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1")], at=NOON)
    ((name, verdict, reason),) = rows(twin, "name", "verdict", "reason")
    assert (name, verdict) == ("ORD", "derived-only")
    assert reason == "every channel on the way is usable, as far as the twin knows"


def test_a_record_of_a_queue_manager_that_is_not_in_the_twin_is_observed_only(twin: Twin) -> None:
    """Its reason is that its owner was never imported."""
    twin.ingest_files([FileText(FR1, "FR1")], at=START)
    twin.ingest_files([answer_of("FR1", ("Q9", "FAR", "x"))], at=NOON)
    assert rows(twin, "name", "owner", "verdict", "reason") == [
        ("Q9", "FAR", "observed-only", "not in the twin: FAR?")
    ]


def test_only_the_last_answer_is_compared_at_its_own_instant(twin: Twin) -> None:
    """An answer is compared with what followed then, not with what was defined later."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1")], at=START + HOUR)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "x"))], at=NOON)
    twin.ingest_files([FileText(QM2.format(descr="later"), "QM2")], at=NOON + DAY)
    assert rows(twin, "verdict", "at") == [("agrees", NOON)]
    assert rows(twin, "verdict", as_of=START + 2 * HOUR) == [("derived-only",)]


def test_an_answer_that_says_nothing_does_not_hide_the_one_before(twin: Twin) -> None:
    """If a later answer has no record and is not complete, the last one that has some counts."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    whole = answer_of("FR1", ("ORD", "QM2", "x"))
    twin.ingest_files([whole], at=NOON)
    torn = answer_of("FR1").text.partition("AMQ8147I")[0]
    twin.ingest_files([FileText(torn)], at=NOON + HOUR)
    assert rows(twin, "verdict", "at") == [("agrees", NOON)]


def test_no_order_of_imports_changes_a_row(tmp_path: Path) -> None:
    """Definitions and answers may be imported in any order, also late."""
    definitions = [FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")]
    answers = [answer_of("FR1", ("Q9", "FAR", "x"))]
    found = []
    for number, order in enumerate((1, -1)):
        with make_twin(f"sqlite:///{tmp_path / f'{number}.db'}", lambda: LATER) as twin:
            for files, at in [(definitions, START), (answers, NOON)][::order]:
                twin.ingest_files(files, at=at)
            found.append(rows(twin, "observer", "name", "field", "verdict", "reason", "at"))
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_the_text_counts_what_agrees_and_tells_the_rest(twin: Twin) -> None:
    """What does not agree is told with its reason; what agrees is counted."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "y"), ("Q9", "FAR", "z"))], at=NOON)
    answer = twin.ask("reconcile")
    assert list(answer.lines) == [
        "FR1 at 2026-01-01T12:00:00Z: 2 records, 0 agree",
        "  queue ORD of QM2 in CA",
        "    DESCR: seen y, by the rules x",
        "      nothing in the twin says why",
        "  queue Q9 of FAR in CA: seen, and does not follow by the rules",
        "    not in the twin: FAR?",
    ]
    assert answer.notes[0] == "2 rows: 1 differs, 1 observed-only"


def test_a_filter_by_verdict_does_not_hide_that_others_agree(twin: Twin) -> None:
    """Of rows with one verdict, no line counts what agrees, or says that nothing was imported."""
    twin.ingest_files([FileText(FR1, "FR1"), FileText(QM2.format(descr="x"), "QM2")], at=START)
    twin.ingest_files([answer_of("FR1", ("ORD", "QM2", "x"), ("Q9", "FAR", "z"))], at=NOON)
    (first, *_) = twin.ask("reconcile", verdict="observed-only").lines
    assert first == "FR1 at 2026-01-01T12:00:00Z: 1 record, verdict observed-only alone"
    others: list[dict[str, Any]] = [{"verdict": "behind"}, {"name": "NO"}, {"cluster": "CB"}]
    for filters in others:
        answer = twin.ask("reconcile", **filters)
        assert answer.lines == ("no such record; 2 rows without these filters",)
    assert twin.ask("reconcile", on="QM2", verdict="behind").lines == ()
