"""Subscriptions: the requested names, when they are checked, and when they end."""

from __future__ import annotations

import pytest

from tests.sandbox import START, Sandbox, small_cluster
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, SECOND, format_instant
from twin.questions.answer import Answer
from twin.questions.subscriptions import subscriptions


def _asked() -> Sandbox:
    """Make a cluster in which PR1 opened a queue of PR2 on the first day at one o'clock."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    sandbox.at("+1h").open("PR1", "ORDERS")
    return sandbox


def _of_orders(sandbox: Sandbox) -> Answer:
    return subscriptions(sandbox.estate, sandbox.as_of, on="PR1", name="ORDERS")


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


def test_a_request_is_listed_with_when_it_is_checked_and_ends() -> None:
    """A request is checked after 27 days and ends after 30; the open that makes it is no use."""
    sandbox = _asked()
    made = START + HOUR
    (row,) = _of_orders(sandbox).rows
    assert row == {
        "observer": "PR1",
        "cluster": "CA",
        "kind": "queue",
        "name": "ORDERS",
        "made": made,
        "check_due": made + 27 * DAY,
        "expires": made + 30 * DAY,
        "referenced": None,
        "state": "active",
        "basis": "derived",
    }


def test_a_later_open_references_a_request() -> None:
    """A later open is the use of a request, with the event that recorded it."""
    sandbox = _asked()
    sandbox.at("+5d").open("PR1", "ORDERS")
    answer = _of_orders(sandbox)
    assert _rows(answer, "referenced") == [(START + 5 * DAY,)]
    (evidence,) = answer.evidence
    assert len(evidence) == 1


def test_a_request_in_use_is_made_again_and_is_one_row() -> None:
    """A request that is renewed at its check after 27 days is one row, the new one."""
    sandbox = _asked()
    sandbox.at("+5d").open("PR1", "ORDERS")
    sandbox.at("+28d")
    made = START + HOUR + 27 * DAY
    assert _rows(_of_orders(sandbox), "made", "state") == [(made, "active")]


@pytest.mark.parametrize(
    ("after", "state"),
    [
        (30 * DAY - SECOND, "active"),
        (30 * DAY, "lapsed"),
        (30 * DAY + SECOND, "lapsed"),
    ],
)
def test_a_request_not_in_use_lapses_at_thirty_days(after: int, state: str) -> None:
    """An unused request has lapsed at its due instant."""
    sandbox = _asked()
    sandbox.at(format_instant(START + HOUR + after))
    assert _rows(_of_orders(sandbox), "state") == [(state,)]


def test_a_lapsed_request_stays_until_its_records_are_removed() -> None:
    """A lapsed request is listed until its last record is removed after 90 days."""
    sandbox = _asked()
    sandbox.at("+60d")
    (held,) = sandbox.estate.qmgr("PR1").repository.instances("CA", "queue", "ORDERS").values()
    sandbox.at(format_instant(held.published + 90 * DAY - SECOND))
    assert _rows(_of_orders(sandbox), "state") == [("lapsed",)]
    sandbox.at(format_instant(held.published + 90 * DAY))
    assert _of_orders(sandbox).rows == ()


def test_each_making_is_a_row() -> None:
    """A use after the lapse makes a new request beside the lapsed one."""
    sandbox = _asked()
    sandbox.at("+40d").open("PR1", "ORDERS")
    assert _rows(_of_orders(sandbox), "made", "state") == [
        (START + HOUR, "lapsed"),
        (START + 40 * DAY, "active"),
    ]


def test_a_record_of_its_own_does_not_keep_a_lapsed_subscription() -> None:
    """A lapsed request is not kept by a record of the observer's own."""
    sandbox = _asked()
    sandbox.run("PR1", "DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    sandbox.at("+118d")
    owners = sandbox.estate.qmgr("PR1").repository.instances("CA", "queue", "ORDERS")
    assert [belief.owner_name for belief in owners.values()] == ["PR1"]
    assert [row for row in _of_orders(sandbox).rows if row["state"] == "lapsed"] == []


def test_filters_narrow_the_rows() -> None:
    """Filters by observer, cluster, kind and name keep only matching requests."""
    sandbox = _asked()
    every = subscriptions(sandbox.estate, sandbox.as_of).rows
    for field, column, value in (
        ("on", "observer", "PR1"),
        ("cluster", "cluster", "CA"),
        ("kind", "kind", "queue"),
        ("name", "name", "ORDERS"),
        ("name", "name", "NOTHING"),
    ):
        narrowed = subscriptions(sandbox.estate, sandbox.as_of, **{field: value}).rows
        assert narrowed == tuple(row for row in every if row[column] == value)


def test_an_unknown_observer_is_said_so() -> None:
    """An unknown queue manager is an error, not an empty answer."""
    sandbox = _asked()
    with pytest.raises(NoSuchQueueManager):
        subscriptions(sandbox.estate, sandbox.as_of, on="QM9")
