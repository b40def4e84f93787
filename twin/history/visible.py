"""The events of a lake that a branch sees: its ancestors' up to each fork, except withdrawn ones.

A withdrawal of instant T at position W hides each derived event that occurred after T and has a
position before W (see decision 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.columns import PARTITIONS
from twin.log.branches import lineage_of
from twin.log.errors import NoSuchBranch
from twin.log.lateness import WITHDRAWAL
from twin.log.records import Branch
from twin.model.asof import MAIN

_BUCKET: Final = 65_536
"""Withdrawals are matched to events in groups of this many positions."""


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
    withdrawn = reached.where((F.col("family") == "record") & (F.col("type") == WITHDRAWAL))
    rows = withdrawn.select("position", "occurred_at").collect()
    if not rows:
        return reached
    steps = list(_steps([(row[0], row[1]) for row in rows]))
    spark = events.sparkSession
    hidden = F.broadcast(
        spark.createDataFrame(steps, "bucket long, first long, last long, after long")
    )
    return reached.join(
        hidden,
        on=(F.floor(reached["position"] / _BUCKET) == hidden["bucket"])
        & reached["position"].between(hidden["first"], hidden["last"])
        & reached["derived"]
        & (reached["occurred_at"] > hidden["after"]),
        how="left_anti",
    )


def lineage(branches: Sequence[Branch], name: str) -> list[Reach]:
    """Return how far a branch sees into its own events and those of its ancestors.

    Raises:
        NoSuchBranch: if there is no branch of that name.
    """
    by_name = {branch.name: branch for branch in branches}
    if name not in by_name:
        raise NoSuchBranch(name)
    own, *inherited = lineage_of(by_name[name], by_name.__getitem__)
    return [Reach(own.branch, None, None), *(Reach._make(each) for each in inherited)]


def _reached(reach: Reach) -> Column:
    condition = F.col("branch") == reach.branch
    if reach.position is not None:
        condition &= F.col("position") <= reach.position
    if reach.occurred_at is not None:
        condition &= F.col("occurred_at") <= reach.occurred_at
    return condition


def _steps(withdrawals: list[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Return, for each group of positions, the instant after which derived events are hidden.

    Of the withdrawals recorded after an event, only the one with the earliest instant counts.
    """
    earliest: list[tuple[int, int]] = []
    for position, instant in sorted(withdrawals, reverse=True):
        if not earliest or instant < earliest[-1][1]:
            earliest.append((position, instant))
    bounds = [*earliest, (0, 0)]
    for (upto, instant), (before, _) in pairwise(bounds):
        first, last = before, upto - 1
        for bucket in range(first // _BUCKET, last // _BUCKET + 1):
            yield bucket, first, last, instant


def narrowed(events: DataFrame, *families: str) -> DataFrame:
    """Return the events of some families, so that no other folder of the lake is read."""
    return events.where(F.col(PARTITIONS[1]).isin(*families))
