"""A runbook as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from twin.model.amounts import verb
from twin.model.instants import format_instant
from twin.questions.paragraphs import paragraph
from twin.review.heading import heading
from twin.review.plan.sentences import command_line, reply_lines
from twin.review.runbooks.step import filled
from twin.review.runbooks.walk import StepState

if TYPE_CHECKING:
    from twin.review.runbooks.runbook import WorkedRunbook
    from twin.review.runbooks.walk import WalkedStep

_INDENT: Final = " " * 13


def text_of(worked: WorkedRunbook) -> Iterator[str]:
    """Yield the lines of a runbook, at most 100 columns wide unless a command is longer."""
    yield from heading(f"twin runbook {worked.name} {worked.subject.name}", worked.point)
    yield from paragraph(summary(worked), "")
    for walked in worked.steps:
        yield ""
        yield from _step(worked, walked)
    if worked.notes:
        yield ""
        yield from (line for note in worked.notes for line in paragraph(note, ""))


def summary(worked: WorkedRunbook) -> str:
    """Return in one line what the runbook is about, how far it is, and when it will end."""
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
        return f"{text} When it ends is not known."
    text += f" It ends on {format_instant(worked.ends)} if each step is taken at once"
    if any(each.unknown for each in steps):
        text += ", and what nobody observed is well"
    return f"{text}."


def _step(worked: WorkedRunbook, walked: WalkedStep) -> Iterator[str]:
    step, state = walked.step, f"[{walked.state}]"
    if walked.blocked_by:
        state = f"[blocked: {walked.blocked_by}]"
    destructive = " (destructive)" if step.destructive and walked.commands else ""
    head = f"{walked.number:>2} {state if not walked.blocked_by else '[blocked]':<9}"
    yield from paragraph(f"{step.sentence(worked.subject)}{destructive}", f"{head} ")
    if walked.state is StepState.DONE:
        yield from paragraph(f"{walked.detail}", _INDENT)
        return
    if walked.blocked_by:
        yield from paragraph(state, _INDENT)
    for refused in walked.refused:
        yield from paragraph(command_line(refused).strip(), _INDENT)
        for line in reply_lines(refused):
            yield from paragraph(line, f"{_INDENT}  ")
    for command in walked.commands:
        yield f"{_INDENT}on {command.on}: {command.text}"
    if walked.detail and walked.detail != walked.blocked_by:
        yield from paragraph(f"now: {walked.detail}", _INDENT)
    if walked.unknown:
        yield from paragraph(f"unknown: {walked.unknown}; confirm with --done {step.id}", _INDENT)
    yield from paragraph(f"done when: {step.condition(worked.subject)}", _INDENT)
    if walked.expected is not None and walked.expected > worked.point.valid:
        yield f"{_INDENT}expected: {format_instant(walked.expected)}"
    yield from paragraph(f"source: {step.source}", _INDENT)
