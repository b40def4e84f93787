"""Examine a folder of definitions: run the doctor on each of its estates, with one result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from twin.errors import TwinError
from twin.fold.estate import NoSuchQueueManager
from twin.model.basis import Basis
from twin.model.subjects import Subject
from twin.questions.doctor.diagnosis import Found
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.registry import RULES
from twin.questions.doctor.rule import Need
from twin.review.doctor.examination import (
    Examination,
    ExamRequest,
    Reviewed,
    Suppressed,
    UnknownCluster,
    examine,
)
from twin.review.doctor.rejected import REJECTED, rejected
from twin.review.folders.estates import Folder, SameName

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
