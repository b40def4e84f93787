"""How long messages waited on transmission queues."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import MICROSECONDS, day_of
from twin.history.metrics.lying import DOUBT, ENTERS, KEY, LEAVES, MOVED, ORDER, PASSES, lying
from twin.history.metrics.metric import Metric
from twin.history.window import Window


def waits(events: DataFrame, window: Window) -> DataFrame:
    """Say how long the messages that left a transmission queue in a month had waited there.

    A wait counts whole in the month in which it ended, also where it began before the window.
    """
    stays = _stays(lying(events, window).where(~F.col("step").isin(PASSES, DOUBT)))
    in_window = F.col("gone_at").isNull() | (F.col("gone_at") >= window.since)
    last = F.lit(window.until - 1)
    waited = F.greatest(F.col("gone_at") - F.col("came_at"), F.lit(0))
    counted = (
        stays.where(in_window)
        .withColumn("instant", F.coalesce("gone_at", last))
        .groupBy(
            F.trunc(day_of("instant"), "MM").alias("month"),
            *KEY,
            F.when(F.col("gone_at").isNotNull(), waited).alias("waited"),
        )
        .agg(F.sum("messages").alias("messages"))
    )
    return _percentiles(counted)


def _stays(placed: DataFrame) -> DataFrame:
    """Match arrivals with departures: both count messages off, first things first.

    Going down from the last message, each arrival and each departure begins to hold at the number
    it counts up to; between two of these numbers both are the same for all messages.

    Returns:
        Rows with the key, `came_at`, `gone_at` (null of what still waits) and `messages`.
    """
    step = F.col("step")
    upto = F.when(step == ENTERS, F.col("came")).when(step == LEAVES, F.col("gone"))
    down = Over.partitionBy(*KEY).orderBy(F.desc("upto"), *map(F.desc, ORDER))
    known = down.rowsBetween(Over.unboundedPreceding, Over.currentRow)

    def last(which: str) -> Column:
        found = F.when(step == which, F.col("occurred_at"))
        return F.last(found, ignorenulls=True).over(known)

    before = F.greatest(F.lead("upto").over(down), F.lit(0))
    moved = step == MOVED
    return (
        placed.withColumn("upto", upto)
        .select(
            *KEY,
            F.when(moved, F.col("arrived")).otherwise(last(ENTERS)).alias("came_at"),
            F.when(moved, F.col("occurred_at")).otherwise(last(LEAVES)).alias("gone_at"),
            F.when(moved, F.col("count")).otherwise(F.col("upto") - before).alias("messages"),
        )
        .where("messages > 0 AND came_at IS NOT NULL")
    )


def _percentiles(counted: DataFrame) -> DataFrame:
    """Summarise waits with how many messages had each; those without end still wait."""
    key = ("month", *KEY)
    left = F.when(F.col("waited").isNotNull(), F.col("messages")).otherwise(0)
    of_all = Over.partitionBy(*key)
    upto = of_all.orderBy(F.asc_nulls_last("waited"))

    def reaching(hundredths: int) -> Column:
        enough = F.col("upto") * 100 >= F.col("left") * hundredths
        return F.min(F.when(enough, F.col("waited"))) * MICROSECONDS

    return (
        counted.withColumns({"upto": F.sum(left).over(upto), "left": F.sum(left).over(of_all)})
        .groupBy(*key)
        .agg(
            F.sum(left).alias("messages"),
            reaching(50).alias("waited_p50_s"),
            reaching(95).alias("waited_p95_s"),
            (F.max("waited") * MICROSECONDS).alias("waited_max_s"),
            F.sum(F.when(F.col("waited").isNull(), F.col("messages")).otherwise(0)).alias(
                "still_waiting"
            ),
        )
    )


METRIC = Metric(
    name="waits",
    title="Time on the transmission queue",
    compute=waits,
    says=(
        "How long messages lay on a transmission queue for a channel, of those that left it in a "
        "month: sent, moved, taken or lost. First things first; a move takes messages of its put, "
        "and a wait begins anew at the channel they are moved to. A percentile is the shortest "
        "wait that so many hundredths of the messages did not exceed."
    ),
    source='IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels"',
    columns={
        "month": "the first day of the month in which they left, UTC",
        "qmgr": "the queue manager on whose transmission queue they lay",
        "channel": "the channel they lay there for",
        "messages": "how many left",
        "waited_p50_s": "seconds that half of them waited at most; null where none left",
        "waited_p95_s": "seconds that 95 of a hundred waited at most",
        "waited_max_s": "seconds that the last of them waited",
        "still_waiting": "messages that lie there at the window's end, in its last month; else 0",
    },
    rests_on=(lying,),
)
