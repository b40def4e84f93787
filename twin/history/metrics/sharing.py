"""Intermediate results that several metrics need: computed once, while somebody keeps them."""

from __future__ import annotations

from functools import wraps
from typing import Final

from pyspark.sql import DataFrame

from twin.history.metrics.metric import Compute
from twin.history.visible import Window

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
