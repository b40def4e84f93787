"""What a metric is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from pyspark.sql import DataFrame

from twin.history.window import Window

Compute: TypeAlias = Callable[[DataFrame, Window], DataFrame]
"""From the events that a branch sees (`visible`) and a window to the metric's rows."""


class Metric(NamedTuple):
    """One question to a long history.

    Attributes:
        name: what it is called, on the command line and as a file.
        title: what a report calls it.
        compute: the function that answers it.
        says: its definition, in a sentence or two.
        source: what in MQ, or in its manuals, the definition rests on.
        columns: its columns in their order, each with its meaning and unit.
        rests_on: what it is computed from that other metrics are as well, and what is worth keeping
            from one to the next; `compute` calls each with the events and the window it is given.
    """

    name: str
    title: str
    compute: Compute
    says: str
    source: str
    columns: Mapping[str, str]
    rests_on: tuple[Compute, ...] = ()
