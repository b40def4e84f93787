"""Reads a lake: only the files that `lake.json` lists, and only the months that are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from twin.history.columns import LAKE, PARTITIONS, ddl
from twin.history.errors import DamagedLake, NoLake
from twin.history.failures import translate_spark_errors
from twin.history.lake.about import About
from twin.history.lake.place import Lake, place_of
from twin.model.instants import Instant, format_instant

EVENTS: Final = "events"
_ALWAYS: Final = "record"
"""The family of facts about the record itself: they say of earlier events whether they count."""

_AS_NAMED: Final = {"__globPaths__": "false"}
"""An option of Spark: the names of files are names, not patterns."""


def read(spark: SparkSession, lake: Lake, *, until: Instant | None = None) -> DataFrame:
    """Return the events of a lake, of all branches.

    Args:
        spark: the session.
        lake: the lake.
        until: leave out months that begin after this instant; None for all months.

    Raises:
        NoLake: if there is no lake.
        NotALake: if the folder has other content.
        OldLake: if it must be rebuilt.
        DamagedLake: if a file is missing or empty.
    """
    about = about_of(spark, lake)
    with translate_spark_errors(lake):
        place = place_of(lake, spark)
        names = [name for name in about.files if until is None or _needed(name, until)]
        if empty := place.empty(names):
            raise DamagedLake(place.url(empty))
        return frame_of(spark, place.url(EVENTS), [place.url(name) for name in names])


def about_of(spark: SparkSession | None, lake: Lake) -> About:
    """Return what a lake says of itself; a lake named by a path needs no session.

    Raises:
        NoLake: if there is no lake.
        NotALake: if the folder has other content.
        OldLake: if it must be rebuilt.
    """
    with translate_spark_errors(lake):
        about = About.read(place_of(lake, spark))
    if about is None:
        raise NoLake(str(lake))
    about.demand_readable(lake)
    return about


def frame_of(spark: SparkSession, base: str, paths: Sequence[str]) -> DataFrame:
    """Return the events in some files of a lake whose events are at `base`."""
    if not paths:
        return spark.createDataFrame([], ddl(LAKE))
    reader = spark.read.schema(ddl(LAKE)).options(basePath=base, **_AS_NAMED)
    return reader.parquet(*paths)


def _needed(name: str, until: Instant) -> bool:
    month, family = (part.partition("=")[2] for part in name.split("/")[-3:-1])
    return month <= format_instant(until)[:7] or family == _ALWAYS


def files(lake: Path) -> Sequence[Path]:
    """List the valid Parquet files of a lake, for readers other than Spark."""
    about = About.read(lake)
    return [lake / name for name in about.files] if about else []


assert PARTITIONS == ("month", "family")  # noqa: S101 - `_needed` reads their folders
