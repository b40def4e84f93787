"""Reallocation passes: the messages that moved, those that stayed, and why."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import event, window
from tests.history.together import Asking, Compute, ask, together
from tests.history.traffic import traffic
from twin.history.history import Window
from twin.history.metrics.waiting import REALLOCATION, reallocation, stayed


def put(when: str, count: int, fixed: str = "") -> dict[str, Any]:
    """Make a put for the channel CA.QM2."""
    shares = [{"count": count, "to": "QM2_ID", "channel": "CA.QM2", "lies_on": "X", "queue": "Q"}]
    return event(when, "MessagesPut", "QM1", queue="Q", shares=shares, fixed=fixed)


def looked(
    when: str,
    *moved: int,
    cause: str = "stop",
    stays: int = 0,
    interrupted: bool = False,
    ineligible: int = 0,
) -> dict[str, Any]:
    """Make the event of a pass over the messages for CA.QM2."""
    return event(
        when,
        "MessagesReallocated",
        "QM1",
        channel="CA.QM2",
        queue="X",
        cause=cause,
        moves=[{"put": 1, "share": {"count": count, "channel": "CA.QM3"}} for count in moved],
        stayed=stays,
        interrupted=interrupted,
        ineligible=ineligible,
    )


@together
def test_portions_of_one_instant_are_one_pass() -> Asking:
    """Several events of one instant are one pass; moved messages are added up by day and cause."""
    events = [
        looked("+1h", 99),
        looked("+12h", 3, 4),
        looked("+12h", 5),
        looked("+12h", stays=2, ineligible=20),
        looked("+13h", stays=1, interrupted=True),
        looked("+13h", 6, cause="retry"),
        looked("+31d", 7, cause="retry"),
        looked("+40d", 8),
    ]
    key = {"qmgr": "QM1", "channel": "CA.QM2"}
    assert (yield ask(reallocation, window("+2h", "+40d"), events)) == [
        {
            "day": "2026-01-01",
            **key,
            "cause": "retry",
            "passes": 1,
            "moved": 6,
            "stayed": 0,
            "interrupted": 0,
        },
        {
            "day": "2026-01-01",
            **key,
            "cause": "stop",
            "passes": 2,
            "moved": 12,
            "stayed": 23,
            "interrupted": 1,
        },
        {
            "day": "2026-02-01",
            **key,
            "cause": "retry",
            "passes": 1,
            "moved": 7,
            "stayed": 0,
            "interrupted": 0,
        },
    ]


@together
def test_what_stays_is_told_apart_by_why() -> Asking:
    """Messages that stay are counted by reason, in doubt before bound; sent ones do not count."""
    events = [
        put("+1h", 10),
        put("+1h", 4, "bind-on-open"),
        put("+2h", 3, "named-qmgr"),
        put("+2h", 5),
        event("+3h", "MessagesSent", "QM1", channel="CA.QM2", queue="X", count=11),
        event("+4h", "ChannelBatchInDoubt", "QM1", channel="CA.QM2", count=2),
        looked("+5h", stays=4),
        event("+6h", "ChannelBatchInDoubt", "QM1", channel="CA.QM2", count=0),
        put("+24h", 1, "bind-on-group"),
        looked("+24h"),
        put("+24h", 9, "bind-on-group"),
        looked("+50h", stays=1),
    ]
    key = {"qmgr": "QM1", "channel": "CA.QM2"}
    found = {
        "2026-01-01": {
            "bind-on-open": 1,
            "in-doubt": 2,
            "named-qmgr": 3,
            "no-better-route": 4,
        },
        "2026-01-02": {"bind-on-group": 1, "bind-on-open": 3, "named-qmgr": 3},
    }
    assert (yield ask(stayed, window("+4h", "+50h"), events)) == [
        {"day": day, **key, "why": why, "messages": count}
        for day, whys in found.items()
        for why, count in whys.items()
    ]


@pytest.mark.parametrize(
    ("compute", "span"),
    [(reallocation, window("+2h", "+40d")), (stayed, window("+4h", "+50h"))],
)
@together
def test_nothing_gives_nothing(compute: Compute, span: Window) -> Asking:
    """A window without passes has no rows."""
    events = [put("+1h", 1, "bind-on-open"), looked("+1h", stays=1), looked("+41d", stays=1)]
    assert (yield ask(compute, span, events)) == []


def test_sql_gives_the_same(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random messages."""
    events = traffic(spark, seed=2, count=700, days=40)
    for metric in REALLOCATION:
        assert demand_same_as_sql(metric, events, window("+5d", "+33d")) > 20
