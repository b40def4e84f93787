"""Incidents: outages of cluster-senders with one common cause, each incident as one row.

Outages of one channel that begin less than ten minutes after the one before ended are one spell.
Spells to one partner are one incident if each begins within an hour of one before, and overlaps it
or begins less than ten minutes after it. If the log says when the partner ended or was suspended,
that instant counts as the begin: an idle channel notices much later. So a queue manager that is
lost is one row, and so is a channel that flaps for a day; but an outage of months does not join
everything that begins while it lasts. Decided here, from the logs of the tests.

A queue manager that is lost cannot reach the others either. So an outage of its own channel belongs
to its incident, if others lost it within ten minutes and no other queue manager lost the partner.
An incident between two queue managers that lost only each other is about the first by name.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame, WindowSpec
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import MICROSECONDS, Window, moment
from twin.history.metrics.channel_status import FLAP
from twin.history.metrics.metric import Metric
from twin.history.metrics.outages import (
    ENDED,
    LOST,
    STOPPED,
    SUSPENDED,
    UNREACHABLE,
    inside,
    known_outages,
)
from twin.history.metrics.stretches import stretches
from twin.history.metrics.transmission_queue_steps import transmission_queue_steps
from twin.history.metrics.waiting import stays_of
from twin.model.instants import HOUR

_EVER: Final = 2**62
"""The end of what has not ended."""

_TOGETHER: Final = HOUR
"""Spells whose beginnings are less than this apart can be one incident."""

_CAUSES: Final = (LOST, UNREACHABLE, ENDED, SUSPENDED, STOPPED)
"""If the outages of an incident have several causes, the first of these counts."""

_INCIDENT: Final = ("about", "planned", "start")


def incidents(events: DataFrame, window: Window) -> DataFrame:
    """Group the outages that overlap a window by common cause."""
    grouped = _grouped(known_outages(events, window))
    return (
        _summed(grouped, window)
        .join(_waiting(grouped, events, window), list(_INCIDENT), "left")
        .select(
            moment("began").alias("began"),
            moment("ended").alias("ended"),
            F.col("ended").isNull().alias("ongoing"),
            "planned",
            "cause",
            "partner",
            F.when(F.col("qmgrs") == 1, F.col("qmgr")).alias("qmgr"),
            F.when(F.col("channels") == 1, F.col("channel")).alias("channel"),
            "cluster",
            "qmgrs",
            "channels",
            "outages",
            (inside(window) * MICROSECONDS).alias("seconds"),
            (F.col("down") / HOUR).alias("channel_hours"),
            F.coalesce("messages", F.lit(0)).alias("messages"),
            "reason",
        )
    )


def _grouped(found: DataFrame) -> DataFrame:
    """Add to each outage its incident: `about` (what it is about), `planned` and `start`."""
    of_channel = Over.partitionBy("about", "planned", "qmgr", "channel").orderBy("began")
    of_all = Over.partitionBy("about", "planned").orderBy("spell")
    near = of_all.rangeBetween(1 - _TOGETHER, -1)
    return (
        _with_subjects(found)
        .withColumn("upto", F.coalesce("ended", F.lit(_EVER)))
        .withColumn("former", F.lag("upto").over(of_channel))
        .withColumn("spell", _first("began", F.coalesce("caused", "began"), of_channel))
        .withColumn("former", F.max("upto").over(near))
        .withColumn("start", _first("spell", F.col("spell"), of_all))
    )


def _first(begin: str, value: Column, order: WindowSpec) -> Column:
    """Return a value of the first row of a group; it begins well after the `former` one ended."""
    apart = F.col("former").isNull() | (F.col(begin) >= F.col("former") + FLAP)
    so_far = order.rangeBetween(Over.unboundedPreceding, Over.currentRow)
    return F.last(F.when(apart, value), ignorenulls=True).over(so_far)


def _with_subjects(found: DataFrame) -> DataFrame:
    """Add to each outage what it is about: its partner, or its own queue manager.

    It is about its own queue manager if others lost that one at nearly the same time, and nobody
    else lost the partner.
    """
    part = F.floor(F.col("began") / FLAP)
    who = F.array(
        F.struct(F.lit("own").alias("end"), F.col("qmgr").alias("lost")),
        F.struct(F.lit("far").alias("end"), F.col("partner").alias("lost")),
    )
    asked = (
        found.where("not planned and partner is not null")
        .select("qmgr", "channel", "partner", "began", F.inline(who))
        .withColumn("part", F.explode(F.array(part - 1, part, part + 1)))
    )
    told = found.where("not planned").select(
        F.col("partner").alias("lost"),
        part.alias("part"),
        F.col("qmgr").alias("by"),
        F.col("began").alias("also"),
    )
    near = F.abs(F.col("also") - F.col("began")) < FLAP
    others = (
        asked.join(told, ["lost", "part"])
        .where(near & (F.col("by") != F.col("qmgr")))
        .groupBy("qmgr", "channel", "began")
        .agg(
            F.max(F.col("end") == "far").alias("far"),
            F.max((F.col("end") == "own") & (F.col("by") != F.col("partner"))).alias("own"),
        )
    )
    about = (
        F.when(F.col("partner").isNull(), F.concat_ws(" ", "qmgr", "channel"))
        .when(F.col("far").isNull() | F.col("far"), F.col("partner"))
        .when(F.col("own"), F.col("qmgr"))
        .otherwise(F.least("partner", "qmgr"))
    )
    return found.join(others, ["qmgr", "channel", "began"], "left").withColumn("about", about)


def _summed(grouped: DataFrame, window: Window) -> DataFrame:
    """Add up the outages of each incident."""
    rank = F.array_position(F.array(*map(F.lit, _CAUSES)), F.col("cause"))
    away = F.when(F.col("qmgr") != F.col("about"), F.col("qmgr"))
    order = F.when(F.col("reason").isNotNull(), F.struct("began", "qmgr", "channel"))
    return grouped.groupBy(*_INCIDENT).agg(
        F.min("began").alias("began"),
        F.expr("if(count_if(ended is null) > 0, null, max(ended))").alias("ended"),
        F.min_by("cause", rank).alias("cause"),
        F.min(F.when(~F.col("about").contains(" "), F.col("about"))).alias("partner"),
        F.min(away).alias("qmgr"),
        F.count_distinct(away).alias("qmgrs"),
        F.min("channel").alias("channel"),
        F.count_distinct("qmgr", "channel").alias("channels"),
        F.min("cluster").alias("cluster"),
        F.count("*").alias("outages"),
        F.sum(inside(window)).alias("down"),
        F.min_by("reason", order).alias("reason"),
    )


def _waiting(grouped: DataFrame, events: DataFrame, window: Window) -> DataFrame:
    """Count the messages that waited for the channels of each incident while it lasted."""
    spans = grouped.groupBy(*_INCIDENT, "qmgr", "channel").agg(
        F.greatest(F.min("began"), F.lit(window.since)).alias("from"),
        F.least(F.max("upto"), F.lit(window.until)).alias("to"),
    )
    waited = stays_of(transmission_queue_steps(events, window)).where(
        F.col("gone_at").isNull() | (F.col("gone_at") > F.col("came_at"))
    )
    return (
        waited.join(F.broadcast(spans), ["qmgr", "channel"])
        .where(F.col("came_at") < F.col("to"))
        .where(F.col("gone_at").isNull() | (F.col("gone_at") > F.col("from")))
        .groupBy(*_INCIDENT)
        .agg(F.sum("messages").alias("messages"))
    )


METRIC: Final = Metric(
    name="incidents",
    title="Incidents",
    compute=incidents,
    says=(
        "The outages and planned stops of cluster-senders, grouped by common cause. Outages of one "
        "channel that begin less than ten minutes after the one before ended are one spell. Spells "
        "to one partner are one incident if each begins within an hour of one before, and overlaps "
        "it or begins less than ten minutes after it. If the partner is known to have ended or "
        "been suspended, that instant counts as the begin: an idle channel notices later. A lost "
        "partner cannot send either: an outage of one of its own channels belongs to the same "
        "incident, if other queue managers lost it within ten minutes and no other queue manager "
        "lost the partner of that channel. An incident is planned as a whole, or not at all."
    ),
    source="twin",
    columns={
        "began": "instant at which its first outage began, UTC; may lie before the window",
        "ended": "instant at which its last outage ended, UTC; may lie after the window; null: it "
        "has not ended",
        "ongoing": "true: it has not ended",
        "planned": "true: an operator had stopped the channel, or the partner had ended or was "
        "suspended on purpose",
        "cause": "lost: the partner was lost; unreachable: nothing is known; ended: the partner "
        "had ended on purpose; suspended: it was suspended with MODE(FORCE); stopped: an operator "
        "stopped the channel",
        "partner": "the queue manager that could not be reached; null: unknown",
        "qmgr": "the queue manager that could not reach the partner; null: several",
        "channel": "the channel; null: several",
        "cluster": "cluster of the channels; of several, the first by name; null: unknown",
        "qmgrs": "number of queue managers that could not reach the partner",
        "channels": "number of channels that were down",
        "outages": "number of outages that are grouped",
        "seconds": "seconds from begin to end, inside the window",
        "channel_hours": "hours that its channels were down inside the window, added up",
        "messages": "number of messages that waited for its channels inside the window while it "
        "lasted",
        "reason": "id of the first message of MQ that gave a reason; null: none",
    },
    rests_on=(stretches, known_outages, known_outages, transmission_queue_steps),
)
