"""How puts were distributed among the instances of a queue, by the statistics of queue managers."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.metrics.metric import Metric
from twin.history.visible import Window, day_of, narrowed

_COUNTED: Final = "IntervalCounted"
_SAID: Final = "begin long, counters map<string, long>"
_PUTS: Final = r"^put1?s(\.[0-9]+)?$"
"""The names of the counters of puts: of MQPUT and MQPUT1, for each kind of message."""

_ALONE: Final = 1


def counted_puts(events: DataFrame, window: Window) -> DataFrame:
    """Return for each day how many messages were put on each instance of a queue.

    Queues of the product (SYSTEM.*), and those that only one queue manager counted, are left out.
    """
    at = F.col("occurred_at")
    number = F.aggregate(
        F.map_values(F.map_filter("said.counters", lambda name, _: name.rlike(_PUTS))),
        F.lit(0).cast("long"),
        lambda total, each: total + each,
    )
    lasted = (at - F.col("said.begin")) / 1e6
    alike = Over.partitionBy("day", "queue")
    return (
        narrowed(events, "observations")
        .where((F.col("type") == _COUNTED) & (F.col("kind") == "queue"))
        .where(~F.col("name").startswith("SYSTEM."))
        .where((at >= window.since) & (at < window.until))
        .select(
            day_of("occurred_at").alias("day"),
            F.col("name").alias("queue"),
            "qmgr",
            "occurred_at",
            F.from_json("body", _SAID).alias("said"),
        )
        .groupBy("day", "queue", "qmgr")
        .agg(F.sum(number).alias("puts"), F.sum(F.coalesce(lasted, F.lit(0.0))).alias("counted_s"))
        .withColumn("instances", F.count(F.lit(1)).over(alike))
        .where(F.col("instances") > _ALONE)
        .withColumn("all", F.sum("puts").over(alike))
        .select(
            "day",
            "queue",
            "qmgr",
            "puts",
            F.when(F.col("all") > 0, F.col("puts") / F.col("all")).alias("share"),
            "instances",
            "counted_s",
        )
    )


METRIC: Final = Metric(
    name="counted_puts",
    title="Puts counted by queue managers",
    compute=counted_puts,
    says=(
        "How many messages were put on each instance of a queue on each day, as the statistics "
        "messages of the queue managers say (STATQ). An interval counts for the day on which it "
        "ended. Shares can be compared only if all instances were counted for as long. Queues that "
        "only one queue manager counted are left out, and so are those of the product."
    ),
    source="IBM MQ 9.4, Queue statistics message data",
    columns={
        "day": "the day, UTC",
        "queue": "the name of the queue",
        "qmgr": "the queue manager that has this instance",
        "puts": "messages put on it by MQPUT and MQPUT1, also by channels",
        "share": "the part of all these messages; null if there were none",
        "instances": "the queue managers that counted this queue on this day",
        "counted_s": "the length of the intervals in seconds",
    },
    earlier=(),
)
