"""Commands and calls that failed are known from the log: their answers are computed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from twin.app import failed_calls as module
from twin.app.event_page import EventsRequest, events_page
from twin.app.failed_calls import failed_calls
from twin.app.twin import Twin
from twin.model.instants import HOUR, parse_instant
from twin.questions.narrowing import Narrowing

NINE = parse_instant("2026-01-01T09:00:00Z", now=0)


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Run a queue manager with a queue that holds two messages."""
    with Twin.open(f"sqlite:///{tmp_path / 'twin.db'}", clock=lambda: NINE + 100 * HOUR) as made:
        made.crtmqm("QM1", at=NINE)
        made.strmqm("QM1", at=NINE)
        made.runmqsc("QM1", "DEFINE QLOCAL(Q) MAXDEPTH(2)", at=NINE)
        yield made


def failed(twin: Twin) -> dict[int, str]:
    """Return position -> why, of all events of the log."""
    return dict(failed_calls(twin, list(twin.log.events(branch=twin.branch))).why)


def texts(twin: Twin) -> list[str]:
    """Return why the calls of the log failed, in its order."""
    return list(failed(twin).values())


def test_a_command_that_was_refused_has_its_message(twin: Twin) -> None:
    """The message is the one that the session printed."""
    session = twin.runmqsc("QM1", "DEFINE QLOCAL(Q)\nALTER QLOCAL(NONE) PUT(DISABLED)", at=NINE)
    assert texts(twin) == [each.render() for each in session.messages]
    assert texts(twin)[0] == "AMQ8150E: IBM MQ object already exists."


def test_a_put_that_failed_in_part_says_how_much_was_put(twin: Twin) -> None:
    """The first two of five messages fit; the call of the third fails."""
    put = twin.put("QM1", "Q", count=5, at=NINE + HOUR)
    assert put.reason == 2053
    assert texts(twin) == ["2053 MQRC_Q_FULL, 2 of 5 were put"]


def test_calls_of_a_queue_that_does_not_exist_have_the_reason_code(twin: Twin) -> None:
    """Nothing follows from such an MQOPEN, MQPUT or MQGET."""
    twin.open_queue("QM1", "NONE", at=NINE + HOUR)
    twin.put("QM1", "NONE", at=NINE + HOUR)
    assert texts(twin) == [
        "2085 MQRC_UNKNOWN_OBJECT_NAME",
        "2085 MQRC_UNKNOWN_OBJECT_NAME, 0 of 1 were put",
    ]


def test_a_command_that_changed_nothing_did_not_fail(twin: Twin) -> None:
    """Nothing follows from it either; that alone is no failure."""
    twin.runmqsc("QM1", "ALTER QLOCAL(Q) MAXDEPTH(2)\nPING QMGR", at=NINE + HOUR)
    twin.open_queue("QM1", "Q", at=NINE + HOUR)
    twin.put("QM1", "Q", count=2, at=NINE + HOUR)
    assert texts(twin) == []


def test_the_answer_is_that_of_the_instant(twin: Twin) -> None:
    """A queue that is defined later, or earlier by a late fact, makes no call of today fail."""
    twin.put("QM1", "LATER", at=NINE + HOUR)
    twin.runmqsc("QM1", "DEFINE QLOCAL(LATER)", at=NINE + 2 * HOUR)
    twin.put("QM1", "LATER", at=NINE + 3 * HOUR)
    assert texts(twin) == ["2085 MQRC_UNKNOWN_OBJECT_NAME, 0 of 1 were put"]


def test_calls_that_are_not_looked_at_are_counted(
    twin: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unmarked call among them is not taken for one that succeeded: a line says so."""
    monkeypatch.setattr(module, "MOST", 2)
    for _ in range(3):
        twin.open_queue("QM1", "NONE", at=NINE + HOUR)
    events = list(twin.log.events(branch=twin.branch))
    found = failed_calls(twin, events)
    assert list(found.why) == [events[-2].position, events[-1].position]
    assert found.notes == ("1 more call may have failed; show fewer events to know",)
    page = events_page(twin, EventsRequest(narrowing=Narrowing(None, None)))
    assert found.notes[0] in page.answer.notes


def test_a_call_that_waited_in_vain_has_the_code_of_the_end_of_its_wait(twin: Twin) -> None:
    """A name that no full repository answers for fails after ten seconds, and not before."""
    twin.runmqsc(
        "QM1",
        "DEFINE CHANNEL(TO.QM1) CHLTYPE(CLUSRCVR) CONNAME('qm1(1414)') CLUSTER(SALES)\n"
        "DEFINE CHANNEL(TO.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(SALES)",
        at=NINE,
    )
    twin.open_queue("QM1", "ELSEWHERE", at=NINE + HOUR)
    opened = twin.log.last().position
    assert texts(twin) == []
    twin.runmqsc("QM1", "PING QMGR", at=NINE + 2 * HOUR)  # what is due is recorded first
    assert texts(twin) == ["2189 MQRC_CLUSTER_RESOLUTION_ERROR"]
    assert min(failed(twin)) < opened


def test_rows_have_the_answer(twin: Twin) -> None:
    """The column `failed` is null for all events but calls that failed; a mark hides it."""
    twin.open_queue("QM1", "NONE", at=NINE + HOUR)
    position = twin.log.last().position

    def rows() -> dict[int, object]:
        answer = events_page(twin, EventsRequest(narrowing=Narrowing(None, None))).answer
        return {int(str(row["position"])): row["failed"] for row in answer.rows}

    assert rows()[position] == "2085 MQRC_UNKNOWN_OBJECT_NAME"
    assert [each for each in rows().values() if each] == ["2085 MQRC_UNKNOWN_OBJECT_NAME"]
    twin.retract([position])
    assert rows()[position] is None
