"""Runbooks: which there are, and how one is worked out for a queue manager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.errors import TwinError, did_you_mean
from twin.model.instants import AsOf, Instant
from twin.questions.doctor.diagnosis import rests_on_positions
from twin.questions.namesakes import namesakes
from twin.review.runbooks import (
    dr_testing,
    leaving,
    maintaining,
    moving,
    rebuilding,
    subjects,
)
from twin.review.runbooks.scene import RunbookStep, RunbookSubject
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import RunbookWalk, StepState, WalkedStep

Warnings: TypeAlias = "Callable[[Rehearsal, RunbookSubject], Iterable[str]]"
SubjectOf: TypeAlias = "Callable[[Rehearsal, RunbookRequest], RunbookSubject]"


class UnknownStep(TwinError, LookupError, message="{} has no step {}; expected one of {}{}"):
    """A step that a runbook does not have."""


class Runbook(NamedTuple):
    """A procedure for a queue manager.

    Attributes:
        summary: what it does, as a sentence with `{name}` and other fields of the subject.
        steps: its steps, in order.
        subject: the function that finds out what it is about.
        promise: what is true when all steps are done, as such a sentence.
        warnings: the function that says what its reader should know; None if there is nothing.
    """

    summary: str
    steps: tuple[RunbookStep, ...]
    subject: SubjectOf
    promise: str
    warnings: Warnings | None = None


RUNBOOKS: Final[Mapping[str, Runbook]] = MappingProxyType(
    {
        "leave": Runbook(
            summary="{named} leaves {clusters}.",
            steps=leaving.STEPS,
            subject=subjects.leaver,
            promise="No queue manager holds a record of {named} in {clusters}.",
        ),
        "rebuild": Runbook(
            summary="{name} ({qmid}) is deleted and made again in {clusters}.",
            steps=rebuilding.STEPS,
            subject=subjects.rebuilt,
            promise="The new {name} is a member of {clusters}, and no queue manager holds a "
            "record of the old one.",
            warnings=subjects.other_qmid,
        ),
        "maintain": Runbook(
            summary="{named} is suspended in {clusters}, maintained, and resumed.",
            steps=maintaining.STEPS,
            subject=subjects.maintained,
            promise="{name} runs, and is resumed in {clusters}.",
        ),
        "move-full-repository": Runbook(
            summary="{to} takes over from {named} as a full repository of {clusters}.",
            steps=moving.STEPS,
            subject=subjects.mover,
            promise="{to} is a full repository of {clusters} that holds all records.",
        ),
        "dr-test": Runbook(
            summary="A copy of {named} is tested, and production hears nothing of it in "
            "{clusters}.",
            steps=dr_testing.STEPS,
            subject=subjects.copied,
            promise="Nobody holds a record of {name} that it did not publish.",
            warnings=dr_testing.warnings,
        ),
    }
)
"""Every runbook by the name of its command."""


@dataclass(frozen=True, slots=True)
class WorkedRunbook:
    """A runbook for a queue manager at an instant.

    Attributes:
        name: the name of the runbook.
        subject: what it is about.
        point: the point in time.
        steps: how far each step is.
        notes: what else its reader should know, one line each.
        is_observed: whether the queue manager was imported, or is only named.
    """

    name: str
    subject: RunbookSubject
    point: AsOf
    steps: tuple[WalkedStep, ...]
    notes: tuple[str, ...] = ()
    is_observed: bool = False

    @property
    def runbook(self) -> Runbook:
        """What the runbook is in general."""
        return RUNBOOKS[self.name]

    def destroys(self, walked: WalkedStep) -> str:
        """Say that a step destroys something, and on which facts that rests; '' if it does not."""
        if not walked.step.destructive or not walked.commands:
            return ""
        if not walked.evidence:
            return "destructive; rests on what was asked for"
        return f"destructive; {rests_on_positions(walked.evidence, seen=self.is_observed)}"

    @property
    def is_blocked(self) -> bool:
        """Whether something has to be mended before it can be carried out."""
        return any(each.state is StepState.BLOCKED for each in self.steps)

    @property
    def done(self) -> int:
        """The number of steps that are done."""
        return sum(each.state is StepState.DONE for each in self.steps)

    @property
    def ends(self) -> Instant | None:
        """When the last step will be done; None if all are, or if that is not known."""
        return self.steps[-1].expected


def work_out(
    twin: Twin,
    name: str,
    wanted: RunbookRequest,
    *,
    as_of: Instant | None = None,
    known_at: Instant | None = None,
) -> WorkedRunbook:
    """Check each step of a runbook at an instant, which defaults to now, and rehearse the rest.

    Raises:
        NoSuchQueueManager: if the queue manager does not exist and never did.
        UnknownStep: if a step is confirmed that the runbook does not have.
        TwinError: if it does not follow what the runbook is about.
    """
    runbook = RUNBOOKS[name]
    ids = tuple(step.id for step in runbook.steps)
    for each in sorted(wanted.confirmed.difference(ids)):
        raise UnknownStep(name, each, ", ".join(ids), did_you_mean(each, ids))

    def once() -> WorkedRunbook:
        begin = twin.rehearse(as_of=as_of, known_at=known_at)
        subject = runbook.subject(begin, wanted)
        shares_name = subject.qmid in namesakes(begin.estate)
        subject = replace(subject, shares_name=shares_name)
        steps = RunbookWalk(subject, begin, wanted.confirmed).through(runbook.steps)
        warnings = runbook.warnings(begin, subject) if runbook.warnings is not None else ()
        notes = (*warnings, *twin.incompleteness(begin.point))
        known = begin.estate.owner(subject.qmid) if subject.qmid in begin.estate.names else None
        is_observed = known is not None and known.observed
        return WorkedRunbook(name, subject, begin.point, tuple(steps), notes, is_observed)

    return twin.soundly(once)
