"""All measures of an estate, computed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from twin.fold.estate import Estate
from twin.model.instants import AsOf
from twin.questions.answer import FoldedFact
from twin.questions.measures.channels import (
    ChannelEnd,
    ChannelUse,
    Wanted,
    channel_ends,
    channel_uses,
)
from twin.questions.measures.clusters import ClusterSize, Membership, cluster_sizes, memberships
from twin.questions.measures.findings import FindingCount, finding_counts
from twin.questions.measures.observations import LastObserved, last_observed
from twin.questions.measures.queue_managers import MeasuredQueueManager, queue_managers
from twin.questions.measures.queues import MeasuredQueue, WaitingCount, queues, waiting_counts
from twin.questions.measures.records import (
    RecordCount,
    RecordHolding,
    RequestCount,
    records,
    request_counts,
)
from twin.questions.measures.traffic import MessageTraffic


class Measures(NamedTuple):
    """The measures of one estate; they refer to it."""

    queue_managers: Sequence[MeasuredQueueManager]
    memberships: Sequence[Membership]
    channel_ends: Sequence[ChannelEnd]
    queues: Sequence[MeasuredQueue]
    record_counts: Sequence[RecordCount]
    holdings: Sequence[RecordHolding]
    request_counts: Sequence[RequestCount]
    cluster_sizes: Sequence[ClusterSize]
    channel_uses: Sequence[ChannelUse]
    waiting: Sequence[WaitingCount]
    findings: Sequence[FindingCount]
    observed: Sequence[LastObserved]
    traffic: MessageTraffic


def measure(
    estate: Estate,
    as_of: AsOf,
    traffic: MessageTraffic,
    facts: Sequence[FoldedFact],
    *,
    wanted: Wanted,
    observed: bool,
) -> Measures:
    """Measure an estate at a point.

    Args:
        estate: the estate; it is only read.
        as_of: the point.
        traffic: the messages counted up to the point.
        facts: the past events that the doctor reads.
        wanted: whether a channel is measured.
        observed: whether queue managers that are only observed are measured like others.
    """
    at = as_of.valid
    counts, holdings = records(estate, as_of)
    return Measures(
        queue_managers=list(queue_managers(estate, traffic, observed=observed)),
        memberships=list(memberships(estate, at, observed=observed)),
        channel_ends=list(channel_ends(estate, at, traffic, wanted=wanted, observed=observed)),
        queues=list(queues(estate, at, traffic, observed=observed)),
        record_counts=counts,
        holdings=holdings,
        request_counts=list(request_counts(estate, as_of)),
        cluster_sizes=list(cluster_sizes(estate, as_of)),
        channel_uses=list(channel_uses(estate, at, as_of.position, wanted=wanted)),
        waiting=list(waiting_counts(estate)),
        findings=list(finding_counts(estate, at, facts)),
        observed=list(last_observed(estate)),
        traffic=traffic,
    )
