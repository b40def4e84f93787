"""What a rule of the doctor is: its id, its grounds, and its check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from twin.questions.doctor.finding import Finding, FixClass, Severity
from twin.questions.doctor.index import Index


class Need(StrEnum):
    """What must have been observed of a queue manager before a rule can say that all is well."""

    STATUS = "the status of channels"
    DEPTHS = "the depths of queues"
    RECORDS = "a complete answer to DISPLAY CLUSQMGR"
    QMGR = "all attributes of the queue manager (a dump, or DISPLAY QMGR ALL)"
    LISTENERS = "all listeners (a dump)"
    INI = "qm.ini"


class Effective(StrEnum):
    """When a fix takes effect."""

    AT_ONCE = "at once"
    CHANNEL = "when the channel restarts"
    QMGR = "when the queue manager restarts"


RuleCheck: TypeAlias = Callable[[Index], Iterator[Finding]]
"""A pure function from the index of an estate to the findings of one rule."""


class DoctorRule(NamedTuple):
    """A rule of the doctor, as it is declared in the registry.

    Attributes:
        id: its permanent name in kebab case.
        severity: the severity of its findings, unless a finding is weaker.
        condition: when it finds something, in one sentence.
        why: why that matters.
        what_to_do: what to do and where, for a finding without commands; '' if each has some.
        last: what to do at the end, if that destroys something; it is left out where a finding
            rests on what was neither observed nor simulated.
        source: the document that says so.
        check: the function that finds it.
        attributes: the attributes that are wrong: its findings point at the line that last set one
            of them. Without any, something is lacking, or a status is wrong: then they point at the
            DEFINE of the object, or at what said the status.
        fix: the class of its fixes; None if only a person can decide what to do.
        effective: when its fixes take effect.
        needs: what must have been observed so that nothing found means that all is well.
        needs_of_full: whether it needs them of full repositories alone.
        follows: the ids of rules of which its findings may be a consequence.
    """

    id: str
    severity: Severity
    condition: str
    why: str
    source: str
    check: RuleCheck
    fix: FixClass | None = None
    effective: Effective = Effective.AT_ONCE
    needs: tuple[Need, ...] = ()
    follows: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    what_to_do: str = ""
    last: str = ""
    needs_of_full: bool = False

    def advice(self, finding: Finding) -> str:
        """Return what to do about a finding that has no commands."""
        parts = (self.what_to_do, self.last if finding.grounds is not None else "")
        return " ".join(filter(None, parts))
