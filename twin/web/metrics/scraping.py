"""Compute the metrics of a branch as of now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from twin.app.twin import Twin
from twin.model.asof import MAIN, AsOf
from twin.model.instants import Instant
from twin.model.versions import VERSION
from twin.questions.measures.measuring import Measures
from twin.web.metrics import exporter, own
from twin.web.metrics.exposition import Exposition
from twin.web.metrics.families import Family
from twin.web.metrics_options import MetricsOptions

SOURCE: Final = ("source", "twin")
"""The label of all series under the exporter's names: no exporter measured them."""

Labels: TypeAlias = tuple[tuple[str, str], ...]
Filled: TypeAlias = tuple[Family[Any], Sequence[tuple[Any, ...]]]

EXPORTER_FAMILIES: Final = (
    exporter.QUEUE_MANAGERS,
    exporter.CLUSTERS,
    exporter.CHANNELS,
    exporter.QUEUES,
)
OWN_FAMILIES: Final = (
    *(own.RECORDS, own.HOLDINGS, own.REQUESTS, own.SIZES, own.USES, own.WAITING, own.MOVED),
    *(own.FINDINGS, own.OBSERVED, own.LOG, own.BUILD),
)
LABELS_IN_USE: Final = frozenset(
    {
        "branch",
        SOURCE[0],
        *(label for family in (*EXPORTER_FAMILIES, *OWN_FAMILIES) for label in family.labels),
    }
)
"""The names that no further label may have."""


class Scrape(NamedTuple):
    """The metrics of a branch.

    Attributes:
        exposition: their text, with times in it.
        position: the position of the log that they were computed from.
        at: the instant as of which they were computed.
        seconds: how long that took.
    """

    exposition: Exposition
    position: int
    at: Instant
    seconds: float


def scrape(twin: Twin, options: MetricsOptions) -> Scrape:
    """Compute the metrics of the branch of a twin as of now."""
    begun = perf_counter()
    branch = () if twin.branch == MAIN else (("branch", twin.branch),)
    labels = (*branch, *options.labels)

    def written(measures: Measures, point: AsOf) -> tuple[Exposition, AsOf]:
        exposition = Exposition()
        for family, subjects in _exporter(measures):
            exposition.add(family, subjects, (SOURCE, *labels))
        for family, subjects in _own(measures):
            exposition.add(family, subjects, labels)
        return exposition, point

    exposition, point = twin.measure(written, wanted=options.wants, observed=options.full)
    seconds = perf_counter() - begun
    latest = twin.log.head(twin.branch).occurred_at
    exposition.add(own.LOG, [own.LogState(point.position, latest, round(seconds, 6))], labels)
    exposition.add(own.BUILD, [own.Build(VERSION)], labels)
    return Scrape(exposition, point.position, point.valid, seconds)


def _exporter(measures: Measures) -> Iterator[Filled]:
    yield exporter.QUEUE_MANAGERS, measures.queue_managers
    yield exporter.CLUSTERS, measures.memberships
    yield exporter.CHANNELS, measures.channel_ends
    yield exporter.QUEUES, measures.queues


def _own(measures: Measures) -> Iterator[Filled]:
    yield own.RECORDS, measures.record_counts
    yield own.HOLDINGS, measures.holdings
    yield own.REQUESTS, measures.request_counts
    yield own.SIZES, measures.cluster_sizes
    yield own.USES, measures.channel_uses
    yield own.WAITING, measures.waiting
    moved = sorted(measures.traffic.reallocated.items())
    yield own.MOVED, [own.Moved(*key, count) for key, count in moved]
    yield own.FINDINGS, measures.findings
    yield own.OBSERVED, measures.observed
