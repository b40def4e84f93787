"""Measures of the doctor: how many findings each rule has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.questions.answer import FoldedFact
from twin.questions.doctor.diagnosis import diagnose


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
