"""Reads a lake: only the files that `lake.json` lists, and only the months that are needed.

`lake.json` also says what the lake covers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from twin.history.columns import LAKE, PARTITIONS, ROWS, VERSION, ddl
from twin.history.errors import (
    DamagedLake,
    NoLake,
    NotALake,
    OldLake,
    translate_spark_errors,
)
from twin.history.lake.place import LOCK, Lake, Place, place_of
from twin.log.records import Branch
from twin.model.instants import Instant, format_instant

ABOUT: Final = "lake.json"
_OURS: Final = frozenset({LOCK, f"{ABOUT}.new", f".{ABOUT}.new"})
"""What a process leaves that was killed before it described the lake."""


@dataclass(frozen=True, slots=True)
class About:
    """A lake's description of itself, true after each batch of an update.

    Attributes:
        version: the version of its columns.
        origin: the digest of the log's first event; '' if there is none yet.
        position: the last position of the log that is in it.
        branches: the branches of the log.
        tip: the digest of the event at that position; '' if there is none yet.
        target: the position that the last update was to reach.
        recorded_at: when the event at `position` was recorded; 0 if there is none yet.
        files: its valid files, relative to the lake.
        run: a name of the last update: an update that finds another one stops.
        asked: when the log was last read to its end, by the wall clock; 0 if unknown.
    """

    version: int
    origin: str
    position: int
    branches: tuple[Branch, ...]
    tip: str = ""
    target: int = 0
    recorded_at: Instant = 0
    files: tuple[str, ...] = ()
    run: str = ""
    asked: Instant = 0

    @classmethod
    def read(cls, lake: Lake | Place) -> About | None:
        """Read the description of a lake; None if there is no lake.

        Raises:
            NotALake: if the folder has other content, or is not a folder.
        """
        place = lake if isinstance(lake, Place) else place_of(lake)
        text = place.read(ABOUT)
        if text is None:
            if place.names() - _OURS:
                raise NotALake(str(place), "contains something other than a lake")
            return None
        try:
            said: dict[str, Any] = json.loads(text)
            said["branches"] = tuple(Branch(*each) for each in said["branches"])
            said["files"] = tuple(said.get("files", ()))
            required = (said["version"], said["origin"], said["position"], said["branches"])
            known = {name: said[name] for name in cls.__slots__[len(required) :] if name in said}
            return cls(*required, **known)
        except (ValueError, KeyError, TypeError, AttributeError):
            reason = f"contains a {ABOUT} that is not that of a lake"
            raise NotALake(str(place), reason) from None

    def demand_readable(self, lake: object) -> None:
        """Refuse a lake that has other columns.

        Raises:
            OldLake: if it has.
        """
        if self.version != VERSION:
            raise OldLake(str(lake), self.version)

    @property
    def is_complete(self) -> bool:
        """Return whether the last update reached the end of the log."""
        return self.position >= self.target

    def covers(self) -> str:
        """Return what the lake covers, in one line."""
        if self.is_complete:
            return f"log up to position {self.position:,}"
        return (
            f"log up to position {self.position:,} of {self.target:,}: the last update was "
            f"interrupted after what was recorded at {format_instant(self.recorded_at)}"
        )

    def write(self, lake: Lake | Place) -> None:
        """Write the description: completely or not at all."""
        place = lake if isinstance(lake, Place) else place_of(lake)
        place.write(ABOUT, json.dumps(asdict(self) | {"branches": self.branches}, indent=0))


EVENTS: Final = "events"
_ALWAYS: Final = "record"
"""The family of facts about the record itself: they say of earlier events whether they count."""

_STANDING: Final = "repeats"
"""The family of events that stand for many rows."""

_REPEATS: Final = f"/family={_STANDING}/"

_AS_NAMED: Final = {"__globPaths__": "false"}
"""An option of Spark: the names of files are names, not patterns."""


def read(spark: SparkSession, lake: Lake, *, until: Instant | None = None) -> DataFrame:
    """Return the events of a lake, of all branches.

    Rows that a file said again are events like others, with the position that they share.

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
        events = frame_of(spark, place.url(EVENTS), [place.url(name) for name in names])
    return _with_rows(events) if any(_REPEATS in name for name in names) else events


def _with_rows(events: DataFrame) -> DataFrame:
    """Return events, with the rows that some of them stand for instead of these."""
    again = F.col("family") == _STANDING
    envelope = [name for name in LAKE if name not in ROWS]
    rows = F.from_json("body", f"array<struct<{ddl(ROWS).replace('` ', '`:')}>>")
    said = events.where(again).select(*envelope, F.inline(rows))
    return events.where(~again).unionByName(said.select(*events.columns))


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
