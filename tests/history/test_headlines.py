"""The summary of a report, from small tables."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from twin.history.report.headlines import Headlines, lasting


def said(*tables: tuple[str, list[dict[str, Any]]]) -> list[str]:
    """Return the summary lines of some metrics, given their rows."""
    lines = Headlines()
    for name, rows in tables:
        lines.add(name, pa.Table.from_pylist(rows))
    return lines.lines()


def outage(channel: str, seconds: float, *, planned: bool = False) -> dict[str, Any]:
    """Make an outage."""
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return {
        "qmgr": "QM1",
        "channel": channel,
        "began": began,
        "seconds": seconds,
        "planned": planned,
    }


def month(channel: str, running: float, retrying: float) -> dict[str, Any]:
    """Make a month of a channel."""
    times = {"inactive_s": 0.0, "stopped_s": 0.0, "other_s": 0.0}
    times |= {"running_s": running, "retrying_s": retrying}
    share = running / (running + retrying) if running + retrying else None
    return {"qmgr": "QM1", "channel": channel, "availability": share, **times}


def waited(channel: str, messages: int, longest: float | None) -> dict[str, Any]:
    """Make a row of waits."""
    return {"qmgr": "QM1", "channel": channel, "messages": messages, "waited_max_s": longest}


def test_a_planned_stop_is_no_outage_of_the_headline() -> None:
    """A planned stop is not counted as an outage, nor named as the longest."""
    rows = [outage("A", 7200), outage("B", 3600), outage("C", 10**6, planned=True)]
    assert said(("outages", rows)) == [
        "outages: 2 outages lasted 3.0 h in all; longest A at QM1 from 2026-01-02 03:04, 2.0 h"
    ]
    assert said(("outages", [rows[-1]])) == ["outages: none"]


def test_the_share_of_all_channels_is_by_time() -> None:
    """The availability is weighted by time; a channel without any time does not count."""
    rows = [month("A", 30, 10), month("A", 10, 0), month("B", 50, 0), month("C", 0, 0)]
    assert said(("channel_status_months", rows)) == [
        "channels: 2 cluster-senders 90.000% available; least available A at QM1 with 80.000%"
    ]
    assert said(("channel_status_months", rows[-1:] + rows[:0])) == [
        "channels: no cluster-sender was seen"
    ]


@pytest.mark.parametrize(
    ("longest", "line"),
    [
        ([0.0, 0.2], "waiting: 5 messages left transmission queues, all in less than a second"),
        (
            [0.0, 90.0],
            "waiting: 5 messages left transmission queues; longest for B at QM1, 1.5 min",
        ),
        ([None, None], "waiting: no message waited"),
    ],
)
def test_what_waited_no_second_is_not_called_the_longest(
    longest: list[float | None], line: str
) -> None:
    """A message that waited less than a second is not named as the longest wait."""
    rows = [waited("A", 2, longest[0]), waited("B", 3, longest[1])]
    assert said(("waits", rows)) == [line]


def test_flaps_are_told_of_the_channel_that_has_most() -> None:
    """The channel with the most flaps is named; one flap is written in the singular."""
    rows = [
        {"qmgr": "QM1", "channel": "A", "day": date(2026, 1, 1), "flaps": 0},
        {"qmgr": "QM1", "channel": "B", "day": date(2026, 1, 1), "flaps": 1},
    ]
    assert said(("channel_status_days", rows)) == [
        "flapping: 1 channel, most B at QM1 with 1 flap on 1 day"
    ]
    assert said(("channel_status_days", rows[:1])) == ["flapping: no channel"]


def test_a_single_expiry_removal_return_or_pass_is_written_in_the_singular() -> None:
    """One expiry, removal, return, pass or message is written in the singular."""
    assert said(("losses", [{"expiries": 1, "removals": 2, "returns": 1}])) == [
        "lifecycle: 1 expiry, 2 removals, 1 return"
    ]
    assert said(("reallocation", [{"passes": 1, "moved": 1, "stayed": 0}])) == [
        "reallocation: 1 pass moved 1 message; 0 stayed"
    ]


def test_a_line_of_two_metrics_waits_for_both() -> None:
    """A line of two metrics is written when both are known, and counts an outage once."""
    changes = ("changes", [{"attribute": "", "changes": 3}, {"attribute": "DESCR", "changes": 9}])
    began = datetime(2026, 1, 2, tzinfo=UTC)
    row = {"qmgr": "QM1", "channel": "A", "outage_began": began}
    assert said(changes) == []
    line = "1 outage began within an hour after a change at either end"
    assert said(changes, ("before_outages", [row, row])) == [
        f"changes: 3 changes to definitions; {line}"
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1.0 min"), (5400, "1.5 h"), (10**6, "11.6 d")],
)
def test_durations_have_the_largest_unit_that_fits(seconds: float, text: str) -> None:
    """A duration is written in the largest unit that fits."""
    assert lasting(seconds) == text
