"""How many instances of a queue were believed, and could be reached."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.history.commotion import demand_rows_of_sql
from tests.history.repositories import records
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.instances import METRIC, queue_instances

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR

ESTATE: Final = (
    event("-2d", "QueueManagerCreated", "QM1", qmid="ID.QM1"),
    event("-2d", "QueueManagerCreated", "QM2", qmid="ID.QM2"),
    event("-2d", "QueueManagerFirstSeen", "QM3", qmid="ID.QM3"),
    event("-2d", "QueueManagerStarted", "QM1"),
    event("-2d", "QueueManagerStarted", "QM2"),
)


def _published(
    when: str,
    qmgr: str,
    sequence: int,
    *queues: str,
    deleted: bool = False,
    put: str = "ENABLED",
) -> dict[str, Any]:
    records = [
        {"kind": kind, "name": name, "values": {"PUT": put}, "deleted": deleted}
        for kind, name in [("qmgr", f"TO.{qmgr}"), *(("queue", each) for each in queues)]
    ]
    fields: dict[str, Any] = {
        "qmid": f"ID.{qmgr}",
        "cluster": "CA",
        "sequence": sequence,
        "records": records,
    }
    return event(when, "InformationPublished", qmgr, **fields)


def _again(when: str, qmgr: str, sequence: int, *queues: str) -> dict[str, Any]:
    names = [["qmgr", f"TO.{qmgr}"], *(["queue", each] for each in queues)]
    fields: dict[str, Any] = {
        "qmid": f"ID.{qmgr}",
        "cluster": "CA",
        "sequence": sequence,
        "names": names,
    }
    return event(when, "InformationRepublished", qmgr, **fields)


def _items(*items: tuple[str, int], only: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    named = [["queue", each] for each in only] or None
    return [{"owner": f"ID.{owner}", "sequence": each, "only": named} for owner, each in items]


def _received(
    when: str, qmgr: str, *items: tuple[str, int], only: tuple[str, ...] = ()
) -> dict[str, Any]:
    told_of = _items(*items, only=only)
    return event(when, "InformationReceived", qmgr, cluster="CA", sender="FR1", items=told_of)


def _lost(when: str, qmgr: str, *items: tuple[str, int]) -> dict[str, Any]:
    return event(when, "InformationRemoved", qmgr, cluster="CA", items=_items(*items))


def _status(when: str, qmgr: str, partner: str, status: str) -> dict[str, Any]:
    named = "" if status == "INACTIVE" else partner
    fields: dict[str, Any] = {"channel": f"TO.{partner}", "status": status, "partner": named}
    return event(when, "ChannelStatusChanged@2", qmgr, **fields)


def _day(
    day: str,
    queue: str,
    observers: int,
    believed: tuple[int | None, int | None],
    reachable: tuple[int | None, int | None],
    few: tuple[float, float],
) -> dict[str, Any]:
    return {
        "day": day,
        "cluster": "CA",
        "queue": queue,
        "observers": observers,
        "believed_least": believed[0],
        "believed_most": believed[1],
        "reachable_least": reachable[0],
        "reachable_most": reachable[1],
        "one_or_none_s": few[0],
        "none_s": few[1],
    }


@together
def test_a_channel_that_retries_takes_an_instance_away() -> Asking:
    """An instance whose channel retries is unreachable; its time is cut to window and day."""
    events = [
        *ESTATE,
        _published("-1d", "QM1", 1, "Q"),
        _published("-1d", "QM2", 1, "Q", "R"),
        _received("-1d", "QM3", ("QM1", 1), ("QM2", 1), only=("Q",)),
        _received("+6h", "QM1", ("QM2", 1), only=("Q",)),
        _status("+12h", "QM3", "QM1", "RETRYING"),
        _status("+18h", "QM3", "QM2", "RETRYING"),
        _status("+20h", "QM3", "QM2", "RUNNING"),
        _status("+26h", "QM3", "QM1", "INACTIVE"),
        _status("+47h", "QM3", "QM1", "STOPPED"),
    ]
    found = yield ask(queue_instances, window("+3h", "+50h"), events, "queue", "day")
    assert found == [
        # QM2 knows only its own instances, and never asked for a queue: it could not choose.
        _day("2026-01-01", "Q", 2, (2, 2), (0, 2), (12 * HOUR, 2 * HOUR)),
        _day("2026-01-02", "Q", 2, (2, 2), (1, 2), (3 * HOUR, 0.0)),
        _day("2026-01-03", "Q", 2, (2, 2), (1, 2), (2 * HOUR, 0.0)),
    ]


@together
def test_an_owner_that_asked_for_the_queue_counts() -> Asking:
    """An owner that subscribed to the queue could choose: it has one instance until it hears."""
    events = [
        *ESTATE,
        _published("-1d", "QM1", 1, "Q"),
        _published("-1d", "QM2", 1, "Q"),
        event("+1h", "SubscriptionMade", "QM1", cluster="CA", kind="queue", name="Q"),
        _received("+2h", "QM1", ("QM2", 1)),
    ]
    assert (yield ask(queue_instances, window("+0h", "+10h"), events)) == [
        _day("2026-01-01", "Q", 1, (1, 2), (1, 2), (HOUR, 0.0))
    ]


@together
def test_an_instance_that_is_put_disabled_cannot_be_chosen() -> Asking:
    """An observer has one instance less from the instant at which it hears of PUT(DISABLED).

    A republication, which names records only, does not enable it again.
    """
    events = [
        *ESTATE,
        _published("-1d", "QM1", 1, "Q"),
        _published("-1d", "QM2", 1, "Q"),
        _received("-1d", "QM3", ("QM1", 1), ("QM2", 1)),
        _published("+1h", "QM1", 2, "Q", put="DISABLED"),
        _received("+2h", "QM3", ("QM1", 2)),
        _again("+3h", "QM1", 3, "Q"),
        _received("+3h", "QM3", ("QM1", 3)),
        _published("+5h", "QM2", 2, "Q", put="DISABLED"),
        _received("+5h", "QM3", ("QM2", 2)),
        _status("+5h", "QM3", "QM2", "RETRYING"),
        _status("+6h", "QM3", "QM2", "RUNNING"),
        _published("+7h", "QM2", 3, "Q"),
        _received("+7h", "QM3", ("QM2", 3)),
        _published("+9h", "QM1", 4, "Q"),
        _received("+9h", "QM3", ("QM1", 4)),
    ]
    assert (yield ask(queue_instances, window("+0h", "+10h"), events)) == [
        _day("2026-01-01", "Q", 1, (2, 2), (0, 2), (7 * HOUR, 2 * HOUR))
    ]


@together
def test_a_restored_record_is_put_disabled_as_in_the_backup() -> Asking:
    """A record in a backup has the attributes of its publication."""

    def restored(when: str, sequence: int) -> dict[str, Any]:
        kept = {"cluster": "CA", "owner": "ID.QM1", "sequence": sequence}
        records = [{**kept, "records": [{"kind": "queue", "name": "Q"}]}]
        return event(when, "QueueManagerRestored", "QM3", records=records, requests=[])

    events = [
        *ESTATE,
        _published("-2h", "QM1", 1, "Q"),
        _published("-1h", "QM1", 2, "Q", put="DISABLED"),
        restored("+0h", 2),
        event("+0h", "QueueManagerStarted", "QM3"),
        restored("+2h", 1),
        event("+2h", "QueueManagerStarted", "QM3"),
    ]
    assert (yield ask(queue_instances, window("+0h", "+10h"), events)) == [
        _day("2026-01-01", "Q", 1, (1, 1), (0, 1), (10 * HOUR, 2 * HOUR))
    ]


@together
def test_a_queue_manager_that_is_down_is_not_counted() -> Asking:
    """A queue manager that is down is not counted; its retries end, its STOPPED channels stay."""
    events = [
        *ESTATE,
        _published("-1d", "QM1", 1, "Q"),
        _received("-1d", "QM3", ("QM1", 1)),
        event("-1d", "QueueManagerEnded", "QM1"),
        _status("+1h", "QM3", "QM1", "RETRYING"),
        event("+2h", "QueueManagerEnded", "QM3"),
        event("+4h", "QueueManagerStarted", "QM3"),
        _status("+6h", "QM3", "QM1", "STOPPED"),
        event("+7h", "QueueManagerEnded", "QM3"),
        event("+8h", "QueueManagerStarted", "QM3"),
        _status("+9h", "QM3", "QM1", "RUNNING"),
    ]
    assert (yield ask(queue_instances, window("+0h", "+10h"), events)) == [
        _day("2026-01-01", "Q", 1, (1, 1), (0, 1), (7 * HOUR, 3 * HOUR))
    ]


@together
def test_a_removal_takes_what_is_held_of_that_publication() -> Asking:
    """A removed record is missed while a subscription to it lasts, and may come again."""
    events = [
        *ESTATE,
        _published("-1d", "QM1", 1, "Q", "R"),
        event("-1d", "SubscriptionMade", "QM3", cluster="CA", kind="queue", name="Q"),
        event("-1d", "SubscriptionMade", "QM3", cluster="CA", kind="queue", name="NONE"),
        _received("-1d", "QM3", ("QM1", 1)),
        _again("-23h", "QM1", 2, "R"),
        event("-22h", "QueueManagerDeleted", "QM1"),
        _received("-22h", "QM3", ("QM1", 2)),
        _lost("+1h", "QM3", ("QM1", 1)),
        _lost("+30h", "QM3", ("QM1", 2)),
        event("+54h", "SubscriptionsLapsed", "QM3", cluster="CA", asks=[["queue", "Q"]]),
    ]
    found = yield ask(queue_instances, window("+0h", "+72h"), events, "queue", "day")
    assert found == [
        _day("2026-01-01", "Q", 1, (1, 1), (1, 1), (DAY, 23 * HOUR)),
        _day("2026-01-02", "Q", 0, (None, None), (None, None), (DAY, DAY)),
        _day("2026-01-03", "Q", 0, (None, None), (None, None), (6 * HOUR, 6 * HOUR)),
        _day("2026-01-01", "R", 1, (1, 1), (1, 1), (DAY, 0.0)),
        _day("2026-01-02", "R", 1, (1, 1), (1, 1), (6 * HOUR, 0.0)),
    ]


@together
def test_deletions_refreshes_and_forced_removals_end_belief() -> Asking:
    """A deletion, refresh or forced removal ends a belief, in the order of the log."""
    refresh: dict[str, Any] = {"cluster": "CA", "dropped": _items(("QM1", 3))}
    events = [
        *ESTATE,
        _published("-3h", "QM1", 1, "A", "B", "C", "D"),
        _published("-2h", "QM1", 2, "A", deleted=True),
        _again("-1h", "QM1", 3, "B"),
        event("-1h", "QueueManagerDeleted", "QM1"),
        _received("+0h", "QM3", ("QM1", 1)),
        _received("+1h", "QM3", ("QM1", 2)),
        _received("+2h", "QM3", ("QM1", 3)),
        event("+3h", "RepositoryRefreshed", "QM3", **refresh),
        event("+4h", "MemberForceRemoved", "QM3", cluster="CA", member="ID.QM1", queues=False),
        event("+5h", "MemberForceRemoved", "QM3", cluster="CA", member="ID.QM1", queues=True),
        _received("+5h", "QM3", ("QM1", 1), only=("C",)),
        event("+6h", "QueueManagerDeleted", "QM3"),
    ]
    found = yield ask(queue_instances, window("+0h", "+10h"), events, "queue")
    assert [(row["queue"], row["observers"], row["one_or_none_s"]) for row in found] == [
        ("A", 1, HOUR),
        ("B", 1, 3 * HOUR),
        ("C", 1, 6 * HOUR),
        ("D", 1, 5 * HOUR),
    ]


@together
def test_where_nothing_is_held_there_are_no_rows() -> Asking:
    """A subscription to a queue without any record has no rows."""
    asked = event("+0h", "SubscriptionMade", "QM3", cluster="CA", kind="queue", name="Q")
    assert (yield ask(queue_instances, window("+0h", "+10h"), [*ESTATE, asked])) == []


@pytest.mark.parametrize(
    ("seed", "count"), [(9, 800), pytest.param(8, 250, marks=pytest.mark.more)]
)
@together
def test_instances_are_the_same_in_sql(seed: int, count: int) -> Asking:
    """DuckDB gives the same rows for random events."""
    events, span = records(seed, count=count, days=30, before=20 * 24), window("+0h", "+72h")
    found = yield ask(queue_instances, span, events)
    assert demand_rows_of_sql(METRIC, events, span, found) > 10
