"""The status of cluster-senders over time, how often they failed, and how soon they ran again."""

from __future__ import annotations

from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from tests.history.commotion import demand_rows_of_sql, uproar
from tests.history.scene import event, rows, told, window
from tests.history.together import Asking, ask, together
from tests.laws import seeds
from twin.history.metrics.channel_status import (
    METRICS,
    channel_status_days,
    channel_status_months,
)

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
DEFINED: Final[dict[str, Any]] = {"kind": "CHANNEL", "values": {"CLUSTER": "CA"}}
NOTHING: Final = {
    "qmgr": "QM1",
    "channel": "CA.QM2",
    "cluster": None,
    "partner": "QM2",
    "running_s": 0.0,
    "retrying_s": 0.0,
    "stopped_s": 0.0,
    "inactive_s": 0.0,
    "starting_s": 0.0,
    "other_s": 0.0,
    "ended_s": 0.0,
    "unknown_s": 0.0,
    "availability": None,
    "outages": 0,
    "retries": 0,
    "flaps": 0,
    "mtbf_s": None,
    "mttr_s": None,
    "longest_outage_s": 0.0,
}


def status(when: str, became: str, **fields: Any) -> dict[str, Any]:
    """Make a change of the status of QM1's channel to QM2."""
    told_why = {"reason": "AMQ9202"} if became == "RETRYING" else {}
    fields = {"channel": "CA.QM2", "partner": "QM2", "status": became, **told_why, **fields}
    return event(when, "ChannelStatusChanged", "QM1", **fields)


@together
def test_an_outage_counts_where_it_begins_and_is_repaired_where_it_ends() -> Asking:
    """An outage is divided at midnight, counted on its first day, and repaired on its last."""
    events = [
        status("+12h", "RUNNING"),
        status("+23h", "RETRYING"),
        status("+26h", "RUNNING"),
    ]
    assert (yield ask(channel_status_days, window("+6h", "+36h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "running_s": 11 * HOUR,
            "retrying_s": HOUR,
            "availability": 11 / 12,
            "outages": 1,
            "retries": 10 + 2,
            "mtbf_s": 11 * HOUR,
            "longest_outage_s": HOUR,
        },
        {
            **NOTHING,
            "day": "2026-01-02",
            "running_s": 10 * HOUR,
            "retrying_s": 2 * HOUR,
            "availability": 10 / 12,
            "retries": 6,
            "mttr_s": 3 * HOUR,
            "longest_outage_s": 2 * HOUR,
        },
    ]


@together
def test_an_outage_counts_only_for_its_part_in_the_window() -> Asking:
    """An outage from before the window is not counted as begun; an open one lasts to its end."""
    events = [status("+0h", "RETRYING", retries=[1, 60_000_000, 2, 3_600_000_000])]
    assert (yield ask(channel_status_days, window("+1h", "+3h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "retrying_s": 2 * HOUR,
            "availability": 0.0,
            "retries": 2,
            "longest_outage_s": 2 * HOUR,
        },
    ]


@together
def test_a_month_has_what_an_outage_over_its_boundary_lasted_in_it() -> Asking:
    """An outage across a month's end is begun in one month, repaired in the next, timed in both."""
    events = [
        event("+0h", "ObjectDefined", "QM1", name="CA.QM2", type="CLUSSDR", **DEFINED),
        status("+30d", "RETRYING"),
        status("+33d", "RUNNING"),
    ]
    january, february = yield ask(channel_status_months, window("+1d", "+41d"), events, "month")
    assert january == {
        **NOTHING,
        "month": "2026-01-01",
        "cluster": "CA",
        "inactive_s": 29 * DAY,
        "retrying_s": DAY,
        "availability": 29 / 30,
        "outages": 1,
        "retries": 10 + 71,
        "mtbf_s": 29 * DAY,
        "longest_outage_s": DAY,
    }
    assert february == {
        **NOTHING,
        "month": "2026-02-01",
        "cluster": "CA",
        "running_s": 8 * DAY,
        "retrying_s": 2 * DAY,
        "availability": 0.8,
        "retries": 2 * 72,
        "mttr_s": 3 * DAY,
        "longest_outage_s": 2 * DAY,
    }


@together
def test_a_stop_is_no_outage_unless_the_channel_had_failed() -> Asking:
    """A STOP of a running channel is not an outage; a STOP of a retrying channel is part of one."""
    events = [
        status("+0h", "RUNNING"),
        status("+1h", "STOPPED"),
        status("+2h", "INACTIVE", partner=""),
        status("+2h", "RUNNING"),
        status("+3h", "RETRYING"),
        status("+4h", "STOPPED"),
        status("+6h", "RUNNING"),
    ]
    assert (yield ask(channel_status_days, window("+0h", "+12h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "running_s": 8 * HOUR,
            "retrying_s": HOUR,
            "stopped_s": 3 * HOUR,
            "availability": 8 / 12,
            "outages": 1,
            "retries": 12,
            "mtbf_s": 8 * HOUR,
            "mttr_s": 3 * HOUR,
            "longest_outage_s": 3 * HOUR,
        },
    ]


@together
def test_an_outage_soon_after_the_return_from_another_is_a_flap() -> Asking:
    """An outage less than ten minutes after another is a flap; a start that fails is none."""
    events = [
        status("+0m", "RETRYING"),
        status("+30m", "INACTIVE"),
        status("+30m", "RETRYING"),
        status("+60m", "RUNNING"),
        status("+69m", "RETRYING"),
        status("+70m", "RUNNING"),
        status("+80m", "RETRYING"),
        status("+90m", "RUNNING"),
    ]
    assert (yield ask(channel_status_days, window("+0h", "+12h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "running_s": 649 * 60.0,
            "retrying_s": 71 * 60.0,
            "availability": 649 / 720,
            "outages": 3,
            "retries": 10 + 10 + 0 + 9,
            "flaps": 1,
            "mtbf_s": 649 * 20.0,
            "mttr_s": 71 * 20.0,
            "longest_outage_s": HOUR,
        },
    ]


@together
def test_the_end_of_a_queue_manager_takes_its_channels_down_but_is_no_outage() -> Asking:
    """The end of a queue manager is no outage of its channels, which are INACTIVE afterwards."""
    events = [
        status("+0h", "RUNNING"),
        status("+0h", "STOPPED", channel="CA.QM3", partner="QM3"),
        event("+2h", "QueueManagerEnded", "QM1"),
        event("+4h", "QueueManagerStarted", "QM1"),
        event("+5h", "QueueManagerEnded", "QM1"),
        event("+6h", "QueueManagerDeleted", "QM1"),
    ]
    assert (yield ask(channel_status_days, window("+0h", "+12h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "running_s": 2 * HOUR,
            "inactive_s": HOUR,
            "ended_s": 3 * HOUR,
            "availability": 1.0,
        },
        {
            **NOTHING,
            "day": "2026-01-01",
            "channel": "CA.QM3",
            "partner": "QM3",
            "stopped_s": 3 * HOUR,
            "ended_s": 3 * HOUR,
            "availability": 0.0,
        },
    ]


@together
def test_only_who_runs_again_is_repaired() -> Asking:
    """An outage that ends with its queue manager is not repaired, and not in the mean."""
    events = [
        status("+0h", "RUNNING"),
        status("+1h", "RETRYING"),
        status("+2h", "RUNNING"),
        status("+3h", "RETRYING"),
        event("+6h", "QueueManagerEnded", "QM1"),
    ]
    (found,) = yield ask(channel_status_days, window("+0h", "+12h"), events)
    assert (found["outages"], found["retrying_s"]) == (2, 4 * HOUR)
    assert found["mttr_s"] == HOUR


@together
def test_receiving_ends_and_deleted_channels_do_not_count() -> Asking:
    """A receiving end is not counted; a deleted channel is counted while it has a status."""
    events = [
        event("+0h", "ObjectDefined", "QM1", name="CA.QM1", type="CLUSRCVR", **DEFINED),
        status("+1h", "STOPPED", channel="CA.QM1", partner=""),
        event("+1h", "ObjectDefined", "QM1", name="CA.QM2", type="CLUSSDR", **DEFINED),
        status("+2h", "RUNNING"),
        event("+3h", "ObjectDeleted", "QM1", kind="CHANNEL", name="CA.QM2"),
        status("+4h", "INACTIVE", partner=""),
    ]
    assert (yield ask(channel_status_days, window("+0h", "+12h"), events)) == [
        {
            **NOTHING,
            "day": "2026-01-01",
            "cluster": "CA",
            "running_s": 2 * HOUR,
            "inactive_s": HOUR,
            "availability": 1.0,
        },
    ]


@together
def test_the_cluster_is_the_one_in_which_the_partner_published_its_receiver() -> Asking:
    """A channel belongs to the cluster in which its partner published the receiver."""
    receiver: dict[str, Any] = {"kind": "qmgr", "name": "CA.QM2", "values": {}}
    events = [
        event("+0h", "InformationPublished", "QM2", cluster="CZ", records=[receiver]),
        event("+0h", "InformationPublished", "QM7", cluster="CA", records=[receiver]),
        status("+0h", "RUNNING"),
    ]
    days = yield ask(channel_status_days, window("+0h", "+12h"), events)
    assert [(day["cluster"], day["partner"]) for day in days] == [("CZ", "QM2")]


@together
def test_retries_without_a_pause_are_over_at_once() -> Asking:
    """A channel with SHORTTMR(0) and LONGTMR(0) gives up in the instant it fails."""
    events = [
        status("+1h", "RETRYING", retries=[3, 0, 2, 0]),
        status("+2h", "STOPPED", reason="AMQ9202"),
    ]
    (day,) = yield ask(channel_status_days, window("+0h", "+12h"), events)
    assert (day["retries"], day["outages"], day["longest_outage_s"]) == (5, 1, 11 * HOUR)


@pytest.mark.more
def test_nothing_gives_no_rows(spark: SparkSession) -> None:
    """An empty log has no rows."""
    for metric in METRICS:
        assert rows(metric.compute(told(spark), window("+0h", "+1d"))) == []


@pytest.mark.parametrize("seed", seeds(0, 1, 2))
@together
def test_the_same_days_come_from_sql(seed: int) -> Asking:
    """DuckDB gives the same rows for random events, by day."""
    events, span = uproar(seed, count=1000, days=5, before=48), window("+6h", "+36h")
    found = yield ask(channel_status_days, span, events)
    assert demand_rows_of_sql(METRICS[0], events, span, found) > 10


@pytest.mark.parametrize("seed", seeds(0, 1, 2))
@together
def test_the_same_months_come_from_sql(seed: int) -> Asking:
    """DuckDB gives the same rows for random events, by month."""
    events, span = uproar(seed, count=1000, days=60, before=240), window("+1d", "+41d")
    found = yield ask(channel_status_months, span, events)
    assert demand_rows_of_sql(METRICS[1], events, span, found) > 10
