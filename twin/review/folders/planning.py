"""Review a folder of definitions: run the doctor on it, or plan a change of it.

Each of its estates is examined, with one result. A change is given as commands, or as the
difference to another folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from twin.errors import TwinError
from twin.fold.estate import NoSuchQueueManager
from twin.model.basis import Basis
from twin.model.objects import Subject
from twin.questions.doctor.diagnosis import Found
from twin.questions.doctor.finding import Finding, Severity, finding_effect
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule, Need
from twin.review.doctor.examination import (
    REJECTED,
    Examination,
    ExamRequest,
    Reviewed,
    Suppressed,
    UnknownCluster,
    examine,
    rejected,
)
from twin.review.folders.definition_files import DefinitionFile
from twin.review.folders.difference import difference
from twin.review.folders.estates import Folder, SameName
from twin.review.folders.rejected_commands import RejectedCommand
from twin.review.plan.findings import FindingChange, in_order
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import RehearsedCommand

_SAME_NAME: Final = "queue-manager-name-duplicate"
_CUT: Final = 72
"""How many characters of a command name a finding."""

UNSEEN: Final = frozenset({Need.STATUS, Need.DEPTHS, Need.RECORDS, Need.INI})
"""What no folder of definitions says. What rules that need it find was only simulated."""


def examine_folder(folder: Folder, request: ExamRequest) -> Examination:
    """Run the rules of the doctor on a folder, and report on queue managers of one name.

    Raises:
        NoSuchRule: if a rule is named that does not exist.
        NoSuchQueueManager, UnknownCluster: if no file defines the queue manager or the cluster.
    """
    reviews = list(_reviews(folder, request))
    findings = [
        _without_positions(each)
        for review in reviews
        for each in review.findings
        if UNSEEN.isdisjoint(each.found.rule.needs)
    ]
    findings += _same_names(folder, request)
    findings += _rejected(folder, request)
    findings.sort(key=lambda each: (each.severity.rank, each.found.rule.id))
    unchecked = dict.fromkeys(each for review in reviews for each in review.not_checked)
    notes = dict.fromkeys(note for review in reviews for note in review.notes)
    return replace(
        reviews[0],
        findings=tuple(findings),
        not_checked=tuple(unchecked),
        notes=(*notes, *folder.notes()),
        looked_for=reviews[0].looked_for | (set() if request.on else {REJECTED.id}),
        files={file.qmgr: file.path for file in reversed(folder.files.files)},
    )


def _without_positions(each: Reviewed) -> Reviewed:
    """Leave out positions: the log that they are of is not kept. The files and lines remain."""
    finding = replace(each.found.finding, evidence=())
    return each._replace(found=each.found._replace(finding=finding))


def _reviews(folder: Folder, request: ExamRequest) -> Iterator[Examination]:
    """Yield the examination of each estate that has what the request names."""
    refusal: TwinError | None = None
    examined = False
    for estate in folder.estates:
        try:
            yield examine(estate.twin, request)
            examined = True
        except (NoSuchQueueManager, UnknownCluster) as error:
            refusal = error
    if refusal is not None and not examined:
        raise refusal


def _rejected(folder: Folder, request: ExamRequest) -> Iterator[Reviewed]:
    """Yield a finding for each command that runmqsc would reject, whatever rules are asked for.

    What such a command should define is missing in the estate, so it can hide any other fault.
    """
    for file, command in folder.rejected:
        if request.on in (None, file.qmgr):
            cut = command.text[: _CUT - 3] + "..." if len(command.text) > _CUT else command.text
            why = f"{command.why[:1].upper()}{command.why[1:]}."
            said = f"{command.message} {command.segment}"
            text = " ".join(each for each in (why, command.hint, said) if each)
            found = rejected(file.qmgr, " ".join(cut.split()), text)
            yield Reviewed(found, (f"{file.path}:{command.line}",))


def _same_names(folder: Folder, request: ExamRequest) -> Iterator[Reviewed]:
    """Yield a finding for each cluster with two queue managers of one name."""
    if request.rules and _SAME_NAME not in request.rules:
        return
    for each in folder.same_names:
        if request.on not in (None, each.kept.name):
            continue
        for cluster in each.clusters:
            if request.cluster in (None, cluster):
                yield _same_name(each, cluster, request.skipped.get(_SAME_NAME))


def _same_name(each: SameName, cluster: str, skipped: str | None) -> Reviewed:
    qmids = [qmgr.qmid for qmgr in (each.kept, each.left_out)]
    said = f" (QMIDs {', '.join(qmids)})" if all(qmids) else ""
    finding = Finding(
        subject=Subject(kind="QMGR", name=each.kept.name, cluster=cluster),
        text=f"{each.kept.path} and {each.left_out.path} define two queue managers of this name"
        f"{said}. If they are not of one network, give the folder of each on its own.",
        on=(each.kept.name,),
        cluster=cluster,
    )
    rule = RULES[_SAME_NAME]
    origins = tuple(f"{qmgr.path}:1" for qmgr in (each.kept, each.left_out))
    suppressed = Suppressed(skipped) if skipped else None
    return Reviewed(Found(rule, finding, rule.severity, None, Basis.OBSERVED), origins, suppressed)


_Rejected: TypeAlias = "tuple[DefinitionFile, RejectedCommand]"


class EmptiedFile(
    TwinError,
    ValueError,
    message="{} defines nothing; remove the file if queue manager {} is to be deleted",
):
    """A file that defines nothing of a queue manager that was defined before."""


def plan_in_folder(folder: Folder, request: Request) -> Plan:
    """Plan commands for the queue managers of a folder.

    Raises:
        SeveralEstates: if two of its queue managers have one name.
        NothingPlanned, NoSuchQueueManager: see `plan`.
    """
    result = plan(folder.single().twin, request)
    notes = (*folder.notes(), *_lines(folder.rejected), *result.notes)
    return replace(result, notes=notes, of_files=True)


def plan_difference(before: Folder, after: Folder, request: Request) -> Plan:
    """Plan the change that makes one folder another; the request has no changes of its own.

    Raises:
        SeveralEstates: if two queue managers of a folder have one name.
        EmptiedFile: if a file is left of a queue manager that has no definitions any more.
        NoSuchQueueManager: if a put of the request names an unknown queue manager.
    """
    for name, path in after.undefined.items():
        if name in before.single().names:
            raise EmptiedFile(path, name)
    made = difference(before.single(), after.single())
    wanted = replace(request, changes=lambda _: made.changes, may_be_empty=True)
    result = plan(before.single().twin, wanted)
    result = replace(result, findings=tuple(in_order(_certain(result.findings, after))))
    refused, known = _refused(before, after)
    result = replace(result, commands=(*result.commands, *_refusals(result, refused)))
    what = f"the change: {after.path} instead of {before.path}; what only {before.path} says goes"
    notes = (*before.notes(), what, *after.notes()[1:], *_lines(known), *made.notes, *result.notes)
    return replace(result, notes=tuple(dict.fromkeys(notes)), of_files=True)


def _refused(before: Folder, after: Folder) -> tuple[list[_Rejected], list[_Rejected]]:
    """Divide the commands that runmqsc would reject into new ones, and those that were there."""
    old = Counter((file.qmgr, command.text) for file, command in before.rejected)
    new: list[_Rejected] = []
    known: list[_Rejected] = []
    for file, command in after.rejected:
        key = file.qmgr, command.text
        (known if old[key] > 0 else new).append((file, command))
        old[key] -= 1
    return new, known


def _refusals(result: Plan, refused: Iterable[_Rejected]) -> Iterator[RehearsedCommand]:
    """Yield the commands of the change that are refused; nothing of them was rehearsed."""
    for number, (file, command) in enumerate(refused, len(result.commands) + 1):
        yield RehearsedCommand(
            number,
            file.qmgr,
            file.path,
            command.line,
            command.text,
            (command.message,),
            accepted=False,
            segment=command.segment,
        )


def _lines(rejected: Iterable[_Rejected]) -> Iterator[str]:
    """Yield a line for each command that runmqsc would reject."""
    for file, command in rejected:
        yield f"{file.path}:{command.line}: {command.why}: {command.segment}"


def _certain(changes: Sequence[FindingChange], after: Folder) -> Iterator[FindingChange]:
    """Judge new and worse findings as the doctor judges the folder after the change.

    A queue manager that the change creates starts with the objects of MQ alone, so the rules would
    take what its script does not define as missing. Those that rest on what the files do not say,
    such as a listener, are left out; others are as severe as in the folder itself. For the folder,
    a queue manager that the change deletes may exist elsewhere; the plan knows that it is gone.
    """
    ids = {each.id for each in changes if each.is_worse}
    found = (
        examine_folder(after, ExamRequest(rules=tuple(ids), prove=False)).findings if ids else ()
    )
    judged: dict[tuple[str, str], Severity] = {}
    for each in sorted(found, key=lambda each: -each.severity.rank):
        judged[each.found.rule.id, each.found.finding.object] = each.severity
    for change in changes:
        severity = judged.get((change.id, change.object))
        if (
            change.deleted
            or not change.is_worse
            or (severity is None and not _rests_on_all(RULES[change.id]))
        ):
            yield change
        elif severity is not None and (effect := finding_effect(change.severity_before, severity)):
            yield change._replace(effect=effect, severity=severity)


def _rests_on_all(rule: DoctorRule) -> bool:
    """Return whether a rule must know all objects of a kind, which a file need not define."""
    return bool(rule.needs) and UNSEEN.isdisjoint(rule.needs)


def newly_lost(before: Folder, after: Folder) -> int:
    """Return how many commands of a folder could not be used that another does not have."""
    new = _lost(after) - _lost(before)
    return min(new.total(), after.lost_commands)


def _lost(folder: Folder) -> Counter[tuple[str, str, str]]:
    """Count what could not be used, by queue manager, text and reason."""
    return Counter(
        (observed.qmgr, problem.text, problem.why)
        for estate in folder.estates
        for observed in estate.observed
        for problem in observed.not_understood
    )
