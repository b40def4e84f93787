"""The messages on transmission queues, by channel: each arrival and each departure.

Messages arrive when they are put, sent on, moved from another channel, or returned by a receiver.
They leave when they are sent, moved to another route, got by an application, or lost.

A move names the put of its messages. If messages of that put arrived more than once, the last to
arrive are moved first, and their waiting time counts from the last arrival. All other departures
are first in, first out in the order of arrival at the channel; this includes non-persistent
messages that are sent outside a batch, and messages that an application got. Messages that a
receiver returned count as sent, and as a new arrival. A switch of transmission queues changes
nothing here.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.window import WindowSpec

from twin.history.history import Window, narrowed
from twin.history.metrics.metric import shared

KEY: Final = ("qmgr", "channel")
"""Where messages wait: the queue manager, and the channel."""

ORDER: Final = ("occurred_at", "position", "nth")
"""The order of the steps."""

ENTERS: Final = "enters"
MOVED: Final = "moved"
LEAVES: Final = "leaves"
PASSES: Final = "passes"
DOUBT: Final = "doubt"
"""The kinds of steps: messages arrive, are moved to another route, or leave otherwise; a
reallocation pass takes place; or a number of messages is in doubt from then on.
"""

_SHARES: Final = ("MessagesPut", "MessagesRedirected")
_LOOKED: Final = "MessagesReallocated"
_GIVEN_BACK: Final = "MessagesReturned"
_GO: Final = ("MessagesSent", "MessagesGot", "MessagesLost")

_BODY: Final = """
    fixed string, why string,
    shares array<struct<count: long, channel: string>>,
    parcels array<struct<put: long, count: long, fixed: string>>,
    moves array<struct<put: long, share: struct<count: long, channel: string>>>
"""


@shared
def transmission_queue_steps(events: DataFrame, window: Window) -> DataFrame:
    """Return the steps up to a window's end: arrivals, moves, departures, passes.

    Messages that were moved later count as if they had never arrived. The others leave in the order
    of arrival. All rows of one channel of a queue manager are in one partition.

    Returns:
        Rows with `qmgr`, `channel`, `occurred_at`, `position`, `nth` (the order within an event),
        `step`, `put` (the position of the event that put the messages; if the step names no put, a
        number that no other row has), `count`, `fixed` (why the messages may not go elsewhere; ''
        if they may). For passes: `cause`, and in `count` the messages that were considered and
        stayed. For moves: `arrived`, the instant of their arrival. For arrivals: `kept`, how many
        were never moved. For all: `came` and `gone`, the totals up to this step.
    """
    doubtful = _in_doubt(events, window)
    return _placed(_steps(events, window).unionByName(doubtful, allowMissingColumns=True))


def _in_doubt(events: DataFrame, window: Window) -> DataFrame:
    """Return the number of messages in doubt on a channel as steps."""
    return (
        narrowed(events, "channels")
        .where((F.col("type") == "ChannelBatchInDoubt") & (F.col("occurred_at") < window.until))
        .select(
            *KEY,
            *("occurred_at", "position"),
            F.lit(0).alias("nth"),
            F.lit(DOUBT).alias("step"),
            (-F.col("position")).alias("put"),
            "count",
            F.lit("").alias("fixed"),
        )
    )


def _steps(events: DataFrame, window: Window) -> DataFrame:
    """Return every step: messages arrived, were moved, left, or were considered by a pass."""
    wanted = (*_SHARES, _LOOKED, _GIVEN_BACK, *_GO)
    rows = (
        narrowed(events, "messages")
        .where(F.col("type").isin(*wanted) & (F.col("occurred_at") < window.until))
        .select(
            *("qmgr", "channel", "occurred_at", "position", "type", "count", "stayed"),
            F.col("pass_cause").alias("cause"),
            F.when(
                (F.col("type") != "MessagesSent") & (F.col("type") != "MessagesGot"),
                F.from_json("body", _BODY),
            ).alias("said"),
        )
    )
    exploded = rows.select(
        *("qmgr", "occurred_at", "position", "cause"),
        F.posexplode(_steps_of_one()).alias("nth", "one"),
    ).select(
        "qmgr",
        F.col("one.channel").alias("channel"),
        *("occurred_at", "position", "nth", "cause"),
        *(F.col(f"one.{name}").alias(name) for name in ("step", "put", "count", "fixed")),
    )
    return exploded.where("channel <> '' AND (count > 0 OR step = 'passes')")


def _steps_of_one() -> Column:
    """Return the steps of one event of any type."""
    body = F.col("said")
    type_ = F.col("type")
    none = F.lit(-1) * F.col("position")
    fixed = F.coalesce(body["fixed"], F.lit(""))
    put = F.transform(
        body["shares"],
        lambda share: _step(share["channel"], ENTERS, F.col("position"), share["count"], fixed),
    )
    returned = F.transform(
        body["parcels"],
        lambda each: _step(F.col("channel"), ENTERS, each["put"], each["count"], each["fixed"]),
    )
    leaving = F.transform(
        body["moves"],
        lambda move: _step(
            F.when(move["share"]["channel"] != F.col("channel"), F.col("channel")).otherwise(""),
            MOVED,
            move["put"],
            move["share"]["count"],
            F.lit(""),
        ),
    )
    coming = F.transform(
        body["moves"],
        lambda move: _step(
            F.when(
                move["share"]["channel"] != F.col("channel"), move["share"]["channel"]
            ).otherwise(""),
            ENTERS,
            move["put"],
            move["share"]["count"],
            F.lit(""),
        ),
    )
    passing = F.array(_step(F.col("channel"), PASSES, none, F.col("stayed"), F.lit("")))
    lay_here = F.when(~body["why"].eqNullSafe("discarded"), F.col("channel")).otherwise("")
    lost = F.array(_step(lay_here, LEAVES, none, F.col("count"), F.lit("")))
    gone = F.array(_step(F.col("channel"), LEAVES, none, F.col("count"), F.lit("")))
    return (
        F.when(type_ == "MessagesPut", put)
        .when(type_ == "MessagesRedirected", _redirected(body["parcels"], body["shares"], fixed))
        .when(type_ == _GIVEN_BACK, returned)
        .when(type_ == _LOOKED, F.concat(leaving, coming, passing))
        .when(type_ == "MessagesLost", lost)
        .otherwise(gone)
    )


def _step(channel: Column, step: str, put: Column, count: Column, fixed: Column) -> Column:
    return F.struct(
        channel.alias("channel"),
        F.lit(step).alias("step"),
        put.alias("put"),
        F.coalesce(count, F.lit(0)).cast("long").alias("count"),
        F.coalesce(fixed, F.lit("")).alias("fixed"),
    )


def _redirected(parcels: Column, shares: Column, fixed: Column) -> Column:
    """Match parcels with shares in order; split a parcel or a share where the other one ends."""

    def upto(many: Column, number: Column) -> Column:
        first = F.slice(many, 1, number + 1)
        return F.aggregate(first, F.lit(0).cast("long"), lambda sum_, each: sum_ + each["count"])

    def piece(share: Column, end: Column, parcel: Column, parcel_end: Column) -> Column:
        begin = F.greatest(end - share["count"], parcel_end - parcel["count"])
        why = F.when(parcel["fixed"] != "", parcel["fixed"]).otherwise(fixed)
        return _step(share["channel"], ENTERS, parcel["put"], F.least(end, parcel_end) - begin, why)

    return F.flatten(
        F.transform(
            shares,
            lambda share, i: F.transform(
                parcels,
                lambda parcel, j: piece(share, upto(shares, i), parcel, upto(parcels, j)),
            ),
        )
    )


def _placed(rows: DataFrame) -> DataFrame:
    """Add to each step how many messages have arrived at its channel, and left it, so far."""
    step, count = F.col("step"), F.col("count")
    by_put = Over.partitionBy(*KEY, "put").orderBy(*ORDER)
    before = by_put.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    after = by_put.rowsBetween(Over.currentRow, Over.unboundedFollowing)
    comes, goes = _counted(ENTERS), _counted(LEAVES)
    arrival = F.last(F.when(step == ENTERS, F.col("occurred_at")), ignorenulls=True).over(before)
    level = F.sum(comes - _counted(MOVED)).over(before)
    # The last messages of a put to arrive are moved first: those below the lowest level stay.
    never_moved = F.greatest(F.min("level").over(after) - F.col("level") + count, F.lit(0))
    together = (
        rows.repartition(*KEY)
        .withColumns({"arrived": F.when(step == MOVED, arrival), "level": level})
        .withColumn("kept", F.when(step == ENTERS, never_moved))
        .where("step NOT IN ('enters', 'moved') OR kept > 0 OR arrived IS NOT NULL")
    )
    running = running_order()
    return together.withColumns(
        {
            "came": F.sum(F.coalesce("kept", F.lit(0))).over(running),
            "gone": F.sum(goes).over(running),
        }
    )


def _counted(step: str) -> Column:
    return F.when(F.col("step") == step, F.col("count")).otherwise(0)


def running_order() -> WindowSpec:
    """Return a window over the steps of a channel up to the current one."""
    order = Over.partitionBy(*KEY).orderBy(*ORDER)
    return order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
