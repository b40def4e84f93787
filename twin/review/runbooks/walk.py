"""Walk through a runbook: check each step now, and rehearse those that remain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from twin.app.rehearsing import Rehearsal
from twin.model.commands import Command
from twin.model.instants import DAY, Instant
from twin.questions.doctor.fixes import looked_at_first
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.planned import PlannedChange, PlannedControl, RehearsedCommand, perform
from twin.review.runbooks.control_commands import played
from twin.review.runbooks.scene import (
    CannotRehearse,
    Checked,
    RunbookStep,
    RunbookSubject,
    Scene,
    UnusableScript,
)


class StepState(StrEnum):
    """How far a step is."""

    DONE = "done"
    NEXT = "next"
    LATER = "later"
    BLOCKED = "blocked"


class WalkedStep(NamedTuple):
    """A step as it stands now, and when it will be done.

    Attributes:
        number: its number, from 1.
        step: the step.
        state: how far it is.
        commands: the commands that remain to be run when it is its turn; after a step that is
            blocked, those that remain now. Before those that a batch in doubt forbids there is the
            DISPLAY that looks for one.
        detail: what was seen: of a step that is not done, what is missing.
        blocked_by: what has to be mended first; '' if nothing has to.
        refused: the commands of the script that would be refused.
        unknown: what was not observed; '' if nothing is missing.
        expected: when it will be done if each step is taken as soon as it can be; None if it is
            done, or if that is not known.
        evidence: the positions of the events that say so.
        confirmed: whether it counts as done only because somebody says so.
        accepted: whether somebody says so although the check saw that it is not done.
    """

    number: int
    step: RunbookStep
    state: StepState
    commands: tuple[Command, ...]
    detail: str
    blocked_by: str
    refused: tuple[RehearsedCommand, ...]
    unknown: str
    expected: Instant | None
    evidence: tuple[int, ...]
    confirmed: bool = False
    accepted: bool = False


class _Taken(NamedTuple):
    """A step that was rehearsed: its commands, when it was done, or why it could not be."""

    commands: tuple[Command, ...] = ()
    at: Instant | None = None
    why: str = ""
    refused: tuple[RehearsedCommand, ...] = ()


@dataclass(slots=True)
class RunbookWalk:
    """A walk through the steps of a runbook.

    Attributes:
        subject: what the runbook is about.
        begin: where it begins; nobody changes it.
        confirmed: the ids of steps that somebody says are done.
    """

    subject: RunbookSubject
    begin: Rehearsal
    confirmed: frozenset[str] = frozenset()

    def through(self, steps: Sequence[RunbookStep]) -> list[WalkedStep]:
        """Return how far each step is, and when it will be done."""
        now = Scene(self.begin.estate, self.begin.now(), self.subject)
        rehearsal: Rehearsal | None = self._fork()
        begun = self.subject
        if begun.since is None:
            begun = replace(begun, since=now.at)
        walked: list[WalkedStep] = []
        is_first = True
        for number, step in enumerate(steps, 1):
            progress = step.check(now)
            if self._is_done(step, progress, is_first=is_first):
                walked.append(_done(number, step, progress, self.confirmed))
                continue
            taken = _Taken(tuple(step.commands(now)) if rehearsal is None else ())
            if rehearsal is not None:
                is_confirmed = step.id in self.confirmed
                taken, rehearsal = _Player(begun, rehearsal, is_confirmed).take(step)
            state = StepState.NEXT if is_first else StepState.LATER
            if taken.why:
                state = StepState.BLOCKED
            walked.append(
                WalkedStep(
                    number,
                    step,
                    state,
                    looked_at_first(self.begin.estate.qmgrs, taken.commands, now.at),
                    progress.detail,
                    taken.why,
                    taken.refused,
                    progress.unknown,
                    taken.at,
                    progress.evidence,
                )
            )
            is_first = False
        return walked

    def _fork(self) -> Rehearsal:
        """Return a rehearsal of the steps, in which an imported one that is lost has ended.

        Nothing may have been imported since it was lost. One that is not imported runs: see
        `checks.still_runs`.
        """
        rehearsal, subject = self.begin.fork(), self.subject
        known = rehearsal.estate.qmgrs.get(subject.name)
        is_it = known is not None and known.qmid == subject.qmid
        if subject.lost and known is not None and is_it and known.running and known.observed:
            rehearsal.endmqm(subject.name)
        return rehearsal

    def _is_done(self, step: RunbookStep, progress: Checked, *, is_first: bool) -> bool:
        """Return whether a step is done: one that does not last, only after those before it."""
        return (progress.done or step.id in self.confirmed) and (step.lasts or is_first)


def _done(
    number: int, step: RunbookStep, progress: Checked, confirmed: frozenset[str]
) -> WalkedStep:
    detail, says = progress.detail, not progress.done and step.id in confirmed
    seen = progress.blocked or ("" if progress.unknown else progress.detail)
    if says:
        detail = "confirmed with --done" + (f" although {seen}" if seen else "")
    return WalkedStep(
        number=number,
        step=step,
        state=StepState.DONE,
        commands=(),
        detail=detail,
        blocked_by="",
        refused=(),
        unknown="",
        expected=None,
        evidence=progress.evidence,
        confirmed=says,
        accepted=says and bool(seen),
    )


@dataclass(slots=True)
class _Player:
    """Takes one step in a rehearsal; one that somebody says is done is in nobody's way."""

    subject: RunbookSubject
    rehearsal: Rehearsal
    is_confirmed: bool = False

    def take(self, step: RunbookStep) -> tuple[_Taken, Rehearsal | None]:
        """Take a step as soon as it can be; return what became of it, and the rehearsal after it.

        Without a rehearsal, the steps after it cannot be rehearsed.
        """
        scene = self._scene()
        progress = step.check(scene)
        if progress.done:
            return _Taken(at=scene.at), self.rehearsal
        if self.is_confirmed:
            return self._confirmed(step, scene)
        if progress.blocked:
            return _Taken(tuple(step.commands(scene)), why=progress.blocked), None
        if step.works_first:
            self.rehearsal.advance(scene.at + self.subject.lasts)
            scene = self._scene()
        commands = tuple(step.commands(scene))
        try:
            if not step.is_elsewhere and (refused := self._run(commands)):
                return _Taken(commands, why=refused), None
            if step.plays is not None:
                step.plays(self.rehearsal, scene)
        except CannotRehearse:
            return _Taken(commands), None
        except UnusableScript as problem:
            taken = _Taken(commands, why=str(problem), refused=problem.refused)
        else:
            why = self._wait(step)
            taken = _Taken(commands, None if why else self.rehearsal.now(), why)
        return taken, None if taken.why else self.rehearsal

    def _confirmed(self, step: RunbookStep, scene: Scene) -> tuple[_Taken, Rehearsal | None]:
        """Take a step that somebody says is done, as far as that can be; it blocks nothing."""
        commands = tuple(step.commands(scene))
        if not step.is_elsewhere:
            self._run(commands)
        try:
            if step.plays is not None:
                step.plays(self.rehearsal, scene)
        except (CannotRehearse, UnusableScript):
            return _Taken(commands), None
        return _Taken(commands, self.rehearsal.now()), self.rehearsal

    def _scene(self) -> Scene:
        return Scene(self.rehearsal.estate, self.rehearsal.now(), self.subject)

    def _run(self, commands: Sequence[Command]) -> str:
        """Run commands; return why one was refused, '' if none was."""
        return next(filter(None, (run(self.rehearsal, each) for each in commands)), "")

    def _wait(self, step: RunbookStep) -> str:
        """Let time pass until a step is done; return what is missing if that takes too long."""
        if _is_over(step.check(self._scene())):
            return ""
        start, begin = self.rehearsal.now(), self.rehearsal.fork()
        self.rehearsal.advance(start + SETTLES_WITHIN)
        progress = step.check(self._scene())
        why = progress.blocked or progress.detail
        before = start
        while not _is_over(progress):
            before = self.rehearsal.now()
            if before >= start + step.patience:
                return why
            self.rehearsal.advance(min(before + DAY, start + step.patience))
            progress = step.check(self._scene())
        self._go_back(step, begin, before)
        return ""

    def _go_back(self, step: RunbookStep, begin: Rehearsal, before: Instant) -> None:
        """Play the wait again up to the instant at which the step was done."""
        end, first = self.rehearsal.now(), len(begin.decided)
        instants = {at for at, _ in self.rehearsal.decided[first:] if before < at <= end}
        self.rehearsal = begin
        for at in sorted({max(before, begin.now()), *instants, end}):
            begin.advance(at)
            if _is_over(step.check(self._scene())):
                return


def _is_over(progress: Checked) -> bool:
    """Return whether a rehearsal goes on: what nobody observed is taken to be well."""
    return progress.done or bool(progress.unknown)


def run(rehearsal: Rehearsal, command: Command) -> str:
    """Run a command of a step in a rehearsal; return why it was refused, '' if it was not."""
    ran = perform(rehearsal, _changes(rehearsal, command)).commands
    refused = (each.messages[0] for each in ran if not each.accepted)
    return next((f"{command.on}: {command.text}: {why}" for why in refused), "")


def _changes(rehearsal: Rehearsal, command: Command) -> tuple[PlannedChange, ...]:
    """Return a command as changes of a plan."""
    if command.kind == "mqsc":
        return (command,)
    words = played(command, makes=command.on not in rehearsal.estate.qmgrs)
    return tuple(
        _like_the_last(rehearsal, command.on)
        if word == "crtmqm"
        else Command.program(command.on, word)
        for word in words
    )


def _like_the_last(rehearsal: Rehearsal, name: str) -> PlannedControl:
    """Return the crtmqm that makes a queue manager again as the last one of its name was made."""
    earlier = [qmgr for qmgr in rehearsal.estate.departed.values() if qmgr.name == name]
    crtmqm = Command.program(name, "crtmqm")
    if not earlier:
        return PlannedControl(crtmqm)
    last = max(earlier, key=lambda qmgr: qmgr.created)
    given = (f"cmdlevel={last.cmdlevel}", f"platform={last.platform}")
    return PlannedControl(crtmqm, given, configuration=last.configuration)
