"""Intervals: the time from one event to another, cut to a window, divided by days.

An interval has `begin` and `end`, in microseconds since 1970 UTC; `end` is not included, and null
if the interval has not ended. Events at one instant have the order of the log.
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
    """Turn changes of a thing into intervals; each lasts until the next change.

    Args:
        changes: rows with `occurred_at`, `position`, and any columns to keep.
        key: the columns that identify the thing.

    Returns:
        The rows with `begin` and `end` instead of `occurred_at`.
    """
    order = Over.partitionBy(*key).orderBy("occurred_at", "position")
    return changes.withColumn("end", F.lead("occurred_at").over(order)).withColumnRenamed(
        "occurred_at", "begin"
    )


def clipped(intervals: DataFrame, window: Window) -> DataFrame:
    """Cut intervals to a window; leave out intervals outside it and those of length zero."""
    begin = F.greatest("begin", F.lit(window.since))
    end = F.least(F.coalesce("end", F.lit(window.until)), F.lit(window.until))
    return intervals.withColumns({"begin": begin, "end": end}).where("begin < end")


def by_day(intervals: DataFrame) -> DataFrame:
    """Divide intervals that have an end at midnight UTC; each part has its `day`, a date."""
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
    """Return the length of an interval in seconds."""
    return (F.col("end") - F.col("begin")) * MICROSECONDS


def day_of(instant: str) -> Column:
    """Return the day of an instant, a date."""
    return F.date_from_unix_date(F.floor(F.col(instant) / DAY).cast("int"))


def moment(instant: str) -> Column:
    """Return an instant as a timestamp."""
    return F.timestamp_micros(F.col(instant))
