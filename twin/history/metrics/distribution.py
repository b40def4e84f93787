"""How puts were distributed among the instances of a queue: by the log, and by statistics."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, day_of, narrowed
from twin.history.metrics.metric import Metric
from twin.history.metrics.routes import in_turn

_SHARES: Final = """
    fixed string,
    shares array<struct<
        count: long, to: string, channel: string, queue: string, cluster: string, named: string>>
"""
_NAMES: Final = ("QueueManagerCreated", "QueueManagerFirstSeen")
_CASE: Final = ("day", "qmgr", "queue")

_ENOUGH: Final = 100
"""The fewest messages of a day that is judged."""

_HALF: Final = 0.5
"""The least expected number in the statistic: one message on an unexpected route proves nothing."""

_NORMAL: Final = 3.090232306167813
"""The 0.999 quantile of the normal distribution."""


def distribution(events: DataFrame, window: Window) -> DataFrame:
    """Compare for each day where messages went with where the published attributes would send them.

    The expected shares of a put follow from the records published at its instant, in the cluster
    that its messages go through: see `routes.in_turn`. The workload algorithm also considers the
    status of channels, a local instance, weights counted over all queues, and the records that its
    repository has; and an exit may decide. If these have an effect, the day deviates.

    The limit is the 0.999 quantile of the chi-squared distribution, in Wilson and Hilferty's
    approximation. MQ chooses in turns and not at random. So the statistic is a measure of
    deviation, the limit is a convention, and neither is a probability. If fewer than half a message
    is expected, half a message is used.
    """
    puts = _puts(events, window)
    in_force = in_turn(events, window)
    return _judged(_named(_cells(_at_puts(puts, in_force), in_force), events, window))


def _puts(events: DataFrame, window: Window) -> DataFrame:
    """Return where messages went that could have gone elsewhere, with the event of their put."""
    return (
        narrowed(events, "messages")
        .where(
            (F.col("type") == "MessagesPut")
            & (F.col("occurred_at") >= window.since)
            & (F.col("occurred_at") < window.until)
        )
        .select("qmgr", "occurred_at", "position", F.from_json("body", _SHARES).alias("said"))
        .select(
            *("qmgr", "occurred_at", "position", "said.fixed"),
            F.inline("said.shares"),
        )
        .where(
            "coalesce(fixed, '') = '' AND count > 0 AND cluster <> '' AND coalesce(named, '') = ''"
        )
        .select(
            *("cluster", "queue", "occurred_at", "position"),
            *("qmgr", "to", "channel", "count"),
        )
    )


def _at_puts(puts: DataFrame, in_force: DataFrame) -> DataFrame:
    """Add to each put which routes were in force: those published last before it.

    Returns:
        The puts with `begun`: the instant and position since which these routes were in force.
    """
    changes = in_force.withColumn("ways", F.size("routes")).drop("routes")
    order = Over.partitionBy("cluster", "queue").orderBy("occurred_at", "position")
    upto = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    change = F.struct("occurred_at", "position", "ways")
    begun = F.last(F.when(F.col("ways").isNotNull(), change), ignorenulls=True).over(upto)
    return (
        puts.unionByName(changes, allowMissingColumns=True)
        .withColumn("begun", begun)
        .where("count IS NOT NULL AND begun.ways > 0")
    )


def _cells(puts: DataFrame, in_force: DataFrame) -> DataFrame:
    """Count the messages of each route, and how many were expected there."""
    observed = F.transform(
        "observed", lambda way: _cell(way["to"], way["channel"], way["count"], F.lit(0.0))
    )
    expected = F.transform(
        "routes",
        lambda route: _cell(
            route["qmid"],
            F.when(route["owner"] == F.col("qmgr"), "").otherwise(route["channel"]),
            F.lit(0).cast("long"),
            F.col("total") * route["share"],
        ),
    )
    of_change = ("cluster", "queue", "occurred_at", "position")
    return (
        puts.select(
            day_of("occurred_at").alias("day"),
            *("qmgr", "cluster", "queue", "begun.occurred_at", "begun.position"),
            *("to", "channel", "count"),
        )
        .groupBy("day", "qmgr", *of_change, "to", "channel")
        .agg(F.sum("count").alias("count"))
        .groupBy("day", "qmgr", *of_change)
        .agg(
            F.sum("count").alias("total"),
            F.collect_list(F.struct("to", "channel", "count")).alias("observed"),
        )
        .join(in_force, list(of_change))
        .select(*_CASE, F.inline(F.concat(observed, expected)))
    )


def _cell(to: Column, channel: Column, messages: Column, expected: Column) -> Column:
    return F.struct(
        to.alias("qmid"),
        channel.alias("channel"),
        messages.alias("messages"),
        expected.alias("expected"),
    )


def _named(cells: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Name destinations by their queue managers; without a creation event, the QMID stays."""
    names = (
        narrowed(events, "queue_managers")
        .where(F.col("type").isin(*_NAMES) & (F.col("occurred_at") < window.until))
        .groupBy("qmid")
        .agg(F.max("qmgr").alias("called"))
    )
    return (
        cells.groupBy(*_CASE, "qmid", "channel")
        .agg(F.sum("messages").alias("messages"), F.sum("expected").alias("expected"))
        .join(names, "qmid", "left")
        .groupBy(*_CASE, F.coalesce("called", "qmid").alias("destination"), "channel")
        .agg(F.sum("messages").alias("messages"), F.sum("expected").alias("expected"))
    )


def _judged(cells: DataFrame) -> DataFrame:
    case = Over.partitionBy(*_CASE)
    apart = F.col("messages") - F.col("expected")
    dof, total = F.col("dof"), F.col("total")
    narrow = 2.0 / (9.0 * dof)
    limit = F.when(dof > 0, dof * F.pow(1.0 - narrow + _NORMAL * F.sqrt(narrow), F.lit(3.0)))
    enough = (total >= _ENOUGH) & (dof > 0)
    return (
        cells.withColumns(
            {
                "total": F.sum("messages").over(case),
                "chi2": F.sum(apart * apart / F.greatest(F.col("expected"), F.lit(_HALF))).over(
                    case
                ),
                "dof": F.count("*").over(case) - 1,
            }
        )
        .withColumn("chi2_limit", limit)
        .select(
            *(*_CASE, "destination", "channel", "messages"),
            (F.col("messages") / total).alias("share"),
            (F.col("expected") / total).alias("expected_share"),
            *("chi2", "dof", "chi2_limit"),
            enough.alias("judged"),
            (enough & (F.col("chi2") > F.col("chi2_limit"))).alias("parts"),
        )
    )


METRIC = Metric(
    name="distribution",
    title="Distribution among instances",
    compute=distribution,
    says=(
        "Which share of a queue's messages each instance got, and which share was expected. Only "
        "puts that were not bound and had two or more routes to choose from are counted. The "
        "expected share follows from the attributes that were published at the instant of each "
        "put: rank, then PUT, suspension, network priority and priority, then in proportion to the "
        "weight. A day of a queue is judged if it has 100 messages or more, and deviates if the "
        "chi-squared statistic then exceeds its 0.999 quantile. The statistic adds up, over the "
        "routes, (messages - expected)² / expected; where fewer than half a message was expected, "
        "it divides by one half, so that one message on an unexpected route proves nothing. MQ "
        "chooses in turns, so the statistic measures a deviation, not chance. The expected share "
        "leaves out other causes, which therefore show as deviations: a local instance preferred "
        "by CLWLUSEQ, CLWLMRUC, channels that fail, weights counted over all queues, and owners "
        "that were deleted or removed by force."
    ),
    source='IBM MQ 9.2, "The cluster workload management algorithm"; the statistic is twin\'s',
    columns={
        "day": "the day, UTC",
        "qmgr": "the queue manager where the messages were put",
        "queue": "the name of the queue at its destination",
        "destination": "the queue manager of the instance; its QMID if its name is unknown",
        "channel": "the channel that leads there; '' for a local instance",
        "messages": "how many went there",
        "share": "their share of the day's messages for the queue",
        "expected_share": "the share that was expected from the attributes",
        "chi2": "the chi-squared statistic of the day's messages for the queue",
        "dof": "its degrees of freedom: the number of routes less one",
        "chi2_limit": "its approximate 0.999 quantile; null without a degree of freedom",
        "judged": "true if the day has 100 messages or more, and a degree of freedom",
        "parts": "true if the day is judged and deviates: `chi2` above `chi2_limit`",
    },
    simulated=True,
    earlier=("queue_managers", "repository"),
)


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
        .where((F.col("type") == "IntervalCounted") & (F.col("kind") == "queue"))
        .where(~F.col("name").startswith("SYSTEM."))
        .where((at >= window.since) & (at < window.until))
        .select(
            day_of("occurred_at").alias("day"),
            F.col("name").alias("queue"),
            "qmgr",
            "occurred_at",
            F.from_json("body", "begin long, counters map<string, long>").alias("said"),
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


COUNTED_PUTS: Final = Metric(
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
