"""The warnings that records were not renewed."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import day_of
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window


def renewal_warnings(events: DataFrame, window: Window) -> DataFrame:
    """Say for each month how often a queue manager warned that records were not renewed."""
    at = F.col("occurred_at")
    return (
        narrowed(events, "repository")
        .where(F.col("type") == "RenewalOverdue")
        .where((at >= window.since) & (at < window.until))
        .select(
            F.trunc(day_of("occurred_at"), "month").alias("month"),
            "cluster",
            "qmgr",
            "message_id",
            "owner",
            "days",
            "days_left",
        )
        .groupBy("month", "cluster", "qmgr", "message_id")
        .agg(
            F.count(F.lit(1)).alias("warnings"),
            F.size(F.collect_set("owner")).cast("long").alias("owners"),
            F.max("days").alias("most_days_overdue"),
            F.min("days_left").alias("least_days_left"),
        )
    )


METRIC = Metric(
    name="renewal_warnings",
    title="Warnings of missed renewals",
    compute=renewal_warnings,
    says=(
        "How often a queue manager wrote that records were not renewed, day by day from the day "
        "after it was due: AMQ9469 at a full repository, of a CLUSRCVR, AMQ9456 elsewhere, of "
        "what was used in the last 30 days."
    ),
    source="IBM PH34265",
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the queue manager that warned",
        "message_id": "AMQ9456 or AMQ9469",
        "warnings": "how often it warned",
        "owners": "different owners, by QMID, of whose records it warned",
        "most_days_overdue": "the most days since a renewal was due",
        "least_days_left": "the fewest days that were left until records are removed",
    },
)
