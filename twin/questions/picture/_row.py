"""One row of a picture: its bar in parts, ticks for publications, its label, and its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from twin.model.instants import Instant, format_instant
from twin.questions.lifetimes import (
    ACTIVE,
    EXPIRED,
    OVERDUE,
    days_to_removal,
    republish_due,
    state_of,
)
from twin.questions.picture import _style as style
from twin.questions.picture._axis import Scale
from twin.questions.picture._lines import HeldPeriod, Line
from twin.questions.picture._svg import Attributes, SvgNode, group, text, title
from twin.rules.repository.lifetimes import expires, removal

MOST_LETTERS: Final = 38
"""The most letters of a label; a longer one loses its middle."""

_ELLIPSIS: Final = "…"
_LETTER: Final = 16
"""Pixels that the letter of the basis takes."""

_BASE: Final = 4
"""Pixels from the middle of a row to the base line of its text."""


class StateSpan(NamedTuple):
    """A time in which a record has one state; `ahead` if it is after the instant of the picture."""

    state: str
    start: Instant
    end: Instant
    ahead: bool


class RowLayout(NamedTuple):
    """The horizontal places of the parts of a row."""

    scale: Scale
    label: float
    kind: float
    note: float


def state_spans(period: HeldPeriod, at: Instant) -> Iterator[StateSpan]:
    """Go through the states of a period, divided at an instant."""
    published = period.published
    stages = (
        (ACTIVE, period.start, republish_due(published)),
        (OVERDUE, republish_due(published), expires(published)),
        (EXPIRED, expires(published), removal(published)),
    )
    for state, begin, finish in stages:
        start = max(begin, period.start)
        end = finish if period.end is None else min(finish, period.end)
        middle = min(max(at, start), end)
        if start < middle:
            yield StateSpan(state, start, middle, ahead=False)
        if middle < end:
            yield StateSpan(state, middle, end, ahead=True)


def state(line: Line, at: Instant) -> str:
    """Return the state of a line at an instant."""
    return "removed" if line.removed is not None else state_of(line.published, at=at)


def row(line: Line, label: str, place: RowLayout, y: float, at: Instant) -> SvgNode:
    """Draw a line in the row whose middle is at `y`."""
    shown = [title(_says(line, label, at)), *_bar(line, place.scale, y, at)]
    letters: Attributes = {"font_family": style.MONO, "font_size": style.MONO_SIZE}
    shown.append(text(shortened(label), x=place.label, y=y + _BASE, **letters))
    if line.kind:
        soft: Attributes = {"fill": style.SOFT, "text_anchor": "end"}
        shown.append(text(line.kind, x=place.kind, y=y + _BASE, **soft))
    shown.append(text(_note(line, at), x=place.note + _LETTER, y=y + _BASE))
    shown.append(text(style.letter(line.basis), x=place.note, y=y + _BASE, font_weight="bold"))
    return group(shown)


def _bar(line: Line, scale: Scale, y: float, at: Instant) -> Iterator[SvgNode]:
    top = y - style.BAR / 2
    for period in line.periods:
        for span in state_spans(period, at):
            start, end = scale.x(span.start), scale.x(span.end)
            if start < end:
                width = end - start
                yield style.piece(span.state, start, top, width, ahead=span.ahead, basis=line.basis)
    for sent in line.sent:
        if scale.covers(sent):
            yield style.tick(scale.x(sent), y)
    for period in line.periods:
        gone = period.end if period.removed else None
        if gone is not None and scale.covers(gone):
            yield style.cross(scale.x(gone), y, ahead=False)
    if line.removed is None:
        yield style.cross(scale.x(line.gone), y, ahead=True)


def _note(line: Line, at: Instant) -> str:
    if line.removed is not None:
        return f"removed {format_instant(line.removed)[:10]}"
    days = days_to_removal(line.published, at=at)
    return f"{state(line, at)}, {days} d" if days else f"{state(line, at)}, due"


def _says(line: Line, label: str, at: Instant) -> str:
    """Return a description of a row, for a tooltip or a screen reader."""
    now, then = ("is", "was") if line.count == 1 else ("are", "were")
    verb = now if line.removed is None else then
    of = f"{label} ({line.kind})" if line.kind else label
    instants: Mapping[str, Instant] = {
        "sent": line.published,
        "republication due": republish_due(line.published),
        "expires": expires(line.published),
        "removed": line.gone,
    }
    return "\n".join(
        [
            f"{of} of cluster {line.cluster} {verb} held by {_listed(line.observers)}",
            f"owner {line.owner}: {state(line, at)}",
            f"these dates are {line.basis}",
            *(f"{what} {format_instant(instant)}" for what, instant in instants.items()),
        ]
    )


def _listed(names: tuple[str, ...]) -> str:
    few = 8
    more = f" and {len(names) - few} more" if len(names) > few else ""
    return ", ".join(names[:few]) + more


def shortened(label: str) -> str:
    """Leave out the middle of a long label: names differ at both ends."""
    if len(label) <= MOST_LETTERS:
        return label
    half = (MOST_LETTERS - 1) // 2
    return f"{label[: MOST_LETTERS - 1 - half]}{_ELLIPSIS}{label[-half:]}"
