"""All measures of an estate, computed together.

Measures of the doctor: how many findings each rule has.

Measures of observations: when each kind of fact about a queue manager was last observed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from twin.fold.estate import Estate
from twin.model.instants import AsOf, Instant
from twin.questions.answer import FoldedFact
from twin.questions.doctor.diagnosis import diagnose
from twin.questions.measures.channels import (
    ChannelEnd,
    ChannelUse,
    Wanted,
    channel_ends,
    channel_uses,
)
from twin.questions.measures.queue_managers import MeasuredQueueManager, queue_managers
from twin.questions.measures.queues import MeasuredQueue, WaitingCount, queues, waiting_counts
from twin.questions.measures.records import (
    ClusterSize,
    Membership,
    RecordCount,
    RecordHolding,
    RequestCount,
    cluster_sizes,
    memberships,
    records,
    request_counts,
)
from twin.questions.measures.traffic import MessageTraffic
from twin.rules.standing import instants_seen


class LastObserved(NamedTuple):
    """When facts of a kind were last observed at a queue manager."""

    qmgr: str
    feed: str
    at: Instant


def last_observed(estate: Estate) -> Iterator[LastObserved]:
    """Go through what was observed of queue managers, by name.

    The kinds are `status`, `channels`, `depths`, `records` (what a repository holds), `qm.ini`,
    `definitions` and `collections`. Definitions and records count if an answer named all of a kind.
    `gone` is when one was stated to be gone: all others of it end then.
    """
    for name in sorted({each.name for each in estate.departed.values()}):
        if gone := estate.gone(name):
            yield LastObserved(name, "gone", gone.since)
    for name in sorted(estate.qmgrs):
        for feed, instants in instants_seen(estate.qmgrs[name]):
            if instants:
                yield LastObserved(name, feed, max(instants))


class FindingCount(NamedTuple):
    """How many findings of a severity a rule has."""

    severity: str
    rule: str
    number: int


def finding_counts(
    estate: Estate, at: Instant, facts: Sequence[FoldedFact]
) -> Iterator[FindingCount]:
    """Count the findings of each rule.

    A rule that found nothing has 0, unless it could not be checked everywhere: that is not known.
    So without any queue manager there are no counts.
    `facts` are the past events that the doctor reads.
    """
    diagnosis = diagnose(estate, at, facts=facts)
    found = Counter((each.rule.id, str(each.severity)) for each in diagnosis.found)
    unclear = {each.id for each in diagnosis.not_checked} | {rule for rule, _ in found}
    run = [rule for rule in diagnosis.rules if rule.id not in unclear]
    counts = {(rule.id, str(rule.severity)): 0 for rule in run} | found
    for (rule_id, severity), count in sorted(counts.items()):
        yield FindingCount(severity, rule_id, count)


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
