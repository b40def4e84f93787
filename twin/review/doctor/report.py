"""Write a review: as paragraphs, and as a document for JSON.

Findings that say the same are put together in one way, by reports and pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias, TypeVar

from twin.model.amounts import counted
from twin.model.commands import Command
from twin.model.instants import format_instant
from twin.questions.doctor.diagnosis import rests_on
from twin.questions.doctor.finding import Severity
from twin.questions.doctor.question import finding_lines
from twin.questions.doctor.rule import DoctorRule, Effective
from twin.review.doctor.examination import Examination, Reviewed

FindingRow: TypeAlias = Mapping[str, Any]
"""A finding as `report.row_of` writes it."""

Item = TypeVar("Item")
_Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FindingGroup(Generic[Item]):
    """Findings that say the same of several objects.

    Attributes:
        members: the findings, in their order; at least one.
        following: the findings that follow from one of them.
    """

    members: Sequence[Item]
    following: Sequence[FindingGroup[Item]]

    @property
    def first(self) -> Item:
        """The first of the findings."""
        return self.members[0]


def grouped(
    found: Sequence[Item], row_of: Callable[[Item], FindingRow]
) -> list[FindingGroup[Item]]:
    """Return findings in their order; those that say the same together, what follows below.

    A finding stands below the one that it follows from if that one is in `found`. A finding that
    others follow from stands alone.
    """
    rows = [(row_of(each), each) for each in found]
    named = {_name(row) for row, _ in rows}
    following: dict[_Name, list[Item]] = {}
    for row, each in rows:
        if (root := _root(row)) in named and root is not None:
            following.setdefault(root, []).append(each)
    roots: dict[tuple[object, ...], list[Item]] = {}
    for row, each in rows:
        if _root(row) not in named:
            same = _name(row) if _name(row) in following else _sameness(row)
            roots.setdefault(same, []).append(each)

    def group(members: Sequence[Item]) -> FindingGroup[Item]:
        below = following.get(_name(row_of(members[0])), ())
        return FindingGroup(members, [group([each]) for each in below])

    return [group(members) for members in roots.values()]


def of_one_kind(found: Iterable[FindingRow]) -> list[list[FindingRow]]:
    """Return findings of one rule together, in the order of the first of each.

    Those of another severity are another kind, and so are those that an earlier run had.
    """
    kinds: dict[tuple[object, ...], list[FindingRow]] = {}
    for row in found:
        kinds.setdefault((row["severity"], row["id"], row["known"]), []).append(row)
    return list(kinds.values())


def _sameness(row: FindingRow) -> tuple[object, ...]:
    """Return what findings have in common that stand together."""
    verdict = row["proof"] and row["proof"]["verdict"]
    return (row["id"], row["severity"], row["finding"], row["known"], row["note"], verdict)


def _name(row: FindingRow) -> _Name:
    return row["id"], row["object"]


def _root(row: FindingRow) -> _Name | None:
    return row["root"] and (row["root"]["id"], row["root"]["object"])


_SHOWN: Final = 5
"""How many positions and origins of a finding are shown."""

_POSITIONS: Final = ("position", "positions")


def lines_of(review: Examination) -> Iterator[str]:
    """Yield the findings as paragraphs, worst first.

    Consequences stand below their cause. Findings with the same text share a paragraph.
    """
    for group in grouped(review.counting, row_of):
        yield from _with_consequences(group, "")
    for each in review.findings:
        if each.suppressed:
            yield from finding_lines(
                f"suppressed  {each.found.rule.id}  {each.found.finding.object}: "
                f"{each.suppressed.reason} ({each.suppressed.place})",
                first="",
            )
    if len(review.counting) < len(review.findings):
        yield ""
    yield from _not_checked(review)
    yield summary(review)


def _with_consequences(group: FindingGroup[Reviewed], indent: str) -> Iterator[str]:
    yield from (indent + line for line in _paragraph(group.members))
    for other in group.following:
        yield from _with_consequences(other, indent + "    ")
    if not indent:
        yield ""


def _paragraph(group: Sequence[Reviewed]) -> Iterator[str]:
    """Yield the lines about findings; commands are not wrapped, so that they can be pasted."""
    each, *others = group
    found, finding = each.found, each.found.finding
    known = "  (known)" if each.known else ""
    named = f"{len(group)} objects" if others else finding.object
    yield from finding_lines(f"{found.severity}  {found.rule.id}  {named}{known}", first="")
    if others:
        yield from finding_lines(", ".join(one.found.finding.object for one in group))
    yield from finding_lines(finding.text)
    yield from _evidence(group)
    advice = dict.fromkeys(
        one.found.rule.advice(one.found.finding) for one in group if not one.found.finding.fix
    )
    yield from (line for each in advice if each for line in finding_lines(f"what to do: {each}"))
    for command in (command for one in group for command in one.found.finding.fix):
        yield f"  fix on {command.on}: {command.text}"
    for command in (command for one in group for command in one.tried):
        yield f"  tried on {command.on}: {command.text}"
    if finding.fix:
        yield f"  {', '.join(_about_fix(each))}"
    if each.proof is not None and each.tried:
        yield from finding_lines(str(each.proof))
    elif each.proof is not None:
        alike = len({one.proof.says for one in group if one.proof is not None}) > 1
        others_too = f"; alike for the other {len(others)}" if alike else ""
        yield from finding_lines(f"{each.proof.says}{others_too}")
    if each.note:
        yield from finding_lines(each.note)
    for command in (command for one in group for command in one.found.finding.otherwise):
        yield f"  if nothing else helps, on {command.on}: {command.text} (destructive)"
    grounded = [one.found for one in group if one.found.finding.otherwise]
    grounded += [one.found for one in group if one.found.finding.destroys]
    if grounded:
        yield from finding_lines(f"destructive: {rests_on(grounded)}")
    yield from finding_lines(f"source: {found.rule.source}")


def _evidence(group: Sequence[Reviewed]) -> Iterator[str]:
    """Yield the line with the positions and origins of findings; none without any."""
    evidence = {position for one in group for position in one.found.finding.positions}
    origins = dict.fromkeys(origin for one in group for origin in one.origins)
    positions = sorted(evidence)
    parts = [f"{_POSITIONS[len(positions) > 1]} {_first(positions)}"] if positions else []
    if origins:
        parts.append("from " * bool(positions) + _first(list(origins)))
    if parts:
        yield from finding_lines(f"evidence: {', '.join(parts)}")


def _first(items: Sequence[object]) -> str:
    """Write the first items of a list, and how many more there are."""
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(map(str, items[:_SHOWN])) + more


def _about_fix(each: Reviewed) -> Iterator[str]:
    found = each.found
    yield f"{found.fix_class}"
    if each.proof is not None:
        yield each.proof.verdict
    if found.rule.effective is not Effective.AT_ONCE:
        yield f"takes effect {found.rule.effective}"


def _not_checked(review: Examination) -> Iterator[str]:
    by_why: dict[str, list[str]] = {}
    for each in review.not_checked:
        by_why.setdefault(each.why, []).append(each.id)
    for why, ids in by_why.items():
        if not review.rules_run:
            yield f"not checked ({why}): {counted(len(ids), 'rule')}"
            continue
        yield from finding_lines(f"not checked ({why}):", first="")
        yield from (f"  {rule}" for rule in ids)
    if by_why:
        yield ""


def summary(review: Examination) -> str:
    """Return the last line: how many findings, suppressed ones, and rules not checked."""
    counting = review.counting
    errors, warnings, infos = (
        sum(each.severity is severity for each in counting) for severity in Severity
    )
    parts = [counted(errors, "error"), counted(warnings, "warning"), f"{infos} info"]
    if known := sum(each.known for each in counting):
        parts.append(f"{known} known")
    if review.has_baseline:
        parts.append(f"new: {_new(counting)}")
    if suppressed := len(review.findings) - len(counting):
        parts.append(f"{suppressed} suppressed")
    unchecked = len({each.id for each in review.not_checked})
    return ", ".join([*parts, f"{counted(unchecked, 'rule')} not checked"])


def _new(counting: Sequence[Reviewed]) -> str:
    """Return how many findings an earlier run did not have, by severity."""
    counts = Counter(each.severity for each in counting if not each.known)
    shown = [
        f"{counts[each]} info" if each is Severity.INFO else counted(counts[each], str(each))
        for each in Severity
        if counts[each]
    ]
    return " and ".join(shown) or "nothing"


def document_of(review: Examination) -> dict[str, Any]:
    """Return a review as JSON's types."""
    return {
        "question": "doctor",
        "as_of": {
            "valid": format_instant(review.as_of.valid),
            "known": format_instant(review.as_of.known),
            "branch": review.as_of.branch,
        },
        "rows": [row_of(each) for each in review.counting],
        "suppressed": [
            {**row_of(each), "suppressed": each.suppressed._asdict()}
            for each in review.findings
            if each.suppressed
        ],
        "not_checked": [each._asdict() for each in review.not_checked],
        "rules_run": review.rules_run,
        **({"notes": list(review.notes)} if review.notes else {}),
    }


def row_of(each: Reviewed) -> dict[str, Any]:
    """Return a finding as a JSON object."""
    found, finding = each.found, each.found.finding
    return {
        "id": found.rule.id,
        "severity": str(found.severity),
        "object": finding.object,
        "finding": finding.text,
        "evidence": list(finding.positions),
        "fix": _commands(finding.fix),
        "what_to_do": None if finding.fix else found.rule.advice(finding) or None,
        "source": found.rule.source,
        "basis": str(found.basis),
        "origins": list(each.origins),
        "class": None if found.fix_class is None else str(found.fix_class),
        "effective": str(found.rule.effective) if finding.fix else None,
        "proof": each.proof and {"verdict": each.proof.verdict, "says": each.proof.says},
        "tried": _commands(each.tried),
        "otherwise": _commands(finding.otherwise),
        "rests_on": found.rests_on if finding.otherwise or finding.destroys else None,
        "root": None if found.root is None else {"id": found.root[0], "object": str(found.root[1])},
        "on": list(finding.on),
        "cluster": finding.cluster or None,
        "fingerprint": found.fingerprint,
        "known": each.known,
        "note": each.note or None,
    }


def _commands(commands: Sequence[Command]) -> list[dict[str, str]] | None:
    return [command.as_fix() for command in commands] or None


def rule_document(rule: DoctorRule) -> dict[str, Any]:
    """Return a rule as a JSON object."""
    return {
        "id": rule.id,
        "severity": str(rule.severity),
        "condition": rule.condition,
        "why": rule.why,
        "what_to_do": rule.what_to_do or None,
        "last": rule.last or None,
        "source": rule.source,
        "class": None if rule.fix is None else str(rule.fix),
        "effective": str(rule.effective) if rule.fix else None,
        "needs": [str(need) for need in rule.needs],
        "follows": list(rule.follows),
    }
