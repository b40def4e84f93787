"""Switches of cluster-sender channels to other transmission queues."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, moment, narrowed
from twin.history.metrics.metric import Metric

_BEGAN: Final = "TransmissionQueueSwitchBegan"
_SWITCHED: Final = "TransmissionQueueSwitched"
_ASSIGNED: Final = "TransmissionQueueAssigned"
_STOPPED: Final = "TransmissionQueueSwitchStopped"
_MOVED: Final = "MessagesSwitched"
_DELETED: Final = "QueueManagerDeleted"
_USUAL: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"


def switches(events: DataFrame, window: Window) -> DataFrame:
    """List the switches of a window, with how long they lasted in it.

    A switch without a beginning was made by runswchl at once and left its messages on the old
    queue. Its old queue is the one recorded last for the channel, or the cluster's own. A switch
    also ends when another one begins in its place, or when its queue manager is deleted.
    """
    channel = Over.partitionBy("qmgr", "channel")
    order = channel.orderBy("occurred_at", "position")
    upto = order.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    following = order.rowsBetween(1, Over.unboundedFollowing)
    type_ = F.col("type")
    moved = F.sum(F.when(type_ == _MOVED, F.col("count")).otherwise(0))
    turn = F.when(~type_.isin(_MOVED, _STOPPED), F.struct("type", "occurred_at", "stranded"))
    begun = F.last(F.when(turn.isNotNull(), F.col("position")), ignorenulls=True).over(upto)
    turns = (
        _steps(events, window)
        .withColumns({"moved": moved.over(upto), "turn": turn, "begun": begun})
        .withColumns(
            {
                "next": F.first("turn", ignorenulls=True).over(following),
                "in_turn": F.max("moved").over(Over.partitionBy("qmgr", "channel", "begun")),
                "why": F.max_by(
                    F.when(type_ == _STOPPED, F.col("reason").cast("int")),
                    F.when(type_ == _STOPPED, F.struct("occurred_at", "position")),
                ).over(Over.partitionBy("qmgr", "channel", "begun")),
            }
        )
        .where(F.col("turn").isNotNull())
        .withColumn("before", F.lag(F.struct("type", "queue")).over(order))
    )
    began = type_ == _BEGAN
    return (
        turns.where(
            began | ((type_ == _SWITCHED) & ~F.col("before.type").eqNullSafe(F.lit(_BEGAN)))
        )
        .select(
            "qmgr",
            "channel",
            F.when(began, F.col("queue"))
            .otherwise(F.coalesce("before.queue", F.lit(_USUAL)))
            .alias("from_queue"),
            F.when(began, F.col("to")).otherwise(F.col("queue")).alias("to_queue"),
            F.col("occurred_at").alias("begin"),
            F.when(began, F.col("next.occurred_at")).otherwise(F.col("occurred_at")).alias("end"),
            F.when(began, F.col("in_turn") - F.col("moved")).otherwise(0).alias("moved"),
            F.coalesce(
                F.when(~began, F.col("stranded")).when(
                    F.col("next.type") == _SWITCHED, F.col("next.stranded")
                ),
                F.lit(0),
            ).alias("stranded"),
            F.when(began, F.col("why")).alias("stopped"),
        )
        .where(F.col("end").isNull() | (F.col("end") >= window.since))
        .select(
            *("qmgr", "channel", "from_queue", "to_queue"),
            moment("begin").alias("began"),
            moment("end").alias("ended"),
            (
                (F.coalesce("end", F.lit(window.until)) - F.greatest("begin", F.lit(window.since)))
                * MICROSECONDS
            ).alias("lasted_s"),
            "moved",
            "stranded",
            "stopped",
        )
    )


def _steps(events: DataFrame, window: Window) -> DataFrame:
    """Return the events about switches; a deletion counts for every channel of its manager."""
    columns = ("qmgr", "channel", "occurred_at", "position", "type", "queue", "to", "count")
    type_ = F.col("type")
    stranded = F.from_json("body", "stranded long")["stranded"]
    steps = (
        narrowed(events, "channels", "messages")
        .where(
            type_.isin(_BEGAN, _SWITCHED, _ASSIGNED, _STOPPED, _MOVED)
            & (F.col("occurred_at") < window.until)
        )
        .select(*columns, "reason", F.when(type_ == _SWITCHED, stranded).alias("stranded"))
    )
    deleted = (
        narrowed(events, "queue_managers")
        .where((type_ == _DELETED) & (F.col("occurred_at") < window.until))
        .select("qmgr", "occurred_at", "position", "type")
        .join(steps.select("qmgr", "channel").distinct(), "qmgr")
    )
    return steps.unionByName(deleted, allowMissingColumns=True)


METRIC = Metric(
    name="switches",
    title="Switches of transmission queues",
    compute=switches,
    says=(
        "Each switch of a channel to another transmission queue that falls into the window, at "
        "least in part. A switch begins when the channel starts and finds that it has to use "
        "another queue, and ends when its messages have left the old queue. It stops if they "
        "cannot be put on the new queue or got from the old one, and goes on at a later start. It "
        "also ends if its queue manager is deleted. runswchl switches at once, and may leave "
        "messages on the old queue."
    ),
    source='IBM MQ 9.4, "Monitoring transmission queue switching"; "runswchl"',
    columns={
        "qmgr": "the queue manager",
        "channel": "the cluster-sender channel",
        "from_queue": "the old transmission queue",
        "to_queue": "the new transmission queue",
        "began": "instant at which the switch began, UTC",
        "ended": "instant at which it ended, UTC; null: it had not ended by the window's end",
        "lasted_s": "seconds that the switch went on within the window",
        "moved": "messages that were moved from the old queue to the new one",
        "stranded": "messages that stayed on the old queue (runswchl -n)",
        "stopped": "reason code for which it stopped last; null: it did not stop",
    },
    simulated=True,
)
