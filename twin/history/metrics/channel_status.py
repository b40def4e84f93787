"""The status of cluster-senders over time, how often they failed, and how soon they ran again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, by_day, clipped, narrowed
from twin.history.metrics.metric import Metric
from twin.history.metrics.stretches import STARTS, made, stretches
from twin.model.instants import DAY, MINUTE

FLAP: Final = 10 * MINUTE
"""An outage is a flap if it begins less than this after the channel recovered from another."""

_NAMED: Final = ("RUNNING", "RETRYING", "STOPPED", "INACTIVE")
_PARTS: Final = (
    *("running", "retrying", "stopped", "inactive", "starting", "other", "ended", "unknown"),
)


def channel_status_days(events: DataFrame, window: Window) -> DataFrame:
    """Return for each day how long cluster-senders had each status, and how often they failed."""
    return _channel_status(events, window, "day")


def channel_status_months(events: DataFrame, window: Window) -> DataFrame:
    """Return for each month how long cluster-senders had each status, and how often they failed."""
    return _channel_status(events, window, "month")


def _channel_status(events: DataFrame, window: Window, grain: str) -> DataFrame:
    stood = stretches(events, window).withColumn("at", F.col("begin"))
    parts = _divided(clipped(stood.where("grouping <> 'gone'"), window), grain)
    sums = parts.groupBy(grain, "qmgr", "channel", "partner").agg(*_sums(window, grain))
    named = with_clusters(sums, events, window)
    up = F.col("running") + F.col("inactive")
    counted = up + F.col("retrying") + F.col("stopped") + F.col("other")
    return named.select(
        grain,
        "qmgr",
        "channel",
        "cluster",
        "partner",
        *((F.col(name) * MICROSECONDS).alias(f"{name}_s") for name in _PARTS),
        F.when(counted > 0, up / counted).alias("availability"),
        "outages",
        "retries",
        "flaps",
        F.when(F.col("outages") > 0, up * MICROSECONDS / F.col("outages")).alias("mtbf_s"),
        F.when(F.col("repairs") > 0, F.col("repairing") * MICROSECONDS / F.col("repairs")).alias(
            "mttr_s"
        ),
        (F.col("longest") * MICROSECONDS).alias("longest_outage_s"),
    )


def _divided(intervals: DataFrame, grain: str) -> DataFrame:
    """Divide intervals that have an end at the start of days or months; the date is in `grain`."""
    if grain == "day":
        return by_day(intervals)
    first, last = (
        F.trunc(F.date_from_unix_date(F.floor(each / DAY).cast("int")), grain)
        for each in (F.col("begin"), F.col("end") - 1)
    )
    step = F.expr("interval 1 month")
    following = F.add_months(F.col("month"), 1)
    return intervals.withColumn("month", F.explode(F.sequence(first, last, step))).withColumns(
        {
            "begin": F.greatest("begin", F.unix_date("month") * F.lit(DAY)),
            "end": F.least("end", F.unix_date(following) * F.lit(DAY)),
        }
    )


def _sums(window: Window, grain: str) -> list[Column]:
    """Add up the parts of a period, in microseconds; a change at the start of a part is counted."""
    lasted = F.expr("end - begin")
    down, unknown = F.col("grouping") == "ended", F.col("grouping") == "unknown"
    said = ~down & ~unknown
    first = F.expr("begin = at")
    start = F.col("status").isin(*STARTS) & (F.col("grouping") == "up")
    other = ~F.col("status").isin(*_NAMED) & ~start
    begun = first & F.expr("starts and grouping = 'outage'")
    repaired = first & F.expr("starts and before = 'outage' and grouping in ('up', 'unknown')")
    period = F.unix_date(grain) * F.lit(DAY)
    outage = F.col("end") - F.greatest("failed", F.lit(window.since), period)

    def total(condition: Column, value: Column) -> Column:
        return F.sum(F.when(condition, value).otherwise(F.lit(0)))

    return [
        *(total(said & (F.col("status") == name), lasted).alias(name.lower()) for name in _NAMED),
        total(said & start, lasted).alias("starting"),
        total(said & other, lasted).alias("other"),
        total(down, lasted).alias("ended"),
        total(unknown, lasted).alias("unknown"),
        F.count_if(begun).alias("outages"),
        F.count_if(begun & (F.col("begin") - F.col("back") < FLAP)).alias("flaps"),
        F.count_if(repaired).alias("repairs"),
        total(repaired, F.expr("at - failed")).alias("repairing"),
        total(~down & (F.col("status") == "RETRYING"), made("end - 1") - made("begin - 1")).alias(
            "retries"
        ),
        F.max(F.when(F.col("grouping") == "outage", outage).otherwise(F.lit(0))).alias("longest"),
    ]


_SAYS: Final = (
    "How long each cluster-sender was in each status {of}. The log does not record that an idle "
    "channel disconnects: the time after that counts as RUNNING. The time in which the queue "
    "manager had ended, and the time in which it was not observed (see `coverage`) and the channel "
    "was not known to be down, are counted separately. An outage is an unbroken time in statuses "
    "other than RUNNING and INACTIVE. STARTING, INITIALIZING and BINDING are a start and no "
    "outage, unless they last for more than 127 seconds (after that time Linux gives up "
    "connecting) or the channel was down before. A time that begins with an operator's STOP of a "
    "RUNNING or INACTIVE channel is not an outage. An outage is a flap if it begins less than ten "
    "minutes after the channel was RUNNING again after the previous outage. Availability is the "
    "share of RUNNING and INACTIVE in the time that was observed, without starts and without the "
    "time in which the queue manager had ended."
)
_SOURCE: Final = (
    'IBM MQ 9.1, "DISPLAY CHSTATUS" (STATUS); IBM MQ 9.4, "Short retry interval"; the figures '
    "are twin's"
)


def _columns(grain: str, meaning: str) -> Mapping[str, str]:
    return {
        grain: meaning,
        "qmgr": "the queue manager that sends",
        "channel": "the cluster-sender",
        "cluster": "cluster of the channel; if it has several, the first by name; null: unknown",
        "partner": "the queue manager at the other end, the last one in the window; null: unknown",
        "running_s": "seconds RUNNING",
        "retrying_s": "seconds RETRYING",
        "stopped_s": "seconds STOPPED, whoever or whatever stopped it",
        "inactive_s": "seconds INACTIVE, or without a status",
        "starting_s": "seconds in which it started: a start is no outage",
        "other_s": "seconds in any other status",
        "ended_s": "seconds in which its queue manager had ended",
        "unknown_s": "seconds in which it was not observed",
        "availability": "share of RUNNING and INACTIVE, 0 to 1; null: its queue manager had ended, "
        "or was not observed, all the time",
        "outages": "outages that began: the failures",
        "retries": "retries that failed",
        "flaps": "outages that began less than ten minutes after the end of the previous one",
        "mtbf_s": "mean time between failures: seconds RUNNING and INACTIVE per failure; null: no "
        "failure",
        "mttr_s": "mean time to repair: mean length in seconds of the outages after which the "
        "channel was RUNNING or INACTIVE again; null: no such outage",
        "longest_outage_s": "seconds of the longest outage; only its part in the period counts",
    }


def with_clusters(rows: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Add the cluster of the channel to rows with qmgr, channel and partner.

    This is the cluster in which the partner published its CLUSRCVR of this name; else the cluster
    of the definition at either end; else that of any queue manager's definition. If there are
    several, it is the first by name. It is null if no definition or record names one.
    """
    names = F.from_json("body", "records array<struct<kind: string, name: string>>")["records"]
    text = F.col("body")
    published = (
        narrowed(events, "repository")
        .where(F.col("type") == "InformationPublished")
        .where(F.col("occurred_at") < window.until)
        .where(text.contains(':"qmgr"') | text.contains(': "qmgr"'))
        .select("cluster", F.col("qmgr").alias("owner"), F.inline(names))
        .where(F.col("kind") == "qmgr")
        .select(F.col("name").alias("channel"), "owner", "cluster")
    )
    defined = (
        narrowed(events, "objects")
        .where(F.col("kind") == "CHANNEL")
        .where(F.col("occurred_at") < window.until)
        .select(
            F.col("name").alias("channel"),
            F.col("qmgr").alias("owner"),
            F.get_json_object("body", "$.values.CLUSTER").alias("cluster"),
        )
        .where("cluster <> ''")
    )
    clusters = (
        published.union(defined)
        .groupBy("channel", "owner")
        .agg(F.min("cluster").alias("cluster"))
        .groupBy("channel")
        .agg(
            F.map_from_entries(F.collect_list(F.struct("owner", "cluster"))).alias("clusters"),
            F.min("cluster").alias("any"),
        )
    )
    cluster = F.expr(
        "coalesce(try_element_at(clusters, partner), try_element_at(clusters, qmgr), any)"
    )
    joined = rows.join(F.broadcast(clusters), "channel", "left")
    return joined.withColumn("cluster", cluster).drop("clusters", "any")


METRICS: Final = (
    Metric(
        name="channel_status_days",
        title="Cluster-senders by day",
        compute=channel_status_days,
        says=_SAYS.format(of="on each day"),
        source=_SOURCE,
        columns=_columns("day", "the day, UTC"),
        rests_on=(stretches,),
    ),
    Metric(
        name="channel_status_months",
        title="Cluster-senders by month",
        compute=channel_status_months,
        says=_SAYS.format(of="in each month"),
        source=_SOURCE,
        columns=_columns("month", "its first day, UTC"),
        rests_on=(stretches,),
    ),
)
