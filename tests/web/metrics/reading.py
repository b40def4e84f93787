"""Read a scrape with the parser of Prometheus's own client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from prometheus_client.parser import text_string_to_metric_families

Labels: TypeAlias = frozenset[tuple[str, str]]


class Series(NamedTuple):
    """The series of one metric: its TYPE, its HELP, and its values by labels."""

    type: str
    help: str
    values: Mapping[Labels, float]

    def where(self, **labels: str) -> list[float]:
        """Return the values of the series that have these labels."""
        return [value for own, value in self.values.items() if labels.items() <= set(own)]

    def names(self) -> set[frozenset[str]]:
        """Return the sets of label names that series have."""
        return {frozenset(name for name, _ in own) for own in self.values}


def read(text: str) -> dict[str, Series]:
    """Read a scrape: the metrics by the names that stand in the text.

    The parser takes `_total` off the names of counters; each metric is declared once.
    """
    metrics: dict[str, Series] = {}
    for family in text_string_to_metric_families(text):
        values: dict[Labels, float] = {}
        for sample in family.samples:
            labels = frozenset(sample.labels.items())
            assert labels not in values, f"{sample.name} has two series {dict(labels)}"
            values[labels] = sample.value
        (name,) = {sample.name for sample in family.samples}
        name = name if f"# TYPE {name} " in text else name.removesuffix("_total")
        assert text.count(f"# TYPE {name} ") == 1
        metrics[name] = Series(family.type, family.documentation, values)
    return metrics
