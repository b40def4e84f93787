"""What queue managers let expire and removed, and which owners came back."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import day_of
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window

_EXPIRED: Final = "InformationExpired"
_REMOVED: Final = "InformationRemoved"
_RECEIVED: Final = "InformationReceived"
_ITEMS: Final = "items array<struct<owner string, only array<array<string>>>>"


def losses(events: DataFrame, window: Window) -> DataFrame:
    """Say for each month what expired and was removed at a queue manager, and what returned."""
    before = (
        Over.partitionBy("qmgr", "cluster", "owner")
        .orderBy("occurred_at", "position")
        .rowsBetween(Over.unboundedPreceding, -1)
    )
    expired, removed = F.col("type") == _EXPIRED, F.col("type") == _REMOVED
    last = F.last(F.when(~expired, F.col("type")), ignorenulls=True).over(before)
    returned = (F.col("type") == _RECEIVED) & (F.col("last") == _REMOVED)
    records = F.coalesce(F.size("only"), F.lit(0))
    return (
        _items(events, window)
        .withColumn("last", last)
        .where((F.col("occurred_at") >= window.since) & (expired | removed | returned))
        .groupBy(F.trunc(day_of("occurred_at"), "month").alias("month"), "cluster", "qmgr")
        .agg(
            F.count(F.when(expired, 1)).alias("expiries"),
            F.sum(F.when(expired, records).otherwise(0)).alias("expired_records"),
            F.count(F.when(removed, 1)).alias("removals"),
            F.sum(F.when(removed, records).otherwise(0)).alias("removed_records"),
            F.count_distinct(F.when(removed, F.col("owner"))).alias("owners_lost"),
            F.count(F.when(returned, 1)).alias("returns"),
        )
    )


def _items(events: DataFrame, window: Window) -> DataFrame:
    """Return the items of what expired, was removed and was received."""
    items = F.from_json("body", _ITEMS)["items"]
    return (
        narrowed(events, "repository")
        .where(F.col("type").isin(_EXPIRED, _REMOVED, _RECEIVED))
        .where(F.col("occurred_at") < window.until)
        .select("qmgr", "cluster", "type", "occurred_at", "position", items.alias("items"))
        .select("qmgr", "cluster", "type", "occurred_at", "position", F.inline("items"))
    )


METRIC = Metric(
    name="losses",
    title="Expiries, removals and returns",
    compute=losses,
    says=(
        "What a queue manager held that was not renewed for 30 days and expired, or for 90 and "
        "was removed. An item is what is held of one publication of an owner. An owner returns "
        "as it is received for the first time after something of it was removed there."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that held it",
        "expiries": "items that expired",
        "expired_records": "records that these items name; those of whole publications name none",
        "removals": "items that were removed",
        "removed_records": "records that these items name; those of whole publications name none",
        "owners_lost": "different owners of which something was removed",
        "returns": "how often an owner was received again after that, in any earlier month too",
    },
)
