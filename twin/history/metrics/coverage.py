"""When each queue manager was covered: what the log says about it then is all that happened.

A simulated queue manager is covered from its creation: the rules decide all that happens to it. An
observed one is covered between observations that are no further apart than its usual interval. A
metric must not count the rest as time without faults.

Decided here: observations within a minute of each other are one capture. The usual interval is
twice the median of the times between captures, so that one capture may be missing. Of fewer than
four captures, it is a day at most. A log of a queue manager has all that it wrote, so the time
between two of its records is covered if it is a day at most. Event messages cover nothing: which
ones are sent depends on settings.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.history import Window, clipped, moment, narrowed, seconds
from twin.history.metrics.metric import Metric
from twin.model.instants import DAY, MINUTE

_CREATED: Final = "QueueManagerCreated"
_SEEN: Final = "QueueManagerFirstSeen"
_TRUE: Final = True
_LOGS: Final = tuple(
    f"observation:{form}" for form in ("error-log", "error-log-json", "container-log", "zos-log")
)
_FEW: Final = 3
"""With fewer times between captures, the usual interval is a day at most."""


def coverage(events: DataFrame, window: Window) -> DataFrame:
    """Return from when to when each queue manager was covered in a window, and when it was not."""
    lives = _lives(events, window)
    simulated = lives.where("simulated is not null").select(
        "qmgr",
        F.lit("simulated").alias("basis"),
        F.lit(True).alias("covered"),  # noqa: FBT003
        F.col("simulated").alias("begin"),
        F.lit(window.until).alias("end"),
        F.lit(None).cast("long").alias("usual"),
    )
    observed = _observed(events, lives, window).withColumn("basis", F.lit("observed"))
    return clipped(simulated.unionByName(observed), window).select(
        "qmgr",
        "basis",
        "covered",
        moment("begin").alias("began"),
        moment("end").alias("ended"),
        seconds().alias("seconds"),
        (F.col("usual") / 1e6).alias("usual_s"),
    )


def observed_stretches(events: DataFrame, window: Window) -> DataFrame:
    """Return from when on each observed queue manager was covered, and from when on it was not.

    Returns:
        qmgr; begin, an instant; covered. From the instant on at which it is simulated, it is
        covered.
    """
    lives = _lives(events, window)
    simulated = lives.where("seen < simulated").select(
        "qmgr",
        F.col("simulated").alias("begin"),
        F.lit(True).alias("covered"),  # noqa: FBT003
    )
    return _observed(events, lives, window).select("qmgr", "begin", "covered").union(simulated)


def _lives(events: DataFrame, window: Window) -> DataFrame:
    """Return when each queue manager was first seen, and since when it is simulated.

    Returns:
        qmgr; seen, an instant (null if it was created before); simulated, an instant (null if it is
        only observed).
    """
    at, type_ = F.col("occurred_at"), F.col("type")
    simulated = F.col("made")
    if window.forked is not None:
        known = F.least("made", "seen")
        simulated = F.least(simulated, F.greatest(F.lit(window.forked), known))
    return (
        narrowed(events, "queue_managers")
        .where(type_.isin(_CREATED, _SEEN) & (at < window.until))
        .groupBy("qmgr")
        .agg(
            F.min(F.when(type_ == _CREATED, at)).alias("made"),
            F.min(F.when(type_ == _SEEN, at)).alias("seen"),
        )
        .select(
            "qmgr",
            F.expr("if(made <= seen, null, seen)").alias("seen"),
            simulated.alias("simulated"),
        )
    )


def _observed(events: DataFrame, lives: DataFrame, window: Window) -> DataFrame:
    """Return the stretches in which observed queue managers were covered, or not, in turn.

    Returns:
        qmgr; covered; usual, the usual interval in microseconds (null after a single capture);
        begin and end, instants.
    """
    each = Over.partitionBy("qmgr").orderBy("at")
    so_far = each.rowsBetween(Over.unboundedPreceding, Over.currentRow)
    until = F.coalesce("simulated", F.lit(window.until))
    source, at = F.col("source"), F.col("at")
    seen = (
        narrowed(events, "channels", "objects", "observations", "queue_managers")
        .where(source.startswith("observation") & (F.col("occurred_at") < window.until))
        .where(~source.startswith("observation:amqsevt"))
        .select("qmgr", F.col("occurred_at").alias("at"), source.isin(*_LOGS).alias("log"))
        .groupBy("qmgr", "at")
        .agg(F.max("log").alias("logged"), F.max(~F.col("log")).alias("captured"))
        .join(F.broadcast(lives.where("seen is not null").withColumn("stop", until)), "qmgr")
        .where("at < stop")
        .select("qmgr", "at", "stop", "logged", "captured")
        .withColumn("next", F.lead("at").over(each))
    )
    for what in ("captured", "logged"):
        when = F.when(F.col(what), at)
        after = each.rowsBetween(1, Over.unboundedFollowing)
        seen = seen.withColumn(f"last_{what}", F.last(when, ignorenulls=True).over(so_far))
        seen = seen.withColumn(f"next_{what}", F.first(when, ignorenulls=True).over(after))
    lasted = F.col("next_captured") - F.col("last_captured")
    between = F.when(F.col("captured") & (lasted > MINUTE), lasted)
    usual = (
        seen.withColumn("between", between)
        .groupBy("qmgr")
        .agg(
            F.expr("2 * percentile_disc(0.5) within group (order by between)")
            .cast("long")
            .alias("twice"),
            F.count("between").alias("known"),
        )
        .select(
            "qmgr",
            F.when(F.col("known") >= _FEW, F.col("twice"))
            .when(F.col("known") > 0, F.least("twice", F.lit(DAY)))
            .alias("usual"),
        )
    )
    capturing = F.coalesce("next_captured", "stop") - F.col("last_captured")
    logging = F.col("next_logged") - F.col("last_logged")
    longest = F.greatest(F.coalesce("usual", F.lit(0)), F.lit(MINUTE))
    covered = (capturing <= longest).eqNullSafe(_TRUE) | (logging <= DAY).eqNullSafe(_TRUE)
    return (
        seen.join(usual, "qmgr")
        .withColumn("covered", covered)
        .withColumn("same", F.lag("covered").over(each).eqNullSafe(F.col("covered")))
        .withColumn("part", F.count(F.when(~F.col("same"), 1)).over(so_far))
        .groupBy("qmgr", "covered", "usual", "part")
        .agg(F.min("at").alias("begin"), F.max(F.coalesce("next", "stop")).alias("end"))
        .drop("part")
    )


METRIC: Final = Metric(
    name="coverage",
    title="What was observed",
    compute=coverage,
    says=(
        "When each queue manager was covered by the log, and when nothing is known about it. A "
        "simulated queue manager is covered from its creation. An observed one is covered between "
        "observations that are no further apart than its usual interval: twice the median of the "
        "times between its captures, but a day at most if there are fewer than four. Observations "
        "within a minute of each other are one capture. The time after the last observation is "
        "covered if it is no longer than that. The time between two records of its error log is "
        "covered if it is a day at most. On a branch, all queue managers are simulated from the "
        "fork on."
    ),
    source="twin",
    columns={
        "qmgr": "the queue manager",
        "basis": "simulated or observed",
        "covered": "false: nothing is known about this time",
        "began": "instant, UTC; not before the window",
        "ended": "instant, UTC; not after the window",
        "seconds": "its length in seconds",
        "usual_s": "the usual interval of its observations in seconds; null: it is simulated, or "
        "was observed only once",
    },
)
