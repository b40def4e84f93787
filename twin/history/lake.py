"""The lake: the log as Parquet, one folder per month and family, updated on request.

A streaming query with its own checkpoint copies new events exactly once. If an update is killed,
readers of the lake do not see its incomplete part, and the next run copies that part again. Readers
other than Spark get the list of valid files from `files`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO
from urllib.parse import unquote, urlsplit

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming import StreamingQuery

from twin.history.arrow import last_position
from twin.history.columns import BODY, ENVELOPE, LAKE, LOG, PARTITIONS, TYPED, VERSION, ddl
from twin.history.errors import LakeBusy, MovedLake, NoLake, NotALake, OldLake
from twin.history.failures import FULL_ERRORS, translate_spark_errors
from twin.history.families import FAMILIES, OTHER
from twin.history.source import BATCH, NAME, PARTITION
from twin.history.timeouts import retry_when_late
from twin.log import Log
from twin.log.records import Branch
from twin.model.instants import Instant
from twin.output_files import demand_no_link, write_whole

EVENTS: Final = "events"
CHECKPOINT: Final = "checkpoint"
ABOUT: Final = "lake.json"
LOCK: Final = "lock"

_OURS: Final = frozenset({LOCK, f"{ABOUT}.new", f".{ABOUT}.new"})
"""What a process leaves that was killed before it described the lake."""

_READ: Final = (*(name for name in ENVELOPE if name != "derived"), "cause", BODY)
_POLL: Final = 0.2
"""Seconds between two checks of an update's progress."""


class Updated(NamedTuple):
    """The result of an update.

    Attributes:
        events: the number of events that it copied.
        position: the last position that is in the lake now.
        rebuilt: why the lake was rebuilt; '' if it was not.
    """

    events: int
    position: int
    rebuilt: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """A lake's description of itself, stored in the lake.

    Attributes:
        version: the version of its columns.
        origin: the digest of the log's first event; '' if there is none yet.
        position: the last position of the log that is in it.
        branches: the branches of the log.
        tip: the digest of the event at that position; '' if there is none yet.
        place: the folder in which it was made; '' if unknown. Its files are stored by absolute
            path.
        asked: when the log was last read to its end, by the wall clock; 0 if unknown.
    """

    version: int
    origin: str
    position: int
    branches: tuple[Branch, ...]
    tip: str = ""
    place: str = ""
    asked: Instant = 0

    @classmethod
    def read(cls, folder: Path) -> About | None:
        """Read the description of a lake; None if there is no lake.

        Raises:
            NotALake: if the folder has other content, or is not a folder.
        """
        file = folder / ABOUT
        try:
            about: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            branches = tuple(Branch(*each) for each in about["branches"])
            tip, place = about.get("tip", ""), about.get("place", "")
            return cls(
                about["version"],
                about["origin"],
                about["position"],
                branches,
                tip,
                place,
                about.get("asked", 0),
            )
        except FileNotFoundError:
            if folder.is_dir() and any(each.name not in _OURS for each in folder.iterdir()):
                raise NotALake(str(folder), "contains something other than a lake") from None
            return None
        except NotADirectoryError:
            raise NotALake(str(folder), "is not a folder") from None
        except OSError as error:
            raise NotALake(str(folder), f"cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotALake(str(folder), f"contains a {ABOUT} that is not that of a lake") from None

    def demand_readable(self, folder: Path) -> None:
        """Refuse a lake that has other columns or was moved.

        Raises:
            OldLake, MovedLake: if it is one.
        """
        if self.version != VERSION:
            raise OldLake(str(folder), self.version)
        if self.has_moved(folder):
            raise MovedLake(str(folder), self.place)

    def has_moved(self, folder: Path) -> bool:
        """Return whether the lake was made in another folder than it is in now."""
        return bool(self.place) and self.place != str(folder.resolve())

    def write(self, folder: Path) -> None:
        """Write the description with the lake's present folder: completely or not at all."""
        about = {
            "version": self.version,
            "origin": self.origin,
            "position": self.position,
            "branches": self.branches,
            "tip": self.tip,
            "place": str(folder.resolve()),
            "asked": self.asked,
        }
        write_whole(folder / ABOUT, json.dumps(about))


def update(
    spark: SparkSession,
    url: str,
    folder: Path,
    *,
    partition: int = PARTITION,
    batch: int = BATCH,
    now: Instant = 0,
    progress: Callable[[int, int], None] = lambda *_: None,
    on_retry: Callable[[str], None] = lambda _: None,
) -> Updated:
    """Copy the new events of a log into a lake.

    Args:
        spark: the session that does the work.
        url: the log, opened for reading only.
        folder: the lake; it is created if it does not exist.
        now: the instant of the wall clock, which reports take for the present of main; 0: unknown.
        partition: the number of positions that one task reads.
        batch: the number of positions that are copied and committed at a time.
        progress: called with the number of positions in the lake, and with the target.
        on_retry: called with one line when the machine is too busy and the update continues after
            its last complete part.

    Raises:
        NotALake: if the folder has other content, or is the lake of another log.
        LakeBusy: if another process updates it.
        NoSpace: if the disk is full.
        MachineBusy: if Spark's Python processes start too late at every attempt.
        BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, LogUnreachable, LogBusy: if the log
            cannot be read.
    """
    About.read(folder)  # checked before anything is written
    with closing(Log.open(url, mode="read")) as log, translate_spark_errors(folder), _alone(folder):
        branches = tuple(log.branches(retired=True))
        origin = _digest(log, 1)
        about = About.read(folder)
        rebuilt = _outdated(folder, about, log)
        if rebuilt:
            for each in (EVENTS, CHECKPOINT):
                shutil.rmtree(folder / each, ignore_errors=True)
            about = None
        before, asked = (about.position, about.asked) if about is not None else (0, 0)
        About(VERSION, origin, before, branches, _digest(log, before), asked=asked).write(folder)
        after = before
        if origin:
            target = last_position(url)
            after = retry_when_late(
                lambda: _followed(
                    _query(spark, url, folder, partition=partition, batch=batch),
                    before,
                    target,
                    progress,
                ),
                on_retry=on_retry,
            )
        About(VERSION, origin, after, branches, _digest(log, after), asked=now).write(folder)
    return Updated(after - before, after, rebuilt)


def _digest(log: Log, position: int) -> str:
    """Return the digest of the event at a position; '' if there is none."""
    events = list(log.events(after=position - 1, upto=position)) if position else []
    return events[0].digest if events else ""


def _outdated(folder: Path, about: About | None, log: Log) -> str:
    """Return why a lake must be rebuilt; '' if it can be updated.

    Digests are chained: two logs that share a digest are equal up to that event.
    """
    if about is None:
        return ""
    for position, digest in ((1, about.origin), (about.position, about.tip)):
        if digest and digest != _digest(log, position):
            raise NotALake(str(folder), "is the lake of another log")
    if about.version != VERSION:
        return f"its columns had version {about.version}; the current version is {VERSION}"
    return f"it was moved or copied from {about.place}" if about.has_moved(folder) else ""


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from updating the same lake."""
    with _lock(folder) as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise LakeBusy(str(folder)) from None
        yield


def _lock(folder: Path) -> TextIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        demand_no_link(folder / LOCK)
        return (folder / LOCK).open("a")
    except OSError as error:
        if error.errno in FULL_ERRORS:
            raise
        raise NotALake(str(folder), f"cannot be written to ({error.strerror})") from None


def _query(
    spark: SparkSession, url: str, folder: Path, *, partition: int, batch: int
) -> StreamingQuery:
    _drop_checkpoint_without_offsets(folder / CHECKPOINT)
    new = (
        spark.readStream.format(NAME)
        .schema(ddl({name: LOG[name] for name in _READ}))
        .option("partition", partition)
        .option("batch", batch)
        .load(url)
    )
    return (
        typed(new)
        .writeStream.format("parquet")
        .partitionBy(*PARTITIONS)
        .option("checkpointLocation", str(folder / CHECKPOINT))
        .trigger(availableNow=True)
        .start(str(folder / EVENTS))
    )


def _drop_checkpoint_without_offsets(checkpoint: Path) -> None:
    """Drop what an update left that was killed before its first batch had offsets.

    Nothing was copied then, and Spark refuses to begin at a checkpoint that is not empty.
    """
    if not any(each.name.isdecimal() for each in (checkpoint / "offsets").glob("*")):
        shutil.rmtree(checkpoint, ignore_errors=True)


def typed(events: DataFrame) -> DataFrame:
    """Convert events of the log to the columns of the lake."""
    return events.select(*_columns())


def _columns() -> Iterator[Column]:
    plain = F.substring_index("type", "@", 1)
    fields = F.from_json(BODY, ddl(dict(TYPED.values())))
    for name in ENVELOPE:
        match name:
            case "type":
                yield plain.alias(name)
            case "derived":
                yield F.col("cause").isNotNull().alias(name)
            case _:
                yield F.col(name)
    for name, (field, _) in TYPED.items():
        yield fields[field].alias(name)
    yield F.col(BODY)
    yield F.date_format(F.timestamp_micros("occurred_at"), "yyyy-MM").alias("month")
    families = [
        F.lit(each) for name, types in FAMILIES.items() for type_ in types for each in (type_, name)
    ]
    yield F.coalesce(F.create_map(*families)[plain], F.lit(OTHER)).alias("family")


def _followed(
    query: StreamingQuery, before: int, target: int, progress: Callable[[int, int], None]
) -> int:
    """Wait for a query and report its progress; return the last position that it copied."""
    done = before
    try:
        while True:
            ended = query.awaitTermination(_POLL)
            for each in query.recentProgress:
                done = max(done, _reached(each) or 0)
            progress(done, max(target, done))
            if ended:
                return done
    finally:
        query.stop()


def _reached(progress: Any) -> int | None:
    end = progress.sources[0].endOffset
    return json.loads(end)["position"] if end else None


def read(spark: SparkSession, folder: Path) -> DataFrame:
    """Return all events of a lake, of all branches.

    Raises:
        NoLake: if there is no lake.
        NotALake: if the folder has other content.
        OldLake, MovedLake: if it must be rebuilt.
        DamagedLake: if the list of its valid files cannot be read.
    """
    about = About.read(folder)
    if about is None:
        raise NoLake(str(folder))
    about.demand_readable(folder)
    schema = ddl(LAKE)
    if not (folder / EVENTS / "_spark_metadata").is_dir():
        return spark.createDataFrame([], schema)
    with translate_spark_errors(folder):
        return spark.read.schema(schema).parquet(str(folder / EVENTS))


def files(folder: Path) -> Sequence[Path]:
    """List the valid Parquet files of a lake, for readers other than Spark."""
    paths: dict[str, None] = {}
    log = folder / EVENTS / "_spark_metadata"
    for part in sorted(log.glob("[0-9]*"), key=lambda each: int(each.name.split(".")[0])):
        for line in part.read_text(encoding="utf-8").splitlines()[1:]:
            paths[json.loads(line)["path"]] = None
    return [Path(unquote(urlsplit(each).path)) for each in paths]
