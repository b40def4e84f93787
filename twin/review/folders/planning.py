"""Plan a change of a folder of definitions: by commands, or as the difference to another folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from twin.errors import TwinError
from twin.questions.doctor.finding import Severity, finding_effect
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import DoctorRule
from twin.review.doctor.examination import ExamRequest
from twin.review.folders.difference import difference
from twin.review.folders.examining import UNSEEN, examine_folder
from twin.review.plan.findings import in_order
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import RehearsedCommand

if TYPE_CHECKING:
    from twin.review.folders.definition_files import DefinitionFile
    from twin.review.folders.estates import Folder
    from twin.review.folders.rejected_commands import RejectedCommand
    from twin.review.plan.findings import FindingChange

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
