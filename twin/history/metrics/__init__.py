"""The metrics: each a function from the events that a branch sees, and a window, to rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.history.metrics import (
    changes,
    channel_status,
    coverage,
    distribution,
    incidents,
    instances,
    outages,
    renewals,
    suspensions,
    switches,
    waiting,
)
from twin.history.metrics.metric import Metric

__all__ = ["METRICS", "Metric"]

METRICS: Final[Mapping[str, Metric]] = {
    metric.name: metric
    for metric in (
        coverage.METRIC,
        incidents.METRIC,
        *channel_status.METRICS,
        outages.OUTAGES,
        outages.BEFORE_OUTAGES,
        instances.METRIC,
        suspensions.METRIC,
        distribution.METRIC,
        distribution.COUNTED_PUTS,
        *waiting.REALLOCATION,
        waiting.WAITS,
        switches.METRIC,
        renewals.RESENDS,
        renewals.LOSSES,
        renewals.SUBSCRIPTIONS,
        renewals.WARNINGS,
        changes.METRIC,
    )
}
"""All metrics by name, in the order of the report."""
