"""Outages grouped by common cause."""

from __future__ import annotations

from typing import Any

import pytest

from tests.history.commotion import demand_rows_of_sql, uproar
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.incidents import METRIC, incidents


def status(when: str, qmgr: str, partner: str, became: str = "RETRYING") -> dict[str, Any]:
    """Change the status of a queue manager's channel to a partner."""
    fields: dict[str, Any] = {"channel": f"CA.{partner}", "partner": partner, "status": became}
    if became == "RETRYING":
        fields["reason"] = "AMQ9202"
    return event(when, "ChannelStatusChanged", qmgr, **fields)


@together
def test_a_lost_queue_manager_is_one_incident() -> Asking:
    """All channels to it, and its own, are one row, though the others are lost for it, too."""
    others = [f"QM{number}" for number in range(1, 8)]
    events = [
        *(status(f"-{120 - number}m", each, "LOST") for number, each in enumerate(others)),
        *(status("-2h", "LOST", each) for each in others[:2]),
        event("-1h", "MessagesPut", "QM1", shares=[{"count": 5, "channel": "CA.LOST"}]),
        *(status("+2h", each, "LOST", "RUNNING") for each in others),
        event("+2h", "MessagesSent", "QM1", channel="CA.LOST", count=5),
        *(status("+3h", "LOST", each, "RUNNING") for each in others[:2]),
    ]
    (found,) = yield ask(incidents, window("+0h", "+1d"), events)
    assert found == {
        "began": "2025-12-31T22:00:00",
        "ended": "2026-01-01T03:00:00",
        "ongoing": False,
        "planned": False,
        "cause": "unreachable",
        "partner": "LOST",
        "qmgr": None,
        "channel": None,
        "cluster": None,
        "qmgrs": 7,
        "channels": 9,
        "outages": 9,
        "seconds": 3 * 3600.0,
        "channel_hours": 7 * 2.0 + 2 * 3.0,
        "messages": 5,
        "reason": "AMQ9202",
    }


@together
def test_a_flapping_channel_is_one_incident() -> Asking:
    """Outages less than ten minutes apart are one; later ones and planned ones are others."""
    events = [
        *(status(f"+{5 * n}m", "QM1", "QM2", ("RUNNING", "RETRYING")[n % 2]) for n in range(9)),
        status("+1h", "QM1", "QM2"),
        status("+2h", "QM1", "QM2", "RUNNING"),
        status("+3h", "QM1", "QM2", "STOPPED"),
    ]
    found = yield ask(incidents, window("+0h", "+1d"), events, "began")
    assert [(each["outages"], each["channel_hours"], each["planned"]) for each in found] == [
        (4, pytest.approx(1 / 3), False),
        (1, 1.0, False),
        (1, 21.0, True),
    ]
    assert [each["ongoing"] for each in found] == [False, False, True]
    assert [each["channel"] for each in found] == ["CA.QM2"] * 3


@together
def test_a_channel_that_is_down_for_months_joins_no_later_outages() -> Asking:
    """A long outage is one incident, and the outages that begin while it lasts are others."""
    events = [
        status("-40d", "QM1", "QM9"),
        status("+1h", "QM2", "QM9"),
        status("+1h30m", "QM3", "QM9"),
        status("+2h", "QM2", "QM9", "RUNNING"),
        status("+3h", "QM3", "QM9", "RUNNING"),
        status("+20h", "QM2", "QM9"),
        status("+21h", "QM2", "QM9", "RUNNING"),
        status("+50d", "QM1", "QM9", "RUNNING"),
    ]
    found = yield ask(incidents, window("+0h", "+1d"), events, "began")
    assert [(each["qmgr"], each["channels"], each["channel_hours"]) for each in found] == [
        ("QM1", 1, 24.0),
        (None, 2, 1.0 + 1.5),
        ("QM2", 1, 1.0),
    ]


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        (("QueueManagerEnded", {"failed": True}), "lost"),
        (("QueueManagerEnded", {}), "ended"),
        (("QueueManagerSuspended", {"cluster": "CA", "mode": "FORCE"}), "suspended"),
    ],
)
@together
def test_an_idle_channel_that_notices_late_is_in_the_same_incident(
    what: tuple[str, dict[str, Any]], cause: str
) -> Asking:
    """If it is known when the partner went, channels that notice hours later are in one row."""
    receiver: dict[str, Any] = {"kind": "qmgr", "name": "CA.QM9", "values": {}}
    type_, fields = what
    events = [
        event("+0h", "InformationPublished", "QM9", cluster="CA", records=[receiver]),
        event("+1h", type_, "QM9", **fields),
        status("+1h1m", "QM1", "QM9"),
        status("+9h", "QM2", "QM9"),
    ]
    (found,) = yield ask(incidents, window("+0h", "+1d"), events)
    assert (found["cause"], found["qmgrs"], found["planned"]) == (cause, 2, cause != "lost")


@together
def test_two_that_lose_each_other_are_one_incident() -> Asking:
    """The incident of a link is about one of its ends; the other end is its only sender."""
    events = [status("+1h", "QM2", "QM1"), status("+1h", "QM1", "QM2")]
    (found,) = yield ask(incidents, window("+0h", "+1d"), events)
    assert (found["partner"], found["qmgr"], found["channels"]) == ("QM1", "QM2", 2)


@together
def test_a_message_that_left_at_once_did_not_wait() -> Asking:
    """A message counts only if it lay on the queue while the channel was down."""
    put: dict[str, Any] = {"shares": [{"count": 1, "channel": "CA.QM2"}]}
    sent: dict[str, Any] = {"channel": "CA.QM2", "count": 1}
    events = [
        event("+1m", "MessagesPut", "QM1", **put),
        event("+1m", "MessagesSent", "QM1", **sent),
        status("+1h", "QM1", "QM2"),
        status("+2h", "QM1", "QM2", "RUNNING"),
        event("+3h", "MessagesPut", "QM1", **put),
    ]
    (found,) = yield ask(incidents, window("+0h", "+1d"), events)
    assert found["messages"] == 0


@pytest.mark.parametrize("seed", seeds(30, 31))
@together
def test_the_same_incidents_come_from_sql(seed: int) -> Asking:
    """DuckDB gives the same rows for random events."""
    events, span = uproar(seed, count=600, days=3, before=24), window("+0h", "+1d")
    found = yield ask(incidents, span, events)
    assert demand_rows_of_sql(METRIC, events, span, found) > 1
