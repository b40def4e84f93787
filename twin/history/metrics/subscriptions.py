"""What partial repositories asked for, went on asking for, and let go."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import day_of
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window

_ASKS: Final = "asks array<array<string>>"

_COUNTS: Final = {
    "made": "SubscriptionMade",
    "referenced": "SubscriptionReferenced",
    "renewed": "SubscriptionsRenewed",
    "lapsed": "SubscriptionsLapsed",
}
"""Which type of event is counted as what."""


def subscription_turnover(events: DataFrame, window: Window) -> DataFrame:
    """Say for each month how many subscriptions were made, used, renewed, and lapsed."""
    at, type_ = F.col("occurred_at"), F.col("type")
    many = F.size(F.from_json("body", _ASKS)["asks"])
    listed = type_.isin("SubscriptionsRenewed", "SubscriptionsLapsed")
    return (
        narrowed(events, "subscriptions")
        .where(type_.isin(*_COUNTS.values()))
        .where((at >= window.since) & (at < window.until))
        .select(
            F.trunc(day_of("occurred_at"), "month").alias("month"),
            "cluster",
            "qmgr",
            "type",
            F.when(listed, many).otherwise(1).alias("count"),
        )
        .groupBy("month", "cluster", "qmgr")
        .agg(
            *(
                F.sum(F.when(type_ == one, F.col("count")).otherwise(0)).alias(name)
                for name, one in _COUNTS.items()
            )
        )
    )


METRIC = Metric(
    name="subscription_turnover",
    title="Subscriptions",
    compute=subscription_turnover,
    says=(
        "How many subscriptions a partial repository made, used again for the first time since "
        "they were made or renewed, renewed at their check after 27 days, and let lapse."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that asks",
        "made": "subscriptions made",
        "referenced": "first uses of a subscription since it was made or renewed",
        "renewed": "subscriptions made again, as they were in use",
        "lapsed": "subscriptions that came to their end",
    },
)
