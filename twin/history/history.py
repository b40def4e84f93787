"""A history: the events of a lake that one branch sees, from which metrics are computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Self

from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from twin.history import lake
from twin.history.columns import PARTITIONS
from twin.history.errors import EmptyHistory, translate_spark_errors
from twin.history.lake import About
from twin.history.session import is_few
from twin.history.visible import Window, fork_from_main, visible
from twin.model.instants import MAIN, Instant


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
