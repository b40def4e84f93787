"""What was observed, and what follows where nothing was."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import commotion, demand_same_as_sql
from tests.history.scene import at, event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.channel_status import channel_status_days
from twin.history.metrics.coverage import METRIC, coverage
from twin.history.metrics.outages import outages


def seen(when: str, type_: str = "ObjectObserved") -> dict[str, Any]:
    """Observe QM1."""
    fields: dict[str, Any] = {"kind": "QUEUE", "name": "Q", "qmid": "ID", "values": {}}
    made = event(when, type_, "QM1", derived=False, **fields)
    return {**made, "source": "observation:mqsc"}


def observed(*times: str) -> list[dict[str, Any]]:
    """Observe QM1 for the first time, and then again at these times."""
    first, *later = times
    return [seen(first, "QueueManagerFirstSeen"), *map(seen, later)]


def times_of(found: list[dict[str, Any]]) -> list[tuple[str, str, bool]]:
    """Return when something was covered, or not: day and hour."""
    return [(each["began"][8:13], each["ended"][8:13], each["covered"]) for each in found]


@together
def test_a_simulated_queue_manager_is_covered_from_its_creation() -> Asking:
    """It is covered from its creation to the end of the window, though nothing happens."""
    events = [event("+3h", "QueueManagerCreated", "QM1", qmid="ID")]
    assert (yield ask(coverage, window("+0h", "+3d"), events)) == [
        {
            "qmgr": "QM1",
            "basis": "simulated",
            "covered": True,
            "began": "2026-01-01T03:00:00",
            "ended": "2026-01-04T00:00:00",
            "seconds": 3 * 86400.0 - 3 * 3600,
            "usual_s": None,
        }
    ]


@together
def test_an_observed_one_is_covered_between_usual_observations() -> Asking:
    """A time of more than twice the median between captures is not covered; nor is the end."""
    hours = ("+0h", "+1h", "+1h20s", "+2h", "+4h", "+5h", "+30h", "+31h")
    events = observed(*hours)
    found = yield ask(coverage, window("+0h", "+3d"), events, "began")
    assert times_of(found) == [
        ("01T00", "01T05", True),
        ("01T05", "02T06", False),
        ("02T06", "02T07", True),
        ("02T07", "04T00", False),
    ]
    assert {each["usual_s"] for each in found} == {7200.0}


@together
def test_few_observations_cover_a_day_at_most() -> Asking:
    """Two observations a month apart say nothing about the month."""
    events = observed("+0h", "+30d")
    assert times_of((yield ask(coverage, window("+0h", "+30d12h"), events, "began"))) == [
        ("01T00", "31T00", False),
        ("31T00", "31T12", True),
    ]


@together
def test_a_single_observation_covers_nothing() -> Asking:
    """A queue manager that was observed once is not covered."""
    found = yield ask(coverage, window("+0h", "+3d"), observed("+0h"))
    assert times_of(found) == [("01T00", "04T00", False)]


def logged(*times: str, source: str = "error-log") -> list[dict[str, Any]]:
    """Observe QM1 by records of its error log."""
    found = [event(when, "EvidenceObserved", "QM1", derived=False, id="AMQ9206") for when in times]
    return [{**each, "source": f"observation:{source}"} for each in found]


@together
def test_an_error_log_covers_the_time_between_its_records() -> Asking:
    """A day without a record is too long; records do not change what is usual for captures."""
    records = logged("+6h", "+7h", "+29h", "+60h")
    captures = observed("+0h", "+1h", "+2h", "+3h", "+4h")
    found = yield ask(coverage, window("+0h", "+3d"), [*captures, *records], "began")
    assert times_of(found) == [
        ("01T00", "01T04", True),
        ("01T04", "01T06", False),
        ("01T06", "02T05", True),
        ("02T05", "04T00", False),
    ]
    assert {each["usual_s"] for each in found} == {7200.0}


@together
def test_event_messages_cover_nothing() -> Asking:
    """Which messages are sent depends on settings, so their absence says nothing."""
    messages = logged("+1h", "+2h", source="amqsevt-json")
    found = yield ask(coverage, window("+0h", "+3d"), [*observed("+0h"), *messages])
    assert times_of(found) == [("01T00", "04T00", False)]


@together
def test_all_are_simulated_from_the_fork_of_a_branch() -> Asking:
    """On a branch, a queue manager that was only observed is simulated from the fork on."""
    events = observed("+0h")
    found = yield ask(coverage, window("+0h", "+2h")._replace(forked=at("+1h")), events, "began")
    assert [(each["basis"], each["covered"]) for each in found] == [
        ("observed", False),
        ("simulated", True),
    ]


@together
def test_what_was_not_observed_is_not_available() -> Asking:
    """A channel that was RUNNING when last seen is unknown then; one that failed stays failed."""
    where: dict[str, Any] = {"channel": "CA.QM2", "partner": "QM2"}
    other: dict[str, Any] = {"channel": "CA.QM3", "partner": "QM3"}
    events = [
        *observed("+0h", "+1h", "+2h", "+3h", "+4h"),
        event("+0h", "ChannelStatusChanged", "QM1", status="RUNNING", **where),
        event("+0h", "ChannelStatusChanged", "QM1", status="RUNNING", **other),
        event("+4h", "ChannelStatusChanged", "QM1", status="RETRYING", **other),
    ]
    span = window("+0h", "+2d")
    days = yield ask(channel_status_days, span, events, "channel", "day")
    assert [(day["running_s"] / 3600, day["unknown_s"] / 3600) for day in days] == [
        (4.0, 20.0),
        (0.0, 24.0),
        (4.0, 0.0),
        (0.0, 0.0),
    ]
    assert [day["availability"] for day in days] == [1.0, None, pytest.approx(4 / 24), 0.0]
    (outage,) = yield ask(outages, span, events)
    assert (outage["channel"], outage["seconds"]) == ("CA.QM3", 44 * 3600.0)


@pytest.mark.parametrize("seed", seeds(40, 41))
def test_the_same_coverage_comes_from_sql(spark: SparkSession, seed: int) -> None:
    """DuckDB gives the same rows for random events."""
    events = commotion(spark, seed, count=300, days=20)
    assert demand_same_as_sql(METRIC, events, window("+5h", "+479h")) > 2
