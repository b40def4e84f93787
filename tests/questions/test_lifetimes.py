"""Lifetimes: when each held record expires and is removed, to the second."""

from __future__ import annotations

import pytest

from tests.questions.telling import Tale
from tests.sandbox import START, small_cluster
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, SECOND
from twin.questions.answer import Answer
from twin.questions.belief import lifetimes


def _tale() -> Tale:
    """Make a full repository, and a member that publishes its own record and a queue once."""
    tale = Tale().create("FR1", "QM2")
    tale.publish("QM2", "qmgr/CA.QM2", "queue/ORDERS")
    return tale.at("+1d").receive("FR1", "QM2")


def _rows(answer: Answer, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in answer.rows]


def test_a_record_is_listed_with_every_instant_of_its_life() -> None:
    """The instants of a record follow from when its owner sent it, not from its receipt."""
    tale = _tale()
    (row,) = lifetimes(tale.estate, tale.as_of, on="FR1", kind="queue").rows
    assert row == {
        "observer": "FR1",
        "cluster": "CA",
        "kind": "queue",
        "name": "ORDERS",
        "owner": "QM2",
        "qmid": "QM2_1",
        "channel": None,
        "published": START,
        "republish_due": START + 27 * DAY,
        "expires": START + 30 * DAY,
        "removal": START + 90 * DAY,
        "state": "active",
        "days_to_removal": 89,
        "or_published": None,
        "or_removal": None,
        "basis": "derived",
    }


def test_a_queue_manager_is_called_by_its_name_not_by_its_channel() -> None:
    """In the record of a queue manager, both name and owner are that queue manager."""
    tale = _tale()
    answer = lifetimes(tale.estate, tale.as_of, kind="qmgr")
    assert _rows(answer, "observer", "name", "owner") == [
        ("FR1", "QM2", "QM2"),
        ("QM2", "QM2", "QM2"),
    ]


@pytest.mark.parametrize(
    ("after", "state", "left"),
    [
        (0, "active", 90),
        (1, "active", 90),
        (27 * DAY - SECOND, "active", 64),
        (27 * DAY, "overdue", 63),
        (27 * DAY + SECOND, "overdue", 63),
        (28 * DAY - SECOND, "overdue", 63),
        (28 * DAY, "overdue", 62),
        (30 * DAY - SECOND, "overdue", 61),
        (30 * DAY, "expired", 60),
        (89 * DAY, "expired", 1),
        (90 * DAY - SECOND, "expired", 1),
        (90 * DAY, "expired", 0),
        (200 * DAY, "expired", 0),
    ],
)
def test_at_its_due_instant_a_state_has_changed(after: int, state: str, left: int) -> None:
    """A record is active for 27 days, overdue to day 30, then expired; a started day counts."""
    tale = _tale()
    tale.now = START + after
    answer = lifetimes(tale.estate, tale.as_of, on="FR1", kind="queue")
    assert _rows(answer, "state", "days_to_removal") == [(state, left)]


@pytest.mark.parametrize("days", [28, 29, 45, 89])
def test_days_left_are_those_of_the_last_warning(days: int) -> None:
    """The days left are the 63 - n of the warning at the start of that day."""
    tale = _tale()
    for part in (0, 1, DAY // 2, DAY - 1):
        tale.now = START + days * DAY + part
        answer = lifetimes(tale.estate, tale.as_of, on="FR1", kind="queue")
        left = 63 - (days - 27)
        assert _rows(answer, "days_to_removal") == [(left,)]


def test_filters_narrow_and_name_who_holds_or_owns() -> None:
    """Filters by observer, cluster, kind, name and owner keep only matching records."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORDERS) CLUSTER(CA)")
    every = lifetimes(sandbox.estate, sandbox.as_of).rows
    for field, column, value in (
        ("on", "observer", "FR1"),
        ("cluster", "cluster", "CA"),
        ("kind", "kind", "queue"),
        ("name", "name", "ORDERS"),
        ("owner", "owner", "PR2"),
        ("owner", "owner", "NOBODY"),
    ):
        narrowed = lifetimes(sandbox.estate, sandbox.as_of, **{field: value}).rows
        assert narrowed == tuple(row for row in every if row[column] == value)


def test_an_unknown_observer_is_said_so() -> None:
    """An unknown observer is an error, not an empty answer."""
    tale = _tale()
    with pytest.raises(NoSuchQueueManager):
        lifetimes(tale.estate, tale.as_of, on="QM9")


def test_each_row_rests_on_the_event_that_brought_the_record() -> None:
    """The evidence of a row is one position: of the receipt, or of the own publication."""
    tale = _tale()
    answer = lifetimes(tale.estate, tale.as_of, kind="queue")
    assert _rows(answer, "observer") == [("FR1",), ("QM2",)]
    assert answer.evidence == ((6,), (5,))


def test_without_records_there_are_no_rows() -> None:
    """An empty estate has an empty answer."""
    tale = Tale()
    assert lifetimes(tale.estate, tale.as_of).rows == ()
