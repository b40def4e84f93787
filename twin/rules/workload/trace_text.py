"""Write a trace as text, for a ticket: at most 25 lines of 80 columns for up to nine candidates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from textwrap import wrap as _textwrap
from typing import Final

from twin.model.amounts import counted
from twin.model.reasons import reason_name
from twin.rules.workload.choosing import AppliedRule, Trace
from twin.rules.workload.counterfactuals import Alternative, rank_traps, unsought
from twin.rules.workload.routes import Route

WIDTH: Final = 80
LINES: Final = 25

NOTE: Final = (
    "In a live cluster, repository commands also use these counters: exact counts are valid in the"
    " model only."
)

_ORDERS: Final = {"v8": "MQ 8.0 and later", "v7": "MQ 7.5 and earlier"}
_MOST_NAMES: Final = 6
_MOST_VALUES: Final = 4
_LEAST_CHANGES: Final = 3
"""The number of lines that are reserved for changes."""

_SMALL: Final = 9
"""The largest number of candidates for which the text keeps to its length."""


def trace_lines(
    trace: Trace,
    alternatives: Sequence[Alternative] = (),
    *,
    beside: Sequence[str] = (),
    name: str = "",
) -> list[str]:
    """Write a trace: the outcome, what each rule excluded, the smallest changes, perhaps a note.

    If there is no room for all changes, some are left out and counted. `beside` are sentences about
    the message itself, for example that it would wait, or that it could not be put. `name` is the
    name that was asked for, if it is not that of the queue.
    """
    order = f"Rules in the order of {trace.context.profile} ({_ORDERS[trace.context.profile]})"
    sentences = (
        *(outcome(trace, name), *beside),
        f"{order}, {counted(len(trace.routes), 'candidate')}.",
    )
    head = [line for sentence in sentences for line in wrapped(sentence)]
    note = wrapped(NOTE) if trace.by_counter else []
    room = LINES - len(head) - len(note)
    rules = _rules(trace, room - (_LEAST_CHANGES if alternatives else 0))
    return [*head, *rules, *_changes(trace, alternatives, room - len(rules)), *note]


def wrapped(text: str, *, indent: int = 2) -> list[str]:
    """Return a text in lines of 80 columns; all but the first are indented."""
    return _textwrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def outcome(trace: Trace, name: str = "") -> str:
    """Return where a message goes, in a sentence; `name` is as in `trace_lines`."""
    context, chosen = trace.context, trace.chosen
    at = f" at {context.qmgr}" if context.qmgr else ""
    if chosen is None:
        what = f"fails with {trace.reason} {reason_name(trace.reason)}"
        if trace.bound is not None:
            what += "; MQOPEN succeeds, but the local queue is put-disabled"
    elif chosen.local:
        what = f"stays at {chosen.qmgr}"
        if chosen.queue_type == "QALIAS":
            what += ", where its alias is resolved (explain --route follows it)"
    else:
        what = f"goes to {chosen.qmgr} by {chosen.channel}"
    return f"{name or context.queue or 'A message'}{at} {what}."


def _rules(trace: Trace, room: int) -> list[str]:
    """Write what the rules removed; if there is little room, leave out rules that removed nothing.

    `room` is a number of lines.
    """
    per_qmgr = Counter(route.qmgr for route in trace.routes)
    excluded = [line for step in trace.steps if step.falls for line in _step(trace, step, per_qmgr)]
    names = ", ".join(step.rule.name for step in trace.steps if not step.falls)
    silent = wrapped(f"No route excluded by: {names}.") if names else []
    last = _how_it_ended(trace)
    if len(excluded) + len(silent) + len(last) > room:
        silent = []
    if (over := len(excluded) + len(last) - room) > 0 and len(trace.routes) <= _SMALL:
        excluded = [*excluded[: -over - 1], f"  and {over + 1} more lines"]
    return [*excluded, *silent, *last]


def _how_it_ended(trace: Trace) -> list[str]:
    if trace.outright:
        return ["The local instance is used directly: no counter changes."]
    if not any(step.rule.name == "weight" and step.falls for step in trace.steps):
        return []
    if trace.context.even:
        return ["All weights are 50: the route used longest ago is next (last use), then by name."]
    return ["The lowest factor is next, then the route used longest ago (last use)."]


def _step(trace: Trace, step: AppliedRule, per_qmgr: Counter[str]) -> list[str]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for fall in step.falls:
        grouped[trace.fell_by(step.rule, fall)].append(_label(fall.route, per_qmgr))
    shown = [
        f"{_some(names, _MOST_NAMES)} excluded: {words}"
        for words, names in list(grouped.items())[:_MOST_VALUES]
    ]
    lines: list[str] = []
    for number, text in enumerate(shown):
        start = f"{step.rule.name:<16} {step.left:>4} left  " if not number else " " * 28
        lines += wrapped(start + text, indent=30)
    if rest := sum(map(len, list(grouped.values())[_MOST_VALUES:])):
        lines.append(" " * 28 + f"and {rest} more")
    return lines


def _label(route: Route, per_qmgr: Counter[str]) -> str:
    return f"{route.qmgr}/{route.channel}" if per_qmgr[route.qmgr] > 1 else route.qmgr


def _some(names: Sequence[str], most: int) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _changes(trace: Trace, alternatives: Iterable[Alternative], room: int) -> list[str]:
    """Write the changes that would alter the choice, in at most `room` lines."""
    alternatives = list(alternatives)
    turns = [alternative for alternative in alternatives if not alternative.changes]
    changed = [alternative for alternative in alternatives if alternative.changes]
    lines: list[str] = []
    if turns:
        shown = [
            f"{each.qmgr} after {each.after}{_now(each, 'now ')}" for each in turns[:_MOST_NAMES]
        ]
        more = len({route.qmid for route in trace.finalists}) - 1 - len(shown)
        text = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
        lines += wrapped(f"Next in turn: {text}.")
    smallest = _smallest(changed, room - len(lines), beside=unsought(trace)) if changed else []
    lines = [*lines, *smallest] if len(lines) + len(smallest) <= room else lines
    traps = _traps(trace) if lines else []
    lines = [*lines, *traps] if len(lines) + len(traps) <= room else lines
    return lines if len(lines) <= room else []


def _now(alternative: Alternative, words: str) -> str:
    """Return why messages would not arrive at a queue manager, in brackets; '' if they would."""
    return f" ({words}{alternative.now})" if alternative.now else ""


def _traps(trace: Trace) -> list[str]:
    """Write which rank would choose a channel that cannot send, and whether others would too."""
    traps = list(islice(rank_traps(trace), 2))
    if not traps:
        return []
    first, *others = traps
    more = "; other ranks would do so too" if others else ""
    return wrapped(
        f"Not by rank: after {first.change} messages would wait for {first.channel}, which is "
        f"{first.status}{more}. Rank is compared before the status."
    )


def _smallest(changed: Sequence[Alternative], room: int, *, beside: int) -> list[str]:
    """Write as many of the smallest changes as fit into `room` lines, and count the others.

    `beside` is the number of queue managers for which no changes were searched.
    """
    lines = ["Smallest changes that select another queue manager:"]
    for number, alternative in enumerate(changed):
        turns = " (then it takes turns)" if alternative.in_turn else ""
        turns += _now(alternative, "messages would not arrive now: ")
        changes = "; ".join(map(str, alternative.changes))
        block = wrapped(f"  {alternative.qmgr}: {changes}{turns}", indent=4)
        more = len(changed) - number - 1 + beside
        if len(lines) + len(block) + (1 if more else 0) > room:
            return [*lines, f"  and {more + 1} more"]
        lines += block
    return [*lines, f"  and {beside} more"] if beside else lines
