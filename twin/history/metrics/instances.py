"""How many instances of a queue the queue managers believed in, and how many they could reach.

Only an observer that could choose counts: one that holds a record of another owner, or has a
subscription to the queue. The owner of an instance that never asked for the queue holds its own
record only, however many instances there are.

An observer cannot choose an instance whose record says PUT(DISABLED). All other rules only prefer:
a suspended instance, or one of lower priority, is chosen when the preferred ones are gone. Decided
here: so is one of lower CLWLRANK, though only when no record of higher rank is held. Source: IBM MQ
9.2, "The cluster workload management algorithm".

Many queues have the same instances, known to the same queue managers at the same times. Such queues
are computed together, once.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, by_day, clipped, narrowed, states
from twin.history.metrics.holdings import SUBSCRIPTION, holdings
from twin.history.metrics.metric import Metric

_CREATED: Final = ("QueueManagerCreated", "QueueManagerFirstSeen")
_UP: Final = ("QueueManagerStarted", "QueueManagerFirstSeen")
_DOWN: Final = ("QueueManagerEnded", "QueueManagerDeleted", "QueueManagerRestored")
_FORGETS: Final = ("QueueManagerDeleted", "QueueManagerRestored")
_STATUS: Final = "ChannelStatusChanged"
_BLOCKED: Final = ("RETRYING", "STOPPED")

_CLASS: Final = ("cluster", "alike")
_VIEW: Final = (*_CLASS, "qmgr")
_COUNTS: Final = ("believed", "others", "open", "wanted", "up")


def queue_instances(events: DataFrame, window: Window) -> DataFrame:
    """Return for each day how many instances of a queue were believed, and could be reached."""
    known = events.where(F.col("occurred_at") < window.until)
    classes = _classes(holdings(events, window))
    days = _days(_views(classes, known, window), window)
    names = classes.select(*_CLASS, F.explode("queues").alias("queue"))
    return days.join(names, [*_CLASS]).select(
        "day",
        "cluster",
        "queue",
        "observers",
        "believed_least",
        "believed_most",
        "reachable_least",
        "reachable_most",
        "one_or_none_s",
        "none_s",
    )


def _classes(rows: DataFrame) -> DataFrame:
    """Return groups of queues that were held by the same queue managers at the same times."""
    row = F.struct("qmgr", "owner", "disabled", "begin", "end")
    return (
        rows.groupBy("cluster", "queue")
        .agg(F.array_sort(F.collect_list(row)).alias("held"))
        .groupBy("cluster", F.md5(F.to_json("held")).alias("alike"))
        .agg(F.first("held").alias("held"), F.collect_list("queue").alias("queues"))
    )


def _views(classes: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Return the intervals in which an observer believes in, and reaches, as many instances."""
    believed = classes.select(*_CLASS, F.inline("held")).join(_names(events), "owner", "left")
    record = (F.col("owner") != SUBSCRIPTION).cast("int")
    other = F.when(F.col("partner").eqNullSafe(F.col("qmgr")), 0).otherwise(record)
    enabled = F.when(F.col("disabled"), 0).otherwise(record)
    steps = _steps(believed, believed=record, others=other, open=enabled, wanted=1 - record)
    shut = (
        believed.where((F.col("partner") != F.col("qmgr")) & ~F.col("disabled"))
        .join(_blocked(events, window), ["qmgr", "partner"])
        .withColumns({"begin": F.greatest("begin", "from"), "end": F.least("end", "to")})
        .where(F.col("begin") < F.col("end"))
    )
    observers = classes.select(
        *_CLASS, F.explode(F.array_distinct(F.col("held.qmgr"))).alias("qmgr")
    )
    running = observers.join(_running(events, window), "qmgr")
    return _added(
        steps.unionByName(_steps(shut, open=F.lit(-1))).unionByName(_steps(running, up=F.lit(1))),
        window,
    )


def _steps(intervals: DataFrame, **counts: Column) -> DataFrame:
    """Return how counts change at both ends of intervals."""

    def change(at: str, sign: int) -> Column:
        by = (
            (counts[name] * sign if name in counts else F.lit(0)).cast("long").alias(name)
            for name in _COUNTS
        )
        return F.struct(F.col(at).alias("at"), *by)

    return intervals.select(*_VIEW, F.inline(F.array(change("begin", 1), change("end", -1))))


def _added(steps: DataFrame, window: Window) -> DataFrame:
    """Add up changes; a queue manager that is not running can reach nothing.

    An observer is listed for a queue (`chooses`) while it holds a record of another owner, or its
    own and a subscription. It is counted (`counts`) while it runs and either is listed, or has a
    subscription and held a record earlier.
    """
    order = Over.partitionBy(*_VIEW).orderBy("at")
    upto = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    up, wants = F.col("up") > 0, F.col("wanted") > 0
    chooses = (F.col("others") > 0) | ((F.col("believed") > 0) & wants)
    return (
        steps.groupBy(*_VIEW, "at")
        .agg(*(F.sum(name).alias(name) for name in _COUNTS))
        .select(
            *_VIEW,
            F.col("at").alias("begin"),
            F.coalesce(F.lead("at").over(order), F.lit(window.until)).alias("end"),
            F.col("at"),
            *(F.sum(name).over(upto).alias(name) for name in _COUNTS),
        )
        .withColumn("most", F.max("believed").over(upto))
        .select(
            *_VIEW,
            "begin",
            "end",
            "believed",
            F.when(up, F.col("open")).otherwise(0).alias("reachable"),
            chooses.alias("chooses"),
            (up & (chooses | (wants & (F.col("most") > 0)))).alias("counts"),
        )
        .where(F.col("counts") | F.col("chooses"))
    )


def _days(views: DataFrame, window: Window) -> DataFrame:
    """Combine the views of all observers on each day."""
    key = (*_CLASS, "day")
    before = Over.partitionBy(*key).orderBy("begin").rowsBetween(Over.unboundedPreceding, -1)

    def new(most: int) -> Column:
        """Return how long so few were reachable, without the time that earlier rows cover."""
        few = F.col("counts") & (F.col("reachable") <= most)
        covered = F.max(F.when(few, F.col("end"))).over(before)
        begin = F.greatest("begin", covered)
        return F.when(few, F.greatest(F.col("end") - begin, F.lit(0))).otherwise(0)

    chooses = F.col("chooses")
    believed, reachable = (F.when(chooses, F.col(name)) for name in ("believed", "reachable"))
    return (
        by_day(clipped(views, window))
        .withColumns({"few": new(1), "none": new(0)})
        .groupBy(*key)
        .agg(
            F.size(F.collect_set(F.when(chooses, F.col("qmgr")))).cast("long").alias("observers"),
            F.min(believed).alias("believed_least"),
            F.max(believed).alias("believed_most"),
            F.min(reachable).alias("reachable_least"),
            F.max(reachable).alias("reachable_most"),
            (F.sum("few") * MICROSECONDS).alias("one_or_none_s"),
            (F.sum("none") * MICROSECONDS).alias("none_s"),
        )
    )


def _names(events: DataFrame) -> DataFrame:
    """Return the name of each queue manager by QMID; channels name their partners so."""
    return (
        narrowed(events, "queue_managers")
        .where(F.col("type").isin(*_CREATED))
        .groupBy(F.col("qmid").alias("owner"))
        .agg(F.min("qmgr").alias("partner"))
    )


def _running(events: DataFrame, window: Window) -> DataFrame:
    """Return when each queue manager was running."""
    changes = (
        narrowed(events, "queue_managers", "restoring")
        .where(F.col("type").isin(*_UP, *_DOWN))
        .select("qmgr", "type", "occurred_at", "position")
    )
    return (
        states(changes, "qmgr")
        .where(F.col("type").isin(*_UP))
        .select("qmgr", "begin", F.coalesce("end", F.lit(window.until)).alias("end"))
    )


def _blocked(events: DataFrame, window: Window) -> DataFrame:
    """Return, as `from` and `to`, when a queue manager could not reach a partner.

    It could not if all of its channels to the partner that have appeared in the log by then are
    RETRYING or STOPPED. When a queue manager ends, its RETRYING channels no longer count; a STOPPED
    channel stays STOPPED. The partner of a channel is the one that was named last.
    """
    changes = (
        narrowed(events, "channels", "queue_managers", "restoring")
        .where(F.col("type").isin(_STATUS, *_DOWN))
        .select("qmgr", "channel", "status", "partner", "type", "occurred_at", "position")
    )
    behind = (
        Over.partitionBy("qmgr")
        .orderBy(F.desc("occurred_at"), F.desc("position"))
        .rowsBetween(Over.unboundedPreceding, -1)
    )
    order = Over.partitionBy("qmgr", "channel").orderBy("occurred_at", "position")
    upto = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    at = F.col("occurred_at")
    partner = F.when(F.col("partner") != "", F.col("partner"))
    shut = (
        changes.withColumns(
            {
                "ended": F.min(F.when(F.col("type").isin(*_DOWN), at)).over(behind),
                "forgot": F.min(F.when(F.col("type").isin(*_FORGETS), at)).over(behind),
            }
        )
        .where(F.col("type") == _STATUS)
        .withColumns(
            {
                "partner": F.last(partner, ignorenulls=True).over(upto),
                "next": F.lead("occurred_at").over(order),
            }
        )
        .where(F.col("partner").isNotNull())
        .withColumns(
            {
                "seen": F.when(F.lag("position").over(order).isNull(), 1).otherwise(0),
                "shut": F.when(F.col("status").isin(*_BLOCKED), 1).otherwise(0),
            }
        )
        .where("seen + shut > 0")
    )
    gone = F.when(F.col("status") == "RETRYING", F.col("ended")).otherwise(F.col("forgot"))
    end = F.least("next", gone, F.lit(window.until))
    return _all_shut(shut.withColumns({"begin": at, "end": end}), window)


def _all_shut(channels: DataFrame, window: Window) -> DataFrame:
    """Return when all known channels to a partner were blocked."""
    order = Over.partitionBy("qmgr", "partner").orderBy("at")
    upto = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    steps = F.array(
        F.struct(F.col("begin").alias("at"), F.col("shut").alias("shut"), F.col("seen")),
        F.struct(F.col("end").alias("at"), (-F.col("shut")).alias("shut"), F.lit(0).alias("seen")),
    )
    return (
        channels.select("qmgr", "partner", F.inline(steps))
        .groupBy("qmgr", "partner", "at")
        .agg(F.sum("shut").alias("shut"), F.sum("seen").alias("seen"))
        .where("shut <> 0 or seen <> 0")
        .select(
            "qmgr",
            "partner",
            F.col("at").alias("from"),
            F.coalesce(F.lead("at").over(order), F.lit(window.until)).alias("to"),
            F.sum("shut").over(upto).alias("shut"),
            F.sum("seen").over(upto).alias("seen"),
        )
        .where("shut > 0 and shut >= seen")
        .select("qmgr", "partner", "from", "to")
    )


METRIC = Metric(
    name="queue_instances",
    title="Instances of queues",
    compute=queue_instances,
    says=(
        "How many instances of a queue were believed and reachable, among the queue managers that "
        "could choose: they held a record of another owner, or had a subscription to the queue. "
        "The owner of an instance that never asked for the queue knows its own instance only, and "
        "does not count. A queue manager believes an instance while it holds its record, even an "
        "expired one. It can reach an instance only if the record that it holds does not say "
        "PUT(DISABLED). A running queue manager can then always reach its own instance. It can "
        "reach another instance, even a suspended one or one of lower rank, while its channel to "
        "the instance is neither RETRYING nor STOPPED. A queue manager that does not run reaches "
        "none. A queue manager needs the queue if it runs and could choose, or is still subscribed "
        "to the queue after it held a record."
    ),
    source=(
        'IBM MQ 9.4, "How long do the queue manager repositories retain information?"; IBM MQ 9.2, '
        '"The cluster workload management algorithm"'
    ),
    columns={
        "day": "the day, UTC",
        "cluster": "the cluster",
        "queue": "the queue",
        "observers": "queue managers that could choose at some time of the day",
        "believed_least": "the fewest instances one of them believed while it could choose",
        "believed_most": "the most instances one of them believed",
        "reachable_least": "the fewest instances one of them could reach while it could choose",
        "reachable_most": "the most instances one of them could reach",
        "one_or_none_s": "seconds in which a queue manager that needs it could reach one or none",
        "none_s": "seconds in which a queue manager that needs it could reach none",
    },
)
