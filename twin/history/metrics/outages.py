"""Each outage of a cluster-sender, and each time for which an operator had stopped it."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import MICROSECONDS, moment
from twin.history.metrics.channel_clusters import with_clusters
from twin.history.metrics.metric import Metric
from twin.history.metrics.stretches import made, stretches
from twin.history.window import Window


def outages(events: DataFrame, window: Window) -> DataFrame:
    """List the outages of cluster-senders that touch a window, and their planned stops."""
    found = with_clusters(found_outages(stretches(events, window), window), events, window)
    until = F.coalesce("ended", F.lit(window.until))
    return found.select(
        "qmgr",
        "channel",
        "cluster",
        "partner",
        moment("began").alias("began"),
        moment("ended").alias("ended"),
        ((until - F.col("began")) * MICROSECONDS).alias("seconds"),
        "reason",
        "retries",
        "planned",
    )


def found_outages(stood: DataFrame, window: Window) -> DataFrame:
    """Join the stretches of each outage, or planned stop, that touches a window.

    Returns:
        qmgr, channel; began and ended (null where it lasts on), instants; began_position; partner;
        reason (null where nothing told why); retries that failed; planned.
    """
    tried = F.when(
        F.col("status") == "RETRYING",
        made(f"coalesce(end, {window.until}) - 1") - made("begin - 1"),
    )
    return (
        stood.where(F.col("grouping").isin("outage", "stopped"))
        .groupBy("qmgr", "channel", "partner", "began", "began_position", "grouping")
        .agg(
            F.expr("if(count_if(end is null) > 0, null, max(end))").alias("ended"),
            F.expr("min_by(reason, if(reason <> '', begin, null))").alias("reason"),
            F.coalesce(F.sum(tried), F.lit(0)).alias("retries"),
        )
        .withColumn("planned", F.col("grouping") == "stopped")
        .where(F.col("ended").isNull() | (F.col("ended") > window.since))
    )


METRIC: Final = Metric(
    name="outages",
    title="Outages of cluster-senders",
    compute=outages,
    says=(
        "Each unbroken time for which a cluster-sender was neither RUNNING nor INACTIVE and its "
        "queue manager had not ended; it is planned if it began with an operator's STOP of a "
        "channel that was up, and else an outage. A STOP during an outage does not end it."
    ),
    source=(
        'IBM MQ 9.1, "DISPLAY CHSTATUS" (STATUS); IBM MQ 8.0, "STOP CHANNEL"; IBM MQ 9.4, "Short '
        'retry interval"'
    ),
    columns={
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender",
        "cluster": "the cluster of the channel, the first by name of several; null: not known",
        "partner": "the other end, the last known by the window's end; null: not known",
        "began": "instant, UTC, also before the window",
        "ended": "instant, UTC; null: it lasts on",
        "seconds": "seconds, the whole length; up to the window's end where it lasts on",
        "reason": "the message that told why, the first; null: none did",
        "retries": "retries that failed",
        "planned": "whether an operator had stopped the channel",
    },
    rests_on=(stretches,),
)
