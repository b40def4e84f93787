"""The options of `twin serve` about `/metrics`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from typer import Option

if TYPE_CHECKING:
    from twin.web.metrics_options import MetricsOptions

MetricsChannels: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="PATTERN",
        help="Channels in /metrics: generic names, separated by commas; ! excludes "
        "[all cluster channels]",
    ),
]
MetricsFull: TypeAlias = Annotated[
    bool,
    Option(
        "--metrics-full",
        help="Also give observed queue managers metrics with the exporter's names",
    ),
]
MetricsLabel: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="NAME=VALUE", help="A label of all metrics, such as mq_cluster=SALES"),
]


def read_metrics_options(
    channels: str | None, labels: Sequence[str] | None, *, full: bool
) -> MetricsOptions:
    """Read the values of the options.

    Raises:
        BadPattern, BadLabel: if one is malformed.
    """
    from twin.web.metrics.scraping import LABELS_IN_USE
    from twin.web.metrics_options import MetricsOptions, read_labels, read_pattern

    return MetricsOptions(
        channels=() if channels is None else read_pattern(channels),
        full=full,
        labels=read_labels(labels or (), taken=LABELS_IN_USE),
    )
