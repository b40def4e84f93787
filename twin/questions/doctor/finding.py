"""What a rule of the doctor finds: an object, what is wrong with it, and what would mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from twin.model.basis import Basis
from twin.model.commands import Command
from twin.model.objects import Subject


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Its place among the severities: 0 is the worst."""
        return list(Severity).index(self)


FindingEffect: TypeAlias = Literal["new", "worse", "milder", "gone"]


def finding_effect(before: Severity | None, after: Severity | None) -> FindingEffect | None:
    """Return what became of a finding, by how bad it was and is; None if nothing.

    A severity is None where there is no such finding.
    """
    if before is after:
        return None
    if before is None or after is None:
        return "new" if before is None else "gone"
    return "worse" if after.rank < before.rank else "milder"


class FixClass(StrEnum):
    """Who may run a fix without asking."""

    SAFE = "safe"
    """It changes nothing but the fault."""
    OWNER = "owner decides"
    """It changes where messages go, or there is more than one way to mend the fault."""
    DESTRUCTIVE = "destructive"
    """It removes messages, records or definitions that may still be needed."""


ProbeKind: TypeAlias = Literal[
    "open",
    "refused",
    "failover",
    "routes",
    "steady",
    "display",
    "definition",
    "transmission-queue",
    "undelivered",
]


class Probe(NamedTuple):
    """An effect of a fault that can be measured in a rehearsal, before and after the fix.

    Attributes:
        kind: `open`: the end of a put to the queue `name`, at the queue manager `to`: a reason
            code, a wait, or where it is delivered; `refused`: the same of a put that must fail;
            `failover`: the end of a put to the queue `name` after the queue managers `ended` ended;
            `routes`: the routes to the queue that are left out; `steady`: those that take turns;
            `display`: the answer to the MQSC command `name`; `definition`: the same, if it shows
            no more than that a definition has changed; `transmission-queue`: the queues that the
            channel `name` may use; `undelivered`: what becomes of the channel `name` when it brings
            a message to `to` that cannot be put there.
        on: the queue manager at which it is measured.
        name: the queue, the channel or the command.
        to: the queue manager that is named in MQOPEN, or to which the message goes.
        turns: how many messages are put, so that each instance of the queue gets one.
        steady: queue managers at which the fix must not change the routes to the queue `name`, as
            everything is now.
        ended: the queue managers that end before the put.
        before: an MQSC command that is run before the measure.
    """

    kind: ProbeKind
    on: str
    name: str
    to: str = ""
    turns: int = 1
    steady: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    before: str = ""


class FindingPlace(NamedTuple):
    """An object that a finding rests on.

    Attributes:
        position: the position of the event that last changed it.
        qmgr: its queue manager.
        kind: its kind; QMGR for the queue manager itself.
        name: its name; '' for the queue manager itself.
    """

    position: int
    qmgr: str
    kind: str = "QMGR"
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    Attributes:
        subject: what it is about; with its rule, the finding's identity.
        text: what is wrong, in one or two sentences.
        attributes: the attributes that are wrong, if not all of its rule.
        evidence: what says so: the objects that are wrong, or the positions of events; the first
            one is what it points at.
        on: the queue managers that it is about.
        named: those of `on` that its text names, if not all.
        qmids: the QMIDs that it says.
        deleted: the deleted queue managers that it is about.
        cluster: the cluster that it is about; '' if it is about none.
        names: what events of `evidence` say it of, if `subject` does not name it.
        fix: the commands that mend it, in order; () if only a person can decide.
        fix_class: the class of these commands, if it is not that of the rule.
        otherwise: commands that help if the fix cannot be run; always destructive.
        destroys: whether the fix removes definitions, records or messages.
        grounds: what its destructive commands rest on: `observed` or `derived` (simulated). Without
            it they are left out, unless everything about its queue managers is simulated.
        severity: the severity, if it is not that of the rule.
        because: the subjects of findings that would be its cause, if they are of a rule that this
            one's rule follows.
        probe: how a rehearsal can measure the effect of the fault; None if the twin's rules do not
            depend on it.
        basis: what it rests on; None for what its queue managers rest on.
    """

    subject: Subject
    text: str
    attributes: tuple[str, ...] = ()
    evidence: tuple[FindingPlace | int, ...] = ()
    on: tuple[str, ...] = ()
    named: tuple[str, ...] | None = None
    qmids: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    cluster: str = ""
    names: tuple[str, ...] = ()
    fix: tuple[Command, ...] = ()
    fix_class: FixClass | None = None
    otherwise: tuple[Command, ...] = ()
    destroys: bool = False
    grounds: Basis | None = None
    severity: Severity | None = None
    because: tuple[Subject, ...] = ()
    probe: Probe | None = None
    basis: Basis | None = None

    @property
    def object(self) -> str:
        """Its subject as text."""
        return str(self.subject)

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the events that say so, sorted."""
        found = {
            each.position if isinstance(each, FindingPlace) else each for each in self.evidence
        }
        return tuple(sorted(found - {0}))


def fingerprint(rule: str, subject: Subject) -> str:
    """Return the identity of a finding, which unrelated changes do not alter."""
    return sha256(f"{rule}\n{subject}".encode()).hexdigest()[:20]


_SHOWN = 5


def some(names: Iterable[str]) -> str:
    """Write names, sorted; of many only the first, and how many more there are."""
    listed = sorted(set(names))
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more
