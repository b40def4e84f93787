"""The section of a plan about findings: those that come, go, or have another severity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.model.amounts import verb
from twin.questions.doctor.diagnosis import Found, diagnose
from twin.questions.doctor.finding import FindingEffect, Severity, finding_effect
from twin.questions.doctor.question import READS
from twin.questions.two_sides import differences

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.questions.answer import FoldedFact
    from twin.review.plan.pair import RehearsedPair

_Findings: TypeAlias = dict[tuple[str, str], Found]
"""The rule and the object of each finding -> the finding; of several the worst."""

_ORDER: Final[tuple[FindingEffect, ...]] = ("new", "worse", "milder", "gone")


class FindingChange(NamedTuple):
    """A finding that only one of the two rehearsals has, or that is worse in one of them.

    Attributes:
        effect: what the change does to it.
        id: the id of its rule.
        severity: how bad it is with the change; of a finding that goes, how bad it was.
        object: what it is about.
        finding: what is wrong.
        severity_before: how bad it is without the change; None if it is new.
        deleted: the deleted queue managers that it is about.
    """

    effect: FindingEffect
    id: str
    severity: Severity
    object: str
    finding: str
    severity_before: Severity | None
    deleted: tuple[str, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether it comes with the change or becomes worse."""
        return self.effect in {"new", "worse"}


def finding_changes(pair: RehearsedPair) -> Iterator[FindingChange]:
    """Run the doctor on both rehearsals, and compare what it finds: new findings first, then worse.

    Rules of which nothing differs that they read find the same in both, so they run once.
    """
    base, changed = pair.base, pair.changed
    before = diagnose(base.estate, base.now(), facts=_facts(base))
    after = before.found_in(
        changed.estate,
        changed.now(),
        {part for _, part in pair.parts},
        pair.unlike("definitions"),
        facts=_facts(changed),
    )
    yield from in_order(_changes(_by_object(before.found), _by_object(after), pair))


def in_order(changes: Iterable[FindingChange]) -> list[FindingChange]:
    """Sort changes: new findings first, then worse ones, and the worst of each first."""
    return sorted(
        changes,
        key=lambda each: (_ORDER.index(each.effect), each.severity.rank, each.id, each.object),
    )


def _changes(before: _Findings, after: _Findings, pair: RehearsedPair) -> Iterator[FindingChange]:
    for key, was, now in differences(before, after):
        earlier, later = (each and each.severity for each in (was, now))
        effect, shown = finding_effect(earlier, later), now or was
        if effect is not None and shown is not None:
            text, on = shown.finding.text, shown.finding.on
            if effect == "gone":
                text += _why_gone(pair, on)
            yield FindingChange(
                effect, key[0], shown.severity, key[1], text, earlier, shown.finding.deleted
            )


def _facts(rehearsal: Rehearsal) -> list[FoldedFact]:
    return [fact for fact in rehearsal.facts(READS) if fact.at <= rehearsal.now()]


def _by_object(found: Sequence[Found]) -> _Findings:
    """Return findings by rule and object: of several the first, which is the worst."""
    return {(each.rule.id, each.finding.object): each for each in reversed(found)}


def _why_gone(pair: RehearsedPair, on: Iterable[str]) -> str:
    """Say that a finding is gone only because queue managers that it is about have ended."""
    before, after = pair.base.estate.qmgrs, pair.changed.estate.qmgrs
    ended = [
        name
        for name in on
        if name in before and before[name].running and name in after and not after[name].running
    ]
    if not ended:
        return ""
    who = f"{' and '.join(ended)} {verb(len(ended), 'have')} ended"
    return f" It is not mended: it is gone because {who}."
