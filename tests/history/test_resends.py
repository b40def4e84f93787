"""How punctually owners republished their records."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.repositories import repositories
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.renewals import RESENDS, resends


def _published(when: str, sequence: int, *queues: str) -> dict[str, Any]:
    records = [{"kind": "queue", "name": name, "values": {}, "deleted": False} for name in queues]
    fields: dict[str, Any] = {
        "qmid": "ID",
        "cluster": "CA",
        "sequence": sequence,
        "records": records,
    }
    return event(when, "InformationPublished", "QM1", **fields)


def _again(when: str, sequence: int, *queues: str, was: int | None = None) -> dict[str, Any]:
    names = [["queue", name] for name in queues]
    fields: dict[str, Any] = {
        "qmid": "ID",
        "cluster": "CA",
        "sequence": sequence,
        "names": names,
        "was": was,
    }
    return event(when, "InformationRepublished", "QM1", **fields)


@together
def test_a_resend_counts_from_the_last_publication_of_what_it_sends() -> Asking:
    """A republication is early, punctual, late or after expiry, from its last publication."""
    events = [
        _published("-20d", 1, "A"),
        _published("-20d", 2, "B"),
        _again("+7d1m", 3, "A", "B"),
        _again("+36d1m", 4, "A", "B", was=3),
        _again("+40d1m", 5, "A", "B", was=4),
        _again("+71d1m", 6, "A", "B", was=5),
        _again("+98d1m", 7, "A", "B", was=6),
    ]
    owner = {"cluster": "CA", "qmgr": "QM1"}
    assert (yield ask(resends, window("+0d", "+98d"), events)) == [
        {
            **owner,
            "month": "2026-01-01",
            "resends": 1,
            "early": 0,
            "punctual": 1,
            "late_p50_s": 60.0,
            "late_max_s": 60.0,
            "least_days_left": 3 - 1 / 1440,
            "near_misses": 0,
        },
        {
            **owner,
            "month": "2026-02-01",
            "resends": 2,
            "early": 1,
            "punctual": 0,
            "late_p50_s": 2 * 86400.0,
            "late_max_s": 2 * 86400.0,
            "least_days_left": 1.0,
            "near_misses": 0,
        },
        {
            **owner,
            "month": "2026-03-01",
            "resends": 1,
            "early": 0,
            "punctual": 0,
            "late_p50_s": 4 * 86400.0,
            "late_max_s": 4 * 86400.0,
            "least_days_left": -1.0,
            "near_misses": 1,
        },
    ]


@together
def test_the_oldest_record_of_a_resend_counts() -> Asking:
    """The age of a republication is that of its oldest record."""
    events = [
        _published("+0d", 1, "A", "B"),
        _published("+9d", 2, "B"),
        _again("+29d12h", 3, "A", "B"),
    ]
    (row,) = yield ask(resends, window("+0d", "+98d"), events)
    assert (row["least_days_left"], row["near_misses"]) == (0.5, 1)


@together
def test_the_median_is_one_of_the_resends() -> Asking:
    """The median lateness is a value of one republication, early ones excluded."""
    ages = (27, 28, 27.5, 29)
    events, day = [_published("-200d", 1, "A")], -200.0
    for sequence, age in enumerate(ages, start=2):
        day += age
        events.append(_again(f"-{-day:.1f}d", sequence, "A"))
    found = yield ask(resends, window("-200d", "+0d"), events)
    assert [row["late_p50_s"] for row in found] == [0.0, 86400.0, 43200.0, 172800.0]


@together
def test_the_median_of_four_resends_is_the_second() -> Asking:
    """Of an even number of resends, the lower one of the two in the middle is the median."""
    events = [
        *(_published("+0d", each, f"Q{each}") for each in range(4)),
        *(_again(f"+27d{each}h", 10 + each, f"Q{each}") for each in range(4)),
    ]
    (row,) = yield ask(resends, window("+0d", "+98d"), events)
    assert (row["late_p50_s"], row["late_max_s"]) == (3600.0, 3 * 3600.0)


@together
def test_without_a_resend_there_are_no_rows() -> Asking:
    """A first publication is not a republication."""
    assert (yield ask(resends, window("+0d", "+98d"), [_published("+1d", 1, "A")])) == []


@pytest.mark.parametrize("seed", seeds(5, 6))
def test_resends_are_the_same_in_sql(spark: SparkSession, seed: int) -> None:
    """DuckDB gives the same rows for random events."""
    events = repositories(spark, seed, count=1000, days=1200)
    assert demand_same_as_sql(RESENDS, events, window("+100d", "+1100d")) > 10
