"""Switches of cluster-sender channels to other transmission queues."""

from __future__ import annotations

import random
from typing import Any, Final

from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import event, told, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.switches import METRIC, switches

_NAMES: Final = (
    "from_queue",
    "to_queue",
    "began",
    "ended",
    "lasted_s",
    "moved",
    "stranded",
    "stopped",
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


def stopped(when: str, reason: int, channel: str = "CA.QM2") -> dict[str, Any]:
    """Stop a switch."""
    type_ = "TransmissionQueueSwitchStopped"
    return event(when, type_, "QM1", channel=channel, queue="B", reason=reason, left=7)


def deleted(when: str) -> dict[str, Any]:
    """Delete the queue manager."""
    return event(when, "QueueManagerDeleted", "QM1")


def row(*values: Any, channel: str = "CA.QM2", stopped: int | None = None) -> dict[str, Any]:
    """Make a row of the metric."""
    found = dict(zip(_NAMES, (*values, stopped), strict=True))
    return {"qmgr": "QM1", "channel": channel, **found}


@together
def test_a_switch_counts_for_its_part_within_the_window() -> Asking:
    """A switch is listed with its part inside the window, if it has one."""
    events = [
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
    ]
    found = yield ask(switches, window("+4h", "+10h"), events, "began")
    day = "2026-01-01T"
    assert found == [
        row("B", "C", f"{day}03:00:00", f"{day}06:00:00", 7200.0, 5, 0),
        row("C", "D", f"{day}07:00:00", f"{day}07:00:00", 0.0, 4, 0),
        row("D", "E", f"{day}08:00:00", None, 7200.0, 0, 0),
    ]


@together
def test_runswchl_switches_at_once_and_strands() -> Asking:
    """A switch by runswchl has no beginning; its old queue is the last known, or the cluster's."""
    queue = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    events = [
        switched("+1h", "A", stranded=7),
        switched("+2h", "B", stranded=0),
        event("+3h", "TransmissionQueueAssigned", "QM1", channel="CA.QM3", queue="C"),
        began("+4h", "C", "D", "CA.QM3"),
        switched("+720h", "D", "CA.QM3", stranded=3),
    ]
    day = "2026-01-01T"
    assert (yield ask(switches, window("+0h", "+60d"), events, "began")) == [
        row(queue, "A", f"{day}01:00:00", f"{day}01:00:00", 0.0, 0, 7),
        row("A", "B", f"{day}02:00:00", f"{day}02:00:00", 0.0, 0, 0),
        row(
            *("C", "D", f"{day}04:00:00", "2026-01-31T00:00:00", 716 * 3600.0, 0, 3),
            channel="CA.QM3",
        ),
    ]


@together
def test_a_switch_that_stopped_has_not_ended() -> Asking:
    """A switch that stopped ends when it has gone on; its row has the reason code either way."""
    events = [
        began("+1h", "A", "B"),
        moving("+1h", 5),
        stopped("+1h", 2053),
        stopped("+2h", 2051),
        moving("+3h", 2),
        switched("+3h", "B"),
        began("+4h", "B", "C"),
        moving("+4h", 4),
        stopped("+4h", 2016),
    ]
    day = "2026-01-01T"
    assert (yield ask(switches, window("+0h", "+6h"), events, "began")) == [
        row("A", "B", f"{day}01:00:00", f"{day}03:00:00", 7200.0, 7, 0, stopped=2051),
        row("B", "C", f"{day}04:00:00", None, 7200.0, 4, 0, stopped=2016),
    ]


@together
def test_a_switch_ends_with_its_queue_manager_or_as_another_begins() -> Asking:
    """A deletion ends the switches of all channels, and so does another switch in its place."""
    queue = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    events = [
        began("+1h", "A", "B"),
        began("+1h", "A", "B", "CA.QM3"),
        began("+2h", "A", "C", "CA.QM3"),
        deleted("+3h"),
        switched("+4h", "D"),
    ]
    day = "2026-01-01T"
    assert (yield ask(switches, window("+0h", "+6h"), events, "channel", "began")) == [
        row("A", "B", f"{day}01:00:00", f"{day}03:00:00", 7200.0, 0, 0),
        row(queue, "D", f"{day}04:00:00", f"{day}04:00:00", 0.0, 0, 0),
        row("A", "B", f"{day}01:00:00", f"{day}02:00:00", 3600.0, 0, 0, channel="CA.QM3"),
        row("A", "C", f"{day}02:00:00", f"{day}03:00:00", 3600.0, 0, 0, channel="CA.QM3"),
    ]


@together
def test_nothing_gives_nothing() -> Asking:
    """A channel that keeps its queue is not listed."""
    events = [event("+1h", "TransmissionQueueAssigned", "QM1", channel="C", queue="A")]
    assert (yield ask(switches, window("+0h", "+6h"), events)) == []


def test_sql_gives_the_same(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random switches, many of them at one instant."""
    chosen = random.Random(3)
    events = []
    for hour in sorted(chosen.randrange(500) for _ in range(300)):
        when, queue, to = f"+{hour}h", chosen.choice("ABC"), chosen.choice("ABC")
        channel = chosen.choice(("CA.QM2", "CA.QM3"))
        kind = chosen.randrange(9)
        if kind < 2:
            events.append(began(when, queue, to, channel))
        elif kind < 4:
            events.append(switched(when, queue, channel, stranded=chosen.randrange(3)))
        elif kind < 6:
            events.append(moving(when, chosen.randrange(9), channel))
        elif kind == 6:
            events.append(stopped(when, chosen.choice((2016, 2051, 2053)), channel))
        elif kind == 7:
            events.append(deleted(when))
        else:
            type_ = "TransmissionQueueAssigned"
            events.append(event(when, type_, "QM1", channel=channel, queue=queue))
    assert demand_same_as_sql(METRIC, told(spark, *events), window("+100h", "+400h")) > 40
