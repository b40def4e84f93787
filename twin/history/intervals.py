"""Intervals: what lasts from one event to another, cut to a window, divided by days.

An interval has `begin` and `end`, in microseconds since 1970 UTC, the end not included; an `end`
of null has not come. At one instant the order of the log counts.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history.window import Window
from twin.model.instants import DAY, SECOND

MICROSECONDS: Final = 1.0 / SECOND


def states(changes: DataFrame, *key: str) -> DataFrame:
    """Turn changes of something into intervals that last until its next change.

    Args:
        changes: rows with `occurred_at` and `position`, and whatever is to be kept.
        key: the columns that say of what.

    Returns:
        The rows with `begin` and `end` instead of `occurred_at`.
    """
    order = Over.partitionBy(*key).orderBy("occurred_at", "position")
    return changes.withColumn("end", F.lead("occurred_at").over(order)).withColumnRenamed(
        "occurred_at", "begin"
    )


def clipped(intervals: DataFrame, window: Window) -> DataFrame:
    """Cut intervals to a window; what lies outside, or lasts no time, is left out."""
    begin = F.greatest("begin", F.lit(window.since))
    end = F.least(F.coalesce("end", F.lit(window.until)), F.lit(window.until))
    return intervals.withColumns({"begin": begin, "end": end}).where("begin < end")


def by_day(intervals: DataFrame) -> DataFrame:
    """Divide closed intervals at midnight UTC; each part has its `day`, a date."""
    first = F.floor(F.col("begin") / DAY)
    last = F.floor((F.col("end") - 1) / DAY)
    parts = intervals.withColumn("_day", F.explode(F.sequence(first, last)))
    return parts.withColumns(
        {
            "begin": F.greatest("begin", F.col("_day") * DAY),
            "end": F.least("end", (F.col("_day") + 1) * DAY),
            "day": F.date_from_unix_date(F.col("_day").cast("int")),
        }
    ).drop("_day")


def seconds() -> Column:
    """Return how long an interval lasts, in seconds."""
    return (F.col("end") - F.col("begin")) * MICROSECONDS


def day_of(instant: str) -> Column:
    """Return the day of an instant, a date."""
    return F.date_from_unix_date(F.floor(F.col(instant) / DAY).cast("int"))


def moment(instant: str) -> Column:
    """Return an instant as a timestamp."""
    return F.timestamp_micros(F.col(instant))
