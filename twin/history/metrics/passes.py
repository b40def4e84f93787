"""Reallocation passes: what they moved, and what stayed for a channel, and why.

Only passes that are recorded are counted: one that moves nothing as a channel retries is in no log,
as it follows from the RETRYING status. What one channel's messages are chosen for at one instant
is one pass, in however many portions they go.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.intervals import day_of
from twin.history.metrics.lying import (
    DOUBT,
    ENTERS,
    KEY,
    LEAVES,
    MOVED,
    ORDER,
    PASSES,
    lying,
    running_order,
)
from twin.history.metrics.metric import Metric
from twin.history.visible import narrowed
from twin.history.window import Window

_BOUND: Final = ("bind-on-open", "bind-on-group", "named-qmgr")
_IN_DOUBT: Final = "in-doubt"
_NO_BETTER: Final = "no-better-route"
_MOVES: Final = "moves array<struct<share: struct<count: long>>>, interrupted boolean"
_PASS: Final = (*KEY, "cause", "occurred_at")


def reallocation(events: DataFrame, window: Window) -> DataFrame:
    """Count the recorded passes of each day, and the messages they moved and left."""
    said = F.from_json("body", _MOVES)
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
            said.alias("said"),
        )
        .groupBy(*_PASS)
        .agg(
            F.sum(moved).alias("moved"),
            F.sum(F.coalesce("stayed", F.lit(0))).alias("stayed"),
            F.max(F.coalesce("said.interrupted", F.lit(False))).cast("long").alias("interrupted"),  # noqa: FBT003
        )
        .groupBy(day_of("occurred_at").alias("day"), *KEY, "cause")
        .agg(
            F.count("*").alias("passes"),
            *(F.sum(name).alias(name) for name in ("moved", "stayed", "interrupted")),
        )
    )


def stayed(events: DataFrame, window: Window) -> DataFrame:
    """Count the messages that recorded passes of each day left where they were, by why.

    What is in doubt counts as such, bound or not. A message counts once for each pass.
    """
    found = _left_by(_before_passes(lying(events, window)), window)
    whys = {_NO_BETTER: F.col("looked_at"), _IN_DOUBT: F.col("doubtful")}
    whys |= {why: F.col(why) for why in _BOUND}
    each = F.array(
        *(F.struct(F.lit(why).alias("why"), count.alias("messages")) for why, count in whys.items())
    )
    return (
        found.select(day_of("occurred_at").alias("day"), *KEY, F.inline(each))
        .where("messages > 0")
        .groupBy("day", *KEY, "why")
        .agg(F.sum("messages").alias("messages"))
    )


def _before_passes(placed: DataFrame) -> DataFrame:
    """Say of each arrival, and of each pass, how many bound messages came up to then.

    Both have `upto`: how many had come up to the arrival; how many had left up to the pass, or were
    in doubt then. What is bound and came behind these lay there.
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
    """Say of each pass in a window how many messages stay, by why: a column for each.

    Going down from the last arrival, each begins to hold at the number it counts up to: at a pass
    it is the one that the first message lying there, and not in doubt, came with.
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


METRICS = (
    Metric(
        name="reallocation",
        title="Reallocation passes",
        compute=reallocation,
        says=(
            "The recorded passes at which messages waiting for a channel were chosen for again, "
            "as it stopped or an attempt to run it failed. Passes at retries that moved nothing "
            "are in no log, as they follow from the channel's status, and are not counted; nor are "
            "those that found only messages which may not go elsewhere."
        ),
        source='IBM, the article on re-allocation, "When does re-allocation occur?"',
        columns={
            "day": "UTC",
            "qmgr": "the queue manager where the messages waited",
            "channel": "the channel they waited for",
            "cause": "stop, or retry: a failed attempt to run it",
            "passes": "how many there were",
            "moved": "messages moved to another route",
            "stayed": "messages that were chosen for and stayed, counted at each pass",
            "interrupted": "passes that a forced stop interrupted",
        },
    ),
    Metric(
        name="stayed",
        title="Messages that stayed at reallocation",
        compute=stayed,
        says=(
            "Messages that waited for a channel and did not go another way at a recorded pass, by "
            "why, once for each pass. Those that an interrupted pass did not look at are left out, "
            "and passes that found only messages which may not go elsewhere are in no log."
        ),
        source='IBM, the article on re-allocation, "Messages not eligible for re-allocation"',
        columns={
            "day": "UTC",
            "qmgr": "the queue manager where the messages waited",
            "channel": "the channel they waited for",
            "why": (
                "in-doubt, bind-on-open, bind-on-group, named-qmgr; or no-better-route: theirs "
                "is still among the best, the choice fails, or the other way has no room"
            ),
            "messages": "how many stayed",
        },
        rests_on=(lying,),
    ),
)
