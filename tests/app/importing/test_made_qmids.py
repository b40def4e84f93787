"""A QMID that the twin made yields to one that was seen, whenever it was seen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.importing.collected_cluster import CREATED, clusqmgr, dump, qmid, script
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant, parse_instant

FIRST: Final = parse_instant("2026-01-01T01:00:00Z", now=0)
NAMES: Final = ("DAIRY1", "DAIRY2", "FARM1", "SHOP1")
FULL: Final = ("DAIRY1", "DAIRY2")
LATER: Final = "2025-11-11_11.11.11"

Timed: TypeAlias = tuple[Instant, FileText]


def scripts() -> list[FileText]:
    """Return a script of each queue manager."""
    return [
        FileText(script(name, FULL[name == FULL[0]], full=name in FULL), name) for name in NAMES
    ]


def seen(*names: str, by: str = "DAIRY1") -> FileText:
    """Return an answer to DISPLAY CLUSQMGR that shows some members and the observer."""
    shown = [(name, qmid(name)) for name in dict.fromkeys((by, *names))]
    return FileText(clusqmgr(by, shown, full=FULL))


def qmids(twin: Twin, at: Instant) -> dict[str, set[str]]:
    """Return the QMIDs of each member, by its name."""
    found: dict[str, set[str]] = {}
    for row in twin.ask("members", as_of=at).rows:
        found.setdefault(str(row["qmgr"]), set()).add(str(row["qmid"]))
    return found


SEEN: Final = {name: {qmid(name)} for name in NAMES}


@pytest.fixture
def twin() -> Iterator[Twin]:
    """Return a twin on an empty log."""
    with ExitStack() as stack:
        yield stack.enter_context(fresh(1))[0]


def test_scripts_and_one_answer_of_an_instant_are_the_queue_managers_that_it_shows(
    twin: Twin,
) -> None:
    """The QMIDs that one member shows are those of the scripts, and nobody is there twice."""
    twin.ingest_files([*scripts(), seen(*NAMES)], at=FIRST)
    assert qmids(twin, FIRST) == SEEN
    found = {str(row["id"]) for row in twin.ask("doctor", as_of=FIRST).rows}
    assert not found & {"queue-manager-name-duplicate", "member-dropped-out"}


def test_a_qmid_that_is_seen_later_counts_from_the_first_sight(twin: Twin) -> None:
    """An answer of the next day gives the queue managers of the day before their QMIDs."""
    twin.ingest_files(scripts(), at=FIRST)
    before = twin.as_of().known
    assert all("2026" in each for name in NAMES for each in qmids(twin, FIRST)[name])
    twin.ingest_files([seen(*NAMES)], at=FIRST + DAY)
    assert qmids(twin, FIRST) == qmids(twin, FIRST + DAY) == SEEN
    assert all("2026" in str(row["qmid"]) for row in twin.ask("members", known_at=before).rows)
    assert twin.log.verify().position


def test_of_two_qmids_that_others_hold_none_is_chosen(twin: Twin) -> None:
    """If others hold two QMIDs of a name, it is not known which of them a script is of."""
    twin.ingest_files(scripts(), at=FIRST)
    rows = [("DAIRY1", qmid("DAIRY1")), ("FARM1", qmid("FARM1")), ("FARM1", qmid("FARM1", LATER))]
    twin.ingest_files([FileText(clusqmgr("DAIRY1", rows, full=FULL))], at=FIRST + HOUR)
    estate, _ = twin.view(as_of=FIRST + HOUR)
    assert estate.qmgr("FARM1").made_qmid
    answer = "\n".join(twin.ask("doctor", as_of=FIRST + HOUR).lines)
    assert "queue-manager-name-duplicate" in answer
    assert "Which of them exists is not known" in answer
    assert "FORCEREMOVE" not in answer
    assert estate.qmgr("FARM1").qmid not in answer


def test_what_a_queue_manager_says_of_itself_counts_more(twin: Twin) -> None:
    """Its own dump decides between the QMIDs that others hold."""
    twin.ingest_files(scripts(), at=FIRST)
    rows = [("DAIRY1", qmid("DAIRY1")), ("FARM1", qmid("FARM1")), ("FARM1", qmid("FARM1", LATER))]
    twin.ingest_files([FileText(clusqmgr("DAIRY1", rows, full=FULL))], at=FIRST + HOUR)
    twin.ingest_files([FileText(dump("FARM1", "DAIRY1"))], at=FIRST + DAY)
    estate, _ = twin.view(as_of=FIRST)
    assert (estate.qmgr("FARM1").qmid, CREATED in qmid("FARM1")) == (qmid("FARM1"), True)


def test_a_retracted_answer_takes_its_qmids_with_it(twin: Twin) -> None:
    """Without the answer that showed them the QMIDs are made again; undone, they are back."""
    twin.ingest_files(scripts(), at=FIRST)
    made = qmids(twin, FIRST)
    twin.ingest_files([seen(*NAMES)], at=FIRST + DAY)
    (position,) = [each.position for each in twin.log.events(types=["BeliefsObserved"])]
    done = twin.retract([position])
    assert qmids(twin, FIRST) == made
    twin.undo_retraction(done.position)
    assert qmids(twin, FIRST) == qmids(twin, FIRST + DAY) == SEEN
    assert twin.log.verify().position


def test_a_branch_knows_what_was_seen_before_its_fork(twin: Twin) -> None:
    """What main sees after the fork says nothing on the branch."""
    twin.ingest_files(scripts(), at=FIRST)
    twin.create_branch("what-if")
    twin.ingest_files([seen(*NAMES)], at=FIRST + DAY)
    with Twin(twin.log, branch="what-if", clock=twin.clock) as branch:
        assert all("2026" in each for name in NAMES for each in qmids(branch, FIRST)[name])


_FILES: Final = st.lists(
    st.tuples(
        st.sampled_from([0, HOUR, DAY]),
        st.sampled_from(
            [
                *scripts(),
                FileText(dump("FARM1", "DAIRY1", version="09030007")),
                FileText(dump("DAIRY1", "DAIRY2", full=True)),
                seen("DAIRY2", "FARM1"),
                seen("FARM1", "SHOP1", by="DAIRY2"),
                FileText(clusqmgr("DAIRY2", [("FARM1", qmid("FARM1", LATER))], full=FULL)),
            ]
        ),
    ),
    min_size=2,
    max_size=6,
    unique_by=lambda each: (each[0], each[1].text),
)


@examples(cost=2)
@given(_FILES, st.randoms(use_true_random=False))
def test_the_order_of_imports_decides_no_identity(files: list[Timed], random: object) -> None:
    """Scripts, dumps and answers give the same members and records in any order of imports."""
    del random
    orders = itertools.islice(itertools.permutations(files), 0, None, 7)
    questions = ("members", "beliefs", "channels", "lifetimes")
    answers = set()
    for order in itertools.islice(orders, 3):
        with fresh(1) as (twin,):
            for at, file in order:
                twin.ingest_files([file], at=FIRST + at)
            answers.add(
                repr(
                    [
                        [
                            {key: row[key] for key in row if key != "evidence"}
                            for row in twin.ask(question, as_of=FIRST + at).rows
                        ]
                        for question in questions
                        for at in (0, HOUR, DAY)
                    ]
                )
            )
    assert len(answers) == 1
