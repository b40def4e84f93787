"""Puts on the instances of a queue, as statistics messages count them."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import at, event, told, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.distribution import COUNTED_PUTS, counted_puts


def counted(when: str, qmgr: str, queue: str, **counters: int) -> dict[str, Any]:
    """Make the statistics of a queue in the half hour before an instant."""
    named = {name.replace("_", "."): number for name, number in counters.items()}
    fields: dict[str, Any] = {"kind": "queue", "name": queue, "counters": named}
    fields["begin"] = at(when) - 1_800_000_000
    return event(when, "IntervalCounted", qmgr, derived=False, **fields)


@together
def test_puts_are_shared_among_the_instances() -> Asking:
    """MQPUT and MQPUT1 of all kinds of messages count, and bytes do not."""
    events = [
        counted("+1h", "QM1", "Q", puts_1=30, puts_2=20, put1s_1=10, putBytes_1=999, gets=5),
        counted("+2h", "QM1", "Q", puts=15),
        counted("+1h", "QM2", "Q", puts=25),
        counted("+25h", "QM2", "Q", puts=9),
        counted("+1h", "QM1", "ALONE", puts=7),
        counted("+1h", "QM1", "SYSTEM.X", puts=7),
        counted("+1h", "QM2", "SYSTEM.X", puts=7),
    ]
    found = yield ask(counted_puts, window("+0h", "+2d"), events, "qmgr")
    assert found == [
        {
            "day": "2026-01-01",
            "queue": "Q",
            "qmgr": qmgr,
            "puts": puts,
            "share": share,
            "instances": 2,
            "counted_s": seconds,
        }
        for qmgr, puts, share, seconds in (("QM1", 75, 0.75, 3600.0), ("QM2", 25, 0.25, 1800.0))
    ]


@together
def test_queues_without_puts_have_no_shares() -> Asking:
    """Nothing is a part of nothing."""
    events = [counted("+1h", "QM1", "Q", gets=1), counted("+1h", "QM2", "Q", puts=0)]
    found = yield ask(counted_puts, window("+0h", "+2d"), events)
    assert [(each["puts"], each["share"]) for each in found] == [(0, None), (0, None)]


def test_the_same_puts_come_from_sql(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random statistics."""
    chance = Random(7)
    events = [
        counted(f"+{hour}h", qmgr, queue, puts_1=chance.randrange(9), put1s=chance.randrange(3))
        for hour, qmgr, queue in product(range(60), ("QM1", "QM2", "QM3"), ("A", "B", "SYSTEM.C"))
        if chance.random() < 0.3
    ]
    assert demand_same_as_sql(COUNTED_PUTS, told(spark, *events), window("+5h", "+50h")) > 5
