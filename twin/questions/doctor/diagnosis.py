"""Run the rules of the doctor on an estate: what they find, and what could not be checked.

Run one rule of the doctor on an index.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis, strongest, weakest
from twin.model.instants import Instant
from twin.model.objects import Subject
from twin.model.platforms import ZOS
from twin.questions.answer import FoldedFact
from twin.questions.basis import basis_of_attribute, basis_of_content
from twin.questions.doctor.finding import (
    Finding,
    FindingPlace,
    FixClass,
    Severity,
    fingerprint,
    some,
)
from twin.questions.doctor.fixes import looked_at_first
from twin.questions.doctor.index import STUCK_AFTER, Index
from twin.questions.doctor.recorder import ReadAttribute
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule, Need
from twin.questions.unsure import otherwise
from twin.rules.channels import channel_status
from twin.rules.membership import full_repository_of
from twin.rules.standing import answered


def findings(rule: DoctorRule, index: Index) -> Iterator[Finding]:
    """Yield what a rule finds; each says which queue manager it means if two have one name."""
    for finding in rule.check(index):
        grounded = _looked_at(index, _grounded(index, finding))
        yield _with_qmids(index, grounded) if index.namesakes else grounded


def _grounded(index: Index, finding: Finding) -> Finding:
    """Leave out destructive commands that rest on what was neither observed nor simulated.

    What would usually be so, or what the twin made up, must not lead to them (design law 17).
    """
    if finding.grounds is not None:
        return finding
    sites = [index.sites[name] for name in finding.on if name in index.sites]
    if sites and not any(site.qmgr.observed for site in sites):
        return replace(finding, grounds=Basis.DERIVED)
    fix = () if finding.destroys else finding.fix
    return replace(finding, fix=fix, otherwise=(), destroys=False)


def _looked_at(index: Index, finding: Finding) -> Finding:
    """Let a finding look for a batch in doubt before commands that may lose it."""
    fix, otherwise = (
        looked_at_first(index.estate.qmgrs, each, index.at)
        for each in (finding.fix, finding.otherwise)
    )
    if len(fix) == len(finding.fix) and len(otherwise) == len(finding.otherwise):
        return finding
    return replace(finding, fix=fix, otherwise=otherwise)


def _with_qmids(index: Index, finding: Finding) -> Finding:
    """Add the QMIDs of existing queue managers that share their name, unless it says one."""
    said = {index.estate.names.get(qmid) for qmid in finding.qmids}
    named = finding.on if finding.named is None else finding.named
    means = [
        f" {name} is the one with QMID {qmid}."
        for name in named
        if name in index.sites
        and name not in said
        and (qmid := _meant(index, finding, name)) in index.namesakes
    ]
    return replace(finding, text=finding.text + "".join(means)) if means else finding


def _meant(index: Index, finding: Finding, name: str) -> str:
    """Return the QMID of a queue manager that a finding names.

    A finding about a channel of another queue manager is about the one whose record has this
    channel there.
    """
    subject, meant = finding.subject, index.sites[name].qmgr.qmid
    sender = index.sites.get(subject.qmgr)
    if subject.kind != "CHANNEL" or sender is None or subject.qmgr == name:
        return meant
    owners = {
        belief.owner
        for key, belief in sender.qmgr.repository.of_kind("qmgr")
        if key[2] == subject.name and belief.owner_name == name
    }
    return owners.pop() if len(owners) == 1 else meant


Cause: TypeAlias = tuple[str, Subject]
"""The rule and the subject of a finding that others follow from."""


class Found(NamedTuple):
    """A finding with the rule that found it.

    Attributes:
        rule: the rule.
        finding: the finding.
        severity: its severity.
        root: the finding that it follows from, as (rule id, subject); None if from none.
        basis: what it rests on.
    """

    rule: DoctorRule
    finding: Finding
    severity: Severity
    root: Cause | None
    basis: Basis

    @property
    def rests_on(self) -> str:
        """On which facts its destructive commands rest, in words."""
        return rests_on([self])

    @property
    def fingerprint(self) -> str:
        """Its identity, which unrelated changes do not alter."""
        return fingerprint(self.rule.id, self.finding.subject)

    @property
    def fix_class(self) -> FixClass | None:
        """The class of its fix; None if it has no fix."""
        return (self.finding.fix_class or self.rule.fix) if self.finding.fix else None


def rests_on(found: Iterable[Found]) -> str:
    """Say on which facts the destructive commands of findings of one rule rest."""
    findings = [each.finding for each in found]
    seen = any(each.grounds is Basis.OBSERVED for each in findings)
    return rests_on_positions((at for each in findings for at in each.positions), seen=seen)


def rests_on_positions(positions: Iterable[int], *, seen: bool) -> str:
    """Say on which facts destructive commands rest: `seen` says whether they were observed."""
    every = sorted({at for at in positions if at})
    shown = ", ".join(map(str, every[:_MOST]))
    more = f" and {len(every) - _MOST} more" if len(every) > _MOST else ""
    return f"rests on {'observed' if seen else 'simulated'} facts, positions {shown}{more}"


_MOST: Final = 5
"""How many positions are shown."""


class NotChecked(NamedTuple):
    """A rule that could not be checked everywhere, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of a run.

    Attributes:
        found: the findings, worst first.
        not_checked: the rules whose facts were never observed of some queue managers.
        rules: the rules that were run.
        index: what they read.
        reads: what each rule asked of it, by id.
    """

    found: tuple[Found, ...]
    not_checked: tuple[NotChecked, ...]
    rules: tuple[DoctorRule, ...]
    index: Index
    reads: Mapping[str, frozenset[ReadAttribute]]

    def found_in(
        self,
        estate: Estate,
        at: Instant,
        parts: Container[str],
        unlike: Container[str | None],
        *,
        facts: Sequence[FoldedFact] = (),
        own: Container[str] = (),
    ) -> tuple[Found, ...]:
        """Return what is found in another state of the estate, worst first.

        Only the rules `own` run again, and those that asked for anything that is another one there.
        `parts` are the parts of queue managers that may differ, and `unlike` are the queue managers
        with definitions that may differ.
        """
        read = {name: site for name, site in self.index.sites.items() if name not in unlike}
        index = Index(estate, at, facts, read=read)

        @cache
        def differs(asked: ReadAttribute) -> bool:
            return self.index.differs(index, asked, parts)

        again = [
            rule
            for rule, asked in self.reads.items()
            if rule in own or any(differs(each) for each in asked)
        ]
        kept = [each for each in self.found if each.rule.id not in again]
        return _in_order([*kept, *diagnose(estate, at, rules=again, index=index).found])


NOTHING_TO_CHECK: Final = "no queue manager exists at that instant"
"""Why no rule is checked in an estate that is empty."""


def diagnose(
    estate: Estate,
    at: Instant,
    *,
    facts: Sequence[FoldedFact] = (),
    rules: Iterable[str] | None = None,
    on: str | None = None,
    cluster: str | None = None,
    index: Index | None = None,
    stuck_after: int = STUCK_AFTER,
) -> Diagnosis:
    """Run rules on an estate at an instant.

    `facts` are the past events that rules read. `rules` are the ids to run, all by default. `on`
    and `cluster` narrow the findings. `index` is that of the estate, if it is made already.
    Messages that wait for `stuck_after` microseconds are stuck.
    """
    chosen = [RULES[each] for each in (RULES if rules is None else rules)]
    index = index or Index(estate, at, facts, stuck_after=stuck_after)
    reads: dict[str, frozenset[ReadAttribute]] = {}
    pairs: list[tuple[DoctorRule, Finding]] = []
    missed: list[NotChecked] = []
    for rule in chosen:
        index.missed.clear()
        index.asked()
        pairs += [(rule, finding) for finding in findings(rule, index)]
        reads[rule.id] = index.asked()
        if index.missed:
            missed.append(NotChecked(rule.id, f"not in the twin: {some(index.missed)}"))
    causes = {
        (rule.id, finding.subject): finding.severity or rule.severity for rule, finding in pairs
    }
    chosen_pairs = [
        (rule, finding)
        for rule, finding in pairs
        if on in (None, *finding.on) and cluster in (None, finding.cluster)
    ]
    held = _held(estate, {at for _, finding in chosen_pairs for at in finding.positions})
    found = [
        Found(
            rule,
            finding,
            finding.severity or rule.severity,
            _root(rule, finding, causes),
            finding.basis or _basis(estate, rule, finding, held),
        )
        for rule, finding in chosen_pairs
    ]
    for changed, other in otherwise(estate, at):
        also = diagnose(
            other, at, facts=facts, rules=[rule.id for rule in chosen], on=on, cluster=cluster
        )
        there = {each.fingerprint for each in also.found}
        here = {each.fingerprint for each in found}
        apart = [each for each in found if each.fingerprint not in there]
        apart += [each for each in also.found if each.fingerprint not in here]
        what = " and ".join(map(str, changed))
        missed += [
            NotChecked(
                each.rule.id, f"{each.finding.object}: it depends on {what}, which is not known"
            )
            for each in apart
        ]
        found = [each for each in found if each.fingerprint in there]
    not_checked = (*missed, *_not_checked(estate, chosen, on))
    return Diagnosis(_in_order(found), not_checked, tuple(chosen), index, reads)


def _in_order(found: Iterable[Found]) -> tuple[Found, ...]:
    """Sort findings, the worst first."""
    return tuple(
        sorted(found, key=lambda each: (each.severity.rank, each.rule.id, each.finding.object))
    )


def _root(rule: DoctorRule, finding: Finding, causes: Mapping[Cause, Severity]) -> Cause | None:
    """Return the finding that another one follows from: by its rule, and by its subject.

    What is only to be known is not the cause of an error.
    """
    is_fault = (finding.severity or rule.severity) is Severity.ERROR
    for cause in rule.follows:
        for subject in (finding.subject, *finding.because):
            found = causes.get((cause, subject))
            if found is not None and not (is_fault and found is Severity.INFO):
                return cause, subject
    return None


def _held(estate: Estate, positions: Container[int]) -> dict[int, Basis]:
    """Return what records rest on that came by the events at some positions: the strongest basis.

    A record that follows from the rules may have been seen since, which keeps its event.
    """
    known: dict[int, Basis] = {}
    for observer in estate.qmgrs.values():
        for key, owners in observer.repository.beliefs.items() if observer.observed else ():
            for each in owners.values():
                if each.position in positions:
                    content = basis_of_content(observer, key, each)
                    known[each.position] = strongest((content, known.get(each.position, content)))
    return known


def _basis(estate: Estate, rule: DoctorRule, finding: Finding, held: Mapping[int, Basis]) -> Basis:
    """Return what a finding rests on: an observation if it is about what was observed only.

    A script without a date is no sight: that its definitions are in effect is assumed. Nor did
    anybody see what a script leaves to the default object, what it does not have at all, or what
    the rules derive. Rules that need sights of states do not rest on what a script lacks.
    """
    qmgrs = [estate.qmgrs[name] for name in finding.on if name in estate.qmgrs]
    if any(each.observed and each.confirmed and not _was_seen(each) for each in qmgrs):
        return Basis.ASSUMED
    if not qmgrs or not all(qmgr.observed for qmgr in qmgrs):
        return Basis.DERIVED
    bases = list(_of_attributes(estate, rule, finding))
    if not bases and _OF_DEFINITIONS.issuperset(rule.needs) and not all(map(_is_whole, qmgrs)):
        bases.append(Basis.ASSUMED)
    bases += (held[at] for at in finding.positions if at in held)
    return weakest((Basis.OBSERVED, *bases))


_OF_DEFINITIONS: Final = frozenset({Need.QMGR, Need.LISTENERS})


def _is_whole(qmgr: QueueManager) -> bool:
    """Return whether all objects of some kind were seen: a script has only what it defines."""
    return any(seen.complete for kind, seen in qmgr.confirmed.items() if kind.isupper())


def _of_attributes(estate: Estate, rule: DoctorRule, finding: Finding) -> Iterator[Basis]:
    """Yield what the attributes rest on that are wrong, of each object that a finding names."""
    wrong = finding.attributes or rule.attributes
    places = [each for each in finding.evidence if isinstance(each, FindingPlace)] if wrong else []
    for place in places:
        owner = estate.qmgrs.get(place.qmgr)
        defined = owner and owner.definitions.get((place.kind, place.name))
        if owner and defined:
            yield strongest(basis_of_attribute(owner, defined, each) for each in wrong)
        elif owner and place.kind == "QMGR" and not owner.shows_all:
            is_set = not owner.values.keys().isdisjoint(wrong)
            yield Basis.OBSERVED if is_set else Basis.ASSUMED


def _was_seen(qmgr: QueueManager) -> bool:
    return bool(qmgr.activity.seen.collected) or answered(qmgr) is not None


def _not_checked(
    estate: Estate, rules: Iterable[DoctorRule], on: str | None
) -> Iterator[NotChecked]:
    """Yield the rules that need what was never observed of some queue managers.

    Without any queue manager these are all: nothing to look at is not healthy.
    """
    if not estate.qmgrs:
        yield from (NotChecked(rule.id, NOTHING_TO_CHECK) for rule in rules)
        return
    chosen = [qmgr for name, qmgr in estate.qmgrs.items() if on in (None, name)]
    unseen = {qmgr.name: never_observed(qmgr) for qmgr in chosen}
    lacking = {need: [name for name in unseen if need in unseen[name]] for need in Need}
    for rule in rules:
        for need in rule.needs:
            names = lacking[need]
            if rule.needs_of_full:
                names = [name for name in names if _may_be_full(estate.qmgrs[name])]
            if names:
                why = f"never observed at {some(names)}: {need}"
                yield NotChecked(rule.id, why)


def _may_be_full(qmgr: QueueManager) -> bool:
    """Return whether a queue manager is a full repository, or its attributes may say so."""
    return bool(full_repository_of(qmgr)) or Need.QMGR in never_observed(qmgr)


def never_observed(qmgr: QueueManager) -> frozenset[Need]:
    """Return what was never observed of a queue manager; nothing of a simulated one.

    Where it is needed, nothing found does not mean that all is well.
    """
    return frozenset(need for need, has in _HAS.items() if qmgr.observed and not has(qmgr))


def _knows(kind: str) -> Callable[[QueueManager], bool]:
    return lambda qmgr: bool(qmgr.confirmed.get(kind, NEVER_CONFIRMED).complete)


_HAS: Final[Mapping[Need, Callable[[QueueManager], bool]]] = {
    Need.STATUS: lambda qmgr: bool(qmgr.activity.seen.channels),
    Need.DEPTHS: lambda qmgr: bool(qmgr.activity.seen.depths),
    Need.RECORDS: _knows("qmgr"),
    Need.QMGR: _knows("QMGR"),
    Need.LISTENERS: lambda qmgr: qmgr.platform == ZOS or _knows("LISTENER")(qmgr),
    Need.INI: channel_status.knows_configuration,
}
"""What a rule may need -> whether it was observed of a queue manager."""


def unseen_depths(estate: Estate) -> frozenset[str]:
    """Return the imported queue managers of whose queues no depth was ever observed.

    What waits there is not known, even if nothing is known to wait.
    """
    return frozenset(
        name for name, qmgr in estate.qmgrs.items() if Need.DEPTHS in never_observed(qmgr)
    )
