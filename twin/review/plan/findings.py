"""The section of a plan about findings of the doctor: new with the change, and gone with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.questions.doctor.finding import Severity

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.questions.answer import Row
    from twin.review.plan.pair import RehearsedPair


class FindingChange(NamedTuple):
    """A finding that only one of the two rehearsals has.

    Attributes:
        is_new: whether it comes with the change; else it goes with it.
        id: the id of its rule.
        severity: how bad it is.
        object: what it is about.
        finding: what is wrong.
    """

    is_new: bool
    id: str
    severity: Severity
    object: str
    finding: str


def finding_changes(pair: RehearsedPair) -> Iterator[FindingChange]:
    """Run the doctor on both rehearsals, and compare what it finds: new findings first."""
    before, after = _found(pair.base), _found(pair.changed)
    for is_new, these, others in ((True, after, before), (False, before, after)):
        for (rule, subject), row in these.items():
            if (rule, subject) not in others:
                severity = Severity(str(row["severity"]))
                yield FindingChange(is_new, rule, severity, subject, str(row["finding"]))


def _found(rehearsal: Rehearsal) -> dict[tuple[str, str], Row]:
    return {(str(row["id"]), str(row["object"])): row for row in rehearsal.ask("doctor").rows}
