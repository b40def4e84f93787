"""What a metric declares, and intermediate results that several metrics need.

These are computed once, while somebody keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Final, NamedTuple, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.history.columns import PARTITIONS
from twin.history.history import Window
from twin.model.instants import format_instant

Compute: TypeAlias = Callable[[DataFrame, Window], DataFrame]
"""Computes the rows of a metric from the events that a branch sees (`visible`) and a window."""


class Metric(NamedTuple):
    """One metric of a long history.

    Attributes:
        name: its name on the command line, and of its files.
        title: its title in a report.
        compute: the function that computes it.
        says: its definition, in a sentence or two.
        source: the feature or manual of MQ that the definition is based on.
        columns: its columns in order, each with its meaning and unit.
        rests_on: intermediate results that it shares with other metrics and that are worth keeping
            between them; `compute` calls each with the same events and window. One that it reads
            several times is named twice.
        simulated: whether only simulated queue managers can have rows: no observation says it.
        earlier: the families of events whose months before a window it needs, because they say in
            which state everything was when the window began; None for all that it reads.
    """

    name: str
    title: str
    compute: Compute
    says: str
    source: str
    columns: Mapping[str, str]
    rests_on: tuple[Compute, ...] = ()
    simulated: bool = False
    earlier: tuple[str, ...] | None = None

    def needed(self, events: DataFrame, window: Window) -> DataFrame:
        """Leave out the months before a window of events that only count inside it.

        Spark then opens no file of these months.
        """
        if self.earlier is None:
            return events
        month, family = map(F.col, PARTITIONS)
        first = format_instant(window.since)[:7]
        return events.where((month >= first) | family.isin(*self.earlier))


_KEPT: Final[dict[Compute, tuple[DataFrame, Window, DataFrame]]] = {}


def shared(part: Compute) -> Compute:
    """Let an intermediate result be kept; without that, it is computed each time."""

    @wraps(part)
    def known(events: DataFrame, window: Window) -> DataFrame:
        kept = _KEPT.get(known)
        if kept is not None and kept[0] is events and kept[1] == window:
            return kept[2]
        return part(events, window)

    return known


def keep(part: Compute, events: DataFrame, window: Window, rows: DataFrame) -> None:
    """Keep the rows of an intermediate result for the same events and window."""
    _KEPT[part] = events, window, rows


def drop(part: Compute) -> None:
    """Keep the rows of an intermediate result no longer."""
    _KEPT.pop(part, None)
