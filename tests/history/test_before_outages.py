"""The changes in the hour before outages."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.history.commotion import demand_rows_of_sql, uproar
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.outages import BEFORE_OUTAGES, before_outages

KEY: Final = ("seconds_before", "kind", "attribute")

DAY: Final = window("+0h", "+1d")
"""The window of all tests, which are computed at once: the first day of a year."""


def fails(when: str) -> dict[str, Any]:
    """Let QM1's channel to QM2 fail."""
    where = {"channel": "CA.QM2", "partner": "QM2"}
    failed: dict[str, Any] = {**where, "status": "RETRYING", "reason": "AMQ9202"}
    return event(when, "ChannelStatusChanged", "QM1", **failed)


@together
def test_changes_at_both_ends_within_the_hour_are_listed() -> Asking:
    """A change at either end in the hour before an outage is listed, and no other change."""
    priority: dict[str, Any] = {
        "kind": "QUEUE",
        "name": "Q",
        "values": {"CLWLPRTY": 3, "DESCR": "x"},
    }
    stop: dict[str, Any] = {"channel": "CA.QM2", "status": "STOPPED"}
    events = [
        event("+59m", "QueueManagerAltered", "QM1", values={"DESCR": "too early"}),
        event("+60m", "QueueManagerAltered", "QM1", values={"DESCR": "just so"}),
        event("+90m", "ObjectAltered", "QM2", **priority),
        event("+90m", "ObjectAltered", "QM3", **priority),
        event("+91m", "LinkChanged", "QM2", other="QM3", cut=True),
        event("+92m", "LinkChanged", "QM2", other="QM1", cut=True),
        event("+100m", "QueueManagerSuspended", "QM1", cluster="CA"),
        event("+2h", "ChannelStatusChanged", "QM2", **stop),
        fails("+2h"),
        event("+2h", "QueueManagerEnded", "QM2"),
    ]
    found = yield ask(before_outages, DAY, events, *KEY)
    outage = {"qmgr": "QM1", "channel": "CA.QM2", "outage_began": "2026-01-01T02:00:00"}

    def change(time: str, before: int, *rest: str) -> dict[str, Any]:
        words = ("changed_on", "kind", "name", "attribute", "what")
        instants = {"changed_at": f"2026-01-01T{time}:00", "seconds_before": before * 60.0}
        return {**outage, **instants, **dict(zip(words, rest, strict=True))}

    assert found == [
        change("02:00", 0, "QM2", "CHANNEL", "CA.QM2", "", "stopped"),
        change("01:40", 20, "QM1", "CLUSTER", "CA", "", "suspended"),
        change("01:30", 30, "QM2", "QUEUE", "Q", "CLWLPRTY", "altered"),
        change("01:30", 30, "QM2", "QUEUE", "Q", "DESCR", "altered"),
        change("01:00", 60, "QM1", "QMGR", "QM1", "DESCR", "altered"),
    ]


@together
def test_the_outage_itself_is_no_change_before_it() -> Asking:
    """Neither the cut of the link nor the end of the partner is listed as a change."""
    events = [
        event("+2h", "LinkChanged", "QM1", other="QM2", cut=True),
        event("+2h", "QueueManagerEnded", "QM2", failed=True),
        fails("+2h"),
    ]
    assert (yield ask(before_outages, DAY, events)) == []


@together
def test_the_hour_before_reaches_across_a_month_and_before_the_window() -> Asking:
    """The hour before may begin before the window; an outage that began earlier has no rows."""
    events = [
        fails("-30d23h"),
        event("-30d22h", "ChannelStatusChanged", "QM1", channel="CA.QM2", status="RUNNING"),
        event("-10m", "QueueManagerStarted", "QM2"),
        fails("+5m"),
    ]
    found = yield ask(before_outages, DAY, events)
    assert [(each["what"], each["seconds_before"]) for each in found] == [("started", 900.0)]


@pytest.mark.more
@together
def test_nothing_gives_no_changes_before_outages() -> Asking:
    """An empty log has no rows."""
    assert (yield ask(before_outages, DAY, [])) == []


@pytest.mark.parametrize("seed", seeds(20, 21))
@together
def test_the_same_changes_before_outages_come_from_sql(seed: int) -> Asking:
    """DuckDB gives the same rows for random events."""
    events = uproar(seed, count=1000, days=3, before=24)
    found = yield ask(before_outages, DAY, events)
    assert demand_rows_of_sql(BEFORE_OUTAGES, events, DAY, found) > 10
