"""`twin browse`: the messages on a queue."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run

XMITQ = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"

GOLDEN = """\
correlid  count  accounting_token  put_date  put_time  persistence
CA.QM2    2      zeros             20250303  10000100  YES
CA.QM2    3      set               20250303  10020100  YES
as of 2025-03-03T10:02:30Z known at"""


@pytest.fixture
def waiting(cluster: Run) -> Run:
    """Let bound and unbound messages wait on QM1 for QM2, which ended at ten."""
    cluster("open", "QM1", "ORDERS", "--at", "2025-03-03T09:30")
    cluster("endmqm", "QM2", "--at", "2025-03-03T10:00")
    for second, count, bind in (("01", "2", "open"), ("02", "3", "notfixed")):
        at = ("--at", f"2025-03-03T10:00:{second}")
        put = cluster("put", "QM1", "ORDERS", "--count", count, "--bind", bind, *at)
        assert put.code == 0
    return cluster


def test_browse_shows_fields_of_message_descriptors(waiting: Run) -> None:
    """The table has a row for messages put alike, as they were at an instant."""
    at = ("--as-of", "2025-03-03T10:02:30")
    browsed = waiting("browse", "QM1", XMITQ, *at)
    assert (browsed.code, browsed.out[: len(GOLDEN)]) == (0, GOLDEN)
    assert max(map(len, browsed.lines)) <= 100
    before = waiting("browse", "QM1", XMITQ, "--as-of", "2025-03-03T10:00:01")
    assert [line.split()[1] for line in before.lines[:-1]] == ["count", "2"]
    assert len(waiting("browse", "QM1", XMITQ, *at, "--wide").lines[0]) > 100


def test_browse_is_the_question_for_one_queue(waiting: Run) -> None:
    """The rows of `twin browse` are those of `twin ask browse`, and the options are the same."""
    at = ("--as-of", "2025-03-03T10:02:30")
    question = ("ask", "browse", "--on", "QM1", "--queue", XMITQ, *at)
    for options in (("--format", "csv"), ("--columns", "count,name", "--format", "csv")):
        assert (
            waiting("browse", "QM1", XMITQ, *at, *options).out == waiting(*question, *options).out
        )
    browsed = waiting("browse", "QM1", XMITQ, *at, "--limit", "1", "--format", "json")
    (row,) = browsed.json["rows"]
    assert (row["remote_queue"], row["remote_qmgr"], row["count"]) == ("ORDERS", "QM2", 2)
    assert row["evidence"]
    assert browsed.err == "twin: 1 more row not shown (--limit 1)\n"


def test_browse_says_that_a_queue_has_no_messages(cluster: Run) -> None:
    """An empty queue is one line and the point in time, and nothing is recorded."""
    before = cluster("log", "show").lines[:-1]
    browsed = cluster("browse", "QM2", "ORDERS", "--as-of", "2025-03-03T09:30")
    assert (browsed.code, browsed.lines[0], len(browsed.lines)) == (0, "no messages", 2)
    assert cluster("log", "show").lines[:-1] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["browse", "QM9", "ORDERS"], "queue manager QM9 does not exist"),
        (["browse", "QM1", "ORDERS"], "unknown local queue ORDERS on QM1"),
        (["browse", "QM2", "ORDERS", "--columns", "depth"], "unknown column 'depth'; expected"),
        (["browse", "QM2", "ORDERS", "--known-at", "noon"], "'noon' is not a time"),
        (["ask", "browse", "--on", "QM1"], "browse needs on (a queue manager) and queue (a local"),
    ],
)
def test_a_bad_browse_is_one_line(cluster: Run, words: list[str], said: str) -> None:
    """An unknown name or a missing option is one line on standard error and exit code 20."""
    refused = cluster(*words)
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert said in refused.err
