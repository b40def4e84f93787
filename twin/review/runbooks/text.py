"""A runbook as text, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from twin.model.amounts import verb
from twin.model.commands import Command
from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.paragraphs import WIDTH, paragraph
from twin.review.heading import heading
from twin.review.plan.document import command_document
from twin.review.plan.sentences import command_line, reply_lines
from twin.review.runbooks.runbook import WorkedRunbook
from twin.review.runbooks.scene import filled
from twin.review.runbooks.walk import StepState, WalkedStep

_MARK: Final = len("[accepted]")
_INDENT: Final = " " * (_MARK + 4)
_CONTINUED: Final = " +"
_WORDS: Final = re.compile(r"(?:'(?:[^']|'')*'|[^\s,])+,?\s*")
"""A word of a command, with the comma or blanks after it; one in quotes may contain both."""


def text_of(worked: WorkedRunbook) -> Iterator[str]:
    """Yield the lines of a runbook, at most 100 columns wide unless a word is longer."""
    yield from heading(f"twin runbook {worked.name} {worked.subject.name}", worked.point.lines)
    yield from paragraph(summary(worked), "")
    for walked in worked.steps:
        yield ""
        yield from _step(worked, walked)
    if worked.notes:
        yield ""
        yield from (line for note in worked.notes for line in paragraph(note, ""))


def summary(worked: WorkedRunbook) -> str:
    """Return in one line what the runbook is about, how far it is, and when it will be done."""
    subject, steps = worked.subject, worked.steps
    what = filled(worked.runbook.summary, subject)
    if worked.done == len(steps):
        promise = filled(worked.runbook.promise, subject)
        return f"{what} All {len(steps)} steps are done. {promise}"
    text = f"{what} {worked.done} of {len(steps)} steps {verb(worked.done, 'are')} done."
    if worked.is_blocked:
        stuck = next(each.number for each in steps if each.state is StepState.BLOCKED)
        return f"{text} Step {stuck} is blocked."
    if worked.ends is None:
        return f"{text} When the last one will be done is not known."
    text += " If each step is taken at once"
    if any(each.unknown for each in steps):
        text += " and what is unknown is in order"
    alone = "" if steps[-1].commands or steps[-1].step.plays else " by itself"
    return f"{text}, the last one is done{alone} on {format_instant(worked.ends)}."


def _step(worked: WorkedRunbook, walked: WalkedStep) -> Iterator[str]:
    step = walked.step
    mark = "[accepted]" if walked.accepted else f"[{walked.state}]"
    destroys = worked.destroys(walked)
    destructive = f" ({destroys})" if destroys else ""
    head = f"{walked.number:>2} {mark:<{_MARK}} "
    yield from paragraph(f"{step.sentence(worked.subject)}{destructive}", head)
    if walked.state is StepState.DONE:
        yield from paragraph(f"{walked.detail}", _INDENT)
        return
    if walked.blocked_by:
        yield from paragraph(f"blocked: {walked.blocked_by}", _INDENT)
    for refused in walked.refused:
        yield from paragraph(command_line(refused).strip(), _INDENT)
        for line in reply_lines(refused):
            yield from paragraph(line, f"{_INDENT}  ")
    for command in walked.commands:
        yield from command_lines(command, _INDENT)
    if walked.detail and walked.detail != walked.blocked_by:
        yield from paragraph(f"now: {walked.detail}", _INDENT)
    if walked.unknown:
        yield from paragraph(f"unknown: {walked.unknown}; confirm with --done {step.id}", _INDENT)
    yield from paragraph(f"done when: {step.condition(worked.subject)}", _INDENT)
    if walked.expected is not None and walked.expected > worked.point.valid:
        yield f"{_INDENT}expected: {format_instant(walked.expected)}"
    yield from paragraph(f"source: {step.source}", _INDENT)


def command_lines(command: Command, indent: str) -> Iterator[str]:
    """Yield a command in lines; MQSC is continued with +, so that it can be copied as it is."""
    first, rest = f"{indent}on {command.on}: ", f"{indent}    "
    line = first
    words = _WORDS.findall(command.text)
    for number, word in enumerate(words, 1):
        more = 0 if number == len(words) or command.kind == "control" else len(_CONTINUED)
        if line not in (first, rest) and len(line) + len(word.rstrip()) + more > WIDTH:
            yield line.rstrip() + ("" if command.kind == "control" else _CONTINUED)
            line = rest
        line += word
    yield line


FORMAT_VERSION: Final = "1.2"
"""The version of the document. A reader must refuse another number before the dot.

Keys that are added count up the number after it: 1.1 added `refused` to steps, 1.2
`confirmed` and `accepted`, and `is_seen` to the effects of a refresh.
"""


def document_of(worked: WorkedRunbook) -> dict[str, Any]:
    """Return a runbook as a document of JSON values; instants are ISO 8601 in UTC."""
    subject = worked.subject
    return {
        "format_version": FORMAT_VERSION,
        "runbook": worked.name,
        "as_of": point_document(worked.point),
        "qmgr": subject.name,
        "qmid": subject.qmid,
        "clusters": list(subject.clusters),
        "to": subject.to or None,
        "steps": [_step_document(worked, each) for each in worked.steps],
        "summary": {
            "steps": len(worked.steps),
            "done": worked.done,
            "blocked": worked.is_blocked,
            "ends": _instant(worked.ends),
        },
        "notes": list(worked.notes),
    }


def point_document(point: AsOf) -> dict[str, str]:
    """Return a point in time as JSON values."""
    return {
        "valid": format_instant(point.valid),
        "known": format_instant(point.known),
        "branch": point.branch,
    }


def _step_document(worked: WorkedRunbook, walked: WalkedStep) -> dict[str, Any]:
    step = walked.step
    return {
        "number": walked.number,
        "id": step.id,
        "state": str(walked.state),
        "confirmed": walked.confirmed,
        "accepted": walked.accepted,
        "text": step.sentence(worked.subject),
        "commands": [
            {"on": each.on, "kind": each.kind, "text": each.text} for each in walked.commands
        ],
        "done_when": step.condition(worked.subject),
        "now": walked.detail or None,
        "blocked_by": walked.blocked_by or None,
        "refused": [command_document(each) for each in walked.refused],
        "unknown": walked.unknown or None,
        "expected": _instant(walked.expected),
        "destructive": step.destructive,
        "rests_on": worked.destroys(walked) or None,
        "source": step.source,
        "evidence": list(walked.evidence),
    }


def _instant(value: Instant | None) -> str | None:
    return None if value is None else format_instant(value)
