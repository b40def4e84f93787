"""Messages that waited for a channel: how many passes moved or left them, and how long they waited.

A pass that moves nothing when a channel retries is not in the log, because it follows from the
RETRYING status. So only recorded passes are counted. If the messages of one channel were routed
again at one instant, that is one pass, even if several events record it.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, day_of, narrowed
from twin.history.metrics.metric import Metric
from twin.history.metrics.transmission_queue_steps import (
    DOUBT,
    ENTERS,
    KEY,
    LEAVES,
    MOVED,
    ORDER,
    PASSES,
    running_order,
    transmission_queue_steps,
)

_BOUND: Final = ("bind-on-open", "bind-on-group", "named-qmgr")
_IN_DOUBT: Final = "in-doubt"
_NO_BETTER: Final = "no-better-route"
_MOVES: Final = (
    "moves array<struct<share: struct<count: long>>>, interrupted boolean, ineligible long"
)
_PASS: Final = (*KEY, "cause", "occurred_at")


def reallocation(events: DataFrame, window: Window) -> DataFrame:
    """Count the recorded passes of each day, and the messages that they moved and left."""
    body = F.from_json("body", _MOVES)
    moved = F.aggregate(
        F.coalesce("said.moves", F.array()),
        F.lit(0).cast("long"),
        lambda sum_, move: sum_ + move["share"]["count"],
    )
    return (
        narrowed(events, "messages")
        .where(
            (F.col("type") == "MessagesReallocated")
            & (F.col("occurred_at") >= window.since)
            & (F.col("occurred_at") < window.until)
        )
        .select(
            *KEY,
            F.col("pass_cause").alias("cause"),
            *("occurred_at", "stayed"),
            body.alias("said"),
        )
        .groupBy(*_PASS)
        .agg(
            F.sum(moved).alias("moved"),
            F.sum(F.coalesce("stayed", F.lit(0)) + F.coalesce("said.ineligible", F.lit(0))).alias(
                "stayed"
            ),
            F.max(F.coalesce("said.interrupted", F.lit(False))).cast("long").alias("interrupted"),  # noqa: FBT003
        )
        .groupBy(day_of("occurred_at").alias("day"), *KEY, "cause")
        .agg(
            F.count("*").alias("passes"),
            *(F.sum(name).alias(name) for name in ("moved", "stayed", "interrupted")),
        )
    )


def stayed(events: DataFrame, window: Window) -> DataFrame:
    """Count for each day the messages that recorded passes left where they were, by reason.

    A message in doubt counts as in doubt, whether it is bound or not. A message counts once per
    pass.
    """
    passes = _left_by(_before_passes(transmission_queue_steps(events, window)), window)
    whys = {_NO_BETTER: F.col("looked_at"), _IN_DOUBT: F.col("doubtful")}
    whys |= {why: F.col(why) for why in _BOUND}
    by_why = F.array(
        *(F.struct(F.lit(why).alias("why"), count.alias("messages")) for why, count in whys.items())
    )
    return (
        passes.select(day_of("occurred_at").alias("day"), *KEY, F.inline(by_why))
        .where("messages > 0")
        .groupBy("day", *KEY, "why")
        .agg(F.sum("messages").alias("messages"))
    )


def _before_passes(placed: DataFrame) -> DataFrame:
    """Add to each arrival and each pass how many bound messages had arrived by then.

    Both get `upto`. For an arrival, it is the number of messages that had arrived. For a pass, it
    is the number that had left or were in doubt. Messages that arrived after this number were
    waiting at the pass.
    """
    running = running_order()
    step = F.col("step")
    doubtful = F.last(F.when(step == DOUBT, F.col("count")), ignorenulls=True).over(running)
    counted = placed.where(step != MOVED).withColumns(
        {why: F.sum(_bound(why)).over(running) for why in _BOUND}
        | {"doubtful": F.coalesce(doubtful, F.lit(0))}
    )
    return counted.where(~step.isin(LEAVES, DOUBT)).withColumn(
        "upto", F.when(step == ENTERS, F.col("came")).otherwise(F.col("gone") + F.col("doubtful"))
    )


def _bound(why: str) -> Column:
    bound = (F.col("step") == ENTERS) & (F.col("fixed") == why)
    return F.when(bound, F.col("kept")).otherwise(0)


def _left_by(steps: DataFrame, window: Window) -> DataFrame:
    """Return for each pass in a window how many messages stayed: one column for each reason.

    In descending order of `upto`, each arrival applies until the next one. At a pass, this is the
    arrival of the first message that waits and is not in doubt.
    """
    enters = F.col("step") == ENTERS
    down = (
        Over.partitionBy(*KEY)
        .orderBy(F.desc("upto"), *map(F.desc, ORDER))
        .rowsBetween(Over.unboundedPreceding, Over.currentRow)
    )
    first = F.last(F.when(enters, F.struct("upto", "fixed", *_BOUND)), ignorenulls=True).over(down)

    def lying_there(why: str) -> Column:
        behind = F.when(F.col("first.fixed") == why, F.col("first.upto") - F.col("upto"))
        gone = F.col(f"first.`{why}`") - F.coalesce(behind, F.lit(0))
        return F.greatest(F.coalesce(F.col(f"`{why}`") - gone, F.lit(0)), F.lit(0))

    values = ("position", "doubtful", *_BOUND)
    return (
        steps.withColumn("first", first)
        .where((F.col("step") == PASSES) & (F.col("occurred_at") >= window.since))
        .withColumns({why: lying_there(why) for why in _BOUND})
        .groupBy(*_PASS)
        .agg(
            F.sum("count").alias("looked_at"),
            F.min(F.struct(*(F.col(f"`{name}`") for name in values))).alias("one"),
        )
        .select(*_PASS, "looked_at", "one.*")
    )


REALLOCATION: Final = (
    Metric(
        name="reallocation",
        title="Reallocation passes",
        compute=reallocation,
        says=(
            "How often the waiting messages of a channel were routed again, because the channel "
            "stopped or failed, or because a start or retry failed. Only recorded passes are "
            "counted. The log leaves out passes at retries that moved nothing, because they follow "
            "from the channel's status; `twin ask passes` lists them."
        ),
        source='IBM, the article on re-allocation, "When does re-allocation occur?"',
        columns={
            "day": "the day, UTC",
            "qmgr": "the queue manager where the messages waited",
            "channel": "the channel they waited for",
            "cause": "stop: the channel stopped or failed; retry: a start or retry failed",
            "passes": "number of passes",
            "moved": "messages moved to another route",
            "stayed": "messages that stayed, for whatever reason; counted at each pass",
            "interrupted": "passes that a forced stop interrupted",
        },
        simulated=True,
        earlier=(),
    ),
    Metric(
        name="stayed",
        title="Messages that stayed at reallocation",
        compute=stayed,
        says=(
            "How many messages that waited for a channel were not moved by a reallocation pass, "
            "and why. A message counts once for each pass. Messages that an interrupted pass did "
            "not reach are not counted."
        ),
        source='IBM, the article on re-allocation, "Messages not eligible for re-allocation"',
        columns={
            "day": "the day, UTC",
            "qmgr": "the queue manager where the messages waited",
            "channel": "the channel they waited for",
            "why": (
                "in-doubt, bind-on-open, bind-on-group, named-qmgr; or no-better-route: their "
                "route is still among the best, the choice fails, or the other route has no room"
            ),
            "messages": "number of messages that stayed",
        },
        rests_on=(transmission_queue_steps,),
        simulated=True,
    ),
)


def waits(events: DataFrame, window: Window) -> DataFrame:
    """Return how long the messages that left a transmission queue in a month had waited there.

    A wait counts completely in the month in which it ended, even if it began before the window.
    """
    stays = stays_of(transmission_queue_steps(events, window))
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


def stays_of(steps: DataFrame) -> DataFrame:
    """Match arrivals with departures, first in, first out, by their running totals.

    In descending order of the totals, each arrival and each departure applies until the next one.
    Between two totals, all messages have the same arrival and the same departure.

    Returns:
        Rows with the key, `came_at`, `gone_at` (null if the messages still wait) and `messages`.
    """
    step = F.col("step")
    upto = F.when(step == ENTERS, F.col("came")).when(step == LEAVES, F.col("gone"))
    down = Over.partitionBy(*KEY).orderBy(F.desc("upto"), *map(F.desc, ORDER))
    known = down.rowsBetween(Over.unboundedPreceding, Over.currentRow)

    def last(which: str) -> Column:
        return F.last(F.when(step == which, F.col("occurred_at")), ignorenulls=True).over(known)

    before = F.greatest(F.lead("upto").over(down), F.lit(0))
    moved = step == MOVED
    return (
        steps.where(~step.isin(PASSES, DOUBT))
        .withColumn("upto", upto)
        .select(
            *KEY,
            F.when(moved, F.col("arrived")).otherwise(last(ENTERS)).alias("came_at"),
            F.when(moved, F.col("occurred_at")).otherwise(last(LEAVES)).alias("gone_at"),
            F.when(moved, F.col("count")).otherwise(F.col("upto") - before).alias("messages"),
        )
        .where("messages > 0 AND came_at IS NOT NULL")
    )


def _percentiles(counted: DataFrame) -> DataFrame:
    """Summarise waiting times, weighted by messages; messages without an end still wait."""
    key = ("month", *KEY)
    left_queue = F.when(F.col("waited").isNotNull(), F.col("messages")).otherwise(0)
    of_all = Over.partitionBy(*key)
    upto = of_all.orderBy(F.asc_nulls_last("waited"))

    def reaching(hundredths: int) -> Column:
        enough = F.col("upto") * 100 >= F.col("left") * hundredths
        return F.min(F.when(enough, F.col("waited"))) * MICROSECONDS

    return (
        counted.withColumns(
            {"upto": F.sum(left_queue).over(upto), "left": F.sum(left_queue).over(of_all)}
        )
        .groupBy(*key)
        .agg(
            F.sum(left_queue).alias("messages"),
            reaching(50).alias("waited_p50_s"),
            reaching(95).alias("waited_p95_s"),
            (F.max("waited") * MICROSECONDS).alias("waited_max_s"),
            F.sum(F.when(F.col("waited").isNull(), F.col("messages")).otherwise(0)).alias(
                "still_waiting"
            ),
        )
    )


WAITS: Final = Metric(
    name="waits",
    title="Time on the transmission queue",
    compute=waits,
    says=(
        "How long messages waited on a transmission queue for a channel. A message counts in the "
        "month in which it left, because it was sent, moved, got or lost. The metric assumes that "
        "messages leave in the order in which they came, except that a move takes the messages of "
        "one put. If a message is moved to another channel, a new wait begins there. The 95th "
        "percentile is the shortest wait that 95 % of the messages did not exceed."
    ),
    source='IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels"',
    columns={
        "month": "the first day of the month in which they left, UTC",
        "qmgr": "the queue manager where they waited",
        "channel": "the channel they waited for",
        "messages": "number of messages that left",
        "waited_p50_s": "median wait in seconds; null: none left",
        "waited_p95_s": "95th percentile of the waits in seconds; null: none left",
        "waited_max_s": "longest wait in seconds; null: none left",
        "still_waiting": "messages still waiting at the window's end; 0 except in its last month",
    },
    rests_on=(transmission_queue_steps,),
    simulated=True,
)
