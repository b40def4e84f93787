"""A history: the events of a lake that one branch sees, from which metrics are computed.

The events of a lake that a branch sees in a window of time, and the intervals of states in it.

They are those of its ancestors up to each fork, except hidden ones.

`twin.log.visibility` says what is hidden, in the log as in the lake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple, Self

from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import Window as Over
from pyspark.sql import functions as F  # noqa: N812

from twin.history import lake
from twin.history.columns import PARTITIONS
from twin.history.errors import BadWindow, EmptyHistory, translate_spark_errors
from twin.history.lake import About
from twin.history.session import is_few
from twin.log.branches import lineage_of
from twin.log.errors import NoSuchBranch
from twin.log.records import HIDING, RETRACTING, WITHDRAWAL, Branch
from twin.log.visibility import OWN, Steps, Visibility, rows_of
from twin.model.instants import DAY, MAIN, SECOND, Instant, format_instant

_BUCKET: Final = 65_536
"""What hides is matched to events in groups of this many positions."""

_HIDDEN: Final = "hides_derived boolean, bucket long, first long, last long, after long"


class Window(NamedTuple):
    """A span of time from one instant to another (not included), in microseconds since 1970 UTC.

    If something began before the window, only its part inside the window counts. If it has not
    ended when the log ends, it lasts until the end of the window. From `forked` on, the branch
    simulates all queue managers, also those that were observed; None on main.
    """

    since: Instant
    until: Instant
    forked: Instant | None = None

    @classmethod
    def of(cls, since: Instant, until: Instant, *, forked: Instant | None = None) -> Window:
        """Make a window.

        Raises:
            BadWindow: if it does not end after it begins.
        """
        if until <= since:
            raise BadWindow(format_instant(since), format_instant(until))
        return cls(since, until, forked)


class Reach(NamedTuple):
    """How far a branch sees into the events of one branch; None for all of them."""

    branch: int
    position: int | None
    occurred_at: int | None


def visible(events: DataFrame, branches: Sequence[Branch], name: str = MAIN) -> DataFrame:
    """Return the events of a lake that a branch sees.

    Raises:
        NoSuchBranch: if there is no branch of that name.
    """
    reached = events.where(reduce(or_, map(_reached, lineage(branches, name))))
    hiding = reached.where((F.col("family") == "record") & F.col("type").isin(*HIDING))
    rows = hiding.select("position", "branch", "occurred_at", "type", "body").collect()
    if not rows:
        return reached
    hidden = F.broadcast(
        events.sparkSession.createDataFrame(list(_hidden(_visibility(rows))), _HIDDEN)
    )
    return reached.join(
        hidden,
        on=(F.floor(reached["position"] / _BUCKET) == hidden["bucket"])
        & reached["position"].between(hidden["first"], hidden["last"])
        & (reached["derived"] == hidden["hides_derived"])
        & (reached["occurred_at"] > hidden["after"])
        & (reached["derived"] | ~reached["type"].isin(*OWN)),
        how="left_anti",
    )


def _visibility(rows: Sequence[Sequence[Any]]) -> Visibility:
    """Return the visibility that follows from withdrawals and retractions.

    They are given as (position, branch, occurred_at, type, body).
    """
    return Visibility(
        [(row[0], row[2]) for row in rows if row[3] == WITHDRAWAL],
        [each for row in rows if row[3] in RETRACTING for each in rows_of(*row)],
    )


def lineage(branches: Sequence[Branch], name: str) -> list[Reach]:
    """Return how far a branch sees into its own events and those of its ancestors.

    Raises:
        NoSuchBranch: if there is no branch of that name.
    """
    by_name = {branch.name: branch for branch in branches if branch.retired is None}
    if name not in by_name:
        raise NoSuchBranch(name)
    by_number = {branch.id: _with_parent(branch, by_name) for branch in branches}
    own, *inherited = lineage_of(by_number[by_name[name].id], by_number.get)
    return [Reach(own.branch, None, None), *(Reach._make(each) for each in inherited)]


def fork_from_main(branches: Sequence[Branch], name: str) -> Instant | None:
    """Return the instant at which a branch, or its ancestor, was forked from main; None for main.

    Raises:
        NoSuchBranch: if there is no branch of that name.
    """
    *_, main = lineage(branches, name)
    return main.occurred_at


def _with_parent(branch: Branch, by_name: Mapping[str, Branch]) -> Branch:
    """Return a branch with the number of its parent, which older lakes know by name only."""
    if branch.parent is None or branch.parent_id is not None:
        return branch
    return branch._replace(parent_id=by_name[branch.parent].id)


def _reached(reach: Reach) -> Column:
    condition = F.col("branch") == reach.branch
    if reach.position is not None:
        condition &= F.col("position") <= reach.position
    if reach.occurred_at is not None:
        condition &= F.col("occurred_at") <= reach.occurred_at
    return condition


def _hidden(visibility: Visibility) -> Iterator[tuple[bool, int, int, int, int]]:
    """Return what is hidden: whether derived, the positions by group, and the instant after which.

    Events after that instant are hidden, either derived ones or primary facts.
    """
    for first, last, instant in _stretches(visibility.withdrawn):
        yield from ((True, *each) for each in _in_groups(first, last, instant))
    for first, last, since in [*_stretches(visibility.retracted), *visibility.ranges]:
        yield from ((False, *each) for each in _in_groups(first, last, since - 1))


def _stretches(steps: Steps) -> Iterator[tuple[int, int, int]]:
    """Return the stretches of positions that have the same earliest bound, and that bound."""
    first = 0
    for position, instant in zip(steps.positions, steps.earliest, strict=True):
        yield first, position - 1, instant
        first = position


def _in_groups(first: int, last: int, after: int) -> Iterator[tuple[int, int, int, int]]:
    for bucket in range(first // _BUCKET, last // _BUCKET + 1):
        yield bucket, first, last, after


def narrowed(events: DataFrame, *families: str) -> DataFrame:
    """Return the events of some families, so that no other folder of the lake is read."""
    return events.where(F.col(PARTITIONS[1]).isin(*families))


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


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a history; instants are microseconds since 1970 UTC.

    Attributes:
        events: the number of events that the branch sees.
        first: the instant of the earliest event.
        last: the instant of the latest event.
        qmgrs: the number of queue managers that the events belong to.
    """

    events: int
    first: Instant
    last: Instant
    qmgrs: int


@dataclass(frozen=True, slots=True)
class History:
    """The events of a lake that one branch sees.

    Attributes:
        folder: the lake.
        about: the lake's description of itself.
        branch: the branch.
        events: the events, with the columns of the lake.
    """

    folder: lake.Lake
    about: About
    branch: str
    events: DataFrame

    @classmethod
    def open(
        cls,
        spark: SparkSession,
        folder: lake.Lake,
        branch: str = MAIN,
        *,
        until: Instant | None = None,
    ) -> Self:
        """Open a lake as a branch sees it.

        The events of a small lake are one partition: Spark then needs no exchange for a metric.

        Args:
            spark: the session.
            folder: the lake.
            branch: the branch.
            until: leave out months that begin after this instant; None for all months.

        Raises:
            NoLake: if there is no lake.
            NotALake: if the folder is not a lake.
            NoSuchBranch: if the lake does not know the branch.
            DamagedLake: if a file of the lake cannot be read.
        """
        about = lake.about_of(spark, folder)
        events = lake.read(spark, folder, until=until)
        if is_few(spark, about.position):
            events = events.coalesce(1)
        with translate_spark_errors(folder):
            return cls(folder, about, branch, visible(events, about.branches, branch))

    @property
    def is_few(self) -> bool:
        """Return whether the events are so few that they are best kept in memory."""
        return is_few(self.events.sparkSession, self.about.position)

    @contextmanager
    def in_memory(self) -> Iterator[Self]:
        """Keep few events in memory in a block, by family; then the lake is read only once."""
        if not self.is_few:
            yield self
            return
        events = self.events.sortWithinPartitions(PARTITIONS[1], PARTITIONS[0])
        events.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield replace(self, events=events)
        finally:
            with suppress(Py4JError, OSError):  # Spark may be gone
                events.unpersist()

    def extent(self) -> Extent:
        """Return the size of the history.

        Raises:
            EmptyHistory: if there are no events.
            DamagedLake: if a file of the lake cannot be read.
        """
        counted = self.events.agg(
            F.count("*"),
            F.min("occurred_at"),
            F.max("occurred_at"),
            F.count_distinct("qmgr"),
        )
        with translate_spark_errors(self.folder):
            row = counted.collect()[0]
        if not row[0]:
            raise EmptyHistory(str(self.folder), self.branch)
        return Extent(*row)

    def window(self, extent: Extent, since: Instant | None, until: Instant | None) -> Window:
        """Return a window; by default from the first event to the present of the branch.

        The present of main is the instant of the last update of the lake, since the lake knows
        nothing of what came after it. That of another branch is its latest event, or its fork.

        Raises:
            BadWindow: if it ends before it begins.
        """
        forked = fork_from_main(self.about.branches, self.branch)
        own = next(each for each in self.about.branches if each.name == self.branch)
        asked = self.about.asked if own.parent is None else own.fork_occurred_at
        return Window.of(
            extent.first if since is None else since,
            max(extent.last, asked) + 1 if until is None else until,
            forked=forked,
        )
