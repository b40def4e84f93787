"""The lines of a plan about what differs for a time only: as those at the end, with its dates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from twin.model.amounts import counted
from twin.model.instants import format_instant
from twin.review.plan.listing import PlanLine

if TYPE_CHECKING:
    from twin.model.instants import Instant
    from twin.review.plan.meanwhile import Passing
    from twin.review.plan.plan import Plan

SectionText: TypeAlias = tuple[str, tuple[PlanLine, ...]]
"""What a section says in one line, and its lines."""


def with_passing(plan: Plan, section: str, say: Callable[[Plan], SectionText]) -> SectionText:
    """Return what is said of a section at the end, and then of what has gone by then."""
    summary, lines = say(plan)
    found: Sequence[Passing[Any]] = getattr(plan.meanwhile, section)
    if not found:
        return summary, lines
    spans: dict[tuple[Instant, Instant], list[Any]] = defaultdict(list)
    for each in found:
        spans[each.since, each.until].append(each.change)
    more: list[PlanLine] = []
    for (since, until), changes in spans.items():
        span = f"from {format_instant(since)} until {format_instant(until)}:"
        more.append(PlanLine("", span))
        then: dict[str, Any] = {section: tuple(changes)}
        _, these = say(replace(plan, **then))
        more += [line._replace(depth=line.depth + 1) for line in these]
    for_a_time = f"{counted(len(found), 'change')} for a time only"
    summary = f"{summary}; {for_a_time}" if lines else for_a_time
    return summary, (*lines, *more)
