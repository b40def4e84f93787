"""Writes docs/metrics.md from the catalogue of metrics: `python -m tests.metrics_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twin.history.metrics import METRICS, Metric

PAGE: Final = Path(__file__).parents[1] / "docs" / "metrics.md"

_HEAD: Final = """\
# Metrics

`twin history report` computes these metrics, and writes each as `NAME.csv` and `NAME.parquet`. A
metric computes rows from the events that a branch sees in a window of time. If something, such as
an outage, began before the window, only its part in the window counts, unless its column says
otherwise. If it had not ended at the last event, the metric assumes that it lasts until the
window's end. Days and months are those of UTC. Observed queue managers have no rows in a metric
that says "Simulated queue managers only": no observation contains such facts. This page is made
from the code by `python -m tests.metrics_page`, and a test compares the two.
"""


def page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD, *(line for metric in METRICS.values() for line in _metric(metric))]
    return "\n".join(parts)


def _metric(metric: Metric) -> Iterator[str]:
    yield f"## {metric.title}: `{metric.name}`\n"
    yield f"{metric.says}{' Simulated queue managers only.' * metric.simulated}\n"
    yield f"Source: {metric.source}.\n"
    yield "| column | what it is |\n|---|---|"
    yield from (f"| `{name}` | {says} |" for name, says in metric.columns.items())
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
