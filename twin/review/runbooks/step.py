"""A step of a runbook: what to do, where, when it is done, and who says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.errors import TwinError
from twin.model.amounts import counted
from twin.model.commands import Command
from twin.model.instants import DAY, Instant

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.planned import RehearsedCommand
    from twin.review.runbooks.scene import RunbookSubject, Scene


HEARD_WITHIN: Final[Instant] = 1 * DAY
"""How long others may take to hear of something: after that, something is broken."""

FORGOTTEN_WITHIN: Final[Instant] = 100 * DAY
"""Longer than any record lives without its owner."""


class Checked(NamedTuple):
    """How far a step is.

    Attributes:
        done: whether it is done.
        detail: what was seen, in a sentence without its full stop.
        blocked: what has to be mended before it can be taken; '' if nothing has to.
        unknown: what was not observed, so that it is not known whether it is done; '' if nothing.
        evidence: the positions of the events that say so.
    """

    done: bool
    detail: str = ""
    blocked: str = ""
    unknown: str = ""
    evidence: tuple[int, ...] = ()


def done(detail: str, *evidence: int) -> Checked:
    """Return that a step is done."""
    return Checked(done=True, detail=detail, evidence=evidence)


def missing(detail: str, *evidence: int) -> Checked:
    """Return what is missing until a step is done."""
    return Checked(done=False, detail=detail, evidence=evidence)


def blocked(why: str, *evidence: int) -> Checked:
    """Return what has to be mended before a step can be taken."""
    return Checked(done=False, blocked=why, evidence=evidence)


def unknown(what: str) -> Checked:
    """Return what was not observed."""
    return Checked(done=False, unknown=what)


class CannotRehearse(TwinError):
    """A step whose effect is not known, so that the steps after it have no dates."""


class UnusableScript(TwinError):
    """A script without commands, or with some that would be refused: `refused`."""

    def __init__(self, file: str, commands: Sequence[RehearsedCommand]) -> None:
        self.refused = tuple(each for each in commands if not each.accepted)
        named = file or "the script"
        of = f"{len(self.refused)} of {counted(len(commands), 'command')} in {named}"
        super().__init__(f"{of} would be refused" if commands else f"{named} has no commands")


StepCheck: TypeAlias = "Callable[[Scene], Checked]"
CommandsOfStep: TypeAlias = "Callable[[Scene], Iterable[Command]]"
PlayedStep: TypeAlias = "Callable[[Rehearsal, Scene], None]"


def no_commands(scene: Scene) -> Iterable[Command]:
    """Return no commands: the step is done by people, or by waiting."""
    del scene
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookStep:
    """A step of a runbook.

    Attributes:
        id: its name in kebab case, the same in every run.
        text: what to do, in one sentence; `{name}` and other fields of the subject are filled in.
        done_when: how it is checked, in one sentence.
        check: the function that checks it against an estate.
        source: the document that says so.
        commands: the function that returns the commands that remain to be run.
        plays: what people do, as a rehearsal plays it; None if commands and time do it all. It
            raises `CannotRehearse` or `UnusableScript`.
        works_first: whether people work for as long as the subject says before its commands.
        is_elsewhere: whether its commands are not rehearsed: they are run at what is not in the
            twin, or `plays` does what they do.
        destructive: whether it removes definitions, records or messages.
        patience: how long its wait may take, in microseconds. A step that takes longer is blocked.
        lasts: whether it stays done. One that does not counts as done only after those before it.
    """

    id: str
    text: str
    done_when: str
    check: StepCheck
    source: str
    commands: CommandsOfStep = no_commands
    plays: PlayedStep | None = None
    works_first: bool = False
    is_elsewhere: bool = False
    destructive: bool = False
    patience: Instant = HEARD_WITHIN
    lasts: bool = True

    def sentence(self, subject: RunbookSubject) -> str:
        """Return what to do, with the names filled in."""
        return filled(self.text, subject)

    def condition(self, subject: RunbookSubject) -> str:
        """Return how it is checked, with the names filled in."""
        return filled(self.done_when, subject)


def filled(text: str, subject: RunbookSubject) -> str:
    """Return a sentence with the names of a subject filled in."""
    return text.format(
        name=subject.name,
        named=subject.named,
        qmid=subject.qmid,
        clusters=" ".join(subject.clusters),
        to=subject.to,
    )
