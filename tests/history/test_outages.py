"""Each outage of a cluster-sender, and each planned stop."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.history.commotion import demand_rows_of_sql, uproar
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.outages import OUTAGES, outages

WHERE: Final = {"qmgr": "QM1", "channel": "CA.QM2", "cluster": "CA", "partner": "QM2"}


def status(when: str, became: str, **fields: Any) -> dict[str, Any]:
    """Make a change of the status of QM1's channel to QM2."""
    fields = {"channel": "CA.QM2", "partner": "QM2", "status": became, **fields}
    return event(when, "ChannelStatusChanged", "QM1", **fields)


@together
def test_outages_that_touch_the_window_are_listed_with_their_part_in_it() -> Asking:
    """An outage that overlaps the window has its true begin and end, and its seconds inside."""
    receiver: dict[str, Any] = {"kind": "qmgr", "name": "CA.QM2", "values": {}}
    events = [
        event("+0h", "InformationPublished", "QM2", cluster="CA", records=[receiver]),
        status("+1h", "RETRYING", reason="AMQ9202"),
        status("+2h", "RUNNING"),
        status("+3h", "RETRYING", reason=""),
        status("+4h", "RETRYING", reason="AMQ9202", retries=[1, 60_000_000, 0, 1]),
        status("+6h", "STOPPED", reason="AMQ9202", partner=""),
        status("+8h", "INACTIVE"),
        status("+9h", "STOPPED", reason=""),
        status("+30d", "RETRYING", reason="AMQ9202"),
        status("+32d", "RUNNING"),
    ]
    assert (yield ask(outages, window("+5h", "+31d12h"), events, "began")) == [
        {
            **WHERE,
            "began": "2026-01-01T03:00:00",
            "ended": "2026-01-01T08:00:00",
            "seconds": 3 * 3600.0,
            "reason": "AMQ9202",
            "retries": 10 + 2 + 1,
            "planned": False,
            "cause": "unreachable",
        },
        {
            **WHERE,
            "began": "2026-01-01T09:00:00",
            "ended": "2026-01-31T00:00:00",
            "seconds": 29 * 86400.0 + 15 * 3600,
            "reason": None,
            "retries": 0,
            "planned": True,
            "cause": "stopped",
        },
        {
            **WHERE,
            "began": "2026-01-31T00:00:00",
            "ended": "2026-02-02T00:00:00",
            "seconds": 36 * 3600.0,
            "reason": "AMQ9202",
            "retries": 10 + 107,
            "planned": False,
            "cause": "unreachable",
        },
    ]


@together
def test_only_the_last_status_change_of_an_instant_counts() -> Asking:
    """Of several changes at one instant only the last counts."""
    events = [
        status("+1h", "RETRYING"),
        status("+1h", "RUNNING"),
        status("+2h", "RETRYING"),
        status("+3h", "RUNNING"),
        status("+3h", "BINDING"),
        status("+4h", "RUNNING"),
    ]
    found = yield ask(outages, window("+0h", "+40d"), events)
    assert [(each["began"], each["ended"]) for each in found] == [
        ("2026-01-01T02:00:00", "2026-01-01T04:00:00")
    ]


@together
def test_a_channel_that_gave_up_stays_so_after_a_restart() -> Asking:
    """A channel that gave up its retries stays so after its queue manager restarts.

    A channel that an operator stopped stays planned, before and after.
    """
    other = {"channel": "CA.QM3", "partner": "QM3"}
    events = [
        status("+1h", "RETRYING", reason="AMQ9202"),
        status("+1h", "STOPPED", reason="", **other),
        status("+2h", "STOPPED", reason="AMQ9202"),
        event("+3h", "QueueManagerEnded", "QM1"),
        event("+4h", "QueueManagerStarted", "QM1"),
        status("+6h", "RUNNING"),
        status("+7h", "RUNNING", **other),
    ]
    found = yield ask(outages, window("+0h", "+40d"), events, "channel", "began")
    assert [
        (
            each["partner"],
            each["began"][11:13],
            each["ended"][11:13],
            each["reason"],
            each["planned"],
        )
        for each in found
    ] == [
        ("QM2", "01", "03", "AMQ9202", False),
        ("QM2", "04", "06", "AMQ9202", False),
        ("QM3", "01", "03", None, True),
        ("QM3", "04", "07", None, True),
    ]


@together
def test_a_start_is_no_outage_unless_it_lasts() -> Asking:
    """A start of two minutes is none, one of three is, and a start in an outage is part of it."""
    events = [
        status("+1h", "STARTING"),
        status("+1h1m", "BINDING"),
        status("+1h2m", "RUNNING"),
        status("+2h", "STARTING"),
        status("+2h1m", "BINDING"),
        status("+2h3m", "RUNNING"),
        status("+3h", "BINDING"),
        status("+3h2m", "RETRYING", reason="AMQ9202"),
        status("+3h3m", "STARTING"),
        status("+3h4m", "RUNNING"),
    ]
    found = yield ask(outages, window("+0h", "+40d"), events, "began")
    assert [(each["began"][11:16], each["ended"][11:16]) for each in found] == [
        ("02:00", "02:03"),
        ("03:02", "03:04"),
    ]


@pytest.mark.parametrize(
    ("end", "back", "cause"),
    [
        ({}, "+20d", "ended"),
        ({}, "+31d", "lost"),
        ({"failed": True}, "+1d", "lost"),
        ({"failed": True, "suspended": True}, "+1d", "ended"),
        (None, "+1d", "unreachable"),
    ],
)
@together
def test_an_outage_is_planned_if_its_partner_ended_on_purpose(
    end: dict[str, bool] | None, back: str, cause: str
) -> Asking:
    """An end by command or while suspended is planned; one of 30 days is a loss."""
    failed = {name: value for name, value in (end or {}).items() if name == "failed"}
    suspended = "suspended" in (end or {})
    events = [
        *[event("+0h", "QueueManagerSuspended", "QM2", cluster="CA")] * suspended,
        *([] if end is None else [event("+1h", "QueueManagerEnded", "QM2", **failed)]),
        status("+3h", "RETRYING", reason="AMQ9202"),
        event(back, "QueueManagerStarted", "QM2"),
        status(back, "RUNNING"),
    ]
    (found,) = yield ask(outages, window("+0h", "+40d"), events)
    assert (found["cause"], found["planned"]) == (cause, cause == "ended")


@pytest.mark.parametrize(
    ("mode", "cluster", "resumed", "cause"),
    [
        ("FORCE", "CA", None, "suspended"),
        ("FORCE", "CA", "+1h30m", "unreachable"),
        ("FORCE", "CB", None, "unreachable"),
        ("QUIESCE", "CA", None, "unreachable"),
        (None, "CA", None, "suspended"),
    ],
)
@together
def test_a_suspension_by_force_makes_the_outages_at_partners_planned(
    mode: str | None, cluster: str, resumed: str | None, cause: str
) -> Asking:
    """SUSPEND QMGR MODE(FORCE) ends the channels to the queue manager, in that cluster only.

    Without a mode here, it comes from a backup that was restored.
    """
    receiver: dict[str, Any] = {"kind": "qmgr", "name": "CA.QM2", "values": {}}
    suspended = (
        event("+1h", "QueueManagerRestored", "QM2", suspended={"CA": "FORCE"})
        if mode is None
        else event("+1h", "QueueManagerSuspended", "QM2", cluster=cluster, mode=mode)
    )
    events = [
        event("+0h", "InformationPublished", "QM2", cluster="CA", records=[receiver]),
        suspended,
        *([] if resumed is None else [event(resumed, "QueueManagerResumed", "QM2", cluster="CA")]),
        status("+2h", "RETRYING", reason="AMQ9558"),
        event("+3h", "QueueManagerResumed", "QM2", cluster="CA"),
        status("+4h", "RUNNING"),
    ]
    (found,) = yield ask(outages, window("+0h", "+40d"), events)
    assert (found["cause"], found["planned"]) == (cause, cause == "suspended")


@pytest.mark.more
@together
def test_nothing_gives_no_outages() -> Asking:
    """An empty log has no rows."""
    assert (yield ask(outages, window("+0h", "+40d"), [])) == []


@pytest.mark.parametrize("seed", seeds(10, 11))
@together
def test_the_same_outages_come_from_sql(seed: int) -> Asking:
    """DuckDB gives the same rows for random events at both ends of the window."""
    events = uproar(seed, count=500, days=3, before=24)
    events += uproar(seed + 100, count=500, days=3, before=-38 * 24)
    span = window("+0h", "+40d")
    found = yield ask(outages, span, events)
    assert demand_rows_of_sql(OUTAGES, events, span, found) > 10
