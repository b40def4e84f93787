"""Switches of cluster-sender channels to other transmission queues."""

from __future__ import annotations

import random
from typing import Any, Final

from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import event, rows, told, window
from twin.history.metrics.switches import METRIC, switches

_NAMES: Final = (
    "from_queue",
    "to_queue",
    "began",
    "ended",
    "lasted_s",
    "moved",
    "stranded",
)


def began(when: str, queue: str, to: str, channel: str = "CA.QM2") -> dict[str, Any]:
    """Make the beginning of a switch."""
    type_ = "TransmissionQueueSwitchBegan"
    return event(when, type_, "QM1", channel=channel, queue=queue, to=to)


def switched(when: str, queue: str, channel: str = "CA.QM2", **fields: Any) -> dict[str, Any]:
    """Make the end of a switch."""
    return event(when, "TransmissionQueueSwitched", "QM1", channel=channel, queue=queue, **fields)


def moving(when: str, count: int, channel: str = "CA.QM2") -> dict[str, Any]:
    """Move messages between the queues."""
    return event(when, "MessagesSwitched", "QM1", channel=channel, count=count)


def row(*values: Any, channel: str = "CA.QM2") -> dict[str, Any]:
    """Make a row of the metric."""
    return {"qmgr": "QM1", "channel": channel, **dict(zip(_NAMES, values, strict=True))}


def test_a_switch_counts_for_its_part_within_the_window(spark: SparkSession) -> None:
    """A switch is listed with its part inside the window, if it has one."""
    events = told(
        spark,
        began("+1h", "A", "B"),
        moving("+2h", 9),
        switched("+2h", "B"),
        began("+3h", "B", "C"),
        moving("+5h", 2),
        moving("+6h", 3),
        switched("+6h", "C"),
        began("+7h", "C", "D"),
        moving("+7h", 4),
        switched("+7h", "D"),
        began("+8h", "D", "E"),
        switched("+99h", "E"),
    )
    found = rows(switches(events, window("+4h", "+10h")), "began")
    day = "2026-01-01T"
    assert found == [
        row("B", "C", f"{day}03:00:00", f"{day}06:00:00", 7200.0, 5, 0),
        row("C", "D", f"{day}07:00:00", f"{day}07:00:00", 0.0, 4, 0),
        row("D", "E", f"{day}08:00:00", None, 7200.0, 0, 0),
    ]


def test_runswchl_switches_at_once_and_strands(spark: SparkSession) -> None:
    """A switch by runswchl has no beginning; its old queue is the last known, or the cluster's."""
    queue = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    events = told(
        spark,
        switched("+1h", "A", stranded=7),
        switched("+2h", "B", stranded=0),
        event("+3h", "TransmissionQueueAssigned", "QM1", channel="CA.QM3", queue="C"),
        began("+4h", "C", "D", "CA.QM3"),
        switched("+720h", "D", "CA.QM3", stranded=3),
    )
    day = "2026-01-01T"
    assert rows(switches(events, window("+0h", "+60d")), "began") == [
        row(queue, "A", f"{day}01:00:00", f"{day}01:00:00", 0.0, 0, 7),
        row("A", "B", f"{day}02:00:00", f"{day}02:00:00", 0.0, 0, 0),
        row(
            *("C", "D", f"{day}04:00:00", "2026-01-31T00:00:00", 716 * 3600.0, 0, 3),
            channel="CA.QM3",
        ),
    ]


def test_nothing_gives_nothing(spark: SparkSession) -> None:
    """A channel that keeps its queue is not listed."""
    events = told(spark, event("+1h", "TransmissionQueueAssigned", "QM1", channel="C", queue="A"))
    assert rows(switches(events, window("+0h", "+2h"))) == []


def test_sql_gives_the_same(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random switches, many of them at one instant."""
    chosen = random.Random(3)
    events = []
    for hour in sorted(chosen.randrange(500) for _ in range(300)):
        when, queue, to = f"+{hour}h", chosen.choice("ABC"), chosen.choice("ABC")
        channel = chosen.choice(("CA.QM2", "CA.QM3"))
        kind = chosen.randrange(7)
        if kind < 2:
            events.append(began(when, queue, to, channel))
        elif kind < 4:
            events.append(switched(when, queue, channel, stranded=chosen.randrange(3)))
        elif kind < 6:
            events.append(moving(when, chosen.randrange(9), channel))
        else:
            type_ = "TransmissionQueueAssigned"
            events.append(event(when, type_, "QM1", channel=channel, queue=queue))
    assert demand_same_as_sql(METRIC, told(spark, *events), window("+100h", "+400h")) > 40
