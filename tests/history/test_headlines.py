"""The summary of a report, from small tables."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from twin.history.report.headlines import Headlines


def said(*tables: tuple[str, list[dict[str, Any]]]) -> list[str]:
    """Return the summary lines of some metrics, given their rows."""
    lines = Headlines()
    for name, rows in tables:
        lines.add(name, pa.Table.from_pylist(rows))
    return lines.lines()


def outage(
    channel: str, seconds: float, *, planned: bool = False, ongoing: bool = False
) -> dict[str, Any]:
    """Make an outage."""
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return {
        "qmgr": "QM1",
        "channel": channel,
        "began": began,
        "ended": None if ongoing else began + timedelta(seconds=seconds),
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
        "outages: 2 outages, 3.0 channel-hours; longest A at QM1 from 2026-01-02 03:04, 2 h"
    ]
    assert said(("outages", [rows[-1]])) == ["outages: none"]
    rows[1] = outage("B", 3600, ongoing=True)
    assert said(("outages", rows))[0].startswith("outages: 2 outages, 1 ongoing, 3.0 channel-hours")


def incident(hours: float, **fields: Any) -> dict[str, Any]:
    """Make an incident."""
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    what = {"cause": "lost", "partner": "LOG01", "qmgr": None, "channel": None}
    counts = {"qmgrs": 7, "channels": 7, "messages": 5}
    flags = {"ongoing": False, "planned": False}
    times = {"began": began, "seconds": hours * 3600 / 7, "channel_hours": hours}
    return {**what, **counts, **flags, **times, **fields}


def test_one_lost_queue_manager_is_one_line() -> None:
    """The worst incident is named with its true length, not the sum over its channels."""
    rows = [incident(7 * 24 * 100), incident(3.5, partner="QM2", cause="unreachable")]
    assert said(("incidents", rows)) == [
        (
            "incidents: 2 incidents; worst LOG01 lost for 100 d: 16,800.0 channel-hours, "
            "5 messages waited"
        )
    ]


def test_an_ongoing_incident_comes_first() -> None:
    """An incident that goes on is named first, though another one was worse; a planned one last."""
    late = incident(0.7, partner="QM2", cause="unreachable", ongoing=True, messages=1)
    planned = incident(900, cause="ended", planned=True)
    assert said(("incidents", [incident(99), late, planned])) == [
        (
            "incidents: 2 incidents, 1 ongoing, 1 planned; ongoing QM2 unreachable from 7 queue "
            "managers since 2026-01-02 03:04: 0.7 channel-hours, 1 message waited"
        )
    ]
    assert said(("incidents", [planned])) == ["incidents: none but 1 planned"]


def covered(seconds: float, *, yes: bool = True, basis: str = "observed") -> dict[str, Any]:
    """Make a row of the coverage."""
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return {"qmgr": "QM1", "basis": basis, "covered": yes, "began": began, "seconds": seconds}


@pytest.mark.parametrize(
    ("coverage", "outages", "waits"),
    [
        ([covered(9, basis="simulated")], "none", "no message waited"),
        ([covered(9)], "none", "not observed"),
        ([covered(9, yes=False)], "not observed", "not observed"),
        ([covered(9), covered(1, yes=False)], "none, as far as observed", "not observed"),
        (
            [covered(9), covered(9, basis="simulated")],
            "none",
            "no message waited, as far as observed",
        ),
    ],
)
def test_no_data_is_never_health(coverage: list[dict[str, Any]], outages: str, waits: str) -> None:
    """A line says that there was nothing only if that was observed, or simulated."""
    nothing = ("waits", [waited("A", 2, None)])
    lines = said(("coverage", coverage), ("outages", [outage("A", 1, planned=True)]), nothing)
    assert lines[-2:] == [f"outages: {outages}", f"waiting: {waits}"]


def test_the_coverage_has_a_line_if_it_has_gaps() -> None:
    """The share of the time that was observed is told, with the longest gap."""
    assert said(("coverage", [covered(9)])) == []
    assert said(("coverage", [covered(86400 * 3), covered(86400, yes=False)])) == [
        "coverage: 75.0% of the time was observed; longest gap QM1 from 2026-01-02 03:04, 1 d"
    ]


def spread(day: int, *, judged: bool = True, parts: bool = False) -> dict[str, Any]:
    """Make a row of the distribution."""
    where = {"day": date(2026, 1, day), "qmgr": "QM1", "queue": "Q"}
    return {**where, "judged": judged, "parts": parts}


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (
            [spread(1), spread(2, judged=False), spread(3, judged=False), spread(4, judged=False)],
            (
                "as the workload attributes say on all of 1 queue-day with 100 messages or more "
                "(25.0% of 4)"
            ),
        ),
        (
            [spread(1, judged=False)],
            "not judged; none of 1 queue-day had 100 messages",
        ),
        (
            [spread(1, parts=True), spread(2)],
            (
                "deviates from the workload attributes on 1 of 2 queue-days with 100 messages or "
                "more (100.0% of 2), most for Q put at QM1"
            ),
        ),
    ],
)
def test_the_distribution_is_judged_only_on_days_with_enough_messages(
    rows: list[dict[str, Any]], line: str
) -> None:
    """The line tells the share of the days that had enough messages to be judged."""
    assert said(("distribution", rows)) == [f"distribution: {line}"]


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
            "waiting: 5 messages left transmission queues; longest for B at QM1, 1 m 30 s",
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
