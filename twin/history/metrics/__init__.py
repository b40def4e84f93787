"""The metrics: each a function from the events that a branch sees, and a window, to rows."""

from __future__ import annotations

from twin.history.metrics.catalogue import METRICS
from twin.history.metrics.metric import Metric

__all__ = ["METRICS", "Metric"]
