"""The change index: when, and by which fact, each field changed last between two points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import (
    START,
    Act,
    build,
    histories,
    make_twin,
)
from tests.laws import examples
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.model.instants import DAY, HOUR, AsOf, Instant
from twin.questions.answer import Answer
from twin.questions.changes import changes

FROM = START + HOUR
SOON = START + 20 * DAY  # before anything is renewed
FIRST, SECOND, THIRD = START + 5 * DAY, START + 6 * DAY, START + 7 * DAY


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Make a cluster of two full repositories and two members; PR2 hosts ORD, PR1 uses it."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: SOON) as made:
        build(made)
        made.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
        made.open_queue("PR1", "ORD", at=START)
        yield made


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


def _facts(twin: Twin, answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    """Return columns of each row, its instant, and the type of the fact that it names."""
    types = {event.position: (event.type, event.occurred_at) for event in twin.log.events()}
    found: list[tuple[object, ...]] = []
    for row, evidence in zip(answer.rows, answer.evidence, strict=True):
        assert isinstance(row["position"], int)
        assert evidence == (row["position"],)
        kind, occurred_at = types[row["position"]]
        assert row["at"] == occurred_at
        found.append((*(row[column] for column in columns), row["at"], kind))
    return found


def test_each_field_of_an_object_and_of_a_belief_tells_its_own_fact(twin: Twin) -> None:
    """An attribute has the instant of its own change, at the owner and at observers."""
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) DESCR('mine')", at=FIRST)
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=SECOND)
    at_home = twin.ask("changes", since=FROM, on="PR2")
    assert _facts(twin, at_home, "field", "before", "after") == [
        ("PUT", "ENABLED", "DISABLED", SECOND, "ObjectAltered"),
        ("DESCR", "", "mine", FIRST, "ObjectAltered"),
    ]
    believed = twin.ask("changes", since=FROM, on="PR1")
    assert _facts(twin, believed, "name", "field", "before", "after") == [
        ("ORD@PR2 in CA", "PUT", "ENABLED", "DISABLED", SECOND, "InformationReceived"),
        ("ORD@PR2 in CA", "DESCR", "", "mine", FIRST, "InformationReceived"),
    ]


def test_each_attribute_of_a_queue_manager_tells_its_own_fact(twin: Twin) -> None:
    """The instant of an attribute does not change with restarts or other attributes."""
    twin.runmqsc("PR2", "ALTER QMGR DESCR('mine')", at=FIRST)
    twin.runmqsc("PR2", "ALTER QMGR DEADQ(DLQ) DESCR('mine')", at=SECOND)
    twin.endmqm("PR2", at=THIRD)
    twin.strmqm("PR2", at=THIRD)
    answer = twin.ask("changes", since=FROM, on="PR2")
    assert _facts(twin, answer, "kind", "field", "before", "after") == [
        ("qmgr", "DESCR", "", "mine", FIRST, "QueueManagerAltered"),
        ("qmgr", "DEADQ", "", "DLQ", SECOND, "QueueManagerAltered"),
    ]


def test_a_removal_has_the_fact_that_caused_it(twin: Twin) -> None:
    """A deleted object, a lost belief and an ended queue manager have the fact of their end."""
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) CLUSTER(' ')\nDELETE QLOCAL(ORD)", at=FIRST)
    twin.endmqm("PR1", at=SECOND)
    answer = twin.ask("changes", since=FROM)
    ended = f"{twin.view()[0].qmgr('PR1').qmid} ended"
    assert _facts(twin, answer, "on", "kind", "field", "after") == [
        ("PR1", "qmgr", "status", ended, SECOND, "QueueManagerEnded"),
        ("FR1", "belief:queue", "record", None, FIRST, "InformationReceived"),
        ("FR2", "belief:queue", "record", None, FIRST, "InformationReceived"),
        ("PR1", "belief:queue", "record", None, FIRST, "InformationReceived"),
        ("PR2", "queue", "definition", None, FIRST, "ObjectDeleted"),
    ]


def test_a_vanished_object_tells_the_observation_that_missed_it(twin: Twin) -> None:
    """An object that an observation no longer finds has the fact of that observation."""
    twin.ingest("DEFINE QLOCAL(SEEN)", qmgr="OBS", at=START)
    twin.ingest("DELETE QLOCAL(SEEN)", qmgr="OBS", at=FIRST)
    answer = twin.ask("changes", since=FROM, on="OBS")
    assert _facts(twin, answer, "name", "before", "after") == [
        ("SEEN", "QLOCAL", None, FIRST, "ObjectsObserved")
    ]


def test_a_redefined_object_has_the_fact_of_its_last_definition(twin: Twin) -> None:
    """An object that was deleted and defined again has the fact of the second definition."""
    twin.runmqsc("PR1", "DEFINE QLOCAL(OWN) DESCR('old') MAXDEPTH(7)", at=START)
    twin.runmqsc("PR1", "DELETE QLOCAL(OWN)", at=FIRST)
    twin.runmqsc("PR1", "DEFINE QLOCAL(OWN) MAXDEPTH(7)", at=SECOND)
    answer = twin.ask("changes", since=FROM, on="PR1")
    assert _facts(twin, answer, "field", "before", "after") == [
        ("DESCR", "old", "", SECOND, "ObjectDefined")
    ]


def test_a_queue_manager_made_in_between_is_listed_with_all_it_has(twin: Twin) -> None:
    """The status, attributes, objects and beliefs of a new queue manager have their facts."""
    twin.crtmqm("PR3", at=FIRST)
    twin.strmqm("PR3", at=FIRST)
    script = """ALTER QMGR DESCR('third')
ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) DESCR('dead')
DELETE QLOCAL(SYSTEM.CICS.INITIATION.QUEUE)
DEFINE CHANNEL(CA.PR3) CHLTYPE(CLUSRCVR) CONNAME('pr3(1414)') CLUSTER(CA)
DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)"""
    twin.runmqsc("PR3", script, at=SECOND)
    answer = twin.ask("changes", since=FROM, on="PR3")
    qmid = twin.view()[0].qmgr("PR3").qmid
    told = ("record", None, "present", SECOND, "InformationReceived")
    assert _facts(twin, answer, "kind", "name", "field", "before", "after") == [
        ("qmgr", "PR3", "status", None, f"{qmid} running", FIRST, "QueueManagerStarted"),
        ("belief:qmgr", "CA.FR1@FR1 in CA", *told),
        ("belief:qmgr", "CA.FR2@FR2 in CA", *told),
        ("channel", "CA.FR1", "definition", None, "CLUSSDR", SECOND, "ObjectDefined"),
        ("channel", "CA.PR3", "definition", None, "CLUSRCVR", SECOND, "ObjectDefined"),
        ("qmgr", "PR3", "DESCR", None, "third", SECOND, "QueueManagerAltered"),
        ("queue", "SYSTEM.DEAD.LETTER.QUEUE", "DESCR", None, "dead", SECOND, "ObjectAltered"),
    ]


def test_from_the_beginning_everything_there_is_has_changed(twin: Twin) -> None:
    """Without an earlier point, every object and belief is listed with its fact."""
    answer = twin.ask("changes")
    found = {row[:4] for row in _facts(twin, answer, "on", "kind", "name", "field")}
    assert {
        ("FR1", "qmgr", "FR1", "status"),
        ("FR1", "qmgr", "FR1", "REPOS"),
        ("PR2", "queue", "ORD", "definition"),
        ("PR1", "channel", "CA.PR1", "definition"),
        ("PR1", "belief:queue", "ORD@PR2 in CA", "record"),
    } <= found
    assert not any(str(name).startswith("SYSTEM.") for _, _, name, _ in found)


def test_a_deleted_queue_manager_takes_all_it_had_with_it(twin: Twin) -> None:
    """The objects, attributes and beliefs of a deleted queue manager end with its deletion."""
    twin.endmqm("FR2", at=FIRST)
    twin.dltmqm("FR2", at=SECOND)
    answer = twin.ask("changes", since=FROM, on="FR2")
    facts = _facts(twin, answer, "kind", "name", "field", "after")
    assert {row[3:] for row in facts} == {(None, SECOND, "QueueManagerDeleted")}
    assert {row[:3] for row in facts} >= {
        ("qmgr", "FR2", "status"),
        ("qmgr", "FR2", "REPOS"),
        ("channel", "CA.FR2", "definition"),
        ("belief:qmgr", "CA.PR2@PR2 in CA", "record"),
    }


def test_a_queue_manager_made_anew_tells_what_it_lost_by_its_making(twin: Twin) -> None:
    """An object that a second queue manager of a name lacks is gone since its creation."""
    twin.endmqm("PR1", at=FIRST)
    twin.dltmqm("PR1", at=FIRST)
    twin.crtmqm("PR1", at=SECOND)
    answer = twin.ask("changes", since=FROM, on="PR1")
    facts = _facts(twin, answer, "name", "field", "after")
    assert ("CA.PR1", "definition", None, SECOND, "QueueManagerCreated") in facts
    assert {row[3:] for row in facts} == {(SECOND, "QueueManagerCreated")}


def test_a_default_that_is_given_is_no_change(twin: Twin) -> None:
    """An attribute that is set to its default value has not changed."""
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) PUT(ENABLED)", at=FIRST)
    assert twin.ask("changes", since=FROM).rows == ()
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=SECOND)
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=THIRD)
    assert {row["at"] for row in twin.ask("changes", since=FROM).rows} == {SECOND}


def test_without_a_trail_the_new_state_tells_what_it_rests_on(twin: Twin) -> None:
    """If the later point is given first, a row has the fact that its new value rests on."""
    twin.runmqsc("PR2", "ALTER QLOCAL(ORD) PUT(DISABLED)", at=FIRST)
    answer = twin.ask("changes", since=SECOND, as_of=FROM, on="PR2")
    assert _facts(twin, answer, "before", "after") == [
        ("DISABLED", "ENABLED", START, "ObjectDefined")
    ]


def test_the_trail_of_what_was_known_then_is_that_of_then(twin: Twin, tmp_path: Path) -> None:
    """A late fact is in the index only if it was known at the requested time."""
    twin.runmqsc("PR1", "DEFINE QLOCAL(OWN)", at=SECOND)
    known = twin.as_of().known
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: SOON + HOUR) as later:
        later.ingest("DEFINE QLOCAL(OWN)", qmgr="PR1", at=FIRST)
        now = later.ask("changes", since=FROM, on="PR1", known_at=known)
        assert _rows(now, "name", "at") == [("OWN", SECOND)]
        then = later.ask("changes", since=FROM, on="PR1")
        assert _rows(then, "name", "at") == [("OWN", FIRST)]


@examples(cost=2)
@given(histories(least=2), st.integers(0, 12))
def test_the_trail_is_what_comparing_after_every_fact_would_find(
    history: list[Act], hours: int
) -> None:
    """Each row has the last fact that changed its field, as found by comparing after each fact."""
    with (
        TemporaryDirectory() as folder,
        make_twin(f"sqlite:///{folder}/twin.db", lambda: SOON) as twin,
    ):
        build(twin)
        for act in history:
            act.perform(twin)
        since = START + hours * HOUR
        answer = twin.ask("changes", since=since)
        last = _last_changes(twin, since)
        for row in answer.rows:
            subject = (row["on"], row["kind"], row["name"])
            marks = (last.get((*subject, field)) for field in (row["field"], *_WHOLE))
            assert (row["at"], row["position"]) == max(mark for mark in marks if mark)


_WHOLE = ("definition", "record")


def _last_changes(twin: Twin, since: Instant) -> dict[tuple[object, ...], tuple[int, int]]:
    rows = twin.log.rows()
    last: dict[tuple[object, ...], tuple[int, int]] = {}
    for number, (at, position, *_) in enumerate(rows):
        if at <= since:
            continue
        before, after = replay(Estate(), rows[:number]), replay(Estate(), rows[: number + 1])
        for row in changes(before, after, AsOf(at, at)).rows:
            last[row["on"], row["kind"], row["name"], row["field"]] = (at, position)
    return last
