"""Questions about waiting messages: spans, snapshots, branches and pending rows."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE, SECOND
from twin.questions.answer import Row


@pytest.fixture
def stuck(twin: Twin) -> Twin:
    """Let ten messages wait at PR1 for PR2, which ended an hour after the start."""
    build(twin).runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.endmqm("PR2", at=START + HOUR)
    assert not twin.put("PR1", "ORD", count=10, bind="notfixed", at=START + 2 * HOUR).reason
    return twin


def rows(twin: Twin, at: int, since: int | None = None) -> list[Row]:
    """Ask for the passes as of an instant, without the next ones."""
    found = twin.ask("passes", as_of=at, since=since, on="PR1", channel="CA.PR2").rows
    assert found[-1]["moved"] is None
    return list(found[:-1])


def test_passes_are_those_of_the_last_day_or_since(stuck: Twin) -> None:
    """The passes are those of the last day, or those after a given instant."""
    begin = START + 2 * HOUR
    first = rows(stuck, begin + 10 * MINUTE)
    assert [row["at"] for row in first] == [begin + n * MINUTE for n in range(11)]
    assert {(row["moved"], row["stayed"]) for row in first} == {(0, 10)}
    later = rows(stuck, begin + 3 * DAY)
    assert [int(str(row["at"])) >= begin + 2 * DAY for row in later] == [True] * 72
    assert len(rows(stuck, begin + 3 * DAY, since=begin)) == 11 + 3 * 72 - 1


def test_snapshots_change_nothing(stuck: Twin) -> None:
    """Passes and waiting messages are the same with any snapshots."""
    at = START + 2 * HOUR + 5 * MINUTE
    asked = {"passes": START, "transmission": None, "channels": None}
    before = {name: stuck.ask(name, as_of=at, since=since).rows for name, since in asked.items()}
    stuck.runmqsc("PR1", "DEFINE QLOCAL(A)", at=START + 3 * HOUR)
    assert stuck.snapshot(every=10)
    after = {name: stuck.ask(name, as_of=at, since=since).rows for name, since in asked.items()}
    assert before == after


def test_what_is_due_and_not_recorded_counts(stuck: Twin) -> None:
    """A successful retry ends the passes, whether it is recorded or only due."""
    stuck.strmqm("PR2", at=START + 3 * HOUR)
    at = START + 4 * HOUR
    answer = stuck.ask("passes", as_of=at, on="PR1")
    assert answer.rows[-1]["at"] == START + 2 * HOUR + 50 * MINUTE
    assert stuck.ask("transmission", as_of=at).rows == ()


def test_an_empty_answer_says_what_is_not_known(stuck: Twin) -> None:
    """An empty answer names filters with unknown names, and no others."""
    assert stuck.ask("transmission", channel="NOPE").unknown == ("channel NOPE",)
    assert stuck.ask("transmission", queue="NOPE", xmitq="X").unknown == (
        "queue NOPE",
        "transmission queue X",
    )
    assert stuck.ask("transmission", channel="CA.FR1").unknown == ()
    assert stuck.ask("members", cluster="NOPE").unknown == ("cluster NOPE",)
    assert stuck.ask("members", cluster="CA").unknown == ()


def test_a_span_is_the_sum_of_its_parts(stuck: Twin) -> None:
    """The passes of a span are those of its two parts together."""
    begin = START + 2 * HOUR
    at = begin + 90 * SECOND
    stuck.runmqsc("FR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=at)
    stuck.put("PR1", "ORD", count=3, bind="open", at=at)
    end = begin + 10 * MINUTE
    whole = stuck.ask("passes", as_of=end, since=START, on="PR1").rows
    assert {
        "on": "PR1",
        "channel": "CA.PR2",
        "at": begin + 2 * MINUTE,
        "cause": "retry",
        "moved": 10,
        "stayed": 0,
        "stayed_why": None,
    } in whole
    for seconds in (0, 59, 60, 61, 119, 120, 121):
        cut = begin + seconds * SECOND
        first = stuck.ask("passes", as_of=cut - 1, since=START, on="PR1").rows
        second = stuck.ask("passes", as_of=end, since=cut, on="PR1").rows
        assert (*(row for row in first if row["moved"] is not None), *second) == whole


def test_a_display_of_an_instant_counts_what_lay_there_then(stuck: Twin) -> None:
    """The depths in a DISPLAY are those of its instant, at both ends."""
    stuck.strmqm("PR2", at=START + 3 * HOUR)
    stuck.runmqsc("PR2", "DEFINE QLOCAL(A)", at=START + 4 * HOUR)

    def depth(qmgr: str, queue: str, at: int) -> object:
        session = stuck.runmqsc(qmgr, f"DISPLAY QLOCAL({queue}) CURDEPTH", as_of=at)
        return session.displayed[0]["curdepth"]

    sending = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    assert depth("PR1", sending, START + HOUR) == 0
    assert depth("PR1", sending, START + 2 * HOUR) == 10
    assert depth("PR1", sending, START + 4 * HOUR) == 0
    assert depth("PR2", "ORD", START + HOUR - 1) == 0
    assert depth("PR2", "ORD", START + 4 * HOUR) == 10
