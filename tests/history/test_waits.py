"""How long messages waited on transmission queues."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from tests.history.traffic import traffic
from twin.history.metrics.waiting import WAITS, waits


def share(count: int, channel: str, to: str = "QM2_ID", **fields: Any) -> dict[str, Any]:
    """Make a share as it is recorded."""
    return {"count": count, "to": to, "channel": channel, "lies_on": "X", "queue": "Q", **fields}


def put(when: str, *shares: dict[str, Any], qmgr: str = "QM1", fixed: str = "") -> dict[str, Any]:
    """Make a put."""
    return event(when, "MessagesPut", qmgr, queue="Q", shares=shares, fixed=fixed)


def sent(when: str, channel: str, count: int, **fields: Any) -> dict[str, Any]:
    """Make messages leave."""
    return event(when, "MessagesSent", "QM1", channel=channel, queue="X", count=count, **fields)


def moved(when: str, channel: str, *moves: tuple[int, dict[str, Any]]) -> dict[str, Any]:
    """Make a pass that moves messages of puts."""
    each = [{"put": of, "share": share_} for of, share_ in moves]
    return event(
        when,
        "MessagesReallocated",
        "QM1",
        channel=channel,
        queue="X",
        cause="retry",
        moves=each,
        stayed=0,
        interrupted=False,
    )


def row(month: str, channel: str, *values: float | None, qmgr: str = "QM1") -> dict[str, Any]:
    """Make a row of the metric."""
    names = ("messages", "waited_p50_s", "waited_p95_s", "waited_max_s", "still_waiting")
    return {
        "month": month,
        "qmgr": qmgr,
        "channel": channel,
        **dict(zip(names, values, strict=True)),
    }


@together
def test_messages_leave_in_order_and_waits_are_weighted_by_count() -> Asking:
    """The first messages in are the first out, and each wait is weighted by its messages."""
    events = [
        put("+0s", share(10, "CA.QM2")),
        put("+30s", share(5, "CA.QM2")),
        sent("+60s", "CA.QM2", 11),
        event("+60s", "MessagesSwitched", "QM1", channel="CA.QM2", count=4),
    ]
    assert (yield ask(waits, window("+0s", "+1h"), events)) == [
        row("2026-01-01", "CA.QM2", 11, 60.0, 60.0, 60.0, 4)
    ]


@together
def test_a_move_takes_of_its_put_and_the_wait_begins_anew() -> Asking:
    """A move takes messages of its put only, and their wait begins again."""
    events = [
        put("+0s", share(5, "CA.QM2"), fixed="bind-on-open"),
        put("+10s", share(4, "CA.QM2")),
        moved("+30s", "CA.QM2", (2, share(3, "CA.QM3")), (2, share(1, ""))),
        sent("+70s", "CA.QM3", 3),
        sent("+100s", "CA.QM2", 5),
    ]
    assert (yield ask(waits, window("+0s", "+1h"), events)) == [
        row("2026-01-01", "CA.QM2", 9, 100.0, 100.0, 100.0, 0),
        row("2026-01-01", "CA.QM3", 3, 40.0, 40.0, 40.0, 0),
    ]


@together
def test_messages_of_one_put_may_arrive_twice_and_be_moved_again() -> Asking:
    """Messages of one put that arrived over several channels can be moved again."""
    events = [
        put("+0s", share(3, "CA.QM2"), share(4, "CA.QM3")),
        put("+5s", share(2, "CA.QM4")),
        moved("+10s", "CA.QM2", (1, share(3, "CA.QM4"))),
        moved("+20s", "CA.QM3", (1, share(4, "CA.QM4"))),
        moved("+30s", "CA.QM4", (1, share(3, "CA.QM5")), (1, share(4, "CA.QM5"))),
        sent("+65s", "CA.QM4", 1),
        sent("+70s", "CA.QM5", 7),
    ]
    assert (yield ask(waits, window("+0s", "+1h"), events)) == [
        row("2026-01-01", "CA.QM2", 3, 10.0, 10.0, 10.0, 0),
        row("2026-01-01", "CA.QM3", 4, 20.0, 20.0, 20.0, 0),
        row("2026-01-01", "CA.QM4", 8, 10.0, 60.0, 60.0, 1),
        row("2026-01-01", "CA.QM5", 7, 40.0, 40.0, 40.0, 0),
    ]


@together
def test_a_wait_counts_whole_in_the_month_in_which_it_ended() -> Asking:
    """A wait counts completely in its last month; an open one in the window's last month."""
    events = [
        put("+30d", share(3, "CA.QM2")),
        sent("+30d", "CA.QM2", 1),
        sent("+32d", "CA.QM2", 1),
        put("+40d", share(7, "CA.QM3")),
        sent("+60d", "CA.QM2", 1),
    ]
    assert (yield ask(waits, window("+31d", "+59d"), events)) == [
        row("2026-02-01", "CA.QM2", 1, 172800.0, 172800.0, 172800.0, 1),
        row("2026-02-01", "CA.QM3", 0, None, None, None, 7),
    ]
    assert (yield ask(waits, window("+30d", "+90d"), events)) == [
        row("2026-01-01", "CA.QM2", 1, 0.0, 0.0, 0.0, 0),
        row("2026-02-01", "CA.QM2", 1, 172800.0, 172800.0, 172800.0, 0),
        row("2026-03-01", "CA.QM2", 1, 2592000.0, 2592000.0, 2592000.0, 0),
        row("2026-03-01", "CA.QM3", 0, None, None, None, 7),
    ]


@together
def test_messages_come_and_leave_in_many_ways() -> Asking:
    """Messages arrive and leave in every way; those that a receiver discards never waited here."""
    parcel = {"put": 1, "count": 2, "fixed": ""}
    events = [
        event(
            "+0s",
            "MessagesRedirected",
            "QM1",
            sender="QM0",
            channel="CA.QM1",
            parcels=[parcel, {"put": 2, "count": 3, "fixed": "named-qmgr"}],
            shares=[share(4, "CA.QM2"), share(1, "CA.QM3")],
        ),
        sent("+10s", "CA.QM2", 1),
        event(
            "+10s",
            "MessagesReturned",
            "QM1",
            channel="CA.QM2",
            queue="X",
            parcels=[{"put": 1, "count": 1, "fixed": ""}],
            reason=2051,
        ),
        event("+20s", "MessagesGot", "QM1", queue="X", channel="CA.QM2", count=3, spans=[[0, 3]]),
        event(
            "+25s",
            "MessagesLost",
            "QM1",
            queue="Q",
            channel="CA.QM2",
            sender="QM9",
            count=1,
            why="discarded",
        ),
        event("+30s", "MessagesLost", "QM1", queue="X", channel="CA.QM2", count=1, why="cleared"),
    ]
    assert (yield ask(waits, window("+0s", "+1h"), events)) == [
        row("2026-01-01", "CA.QM2", 5, 20.0, 20.0, 20.0, 0),
        row("2026-01-01", "CA.QM3", 0, None, None, None, 1),
    ]


@together
def test_nothing_gives_nothing() -> Asking:
    """An empty log has no rows."""
    assert (yield ask(waits, window("+0s", "+1h"), [put("+2h")])) == []


def test_sql_gives_the_same(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random messages."""
    events = traffic(spark, seed=1, count=700, days=70)
    assert demand_same_as_sql(WAITS, events, window("+20d", "+65d")) > 6
