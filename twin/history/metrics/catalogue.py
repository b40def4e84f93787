"""All metrics by name, in the order of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.history.metrics import (
    before_outages,
    changes,
    channel_status,
    distribution,
    instances,
    losses,
    outages,
    passes,
    resends,
    subscriptions,
    suspensions,
    switches,
    waits,
    warnings,
)
from twin.history.metrics.metric import Metric

METRICS: Final[Mapping[str, Metric]] = {
    metric.name: metric
    for metric in (
        *channel_status.METRICS,
        outages.METRIC,
        before_outages.METRIC,
        instances.METRIC,
        suspensions.METRIC,
        distribution.METRIC,
        *passes.METRICS,
        waits.METRIC,
        switches.METRIC,
        resends.METRIC,
        losses.METRIC,
        subscriptions.METRIC,
        warnings.METRIC,
        changes.METRIC,
    )
}
"""The metrics."""
