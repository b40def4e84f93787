"""A plan as text for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from twin.model.instants import format_instant
from twin.questions.paragraphs import WIDTH
from twin.review.heading import heading
from twin.review.plan.sentences import sections, summary

if TYPE_CHECKING:
    from twin.review.plan.plan import Plan


def text_of(plan: Plan) -> Iterator[str]:
    """Yield the lines of a plan, at most 100 columns wide."""
    yield from heading("twin plan", plan.begin)
    yield f"compared at {format_instant(plan.until)} with doing nothing; nothing is recorded"
    for section in sections(plan):
        yield ""
        yield f"{section.title}: {section.summary}"
        for line in section.lines:
            indent = "    " * line.depth
            yield from wrap(
                str(line).strip(),
                WIDTH,
                initial_indent=f"  {indent}",
                subsequent_indent=f"      {indent}",
                break_on_hyphens=False,
            )
    yield ""
    for note in plan.notes:
        yield from wrap(note, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield from wrap(summary(plan), WIDTH, break_on_hyphens=False)


def markdown_of(plan: Plan) -> Iterator[str]:
    """Yield the lines of a plan in Markdown."""
    yield f"### {summary(plan)}"
    yield ""
    yield f"{' '.join(plan.begin)}, compared at {format_instant(plan.until)} with doing nothing."
    for section in sections(plan):
        yield ""
        yield f"**{section.title}**: {section.summary}"
        if section.lines:
            yield ""
            yield "```diff"
            yield from (str(line).rstrip() for line in section.lines)
            yield "```"
    if plan.notes:
        yield ""
        yield from (f"- {note}" for note in plan.notes)
