"""How punctually owners sent their records again."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import MICROSECONDS, day_of
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window
from twin.model.instants import DAY, MINUTE
from twin.model.periods import EXPIRE_AFTER, RESEND_AFTER

_AGAIN: Final = "InformationRepublished"
_SAID: Final = "records array<struct<kind string, name string>>, names array<array<string>>"
_SLACK: Final = MINUTE
"""A resend is punctual up to so much before and behind its instant."""


def resends(events: DataFrame, window: Window) -> DataFrame:
    """Say for each month how late owners sent records again, and how near that was to expiry.

    A resend is as old as the oldest of what it sends again: each record counts from the last
    publication of its owner that it was in. Of one that was in none nothing but its number counts.
    """
    sent = _sent_again(events, window)
    late = F.col("age") - RESEND_AFTER
    early = late < -_SLACK
    left = EXPIRE_AFTER - F.col("age")
    return (
        sent.withColumns(
            {
                "month": F.trunc(day_of("at"), "month"),
                "late": F.when(~early, late),
                "left": left,
            }
        )
        .groupBy("month", "cluster", "qmgr")
        .agg(
            F.count(F.lit(1)).alias("resends"),
            F.count(F.when(early, 1)).alias("early"),
            F.count(F.when(F.abs("late") <= _SLACK, 1)).alias("punctual"),
            (F.expr("percentile_disc(0.5) WITHIN GROUP (ORDER BY late)") * MICROSECONDS).alias(
                "late_p50_s"
            ),
            (F.max("late") * MICROSECONDS).alias("late_max_s"),
            (F.min("left") / F.lit(float(DAY))).alias("least_days_left"),
            F.count(F.when(F.col("left") < DAY, 1)).alias("near_misses"),
        )
    )


def _sent_again(events: DataFrame, window: Window) -> DataFrame:
    """Return each resend with the age of the oldest record in it, null where all are new."""
    said = F.from_json("body", _SAID)
    names = F.coalesce(
        F.col("said.names"),
        F.transform("said.records", lambda each: F.array(each["kind"], each["name"])),
    )
    order = Over.partitionBy("qmid", "cluster", "record").orderBy("at", "position")
    return (
        narrowed(events, "repository")
        .where(F.col("type").isin("InformationPublished", _AGAIN))
        .where(F.col("occurred_at") < window.until)
        .select(
            "qmid",
            "cluster",
            "qmgr",
            "position",
            F.col("occurred_at").alias("at"),
            (F.col("type") == _AGAIN).alias("again"),
            said.alias("said"),
        )
        .select("qmid", "cluster", "qmgr", "position", "at", "again",
                F.explode(names).alias("record"))
        .withColumn("age", F.col("at") - F.lag("at").over(order))
        .where(F.col("again") & (F.col("at") >= window.since))
        .groupBy("qmid", "cluster", "qmgr", "position", "at")
        .agg(F.max("age").alias("age"))
    )  # fmt: skip


METRIC = Metric(
    name="resends",
    title="Resends",
    compute=resends,
    says=(
        "How often an owner sent records again that were as before, and how late: 27 days after "
        "their last publication, of the oldest of them, is punctual within a minute, and before "
        "that early, as after a restart and REFRESH CLUSTER. They expire 30 days after it."
    ),
    source='IBM MQ 9.4, "How long do the queue manager repositories retain information?"',
    columns={
        "month": "its first day, UTC",
        "cluster": "the cluster",
        "qmgr": "the owner",
        "resends": "how often it sent records again",
        "early": "more than 60 seconds before the 27 days were over",
        "punctual": "within 60 seconds of 27 days",
        "late_p50_s": "seconds behind 27 days, the median of those not early: the least that half "
        "of them do not exceed",
        "late_max_s": "seconds behind 27 days, the most of those not early",
        "least_days_left": "the fewest days to expiry at a resend; negative behind it",
        "near_misses": "resends with less than a day left, those behind expiry among them",
    },
)
