"""The steps of a runbook, what it is about, and the estate in which its steps are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from twin.app.rehearsing import Rehearsal
from twin.errors import TwinError
from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import counted
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.doctor.index import Index
from twin.review.plan.planned import PlannedScript, RehearsedCommand
from twin.rules import membership


class SoleRank(NamedTuple):
    """A rank that only one queue manager has, so that all messages for a queue go to it.

    Attributes:
        kind, name, type: the queue or the CLUSRCVR that has it.
        rank: its CLWLRANK.
        others: the highest rank of the others, to which it has to be lowered.
        queue: the queue that messages are for.
    """

    kind: str
    name: str
    type: str
    rank: int
    others: int
    queue: str


MAINTENANCE: Final[Instant] = 4 * HOUR
"""How long a maintenance is assumed to last unless it is said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookSubject:
    """What a runbook is about.

    Attributes:
        name, qmid: the queue manager.
        clusters: the clusters that the runbook is about, by name.
        to: the queue manager that takes over; '' if none does.
        since: when the procedure began, for one whose end looks like its beginning; None if it has
            not begun.
        lasts: how long the queue manager is down, in microseconds.
        script: the definitions with which it is made again; None if they are not known.
        lost: whether it never comes back, so that nothing can be run at it.
        saved: an instant at which the twin has its definitions from before the first change; None
            if that is not known.
        ranks: the ranks that it alone had when the procedure began.
        shares_name: whether another queue manager has its name too, or is remembered by it.
    """

    name: str
    qmid: str
    clusters: tuple[str, ...]
    to: str = ""
    since: Instant | None = None
    lasts: Instant = MAINTENANCE
    script: PlannedScript | None = None
    lost: bool = False
    saved: Instant | None = None
    ranks: tuple[SoleRank, ...] = ()
    shares_name: bool = False

    @property
    def named(self) -> str:
        """Its name, with its QMID if another one has that name."""
        return f"{self.name} ({self.qmid})" if self.shares_name else self.name


@dataclass(frozen=True)
class Scene:
    """The estate at an instant, seen from the subject of a runbook."""

    estate: Estate
    at: Instant
    subject: RunbookSubject

    @property
    def name(self) -> str:
        """The name of the queue manager."""
        return self.subject.name

    @property
    def named(self) -> str:
        """The name of the queue manager, with its QMID if another one has that name."""
        return self.subject.named

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters that the runbook is about."""
        return self.subject.clusters

    @property
    def cluster(self) -> str:
        """The cluster of a runbook that is about one cluster; of several, the first by name."""
        return self.subject.clusters[0]

    @property
    def qmgr(self) -> QueueManager | None:
        """The queue manager; None if it was deleted, or never comes back."""
        if self.subject.lost:
            return None
        known = self.estate.qmgrs.get(self.name)
        return known if known is not None and known.qmid == self.subject.qmid else None

    @property
    def successor(self) -> QueueManager | None:
        """The queue manager of the same name that replaces it; None if there is none."""
        known = self.estate.qmgrs.get(self.name)
        return known if known is not None and known.qmid != self.subject.qmid else None

    @cached_property
    def index(self) -> Index:
        """What queue managers define, by cluster."""
        return Index(self.estate, self.at)

    def others(self) -> Iterator[QueueManager]:
        """Go through all other queue managers, by name; one that is lost is left out."""
        for name in sorted(self.estate.qmgrs):
            qmgr = self.estate.qmgrs[name]
            if qmgr.qmid != self.subject.qmid:
                yield qmgr

    def repositories(self, cluster: str) -> list[QueueManager]:
        """Return the other full repositories of a cluster that are members of it, by name."""
        return [
            qmgr
            for qmgr in self.others()
            if membership.is_full(qmgr, cluster) and cluster in membership.clusters_joined(qmgr)
        ]


def clusters_known_by(qmgr: QueueManager) -> tuple[str, ...]:
    """Return the clusters that a queue manager is in, or still has a channel or records of."""
    joined = {*membership.clusters_joined(qmgr), *membership.full_repository_of(qmgr)}
    for _, names in membership.channels_of(qmgr, "CLUSSDR"):
        joined.update(names)
    joined.update(name[0] for name in qmgr.repository.beliefs)
    return tuple(sorted(joined))


def clusters_that_remember(estate: Estate, qmid: str) -> tuple[str, ...]:
    """Return the clusters in which any queue manager holds or held a record of an owner."""
    return tuple(
        sorted(
            {
                cluster
                for qmgr in estate.qmgrs.values()
                for cluster, owner in qmgr.repository.ever_held
                if owner == qmid
            }
        )
    )


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
