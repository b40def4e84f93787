"""The section of a plan about findings: those that come, go, or have another severity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.model.amounts import verb
from twin.questions.doctor.checking import findings
from twin.questions.doctor.finding import FindingEffect, Severity, finding_effect
from twin.questions.doctor.index import Index
from twin.questions.doctor.question import READS
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule, Input

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.estate import Part, QueueManager
    from twin.fold.repository import Repository
    from twin.questions.answer import FoldedFact
    from twin.review.plan.pair import RehearsedPair, Sides


class _Judged(NamedTuple):
    """How bad a finding is, what is wrong, and the queue managers that it is about.

    `deleted` are those that were deleted.
    """

    severity: Severity
    text: str
    on: tuple[str, ...]
    deleted: tuple[str, ...]


_Findings: TypeAlias = dict[tuple[str, str], _Judged]
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

    Rules of which nothing differs that they read find the same in both, so they are left out.
    """
    was, now = _facts(pair.base), _facts(pair.changed)
    happened, happens = ([(fact.at, fact.event) for fact in facts] for facts in (was, now))
    rules = _affected_rules(pair, facts_differ=happened != happens)
    one = Index(pair.base.estate, pair.base.now(), was)
    unlike = pair.unlike("definitions")
    alike = {name: site for name, site in one.sites.items() if name not in unlike}
    other = Index(pair.changed.estate, pair.changed.now(), now, read=alike)
    before, after = _found(one, rules), _found(other, rules)
    yield from in_order(_changes(before, after, pair))


def in_order(changes: Iterable[FindingChange]) -> list[FindingChange]:
    """Sort changes: new findings first, then worse ones, and the worst of each first."""
    return sorted(
        changes,
        key=lambda each: (_ORDER.index(each.effect), each.severity.rank, each.id, each.object),
    )


def _changes(before: _Findings, after: _Findings, pair: RehearsedPair) -> Iterator[FindingChange]:
    for key in before.keys() | after.keys():
        was = before[key].severity if key in before else None
        severity = after[key].severity if key in after else None
        effect = finding_effect(was, severity)
        if effect is not None:
            shown, text, on, deleted = after[key] if key in after else before[key]
            if effect == "gone":
                text += _why_gone(pair, on)
            yield FindingChange(effect, key[0], shown, key[1], text, was, deleted)


def _facts(rehearsal: Rehearsal) -> list[FoldedFact]:
    return [fact for fact in rehearsal.facts(READS) if fact.at <= rehearsal.now()]


def _found(index: Index, rules: Iterable[DoctorRule]) -> _Findings:
    """Return the findings, by rule and object."""
    found: _Findings = {}
    for rule in rules:
        for finding in findings(rule, index):
            severity = finding.severity or rule.severity
            judged = _Judged(severity, finding.text, finding.on, finding.deleted)
            known = found.setdefault((rule.id, finding.object), judged)
            if judged.severity.rank < known.severity.rank:
                found[rule.id, finding.object] = judged
    return found


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


def _affected_rules(pair: RehearsedPair, *, facts_differ: bool) -> list[DoctorRule]:
    """Return the rules that may find something else with the change.

    Records are not compared here: a rule that reads them may be affected. Channels, namelists and
    queue managers decide who is a member of which cluster, and many rules depend on that: if one
    differs, each rule may be affected.
    """
    differing = _differing_inputs(pair)
    if differing is None:
        return [*RULES.values()]
    if facts_differ:
        differing |= Input.OTHER
    return [rule for rule in RULES.values() if rule.inputs & differing]


def _differing_inputs(pair: RehearsedPair) -> Input | None:
    """Return what may differ, except past events; None if all rules are affected."""
    differing = Input.RECORDS
    for sides in pair.qmgrs:
        before, after = sides.before, sides.after
        if before is None or after is None or _standing(before) != _standing(after):
            return None
        if before.running != after.running:
            differing |= Input.STATUS
    for name, what in _OF_PARTS.items():
        if any(True for _ in pair.touched(name)):
            differing |= what
    for _, before, after in pair.touched("repository"):
        if before is not None and after is not None:
            differing |= _differing_in(before.repository, after.repository)
    kinds = {kind for sides in pair.touched("definitions") for kind in _differing_kinds(sides)}
    if kinds - _APART.keys():
        return None
    return reduce(or_, (_APART[kind] for kind in kinds), differing)


def _standing(qmgr: QueueManager) -> tuple[object, ...]:
    return qmgr.qmid, qmgr.values, qmgr.suspended, qmgr.cmdlevel, qmgr.configuration


def _differing_in(before: Repository, after: Repository) -> Input:
    """Return what differs of a repository besides its records: its manager, commands that wait."""
    differing = Input.NONE
    if (before.trouble, before.exhausted) != (after.trouble, after.exhausted):
        differing |= Input.STATUS
    if (before.waiting, before.kept) != (after.waiting, after.kept):
        differing |= Input.MESSAGES
    return differing


def _differing_kinds(sides: Sides) -> set[str]:
    """Return the kinds of the objects that differ at a queue manager."""
    old, new = sides.definitions()
    return {key[0] for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


_OF_PARTS: Final[Mapping[Part, Input]] = MappingProxyType(
    {"activity": Input.STATUS, "messaging": Input.MESSAGES}
)
"""Part of a queue manager -> what rules read of it."""

_APART: Final[Mapping[str, Input]] = MappingProxyType(
    {"QUEUE": Input.QUEUES, "TOPIC": Input.TOPICS, "LISTENER": Input.LISTENERS}
)
"""Kind of object that does not decide who is a member -> what it is to rules."""
