"""All metrics by name, in the order of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.history.metrics import suspensions
from twin.history.metrics.metric import Metric

METRICS: Final[Mapping[str, Metric]] = {metric.name: metric for metric in (suspensions.METRIC,)}
"""The metrics."""
