"""What a metric is: one row of a table. Metrics of the same subjects are a family.

The value of a metric is a number, an instant from which or to which time is counted, or None if it
is not known: then the metric has no series for that subject.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from twin.model.instants import Instant

Subject = TypeVar("Subject", bound=tuple[Any, ...])
SeriesType: TypeAlias = Literal["gauge", "counter"]


class Since(NamedTuple):
    """The whole seconds since an instant, at the time of the scrape; never less than 0."""

    at: Instant


class Until(NamedTuple):
    """The seconds until an instant, at the time of the scrape; negative after it."""

    at: Instant


SeriesValue: TypeAlias = int | float | Since | Until | None


class ExportedMetric(NamedTuple, Generic[Subject]):
    """One metric.

    Attributes:
        name: its name, without the prefix of its family.
        help: its HELP text.
        value: returns its value for a subject.
        type: its TYPE.
    """

    name: str
    help: str
    value: Callable[[Subject], SeriesValue]
    type: SeriesType = "gauge"


class Family(NamedTuple, Generic[Subject]):
    """Metrics that have the same labels, because they are about the same subjects.

    Attributes:
        prefix: how their names begin.
        labels: the names of the labels.
        values: returns the values of the labels for a subject; None for a label that it lacks.
        metrics: the metrics.
    """

    prefix: str
    labels: tuple[str, ...]
    values: Callable[[Subject], tuple[str | None, ...]]
    metrics: tuple[ExportedMetric[Subject], ...]

    def names(self) -> tuple[str, ...]:
        """Return the full names of the metrics."""
        return tuple(f"{self.prefix}{metric.name}" for metric in self.metrics)
