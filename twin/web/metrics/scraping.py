"""`/metrics`: the series of all queue managers, computed for a branch as of now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from twin.app.twin import Twin
from twin.model.instants import MAIN, SECOND, AsOf, Instant
from twin.model.versions import VERSION
from twin.questions.measures.channels import ChannelUse
from twin.questions.measures.measuring import FindingCount, LastObserved, Measures
from twin.questions.measures.queues import WaitingCount
from twin.questions.measures.records import ClusterSize, RecordCount, RecordHolding, RequestCount
from twin.web.errors import BadRequest, UnknownQueryParameter
from twin.web.metrics import exporter
from twin.web.metrics.exposition import (
    CONTENT_TYPE,
    ExportedMetric,
    Exposition,
    Family,
    SeriesValue,
    Since,
    Until,
)
from twin.web.metrics_options import MetricsOptions
from twin.web.points import PARAMETERS, Point
from twin.web.service import service_of

PREFIX: Final = "ibmmq_twin_"


class Moved(NamedTuple):
    """How many waiting messages the reallocation passes of a channel moved."""

    qmgr: str
    channel: str
    cause: str
    number: int


class LogState(NamedTuple):
    """The log at a scrape: its head, and how long the scrape took in seconds."""

    position: int
    latest: Instant | None
    duration: float


class Build(NamedTuple):
    """The version of twin that serves."""

    version: str


def _since(at: Instant | None) -> SeriesValue:
    return None if at is None else Since(at)


def _until(at: Instant | None) -> SeriesValue:
    return None if at is None else Until(at)


RECORDS: Final[Family[RecordCount]] = Family(
    PREFIX,
    ("observer", "cluster", "kind", "state"),
    lambda each: each[:4],
    (
        ExportedMetric(
            "belief_records",
            "Records that a queue manager holds of a cluster",
            lambda each: each.number,
        ),
    ),
)

HOLDINGS: Final[Family[RecordHolding]] = Family(
    PREFIX,
    ("observer", "cluster"),
    lambda each: each[:2],
    (
        ExportedMetric(
            "belief_divergence_records",
            "Records that differ from what their owners define now",
            lambda each: each.diverging,
        ),
        ExportedMetric(
            "record_expiry_seconds_min",
            "Time until the first record expires; negative after that",
            lambda each: _until(each.expires),
        ),
        ExportedMetric(
            "record_removal_seconds_min",
            "Time until the first record is removed if it is not renewed",
            lambda each: _until(each.removal),
        ),
        ExportedMetric(
            "renewal_overdue_seconds_max",
            "Time since the first record was due to be renewed; 0 if none is overdue",
            lambda each: _since(each.republish_due),
        ),
    ),
)

REQUESTS: Final[Family[RequestCount]] = Family(
    PREFIX,
    ("observer", "cluster", "state"),
    lambda each: each[:3],
    (
        ExportedMetric(
            "subscriptions",
            "Subscriptions of a queue manager at full repositories",
            lambda each: each.number,
        ),
    ),
)

SIZES: Final[Family[ClusterSize]] = Family(
    PREFIX,
    ("cluster",),
    lambda each: (each.cluster,),
    (
        ExportedMetric(
            "full_repositories",
            "Full repositories that any queue manager knows",
            lambda each: each.full_repositories,
        ),
        ExportedMetric(
            "members", "Members that any queue manager knows", lambda each: each.members
        ),
        ExportedMetric(
            "duplicate_qmids",
            "Names of members that are known with several QMIDs",
            lambda each: each.duplicates,
        ),
    ),
)

USES: Final[Family[ChannelUse]] = Family(
    PREFIX,
    ("qmgr", "channel"),
    lambda each: each[:2],
    (
        ExportedMetric(
            "channel_usable",
            "Whether the channel would send a message that is put now",
            lambda each: None if each.usable is None else int(each.usable),
        ),
        ExportedMetric(
            "channel_attempts", "Failed retries of a retrying channel", lambda each: each.attempts
        ),
        ExportedMetric(
            "next_retry_seconds",
            "Time until the next retry of a retrying channel",
            lambda each: _until(each.next_retry),
        ),
        ExportedMetric(
            "switch_pending",
            "Whether the channel switches its transmission queue, now or at its next start",
            lambda each: int(each.switch_pending),
        ),
    ),
)

WAITING: Final[Family[WaitingCount]] = Family(
    PREFIX,
    ("qmgr", "channel", "eligible"),
    lambda each: (each.qmgr, each.channel, "true" if each.eligible else "false"),
    (
        ExportedMetric(
            "waiting_messages",
            "Messages on transmission queues, and whether a reallocation pass may move them",
            lambda each: each.number,
        ),
    ),
)

MOVED: Final[Family[Moved]] = Family(
    PREFIX,
    ("qmgr", "channel", "cause"),
    lambda each: each[:3],
    (
        ExportedMetric(
            "reallocated_messages_total",
            "Waiting messages that reallocation passes moved",
            lambda each: each.number,
            "counter",
        ),
    ),
)

FINDINGS: Final[Family[FindingCount]] = Family(
    PREFIX,
    ("severity", "rule"),
    lambda each: each[:2],
    (ExportedMetric("doctor_findings", "Findings of twin doctor", lambda each: each.number),),
)

OBSERVED: Final[Family[LastObserved]] = Family(
    PREFIX,
    ("qmgr", "feed"),
    lambda each: each[:2],
    (
        ExportedMetric(
            "observation_age_seconds",
            "Time since facts of this kind were last observed; gone: since that was stated",
            lambda each: Since(each.at),
        ),
    ),
)

LOG: Final[Family[LogState]] = Family(
    PREFIX,
    (),
    lambda _: (),
    (
        ExportedMetric("log_position", "Last position of the branch", lambda each: each.position),
        ExportedMetric(
            "log_head_timestamp_seconds",
            "Instant of the latest event of the branch",
            lambda each: None if each.latest is None else each.latest / SECOND,
        ),
        ExportedMetric(
            "scrape_duration_seconds",
            "Time that it took to compute the metrics",
            lambda each: each.duration,
        ),
    ),
)

BUILD: Final[Family[Build]] = Family(
    PREFIX,
    ("version",),
    lambda each: (each.version,),
    (ExportedMetric("build_info", "The version of twin", lambda _: 1),),
)

SOURCE: Final = ("source", "twin")
"""The label of all series under the exporter's names: no exporter measured them."""

Filled: TypeAlias = tuple[Family[Any], Sequence[tuple[Any, ...]]]

EXPORTER_FAMILIES: Final = (
    exporter.QUEUE_MANAGERS,
    exporter.CLUSTERS,
    exporter.CHANNELS,
    exporter.QUEUES,
)

OWN_FAMILIES: Final = (
    *(RECORDS, HOLDINGS, REQUESTS, SIZES, USES, WAITING, MOVED),
    *(FINDINGS, OBSERVED, LOG, BUILD),
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
    exposition.add(LOG, [LogState(point.position, latest, round(seconds, 6))], labels)
    exposition.add(BUILD, [Build(VERSION)], labels)
    return Scrape(exposition, point.position, point.valid, seconds)


def _exporter(measures: Measures) -> Iterator[Filled]:
    yield exporter.QUEUE_MANAGERS, measures.queue_managers
    yield exporter.CLUSTERS, measures.memberships
    yield exporter.CHANNELS, measures.channel_ends
    yield exporter.QUEUES, measures.queues


def _own(measures: Measures) -> Iterator[Filled]:
    yield RECORDS, measures.record_counts
    yield HOLDINGS, measures.holdings
    yield REQUESTS, measures.request_counts
    yield SIZES, measures.cluster_sizes
    yield USES, measures.channel_uses
    yield WAITING, measures.waiting
    moved = sorted(measures.traffic.reallocated.items())
    yield MOVED, [Moved(*key, count) for key, count in moved]
    yield FINDINGS, measures.findings
    yield OBSERVED, measures.observed


router = APIRouter()

LARGE: Final = 5000
"""The last position of a log whose metrics are computed in the process that answers."""


class OnlyNow(BadRequest, message="metrics are always as of now; only a branch can be chosen"):
    """A scrape with a time: a scrape is always as of now."""


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return the series of now, on main or on another branch."""
    for name in request.query_params:
        if name.removeprefix("twin-") not in PARAMETERS:
            raise UnknownQueryParameter(name, {"branch"})
    point = Point.of(request)
    if not point.is_now:
        raise OnlyNow
    service = service_of(request)
    with service.readers.borrow(point.branch) as twin:
        number = twin.log.branch(point.branch).id
        position, now = twin.log.head(point.branch).position, twin.now()

    def compute() -> Scrape:
        options = service.settings.metrics
        if position > LARGE:
            return service.workers.run_on(point.branch, scrape, options)
        with service.readers.borrow(point.branch) as twin:
            return scrape(twin, options)

    found = service.scrapes.get(number, position, now, compute)
    with service.readers.borrow(point.branch) as twin:
        now = twin.now()
    return Response(found.exposition.text(now), headers={"Content-Type": CONTENT_TYPE})
