"""Examine a branch at an instant: run the doctor's rules, and gather what the report needs.

The rule for commands of scripts that runmqsc would reject reads files, not an estate. So it is not
in the registry: no live queue manager has such a command. It cannot be skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from twin.app.notes import beginning_of, not_before
from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.errors import SubjectError
from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.commands import Command
from twin.model.instants import AsOf, Instant
from twin.model.objects import Subject
from twin.questions.doctor.diagnosis import Diagnosis, Found, NotChecked, diagnose
from twin.questions.doctor.finding import Finding, Severity
from twin.questions.doctor.index import STUCK_AFTER
from twin.questions.doctor.question import READS, check_rule
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule
from twin.questions.unknown_names import unknown
from twin.review.doctor.places import Places
from twin.review.doctor.proofs import Proof, prove_all

REJECTED: Final = DoctorRule(
    id="command-rejected",
    severity=Severity.ERROR,
    condition="A script has a command that runmqsc rejects: an unknown verb or keyword, or a "
    "value that cannot be.",
    why="The queue manager carries out nothing of the command, and the rest of the script runs "
    "(AMQ8405).",
    what_to_do="Correct the command in its file.",
    source="IBM MQ 9.4, AMQ8405",
    check=lambda _: iter(()),
)


def rejected(on: str, command: str, text: str) -> Found:
    """Return the finding about a command in a script of a queue manager."""
    finding = Finding(subject=Subject(on, aspect=command), text=text, on=(on,))
    return Found(REJECTED, finding, REJECTED.severity, None, Basis.OBSERVED)


class UnknownCluster(SubjectError, LookupError, message="cluster {} is unknown at this instant"):
    """A cluster that no queue manager names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRequest:
    """What is to be examined.

    Attributes:
        as_of, known_at: the point in time.
        rules: the ids of the rules to run; () for all.
        skipped: rule id -> why its findings do not count.
        on, cluster: only findings about this queue manager, or this cluster.
        prove: whether the fixes are rehearsed.
        stuck_after: how long messages may wait for a channel that does not run, in microseconds.
    """

    as_of: Instant | None = None
    known_at: Instant | None = None
    rules: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    on: str | None = None
    cluster: str | None = None
    prove: bool = True
    stuck_after: int = STUCK_AFTER


def skipped_rules(texts: Iterable[str]) -> dict[str, str]:
    """Read `ID[:REASON]` for each rule that is skipped; return the reasons by rule.

    Without a reason it is "skipped".
    """
    parted = (text.partition(":") for text in texts)
    return {id_: reason.strip() or "skipped" for id_, _, reason in parted}


class Suppressed(NamedTuple):
    """Why a finding does not count.

    Attributes:
        reason: the reason that somebody gave.
        kind: `inSource` for a comment beside the definition, `external` for anything else.
        place: where it stands: a file and line, or an option.
    """

    reason: str
    kind: str = "external"
    place: str = "--skip"


class Reviewed(NamedTuple):
    """A finding, with what the review adds.

    Attributes:
        found: the finding.
        origins: where the definitions came from, as `FILE:LINE`; what is wrong comes first.
        suppressed: why it does not count; None if it counts.
        proof: what came of its rehearsed fix; None without a fix, or without rehearsals.
        known: whether an earlier run had it, so that it does not count again.
        note: what else its reader should know; '' for nothing.
        tried: the commands that its rehearsal disproved: they are no fix.
    """

    found: Found
    origins: tuple[str, ...] = ()
    suppressed: Suppressed | None = None
    proof: Proof | None = None
    known: bool = False
    note: str = ""
    tried: tuple[Command, ...] = ()

    @property
    def severity(self) -> Severity:
        """The severity of the finding."""
        return self.found.severity


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of an examination.

    Attributes:
        as_of: its point in time.
        findings: what was found, worst first, also what is suppressed.
        not_checked: the rules that could not be checked everywhere.
        rules_run: how many rules were run; 0 if no queue manager exists.
        notes: what else a reader should know, one line each.
        has_baseline: whether it was compared with an earlier run.
        files: of a folder: the file of each queue manager, by name.
        looked_for: the rules that were run for all clusters and queue managers, by id: what they do
            not find is not there.
    """

    as_of: AsOf
    findings: tuple[Reviewed, ...]
    not_checked: tuple[NotChecked, ...]
    rules_run: int
    notes: tuple[str, ...] = ()
    has_baseline: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    looked_for: frozenset[str] = frozenset()

    @property
    def counting(self) -> list[Reviewed]:
        """The findings that are not suppressed."""
        return [each for each in self.findings if not each.suppressed]

    def fails(self, least: Severity) -> bool:
        """Return whether any new finding that counts is as bad as `least`, or worse."""
        return any(each.severity.rank <= least.rank and not each.known for each in self.counting)


def examine(twin: Twin, request: ExamRequest) -> Examination:
    """Run the rules of the doctor on the branch, as `ask doctor` does, and return what they find.

    Only fixes are rehearsed: what was seen of depths and channels stands on main.

    Raises:
        NoSuchRule: if a rule is named that does not exist.
        NoSuchQueueManager, UnknownCluster: if the queue manager or the cluster does not exist.
    """
    return twin.soundly(lambda: _once(twin, request))


def _once(twin: Twin, request: ExamRequest) -> Examination:
    named = (*request.rules, *request.skipped)
    retired = {name: why for name in named if (why := check_rule(name))}
    rehearsal = twin.rehearse(as_of=request.as_of, known_at=request.known_at)
    estate, point = rehearsal.beginning.estate, rehearsal.point
    with not_before(twin.log, point):
        _check_names(estate, request)
    facts = [fact for fact in rehearsal.facts(READS) if fact.at <= point.valid]
    chosen = [name for name in request.rules or RULES if name in RULES]
    diagnosis = diagnose(
        estate,
        point.valid,
        facts=facts,
        rules=chosen,
        on=request.on,
        cluster=request.cluster,
        stuck_after=request.stuck_after,
    )
    notes = [*beginning_of(twin.log, point)]
    notes += [f"rule {name} is retired: {why}" for name, why in retired.items()]
    return Examination(
        point,
        tuple(_reviewed(twin, diagnosis, request, rehearsal)),
        diagnosis.not_checked,
        len(diagnosis.rules) if estate.qmgrs else 0,
        tuple(notes),
        looked_for=frozenset(chosen if request.on is None and request.cluster is None else ()),
    )


def _check_names(estate: Estate, request: ExamRequest) -> None:
    """Check that the queue manager and the cluster of a request exist."""
    if request.on is not None:
        estate.qmgr(request.on)
    if request.cluster is not None and unknown(estate, {"cluster": request.cluster}):
        raise UnknownCluster(request.cluster)


def _reviewed(
    twin: Twin, diagnosis: Diagnosis, request: ExamRequest, rehearsal: Rehearsal
) -> Iterable[Reviewed]:
    places = Places(twin.log, rehearsal.point)
    counting = [each for each in diagnosis.found if each.rule.id not in request.skipped]
    proofs = prove_all(rehearsal, counting) if request.prove else {}
    for each in diagnosis.found:
        positions, origins = places.of(each)
        found = each._replace(finding=replace(each.finding, evidence=positions))
        proof = proofs.get(found.fingerprint)
        tried = found.finding.fix if proof is not None and proof.disproved else ()
        if tried:
            found = found._replace(finding=replace(found.finding, fix=(), destroys=False))
        reason = request.skipped.get(found.rule.id)
        yield Reviewed(found, origins, Suppressed(reason) if reason else None, proof, tried=tried)
