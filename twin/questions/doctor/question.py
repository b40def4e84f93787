"""`ask doctor`: the findings of the rules as the rows of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from twin.errors import TwinError, did_you_mean
from twin.events import ErrorLogged, Event, RepositoryRefreshed
from twin.fold.estate import Estate
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer, EvidencedRow, Facts
from twin.questions.doctor.diagnosis import Found, NotChecked, diagnose
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.registry import RETIRED, RULES
from twin.questions.paragraphs import paragraph

READS: Final[frozenset[type[Event]]] = frozenset({RepositoryRefreshed, ErrorLogged})
"""The past events that rules read."""

_WIDTH: Final = 96
"""The longest line of a finding; consequences are indented further."""


class NoSuchRule(TwinError, LookupError, message="unknown rule {!r}{}"):
    """A rule that the doctor does not have."""


def check_rule(name: str) -> str:
    """Return why a rule is retired; '' if it is not.

    Raises:
        NoSuchRule: if there is and was no rule of this name.
    """
    if name not in RULES and name not in RETIRED:
        raise NoSuchRule(name, did_you_mean(name, RULES) or "; twin doctor --rules lists them")
    return RETIRED.get(name, "")


def doctor(  # noqa: PLR0913 - each is an option of its own
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    before: Estate | None = None,
    since: Instant | None = None,
    on: str | None = None,
    cluster: str | None = None,
    rule: str | None = None,
    severity: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List what is wrong with the clusters: see the registry of the doctor's rules.

    Raises:
        NoSuchRule: if there is no rule of this id.
        NoSuchQueueManager: if there is no queue manager `on`.
    """
    if on is not None:
        estate.qmgr(on)
    retired = check_rule(rule) if rule is not None else ""
    diagnosis = diagnose(
        estate,
        as_of.valid,
        facts=[fact for fact in facts if fact.at <= as_of.valid],
        rules=None if rule is None else [] if retired else [rule],
        on=on,
        cluster=cluster,
    )
    least = Severity.INFO if severity is None else Severity(severity)
    weakest = Basis.ASSUMED if basis is None else Basis(basis)
    found = [
        each
        for each in diagnosis.found
        if each.severity.rank <= least.rank and each.basis.rank <= weakest.rank
    ]
    answer = Answer.of("doctor", as_of, map(row_of, found), lines=lines_of(found))
    notes = [f"rule {rule} is retired: {retired}"] if retired else []
    return replace(answer, notes=(*notes, *_unchecked(diagnosis.not_checked)))


def row_of(found: Found) -> EvidencedRow:
    """Return a finding as a row."""
    finding = found.finding
    return {
        "id": found.rule.id,
        "severity": str(found.severity),
        "object": finding.object,
        "finding": finding.text,
        "fix": finding.fix or None,
        "source": found.rule.source,
        "basis": str(found.basis),
    }, finding.positions


def lines_of(found: Iterable[Found]) -> Iterator[str]:
    """Yield each finding as a paragraph."""
    for each in found:
        yield from finding_lines(
            f"{each.severity}  {each.rule.id}  {each.finding.object}", first=""
        )
        yield from finding_lines(each.finding.text)
        if (advice := each.rule.advice(each.finding)) and not each.finding.fix:
            yield from finding_lines(f"what to do: {advice}")
        yield from (f"  fix on {fix.on}: {fix.text}" for fix in each.finding.fix)
        if each.finding.destroys:
            yield from finding_lines(f"destructive: {each.rests_on}")
        yield from finding_lines(f"source: {each.rule.source}")
        yield ""


def finding_lines(text: str, *, first: str = "  ") -> list[str]:
    """Return a text in lines below the title of a finding."""
    return paragraph(text, first, rest="  ", width=_WIDTH)


def _unchecked(not_checked: Iterable[NotChecked]) -> Iterator[str]:
    rules: dict[str, list[str]] = {}
    for each in not_checked:
        rules.setdefault(each.why, []).append(each.id)
    yield from (f"{counted(len(ids), 'rule')} not checked: {why}" for why, ids in rules.items())
