"""Updates a lake: copies new events batch by batch, each completely or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple
from uuid import uuid4

import pyarrow as pa
from pyarrow import dataset
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from twin.history.arrow import SCHEMA, lake_batches, last_position
from twin.history.columns import PARTITIONS, VERSION
from twin.history.errors import LakeBusy, NotALake, translate_spark_errors
from twin.history.lake.place import Lake, Place, place_of
from twin.history.lake.reading import EVENTS, About, about_of, frame_of
from twin.history.source import NAME, PARTITION
from twin.history.timeouts import retry_when_late
from twin.log import Log
from twin.log.records import StoredEvent
from twin.model.instants import Instant

BATCH: Final = 2_000_000
"""The number of positions that are copied and committed at a time."""

_UNFINISHED: Final = "_temporary"
"""Where Spark collects the files of a batch: the name is Hadoop's, of its file output committer."""

_MANY: Final = 1_000_000
"""More folders than a lake can have; Arrow wants a limit."""


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


class Compacted(NamedTuple):
    """The number of files of a lake before and after they were joined."""

    before: int
    after: int


def update(
    spark: SparkSession | None,
    url: str,
    lake: Lake,
    *,
    partition: int = PARTITION,
    batch: int = BATCH,
    now: Instant = 0,
    progress: Callable[[int, int], None] = lambda *_: None,
    on_retry: Callable[[str], None] = lambda _: None,
) -> Updated:
    """Copy the new events of a log into a lake.

    Args:
        spark: the session that does the work; None for a few events, which this process copies.
        url: the log, opened for reading only.
        lake: the lake; it is created if it does not exist.
        partition: the number of positions that one task reads.
        batch: the number of positions that are copied and committed at a time.
        now: the instant of the wall clock, which reports take for the present of main; 0: unknown.
        progress: called with the number of positions in the lake, and with the target.
        on_retry: called with one line when the machine is too busy and a batch is repeated.

    Raises:
        NotALake: if the folder has other content, or is the lake of another log.
        LakeBusy: if another process updates it.
        NoSpace: if the disk is full.
        MachineBusy: if Spark's Python processes start too late at every attempt.
        BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, LogUnreachable, LogBusy: if the log
            cannot be read.
    """
    with translate_spark_errors(lake):
        place = place_of(lake, spark)
        About.read(place)  # checked before anything is written
        with closing(Log.open(url, mode="read")) as log, place.alone():
            found = About.read(place)
            rebuilt = _outdated(place, found, log)
            known = found if found and not rebuilt else About(VERSION, "", 0, ())
            first = _event(log, 1)
            known = replace(
                known,
                origin=first.digest if first else "",
                branches=tuple(log.branches(retired=True)),
                target=last_position(url),
                run=uuid4().hex,
            )
            known.write(place)
            progress(before := known.position, known.target)
            writer = _Writer(spark, place, url, partition)
            for begin in range(before + 1, known.target + 1, batch):
                end = min(begin + batch - 1, known.target)
                write = partial(writer.written, known, begin, end)
                new = retry_when_late(write, on_retry=on_retry)
                last = _event(log, end)
                known = _committed(
                    place,
                    known,
                    replace(
                        known,
                        position=end,
                        tip=last.digest if last else "",
                        recorded_at=last.recorded_at if last else 0,
                        files=(*known.files, *new),
                    ),
                )
                progress(end, known.target)
            _committed(place, known, replace(known, asked=now))
    return Updated(known.position - before, known.position, rebuilt)


def _event(log: Log, position: int) -> StoredEvent | None:
    """Return the event at a position; None if there is none."""
    return next(iter(log.events(after=position - 1, upto=position)), None) if position else None


def _outdated(place: Place, about: About | None, log: Log) -> str:
    """Return why a lake must be rebuilt; '' if it can be updated.

    Digests are chained: two logs that share a digest are equal up to that event.
    """
    if about is None:
        return ""
    for position, digest in ((1, about.origin), (about.position, about.tip)):
        event = _event(log, position)
        if digest and digest != (event.digest if event else ""):
            raise NotALake(str(place), "is the lake of another log")
    if about.version != VERSION:
        return f"its columns had version {about.version}; the current version is {VERSION}"
    return ""


def _committed(place: Place, known: About, new: About) -> About:
    """Replace the description of a lake, unless somebody else did so meanwhile.

    Raises:
        LakeBusy: if somebody did.
    """
    _demand_unchanged(place, known)
    new.write(place)
    return new


def _demand_unchanged(place: Place, known: About) -> None:
    if About.read(place) != known:
        raise LakeBusy(str(place))


class _Writer:
    """Writes events of a log into files that no description lists yet."""

    def __init__(self, spark: SparkSession | None, place: Place, url: str, partition: int) -> None:
        self._spark = spark
        self._place = place
        self._url = url
        self._partition = partition

    def written(self, known: About, first: int, last: int) -> list[str]:
        """Write the events between two positions; return the new files."""
        _demand_unchanged(self._place, known)
        _clean(self._place, known)
        if self._spark is None:
            rows = pa.Table.from_batches(lake_batches(self._url, first=first, last=last), SCHEMA)
            _write_here(rows, self._place, f"part-{first}-{last}")
        else:
            events = (
                self._spark.read.format(NAME)
                .options(lake="true", partition=self._partition)
                .load(self._url)
                .where(F.col("position").between(first, last))
            )
            _write(events, self._place)
        return sorted(self._place.files(EVENTS) - set(known.files))


def _write(events: DataFrame, place: Place) -> None:
    events.write.mode("append").partitionBy(*PARTITIONS).parquet(place.url(EVENTS))


def _write_here(rows: pa.Table, place: Place, name: str) -> None:
    """Write rows without Spark, into the same folders."""
    form = dataset.ParquetFileFormat()
    folders = pa.schema([SCHEMA.field(each) for each in PARTITIONS])
    dataset.write_dataset(
        rows,
        place.url(EVENTS),
        format=form,
        file_options=form.make_write_options(compression="zstd"),
        partitioning=dataset.partitioning(folders, flavor="hive"),
        basename_template=f"{name}-{{i}}.zstd.parquet",
        existing_data_behavior="overwrite_or_ignore",
        max_partitions=_MANY,
    )


def _clean(place: Place, known: About) -> None:
    """Delete what no description lists: an update that was killed left it.

    That includes the folder in which Spark collects a batch. A batch that was killed there between
    the end of a task and the end of the job would otherwise be completed by the next job's end,
    which moves every finished task it finds.
    """
    place.delete(place.files(EVENTS) - set(known.files))
    place.delete_folder(f"{EVENTS}/{_UNFINISHED}")


def compact(spark: SparkSession | None, lake: Lake) -> Compacted:
    """Join the files of each folder of a lake into one; no report may run meanwhile.

    Args:
        spark: the session that does the work; None for a small lake, which this process compacts.
        lake: the lake.

    Raises:
        NoLake, NotALake, OldLake: if it is not a lake, or must be rebuilt.
        LakeBusy: if another process updates it.
        NoSpace: if the disk is full.
    """
    with translate_spark_errors(lake):
        place = place_of(lake, spark)
        about_of(spark, lake)  # checked before anything is written
        with place.alone():
            known = about_of(spark, lake)
            _clean(place, known)
            before = len(known.files)
            by_folder = defaultdict(list)
            for name in known.files:
                by_folder[name.rpartition("/")[0]].append(name)
            old = [name for each in by_folder.values() if len(each) > 1 for name in each]
            if old:
                _join(spark, place, old, f"part-upto-{known.position}")
                files = place.files(EVENTS) - set(old)
                known = _committed(place, known, replace(known, files=tuple(sorted(files))))
                place.delete(old)
    return Compacted(before, len(known.files))


def _join(spark: SparkSession | None, place: Place, names: list[str], name: str) -> None:
    """Write the events of some files again, in order and one file for each folder."""
    urls = [place.url(each) for each in names]
    order = (*PARTITIONS, "position")
    if spark is None:
        folders = dataset.partitioning(flavor="hive")
        rows = dataset.dataset(urls, schema=SCHEMA, partitioning=folders).to_table()
        _write_here(rows.sort_by([(each, "ascending") for each in order]), place, name)
    else:
        events = frame_of(spark, place.url(EVENTS), urls)
        _write(events.repartition(*PARTITIONS).sortWithinPartitions(*order), place)
