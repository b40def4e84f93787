"""The subscriptions of partial repositories: made, used, renewed and lapsed."""

from __future__ import annotations

from pyspark.sql import SparkSession

from tests.history.commotion import demand_same_as_sql
from tests.history.repositories import repositories
from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.renewals import SUBSCRIPTIONS, subscription_turnover


@together
def test_subscriptions_are_counted_one_by_one() -> Asking:
    """Each subscription that is renewed or lapses is counted; the window's end is excluded."""
    asks = [["queue", "A"], ["qmgr", "A"], ["queue", "B"]]
    events = [
        event("+1d", "SubscriptionMade", "QM1", cluster="CA", kind="queue", name="Z"),
        event("+2d", "SubscriptionMade", "QM1", cluster="CA", kind="queue", name="A"),
        event("+2d", "SubscriptionMade", "QM1", cluster="CA", kind="qmgr", name="A"),
        event("+2d", "SubscriptionReferenced", "QM1", cluster="CA", kind="queue", name="A"),
        event("+2d", "SubscriptionMade", "QM1", cluster="CB", kind="queue", name="A"),
        event("+30d", "SubscriptionsRenewed", "QM1", cluster="CA", asks=asks),
        event("+31d", "SubscriptionsLapsed", "QM1", cluster="CA", asks=asks[:2]),
        event("+40d", "SubscriptionMade", "QM1", cluster="CA", kind="queue", name="C"),
    ]
    nothing = {"qmgr": "QM1", "made": 0, "referenced": 0, "renewed": 0, "lapsed": 0}
    assert (yield ask(subscription_turnover, window("+2d", "+40d"), events)) == [
        {
            **nothing,
            "month": "2026-01-01",
            "cluster": "CA",
            "made": 2,
            "referenced": 1,
            "renewed": 3,
        },
        {**nothing, "month": "2026-01-01", "cluster": "CB", "made": 1},
        {**nothing, "month": "2026-02-01", "cluster": "CA", "lapsed": 2},
    ]


@together
def test_without_a_subscription_there_are_no_rows() -> Asking:
    """A subscription that a full repository receives is not counted."""
    noted = event("+3d", "SubscriptionReceived", "FR1", cluster="CA", subscriber="I", asks=[])
    assert (yield ask(subscription_turnover, window("+2d", "+40d"), [noted])) == []


def test_subscriptions_are_the_same_in_sql(spark: SparkSession) -> None:
    """DuckDB gives the same rows for random events."""
    events = repositories(spark, 2, count=400, days=90)
    assert demand_same_as_sql(SUBSCRIPTIONS, events, window("+10d", "+80d")) > 10
