"""Carry out a runbook in a rehearsal, step by step, as a person would."""

from __future__ import annotations

from typing import NamedTuple

from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.model.instants import SECOND, Instant
from twin.review.runbooks.request import RunbookRequest
from twin.review.runbooks.runbook import RUNBOOKS
from twin.review.runbooks.scene import RunbookSubject, Scene
from twin.review.runbooks.walk import RunbookWalk, StepState, WalkedStep, run


class CarriedOut(NamedTuple):
    """What became of a runbook that was carried out.

    Attributes:
        steps: the steps as they stood at the end.
        promised: when its last step was expected at the beginning.
        subject: what it was about.
        rehearsal: where it ended.
    """

    steps: list[WalkedStep]
    promised: Instant | None
    subject: RunbookSubject
    rehearsal: Rehearsal


def carry_out(twin: Twin, name: str, request: RunbookRequest) -> CarriedOut:
    """Take the next step until all are done or one is blocked; each becomes done in its turn."""
    rehearsal = twin.rehearse()
    runbook = RUNBOOKS[name]
    subject = runbook.subject(rehearsal, request)
    rehearsal.advance(rehearsal.now() + SECOND)
    if subject.lost:
        rehearsal.endmqm(subject.name)

    def walk() -> list[WalkedStep]:
        return RunbookWalk(subject, rehearsal, request.confirmed).through(runbook.steps)

    steps = walk()
    promised = steps[-1].expected
    done = -1
    while steps[-1].state is not StepState.DONE:
        states = [each.state for each in steps]
        if StepState.BLOCKED in states:
            break
        due = states.index(StepState.NEXT)
        assert due > done, f"step {steps[due].number} has to be done again"
        done = due
        take(rehearsal, steps[due], subject)
        steps = walk()
        assert steps[due].state is StepState.DONE, steps[due]
    return CarriedOut(steps, promised, subject, rehearsal)


def take(rehearsal: Rehearsal, walked: WalkedStep, subject: RunbookSubject) -> None:
    """Take a step: run its commands, do what people do, and wait as long as was said."""
    if walked.step.works_first:
        rehearsal.advance(rehearsal.now() + subject.lasts)
    for command in walked.commands:
        assert run(rehearsal, command) == ""
    if walked.step.plays is not None:
        walked.step.plays(rehearsal, Scene(rehearsal.estate, rehearsal.now(), subject))
    assert walked.expected is not None, walked
    rehearsal.advance(max(rehearsal.now(), walked.expected))
