"""The lines of a plan: short sentences that text and Markdown share, by section."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.amounts import between, counted, verb
from twin.model.instants import format_instant
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.beliefs import AT_ONCE, NOT_YET
from twin.review.plan.passing_sentences import (
    PlanLine,
    SectionText,
    lost_messages,
    names,
    waiting_lines,
    with_passing,
)
from twin.review.plan.routing_sentences import routing_lines

if TYPE_CHECKING:
    from twin.review.plan.beliefs import BeliefChange, DateChange
    from twin.review.plan.definitions import DefinitionChange, PlanAction
    from twin.review.plan.findings import FindingChange
    from twin.review.plan.plan import Plan
    from twin.review.plan.planned import RehearsedCommand
    from twin.review.plan.waiting import SeenWaiting

_SIGNS: Final = {"create": "+", "update": "~", "delete": "-"}
_ACTS: Final[Mapping[PlanAction, str]] = {
    "create": "to add",
    "update": "to change",
    "delete": "to remove",
}
_TOGETHER: Final = {"learns": "learn", "forgets": "forget", "sees": "see"}
_BELIEF_SIGNS: Final = {"learns": "+", "forgets": "-", "sees": "~", "misses": "!"}


class PlanSection(NamedTuple):
    """A part of a plan: its title, what it says in one line, and its lines."""

    title: str
    summary: str
    lines: tuple[PlanLine, ...]


def sections(plan: Plan) -> tuple[PlanSection, ...]:
    """Return the sections of a plan in their order."""
    return (
        PlanSection("Commands", _accepted(plan), tuple(_commands(plan.commands))),
        PlanSection("Definitions", *_definitions(plan.definitions)),
        PlanSection("Beliefs", *with_passing(plan, "beliefs", _beliefs)),
        PlanSection("Routing", *with_passing(plan, "routing", routing_lines)),
        PlanSection("Waiting messages", *waiting_lines(plan)),
        PlanSection("Dates", *with_passing(plan, "dates", _dates)),
        PlanSection("Error logs", *_error_log(plan)),
        PlanSection("Findings", *_findings(plan.findings)),
    )


def summary(plan: Plan) -> str:
    """Return the last line of a plan."""
    acts = Counter(change.action for change in plan.definitions)
    on = ", ".join(sorted({change.on for change in plan.definitions}))
    parts = [
        f"{acts['create']} to add, {acts['update']} to change, {acts['delete']} to remove"
        + (f" on {on}" if on else "")
    ]
    parts += _learning(plan.beliefs)
    elsewhere = sum(1 + len(change.alike) for change in plan.routing)
    strands = sum(change.strands for change in plan.waiting)
    worse = sum(1 + len(change.alike) for change in plan.routing if change.is_worse)
    changed = f"{counted(elsewhere, 'put')} {verb(elsewhere, 'change')}"
    fails = f"{verb(worse, 'fail')} or {verb(worse, 'wait')}"
    parts.append(f"{changed}, {worse} of them {fails}" if worse else changed)
    if passing := sum(1 + len(each.change.alike) for each in plan.meanwhile.routing):
        parts.append(f"{counted(passing, 'put')} {verb(passing, 'change')} for a time only")
    parts.append(_stranded(strands, plan.seen))
    if lost := lost_messages(plan):
        parts.append(f"{counted(lost, 'message')} {verb(lost, 'are')} lost")
    for effect in ("new", "worse"):
        found = Counter(each.severity.value for each in plan.findings if each.effect == effect)
        if found:
            listed = ", ".join(_severities(found))
            parts.append(f"{effect} findings: {listed}")
    if plan.refused:
        parts.append(f"{counted(plan.refused, 'command')} refused")
    return f"Plan: {'; '.join(parts)}."


def _stranded(strands: int, seen: Sequence[SeenWaiting]) -> str:
    """Say how many messages are stranded: of those at imported queue managers, as far as seen."""
    if not seen:
        return f"{counted(strands)} {verb(strands, 'are')} stranded"
    least = strands + sum(each.least or 0 for each in seen)
    left: dict[tuple[str, str], int | None] = {}
    for each in seen:
        more = None if each.most is None else each.most - (each.least or 0)
        known = left.get((each.on, each.xmitq), 0)
        left[each.on, each.xmitq] = None if more is None or known is None else max(more, known)
    if all(each.least is None for each in seen) and not strands:
        return "how many messages are stranded is not known"
    most = None if None in left.values() else least + sum(each or 0 for each in left.values())
    return f"{between(least, most)} {verb(2 if most is None else most, 'are')} stranded"


def _severities(found: Mapping[str, int]) -> Iterator[str]:
    """Yield how many findings there are of each severity, the worst first."""
    yield from (counted(found[each], each) for each in ("error", "warning") if found.get(each))
    if found.get("info"):
        yield f"{found['info']} info"


def _learning(changes: Iterable[BeliefChange]) -> Iterator[str]:
    """Yield how many queue managers learn of the change at once, later, and not at all."""
    observers: dict[str, set[str]] = defaultdict(set)
    for each in changes:
        how = each.how if each.how in (AT_ONCE, NOT_YET) else "later"
        observers[how].add(each.observer)
    for how, one, many in (
        (AT_ONCE, "learns at once", "learn at once"),
        ("later", "learns later", "learn later"),
        (NOT_YET, "does not learn of the change", "do not learn of the change"),
    ):
        if count := len(observers[how]):
            yield f"{counted(count, 'queue manager')} {one if count == 1 else many}"


def _accepted(plan: Plan) -> str:
    accepted = len(plan.commands) - plan.refused
    return (
        f"{plan.refused} refused, {accepted} accepted" if plan.refused else f"{accepted} accepted"
    )


def _commands(commands: Iterable[RehearsedCommand]) -> Iterator[PlanLine]:
    for command in sorted(commands, key=lambda each: (each.accepted, each.number)):
        if command.first:
            yield PlanLine("!", f"first, at {command.on}: {command.first}")
        yield PlanLine("", f"{command.number} {command.on}{command_line(command)}")
        yield from (PlanLine("", line, 1) for line in reply_lines(command))


def command_line(command: RehearsedCommand) -> str:
    """Return where a command stands, and its text, with a blank before each."""
    place = f"{command.file}:{command.line}" if command.line else command.file
    return f"{f' {place}' if place else ''}  {command.text or 'no command is read'}"


def reply_lines(command: RehearsedCommand) -> Iterator[str]:
    """Yield why a command was refused, line by line; nothing if it was accepted."""
    if not command.accepted:
        yield from filter(None, (*command.messages, command.segment))


def _definitions(changes: Iterable[DefinitionChange]) -> SectionText:
    acts = Counter(change.action for change in changes)
    said = ", ".join(f"{acts[act]} {name}" for act, name in _ACTS.items() if acts[act])
    return said or "no changes", tuple(map(_definition, changes))


def _definition(change: DefinitionChange) -> PlanLine:
    sign, what = _SIGNS[change.action], f"{change.on} {change.type}({change.name})"
    if change.field == "definition" and change.action != "update":
        return PlanLine(sign, what)
    values = f"{_shown(change.before)} -> {_shown(change.after)}"
    return PlanLine(sign, f"{what} {change.field} {values}")


def _shown(value: str | None) -> str:
    return "absent" if value is None else value or "' '"


def _beliefs(plan: Plan) -> SectionText:
    alike: dict[tuple[object, ...], list[BeliefChange]] = defaultdict(list)
    for change in plan.beliefs:
        later = change.when if change.how not in (AT_ONCE, NOT_YET) else None
        alike[change._replace(observer="", when=later)].append(change)
    lines: list[PlanLine] = []
    for group in alike.values():
        lines += _belief(plan, group)
    observers = {change.observer for change in plan.beliefs}
    said = f"records change at {counted(len(observers), 'queue manager')}" if observers else ""
    return said or "no changes", tuple(lines)


def _belief(plan: Plan, group: list[BeliefChange]) -> Iterator[PlanLine]:
    first = group[0]
    who = names([change.observer for change in group])
    owner = plan.named(first.owner, first.owner_qmid)
    what = f"{first.kind} {first.name} of {owner}"
    if first.kind == "qmgr":
        by = f" by {first.channel}" if first.field == "record" else ""
        what = f"{owner}{by}"
    sign = _BELIEF_SIGNS[first.effect]
    field = "" if first.field == "record" else f" {first.field}"
    if first.effect == "misses":
        holds = f"holds{field} {_shown(first.before)}, not {_shown(first.after)}"
        if first.before is None:
            holds = "does not hold it"
        elif first.after is None:
            holds = "still holds it"
        yield PlanLine(sign, f"{who}: {what} in {first.cluster}: {holds}")
        if first.why:
            yield PlanLine("", first.why, 1)
        return
    value = f" {_shown(first.before)} -> {_shown(first.after)}" if field else ""
    does = _TOGETHER[first.effect] if len(group) > 1 else first.effect
    when = first.how
    if first.when is not None and first.how != AT_ONCE:
        when = f"{first.how}, {format_instant(first.when)}"
    yield PlanLine(sign, f"{who} {does} {what} in {first.cluster}{field}{value}, {when}")


def _dates(plan: Plan) -> SectionText:
    alike: dict[tuple[object, ...], list[DateChange]] = defaultdict(list)
    count = 0
    for change in plan.dates:
        count += 1
        alike[change._replace(observer="", kind="", name="")].append(change)
    lines = []
    for group in alike.values():
        one = group[0]
        owner = plan.named(one.owner, one.owner_qmid)
        who = names(change.observer for change in group)
        records = f"{counted(len(group), 'record')} {verb(len(group), 'expire')}"
        differs = one.state_before != one.state_after
        state = f", {one.state_before} -> {one.state_after}" if differs else ""
        expires = f"{format_instant(one.expires_before)} -> {format_instant(one.expires_after)}"
        said = f"{who}: {records}, of {owner} in {one.cluster}: {expires}{state}"
        lines.append(PlanLine("~", said))
    return (counted(count, "record") if count else "no changes"), tuple(lines)


def _error_log(plan: Plan) -> SectionText:
    """Return the entries of error logs, those that queue managers write alike together."""
    alike: dict[tuple[bool, str, str], list[str]] = defaultdict(list)
    counts: Counter[bool] = Counter()
    settled = plan.point.valid + SETTLES_WITHIN
    for each in plan.error_log:
        counts[each.is_new] += each.entries
        when = AT_ONCE if each.first <= settled else format_instant(each.first)
        if each.last > max(settled, each.first):
            when += f", and {each.entries - 1} more until {format_instant(each.last)}"
        elif each.entries > 1:
            when += f", {each.entries} times"
        alike[each.is_new, each.text, when].append(each.on)
    lines = tuple(
        PlanLine("+" if is_new else "-", f"{names(on)}: {text} ({when})")
        for (is_new, text, when), on in alike.items()
    )
    said = f"{counts[True]} new, {counts[False]} gone" if lines else "no changes"
    return said, lines


def _findings(changes: Iterable[FindingChange]) -> SectionText:
    lines: list[PlanLine] = []
    counts = Counter(each.effect for each in changes)
    for each in changes:
        severity = f"{each.severity}"
        if each.severity_before not in {None, each.severity}:
            severity = f"{each.severity_before} -> {severity}"
        said = f"{severity} {each.id}, {each.object}: {each.finding}"
        lines.append(PlanLine(_FINDING_SIGNS[each.effect], said))
    more = "".join(f", {counts[each]} {each}" for each in ("worse", "milder") if counts[each])
    said = f"{counts['new']} new{more}, {counts['gone']} gone" if lines else "no changes"
    return said, tuple(lines)


_FINDING_SIGNS: Final = {"new": "!", "worse": "!", "milder": "~", "gone": "-"}
