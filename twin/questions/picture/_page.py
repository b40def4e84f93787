"""The page of a picture: title, legend, axis, and rows under headings.

One row of a picture: its bar in parts, ticks for publications, its label, and its state.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.belief import (
    ACTIVE,
    EXPIRED,
    OVERDUE,
    days_to_removal,
    republish_due,
    state_of,
)
from twin.questions.picture import _style as style
from twin.questions.picture._axis import Scale, days, midnights, months
from twin.questions.picture._history import OutagePeriod
from twin.questions.picture._lines import HeldPeriod, Line
from twin.questions.picture._style import Attributes, SvgNode, element, group, text, title
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
    yield from (style.tick(scale.x(sent), y) for sent in line.sent if scale.covers(sent))
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


CHART: Final = 600.0
"""Pixels of the axis of time."""

_PAD: Final = 16
_GUTTER: Final = 12
_KIND: Final = 44
_NOTE: Final = 140
_LEAST_LABEL: Final = 90
_ROOM_BELOW: Final = 4
_HEAD: Final = 66
_LEGEND: Final = 78
_NOW: Final = _LEGEND + style.LEGEND_HEIGHT + 14
_ROWS: Final = _NOW + 42
_AXIS_LABELS: Final = 32
_REPEAT_AXIS_FROM: Final = 30
_STATES: Final = (ACTIVE, OVERDUE, EXPIRED, "removed")
_TITLE: Final = "Lifetimes of cluster records"


class Hatch(NamedTuple):
    """An outage that matters to a row: a queue manager was down, or a link was cut."""

    span: OutagePeriod
    says: str
    is_cut: bool


class Page(NamedTuple):
    """The content of a picture.

    Attributes:
        as_of: the point.
        lines: in the order in which they are drawn.
        labels: a label for each line.
        hatches: for each line.
        omitted: the number of lines that are left out.
        narrowed: the filters, in words.
    """

    as_of: AsOf
    lines: Sequence[Line]
    labels: Sequence[str]
    hatches: Sequence[tuple[Hatch, ...]]
    omitted: int
    narrowed: str


class _Placed(NamedTuple):
    """A row of the page: a heading, or a line by its number, with the top of its row."""

    top: float
    heading: str
    number: int


def draw_page(shown: Page, start: Instant, end: Instant) -> str:
    """Return a page whose axis runs from one instant to another."""
    longest = max((min(len(label), MOST_LETTERS) for label in shown.labels), default=0)
    left = _PAD + max(_LEAST_LABEL, longest * style.MONO_WIDTH) + _KIND
    scale = Scale(start, end, left + _GUTTER, CHART)
    width = scale.left + CHART + _NOTE + _PAD
    content = [*_head(shown)]
    bottom = float(_HEAD)
    if shown.lines:
        placed, bottom = _placed(shown.lines, _ROWS)
        content.append(style.legend(_PAD, _LEGEND))
        content += _chart(shown, scale, placed, bottom)
        if len(placed) >= _REPEAT_AXIS_FROM:
            content.append(_dates(scale, bottom + _AXIS_LABELS))
            bottom += _AXIS_LABELS
    else:
        content.append(
            text(f"No records are held{_only(shown)}.", x=_PAD, y=bottom + _PAD, font_size=13)
        )
        bottom += _PAD
    if shown.omitted:
        bottom += _PAD
        content.append(text(_omitted(shown.omitted), x=_PAD, y=bottom, font_weight="bold"))
    return _document(content, width, bottom + _PAD)


def _document(content: Sequence[SvgNode], width: float, height: float) -> str:
    size = {"width": round(width), "height": round(height)}
    shown = "\n".join([style.patterns(), element("rect", **size, fill=style.PAPER), *content])
    return element(
        "svg",
        f"\n{title(_TITLE)}\n{shown}\n",
        xmlns="http://www.w3.org/2000/svg",
        **size,
        viewBox=f"0 0 {size['width']} {size['height']}",
        role="img",
        font_family=style.SANS,
        font_size=style.SANS_SIZE,
        fill=style.INK,
    )


def _head(shown: Page) -> Iterator[SvgNode]:
    yield text(_TITLE, x=_PAD, y=30, font_size=17, font_weight="bold")
    yield text(str(shown.as_of), x=_PAD, y=49, fill=style.SOFT)
    if shown.lines:
        yield text(_summary(shown), x=_PAD, y=66)


def _summary(shown: Page) -> str:
    counts = Counter[str]()
    for line in shown.lines:
        counts[state(line, shown.as_of.valid)] += line.count
    observers = {name for line in shown.lines for name in line.observers}
    records = f"{counts.total()} record{'s' if counts.total() > 1 else ''}"
    at = f"{len(observers)} queue manager{'s' if len(observers) > 1 else ''}"
    by_state = ", ".join(f"{counts[name]} {name}" for name in _STATES if counts[name])
    return f"{records} at {at}{_only(shown)}: {by_state}"


def _only(shown: Page) -> str:
    return f" ({shown.narrowed})" if shown.narrowed else ""


def _omitted(count: int) -> str:
    lines = "1 more line" if count == 1 else f"{count} more lines"
    return f"Not drawn: {lines}. Their records live longer. Use filters to see them."


def _placed(lines: Sequence[Line], top: float) -> tuple[list[_Placed], float]:
    """Place lines below one another, under the headings they share."""
    placed = []
    heading = ""
    for number, line in enumerate(lines):
        if (own := _heading(line)) != heading:
            heading = own
            placed.append(_Placed(top, heading, -1))
            top += style.HEADING
        placed.append(_Placed(top, "", number))
        top += style.ROW
    return placed, top + _ROOM_BELOW


def _heading(line: Line) -> str:
    if len(line.observers) == 1:
        return f"Records of cluster {line.cluster} at {line.observers[0]}"
    return f"Records of cluster {line.cluster} at several queue managers"


def _chart(
    shown: Page, scale: Scale, placed: Sequence[_Placed], bottom: float
) -> Iterator[SvgNode]:
    at = shown.as_of.valid
    place = RowLayout(scale, _PAD, scale.left - _GUTTER, scale.left + CHART + _GUTTER)
    rows = [each for each in placed if each.number >= 0]
    yield group(_bands(rows, scale), fill=style.BAND)
    yield _grid(scale, bottom)
    yield _dates(scale, _ROWS - 8)
    yield text("basis, state, to removal", x=place.note, y=_ROWS - 8, font_size=11, fill=style.SOFT)
    yield from _hatching(shown, rows, scale)
    for each in rows:
        line, label = shown.lines[each.number], shown.labels[each.number]
        yield row(line, label, place, each.top + style.ROW / 2, at)
    yield from _now(shown.as_of, scale, bottom)
    for heading in placed:
        if heading.number < 0:
            clear = {"width": scale.left + CHART, "height": style.HEADING}
            yield element("rect", x=0, y=heading.top, **clear, fill=style.PAPER)
            yield text(heading.heading, x=_PAD, y=heading.top + 16, font_weight="bold")


def _bands(rows: Sequence[_Placed], scale: Scale) -> Iterator[SvgNode]:
    """Shade every other row, so that the eye finds the bar of a label."""
    width = scale.left + CHART + _NOTE - _PAD
    for number, each in enumerate(rows):
        if number % 2 == 0:
            yield element("rect", x=_PAD / 2, y=each.top, width=width, height=style.ROW)


def _grid(scale: Scale, bottom: float) -> SvgNode:
    """Draw a line for each written day, a darker one for each month, and a tick for each day."""
    fine = [f"M{scale.x(mark.at):.1f} {_ROWS}V{bottom:.1f}" for mark in days(scale)]
    dark = [f"M{scale.x(mark.at):.1f} {_ROWS}V{bottom:.1f}" for mark in months(scale)]
    lines = [
        element("path", d="".join(path), stroke=colour, stroke_width=1, fill="none")
        for path, colour in ((fine, style.GRID), (dark, style.GRID_OF_MONTH))
        if path
    ]
    base = f"M{scale.left:.1f} {_ROWS}H{scale.left + CHART:.1f}"
    ticks = "".join(f"M{scale.x(at):.1f} {_ROWS}v-4" for at in midnights(scale))
    path = base + (ticks if scale.has_day_ticks else "")
    return group([*lines, element("path", d=path, stroke=style.SOFT, stroke_width=1)])


def _dates(scale: Scale, y: float) -> SvgNode:
    """Write months above days; the days are at `y`."""
    written = [text(mark.label, x=scale.x(mark.at), y=y) for mark in days(scale)]
    room = scale.left + CHART - 46
    written += [
        text(mark.label, x=x + 3, y=y - 14, font_weight="bold", text_anchor="start")
        for mark in months(scale)
        if (x := scale.x(mark.at)) <= room
    ]
    return group(written, font_size=11, fill=style.SOFT, text_anchor="middle")


def _hatching(shown: Page, rows: Sequence[_Placed], scale: Scale) -> Iterator[SvgNode]:
    """Hatch the rows that an outage matters to; adjacent rows share one rectangle."""
    runs: dict[Hatch, list[list[float]]] = defaultdict(list)
    for each in rows:
        for hatch in shown.hatches[each.number]:
            mine = runs[hatch]
            if mine and mine[-1][-1] + style.ROW == each.top:
                mine[-1].append(each.top)
            else:
                mine.append([each.top])
    for hatch, those in runs.items():
        start, end = scale.x(hatch.span.start), scale.x(hatch.span.end)
        sign = style.cut if hatch.is_cut else style.down
        for tops in those if start < end else ():
            yield sign(start, tops[0], end - start, style.ROW * len(tops), title(hatch.says))


def _now(as_of: AsOf, scale: Scale, bottom: float) -> Iterator[SvgNode]:
    """Draw the line of the picture's instant."""
    x = scale.x(as_of.valid)
    ink: Attributes = {"stroke": style.NOW, "stroke_width": 1.5}
    yield element("path", d=f"M{x:.1f} {_NOW + 4}v6", **ink)
    path = f"M{x:.1f} {_ROWS - 5}V{bottom:.1f}"
    yield element("path", d=path, **ink, stroke_dasharray="5 3")
    near = 80
    anchor = "start" if x - scale.left < near else "middle"
    anchor = "end" if scale.left + CHART - x < near else anchor
    caption = f"as of {format_instant(as_of.valid)}"
    yield text(caption, x=x, y=_NOW, fill=style.NOW, font_weight="bold", text_anchor=anchor)
