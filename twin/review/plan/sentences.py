"""The lines of a plan: short sentences that text and Markdown share, by section."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.amounts import counted, verb
from twin.model.instants import format_instant
from twin.model.reasons import reason_name
from twin.review.plan.affected import ANY_QUEUE, NOT_OPENED
from twin.review.plan.beliefs import AT_ONCE, NOT_YET

if TYPE_CHECKING:
    from twin.review.plan.beliefs import BeliefChange
    from twin.review.plan.dates import DateChange
    from twin.review.plan.definitions import DefinitionChange, PlanAction
    from twin.review.plan.findings import FindingChange
    from twin.review.plan.plan import Plan
    from twin.review.plan.planned import RehearsedCommand
    from twin.review.plan.routing import RouteShare, Routing, RoutingChange
    from twin.review.plan.waiting import WaitingChange

_SIGNS: Final = {"create": "+", "update": "~", "delete": "-"}
_ACTS: Final[Mapping[PlanAction, str]] = {
    "create": "to add",
    "update": "to change",
    "delete": "to remove",
}
_BELIEF_SIGNS: Final = {"learns": "+", "forgets": "-", "sees": "~", "misses": "!"}
_NAMED: Final = 4
"""So many queue managers are named; more are counted."""


class PlanSection(NamedTuple):
    """A part of a plan: its title, what it says in one line, and its lines.

    A line that begins with a blank belongs to the one before it.
    """

    title: str
    summary: str
    lines: tuple[str, ...]


def sections(plan: Plan) -> tuple[PlanSection, ...]:
    """Return the sections of a plan in their order."""
    return (
        PlanSection("Commands", _accepted(plan), tuple(_commands(plan.commands))),
        PlanSection("Definitions", *_definitions(plan.definitions)),
        PlanSection("Beliefs", *_beliefs(plan.beliefs)),
        PlanSection("Routing", *_routing(plan.routing)),
        PlanSection("Waiting messages", *_waiting(plan.waiting)),
        PlanSection("Dates", *_dates(plan.dates)),
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
    parts.append(f"{counted(strands)} {verb(strands, 'strand')}")
    new = Counter(each.severity.value for each in plan.findings if each.is_new)
    if new:
        parts.append(f"new findings: {', '.join(f'{new[each]} {each}' for each in sorted(new))}")
    if plan.refused:
        parts.append(f"{counted(plan.refused, 'command')} refused")
    return f"Plan: {'; '.join(parts)}."


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


def _commands(commands: Iterable[RehearsedCommand]) -> Iterator[str]:
    for command in sorted(commands, key=lambda each: (each.accepted, each.number)):
        yield f"{command.number} {command.on}{command_line(command)}"
        yield from (f"    {line}" for line in reply_lines(command))


def command_line(command: RehearsedCommand) -> str:
    """Return where a command stands, and its text, with a blank before each."""
    place = f"{command.file}:{command.line}" if command.line else command.file
    return f"{f' {place}' if place else ''}  {command.text or 'no command is read'}"


def reply_lines(command: RehearsedCommand) -> Iterator[str]:
    """Yield why a command was refused, line by line; nothing if it was accepted."""
    if not command.accepted:
        yield from filter(None, (*command.messages, command.segment))


def _definitions(changes: Iterable[DefinitionChange]) -> tuple[str, tuple[str, ...]]:
    acts = Counter(change.action for change in changes)
    said = ", ".join(f"{acts[act]} {name}" for act, name in _ACTS.items() if acts[act])
    return said or "no changes", tuple(map(_definition, changes))


def _definition(change: DefinitionChange) -> str:
    sign, what = _SIGNS[change.action], f"{change.on} {change.type}({change.name})"
    if change.field == "definition" and change.action != "update":
        return f"{sign} {what}"
    return f"{sign} {what} {change.field} {_shown(change.before)} -> {_shown(change.after)}"


def _shown(value: str | None) -> str:
    return "absent" if value is None else value or "' '"


def _beliefs(changes: Iterable[BeliefChange]) -> tuple[str, tuple[str, ...]]:
    alike: dict[tuple[object, ...], list[BeliefChange]] = defaultdict(list)
    for change in changes:
        later = change.when if change.how not in (AT_ONCE, NOT_YET) else None
        alike[change._replace(observer="", when=later)].append(change)
    lines: list[str] = []
    for group in alike.values():
        lines += _belief(group)
    observers = {change.observer for change in changes}
    said = f"records change at {counted(len(observers), 'queue manager')}" if observers else ""
    return said or "no changes", tuple(lines)


def _belief(group: list[BeliefChange]) -> Iterator[str]:
    first = group[0]
    who = _names([change.observer for change in group])
    what = f"{first.kind} {first.name} of {first.owner}"
    if first.kind == "qmgr":
        by = f" by {first.channel}" if first.field == "record" else ""
        what = f"{first.owner}{by}"
    sign = _BELIEF_SIGNS[first.effect]
    field = "" if first.field == "record" else f" {first.field}"
    if first.effect == "misses":
        holds = f"holds{field} {_shown(first.before)}, not {_shown(first.after)}"
        if first.before is None:
            holds = "does not hold it"
        elif first.after is None:
            holds = "still holds it"
        yield f"{sign} {who}: {what} in {first.cluster}: {holds}"
        if first.why:
            yield f"    {first.why}"
        return
    value = f" {_shown(first.before)} -> {_shown(first.after)}" if field else ""
    verb = first.effect.removesuffix("s") if len(group) > 1 else first.effect
    when = first.how
    if first.when is not None and first.how != AT_ONCE:
        when = f"{first.how}, {format_instant(first.when)}"
    yield f"{sign} {who} {verb} {what} in {first.cluster}{field}{value}, {when}"


def _names(names: Iterable[str]) -> str:
    return _listed(names, "queue managers")


def _listed(names: Iterable[str], what: str) -> str:
    distinct = sorted(set(names))
    if len(distinct) <= _NAMED:
        return ", ".join(distinct)
    return f"{len(distinct)} {what} ({', '.join(distinct[: _NAMED - 1])} ...)"


def _routing(changes: Iterable[RoutingChange]) -> tuple[str, tuple[str, ...]]:
    alike: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    count = 0
    for change in changes:
        count += 1 + len(change.alike)
        alike[_said(change)][_called(change)] += [change.put.on, *change.alike]
    lines: list[str] = []
    for (goes, *beside), queues in alike.items():
        by_senders: dict[str, list[str]] = defaultdict(list)
        for queue, on in queues.items():
            by_senders[_names(on)].append(queue)
        for senders, names in by_senders.items():
            lines.append(f"~ {senders} to {_listed(names, 'queues')}: {goes}")
            lines += [f"    {line}" for line in beside]
    return (f"{counted(count, 'put')} changed" if count else "no changes"), tuple(lines)


def _called(change: RoutingChange) -> str:
    """Return what the queue of a put is called."""
    if change.put.queue == NOT_OPENED:
        return f"any queue of {change.cluster} that they have not opened yet"
    return "any queue" if change.put.queue == ANY_QUEUE else change.put.queue


def _said(change: RoutingChange) -> tuple[str, ...]:
    """Return what happens to a put: where it goes, then what else is to be said of that."""
    before, after = change.before, change.after
    dropped = [each for each in after.removed if each not in before.removed]
    excluded = ", ".join(f"{qmgr} by {rule}" for qmgr, rule in dropped)
    goes = _both(before, after)
    onward = [_onward(each) for each in (before, after)] if _differ_onward(before, after) else []
    return (
        f"{goes[0]}, as before" if goes[0] == goes[1] else " -> ".join(goes),
        *([f"onward: {' -> '.join(onward)}"] if onward else []),
        *([f"excluded: {excluded}"] if excluded else []),
        *([f"a message waits: {after.waits}"] if after.waits not in ("", before.waits) else []),
        *(f"to {share.qmgr}: {_without(share)}" for share in after.shares if share.ended),
    )


def _without(share: RouteShare) -> str:
    """Return what becomes of a message to a queue manager that has ended."""
    if share.then:
        return f"a message waits; when {share.channel} fails, it goes to {share.then}"
    return f"a message waits, and is not routed again: {share.stays}"


def _differ_onward(before: Routing, after: Routing) -> bool:
    """Return whether it is worth saying what becomes of a message that is sent on."""
    comes = not after.reason and not all(share.ended for share in after.shares)
    return comes and before.ends != after.ends


def _onward(routing: Routing) -> str:
    """Return what becomes of a message behind the queue manager that it goes to first."""
    shown = [str(end) for end in routing.ends[:_NAMED]]
    more = len(routing.ends) - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])]) or "delivered there"


def _both(before: Routing, after: Routing) -> tuple[str, str]:
    """Return where puts go on both sides; with the channels if that alone differs."""
    said = _goes(before), _goes(after)
    return said if said[0] != said[1] else (_goes(before, by=True), _goes(after, by=True))


def _goes(routing: Routing, *, by: bool = False) -> str:
    if routing.reason:
        return f"{routing.reason} {reason_name(routing.reason)}"
    shares = [
        share.qmgr
        + (f" by {share.channel}" if by and share.channel else "")
        + (f" {share.share}%" if len(routing.shares) > 1 else "")
        + (" (has ended)" if share.ended else "")
        for share in routing.shares
    ]
    return ", ".join(shares) or "works"


def _waiting(changes: Iterable[WaitingChange]) -> tuple[str, tuple[str, ...]]:
    lines = []
    for each in changes:
        to = f" at {each.qmgr}" if each.qmgr else ""
        where = f"{each.on}: to {each.queue}{to}" + (f" on {each.channel}" if each.channel else "")
        bound = f" ({each.why})" if each.why else " (stranded)" if each.stranded else ""
        lines.append(f"~ {where}: {each.before} -> {counted(each.after, 'message')}{bound}")
    return ("more or fewer messages wait" if lines else "no changes"), tuple(lines)


def _dates(changes: Iterable[DateChange]) -> tuple[str, tuple[str, ...]]:
    alike: dict[tuple[object, ...], list[DateChange]] = defaultdict(list)
    count = 0
    for change in changes:
        count += 1
        alike[change._replace(observer="", kind="", name="")].append(change)
    lines = []
    for group in alike.values():
        one = group[0]
        who = _names(change.observer for change in group)
        records = f"{counted(len(group), 'record')} {verb(len(group), 'expire')}"
        differs = one.state_before != one.state_after
        state = f", {one.state_before} -> {one.state_after}" if differs else ""
        lines.append(
            f"~ {who}: {records}, of {one.owner} in {one.cluster}: "
            f"{format_instant(one.expires_before)} -> {format_instant(one.expires_after)}{state}"
        )
    return (counted(count, "record") if count else "no changes"), tuple(lines)


def _findings(changes: Iterable[FindingChange]) -> tuple[str, tuple[str, ...]]:
    lines: list[str] = []
    counts = Counter(each.is_new for each in changes)
    for each in changes:
        sign = "!" if each.is_new else "-"
        lines.append(f"{sign} {each.severity} {each.id}, {each.object}: {each.finding}")
    said = f"{counts[True]} new, {counts[False]} gone" if lines else "no changes"
    return said, tuple(lines)
