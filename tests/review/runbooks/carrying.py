"""Carry out a runbook in a rehearsal, step by step, as a person would."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

from twin.app.rehearsing import Rehearsal
from twin.app.twin import Twin
from twin.model.instants import MINUTE, SECOND, Instant
from twin.questions.sender_channels import messaging_of
from twin.review.runbooks import checks
from twin.review.runbooks.runbook import RUNBOOKS
from twin.review.runbooks.scene import RunbookSubject, Scene
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import RunbookWalk, StepState, WalkedStep, run
from twin.rules import membership


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
    """Take the next step until all are done or one is blocked; each becomes done in its turn.

    After the last one no other channel is STOPPED, and messages still arrive at all members.
    """
    rehearsal = twin.rehearse()
    runbook = RUNBOOKS[name]
    subject = runbook.subject(rehearsal, request)
    rehearsal.advance(rehearsal.now() + SECOND)
    if subject.lost and rehearsal.estate.qmgrs[subject.name].running:
        rehearsal.endmqm(subject.name)

    def walk() -> list[WalkedStep]:
        return RunbookWalk(subject, rehearsal, request.confirmed).through(runbook.steps)

    def scene() -> Scene:
        return Scene(rehearsal.estate, rehearsal.now(), subject)

    before = arrivals(scene(), rehearsal)
    stopped = stopped_channels(rehearsal)
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
    if steps[-1].state is StepState.DONE:
        assert stopped_channels(rehearsal) <= stopped
        left = {pair for pair in before if _meet(scene(), pair)}
        assert left <= arrivals(scene(), rehearsal)
    return CarriedOut(steps, promised, subject, rehearsal)


def stopped_channels(rehearsal: Rehearsal) -> set[str]:
    """Return the channels of which `doctor` says that they are STOPPED."""
    rows = rehearsal.ask("doctor", rule="channel-stopped").rows
    return {str(row["object"]) for row in rows if row["severity"] in ("error", "warning")}


def arrivals(scene: Scene, rehearsal: Rehearsal) -> set[tuple[str, str]]:
    """Return (sender, receiver) of the members between which a new message arrives in a minute."""
    trial = rehearsal.fork()
    pairs = [pair for pair in permutations(sorted(trial.estate.qmgrs), 2) if _meet(scene, pair)]
    for one, other in pairs:
        trial.runmqsc(other, f"DEFINE QLOCAL(TRIAL.{one})")
    for one, other in pairs:
        trial.put(one, f"TRIAL.{one}", to=other)
    trial.advance(trial.now() + MINUTE)
    return {
        (one, other)
        for one, other in pairs
        if messaging_of(trial.estate.qmgrs[other]).depth(f"TRIAL.{one}")
    }


def _meet(scene: Scene, pair: tuple[str, str]) -> bool:
    """Return whether two queue managers are members of a cluster with a full repository, and run.

    The subject does not count as one: when it has gone, members may know each other no more.
    """
    known = [scene.estate.qmgrs.get(name) for name in pair]
    clusters = [{*membership.clusters_joined(each)} for each in known if each and each.running]
    return len(clusters) == len(pair) and any(
        checks.running_repositories(scene, cluster) for cluster in clusters[0] & clusters[1]
    )


def take(rehearsal: Rehearsal, walked: WalkedStep, subject: RunbookSubject) -> None:
    """Take a step: run its commands, do what people do, and wait as long as was said."""
    if walked.step.works_first:
        rehearsal.advance(rehearsal.now() + subject.lasts)
    for command in () if walked.step.is_elsewhere else walked.commands:
        # A channel without a row in DISPLAY CHSTATUS has no batch in doubt: not found is well.
        assert command.verb == "DISPLAY" or run(rehearsal, command) == ""
    if walked.step.plays is not None:
        walked.step.plays(rehearsal, Scene(rehearsal.estate, rehearsal.now(), subject))
    assert walked.expected is not None, walked
    rehearsal.advance(max(rehearsal.now(), walked.expected))
