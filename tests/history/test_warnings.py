"""The warnings that records were not renewed."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from tests.history.commotion import demand_same_as_sql
from tests.history.repositories import repositories
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.renewals import WARNINGS, renewal_warnings


def _warned(when: str, message: str, owner: str, days: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": message, "owner": owner, "names": [["qmgr", "TO.QM1"]]}
    fields |= {"cluster": "CA", "days": days, "left": 63 - days}
    return event(when, "RenewalOverdue", "FR1", **fields)


@together
def test_warnings_are_counted_by_month_and_message() -> Asking:
    """A warning at the window's begin is counted, one at its end is not; months end at midnight."""
    events = [
        _warned("+1d", "AMQ9469", "A", 1),
        _warned("+2d", "AMQ9469", "A", 2),
        _warned("+2d", "AMQ9469", "B", 2),
        _warned("+3d", "AMQ9456", "B", 3),
        _warned("+30d23h", "AMQ9469", "A", 30),
        _warned("+31d", "AMQ9469", "A", 31),
        _warned("+32d", "AMQ9469", "A", 32),
    ]
    one = {"month": "2026-01-01", "cluster": "CA", "qmgr": "FR1"}
    assert (yield ask(renewal_warnings, window("+2d", "+32d"), events)) == [
        {
            **one,
            "message_id": "AMQ9456",
            "warnings": 1,
            "owners": 1,
            "most_days_overdue": 3,
            "least_days_left": 60,
        },
        {
            **one,
            "message_id": "AMQ9469",
            "warnings": 3,
            "owners": 2,
            "most_days_overdue": 30,
            "least_days_left": 33,
        },
        {
            **one,
            "month": "2026-02-01",
            "message_id": "AMQ9469",
            "warnings": 1,
            "owners": 1,
            "most_days_overdue": 31,
            "least_days_left": 32,
        },
    ]


@together
def test_logged_warnings_count_once() -> Asking:
    """In a month in which a queue manager's log was imported, those of the rules do not count."""
    fields: dict[str, Any] = {"id": "AMQ9469", "owner": "A", "cluster": "CA", "name": "TO.A"}
    logged = event("+2d", "RenewalOverdueObserved", "FR1", derived=False, **fields, days=2, left=61)
    events = [
        _warned("+1d", "AMQ9469", "A", 1),
        _warned("+2d", "AMQ9469", "A", 2),
        logged,
        _warned("+32d", "AMQ9469", "A", 32),
    ]
    found = yield ask(renewal_warnings, window("+0d", "+40d"), events, "month")
    assert [(each["month"], each["warnings"], each["most_days_overdue"]) for each in found] == [
        ("2026-01-01", 1, 2),
        ("2026-02-01", 1, 32),
    ]


@together
def test_without_a_warning_there_are_no_rows() -> Asking:
    """Other repository events are not counted."""
    events = [event("+1d", "InformationExpired", "FR1", cluster="CA", items=[])]
    assert (yield ask(renewal_warnings, window("+0d", "+40d"), events)) == []


def test_warnings_are_the_same_in_sql(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random events."""
    events = repositories(spark, 1, count=1200, days=90)
    is_logged = "type = 'RenewalOverdue' AND position % 9 = 0 AND month(timestamp_micros("
    is_logged += "occurred_at)) = 2"
    for column, value in (("family", "observations"), ("type", "RenewalOverdueObserved")):
        logged = F.expr(f"CASE WHEN {is_logged} THEN '{value}' ELSE {column} END")
        events = events.withColumn(column, logged)
    assert demand_same_as_sql(WARNINGS, events, window("+10d", "+80d")) > 10
