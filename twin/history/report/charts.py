"""Charts as HTML and SVG: lines, bars, spans of time. All of them have one axis of time.

A drawing stretches with the page, its words do not: they are HTML beside it. Colours are classes of
the page's style, so that they follow light and dark mode. The same rows always give the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from html import escape
from math import ceil, floor, log10
from typing import Final, NamedTuple

from twin.history.history import Window
from twin.history.report.units import duration, minute
from twin.model.instants import datetime_of

When = date | datetime

_WIDTH: Final = 1000.0
_HEIGHT: Final = 100.0
_LEAST: Final = 0.3
"""The least width of a span, in percent of the axis; closer spans of one kind are drawn as one."""

_WORDED: Final = 7.0
_LONG: Final = 16.0
"""From these widths on, in percent, a span is labelled with its duration; the second is for narrow
pages.
"""

_LATE: Final = 78.0
_LAST: Final = 92.0
"""After these places on the axis, in percent, a label has no room on a narrow page, or on any."""

_LATE_CLASS: Final = ' class="late"'
_TICKS: Final = 13
_STEPS: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=3),
    timedelta(hours=6),
    timedelta(days=1),
    timedelta(days=2),
    timedelta(days=7),
)
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)


class Series(NamedTuple):
    """Numbers over time; None if there is no number."""

    name: str
    values: Sequence[float | None]


class Span(NamedTuple):
    """Something that lasted for a time; `kind` is a class of the page's style."""

    name: str
    begin: datetime
    end: datetime
    kind: str = "out"


class Chart(NamedTuple):
    """A chart: its title, its key (classes and words), and its drawing as HTML."""

    title: str
    keys: Sequence[tuple[str, str]]
    drawing: str


class Axis:
    """The axis of time of all charts: a window, in percent from left to right."""

    def __init__(self, window: Window) -> None:
        """Lay the axis over a window."""
        self.since, self.until = datetime_of(window.since), datetime_of(window.until)
        self._length = (self.until - self.since).total_seconds()

    def place(self, when: When) -> float:
        """Return where an instant or the start of a day is, in percent, cut to the window."""
        return min(max((_moment(when) - self.since).total_seconds() / self._length, 0.0), 1.0) * 100

    def ticks(self) -> list[tuple[float, str]]:
        """Return where the axis is labelled, with the labels."""
        moments, form = self._moments()
        return [(self.place(each), f"{each:{form}}") for each in moments]

    def _moments(self) -> tuple[list[datetime], str]:
        length = self.until - self.since
        for step in _STEPS:
            if length / step <= _TICKS:
                first = self.since.replace(hour=0, minute=0, second=0, microsecond=0)
                skipped = ceil((self.since - first) / step)
                moments = [first + step * (skipped + each) for each in range(_TICKS + 1)]
                form = "%d %b" if step >= timedelta(days=1) else "%d %b %H:%M"
                return [each for each in moments if each < self.until], form
        months = length.days / 30.4
        step_ = next((each for each in _MONTHS if months / each <= _TICKS), _MONTHS[-1])
        first_ = self.since.year * 12 + self.since.month - 1
        places = range(-(-first_ // step_) * step_, self.until.year * 12 + self.until.month, step_)
        starts = (datetime(each // 12, each % 12 + 1, 1, tzinfo=UTC) for each in places)
        return [each for each in starts if self.since <= each < self.until], "%b %Y"

    def drawn(self) -> str:
        """Draw the labels of the axis that have room; a narrow page leaves out `late` ones, too."""
        words = (
            f'<span{_LATE_CLASS * (left > _LATE)} style="left:{left:.2f}%">{escape(text)}</span>'
            for left, text in self.ticks()
            if left <= _LAST
        )
        return f'<div class="axis" aria-hidden="true">{"".join(words)}</div>'


def lines(
    axis: Axis,
    title: str,
    period: str,
    times: Sequence[When],
    series: Sequence[Series],
    scale: NumberScale,
) -> Chart:
    """Draw numbers of periods (`day` or `month`) as lines, interrupted where there is no number."""
    places = [(axis.place(when) + axis.place(_end(when, period))) * 5 for when in times]
    paths = []
    for number, each in enumerate(series):
        path, drawn = [], False
        for place, value in zip(places, each.values, strict=True):
            if value is not None:
                start = "L" if drawn else "M"
                path.append(f"{start}{place:.1f} {scale.height(value):.1f}h0")
            drawn = value is not None
        paths.append(f'<path class="line s{number}" d="{"".join(path)}"/>')
    return Chart(title, _keys(series), _plot(axis, "".join(paths), scale))


def bars(
    axis: Axis, title: str, period: str, times: Sequence[When], series: Sequence[Series]
) -> Chart:
    """Draw numbers of periods (`day` or `month`) as stacked bars."""
    scale = NumberScale(highest(series, stacked=True))
    ends = [_end(when, period) for when in times]
    base = [0.0] * len(times)
    paths = []
    for number, each in enumerate(series):
        path = []
        for place, (when, end, value) in enumerate(zip(times, ends, each.values, strict=True)):
            if value:
                left, right = axis.place(when) * 10, axis.place(end) * 10
                low, high = scale.height(base[place]), scale.height(base[place] + value)
                base[place] += value
                path.append(
                    f"M{left:.1f} {low:.1f}V{high:.1f}H{max(right, left + 1):.1f}V{low:.1f}z"
                )
        paths.append(f'<path class="bar s{number}" d="{"".join(path)}"/>')
    return Chart(title, _keys(series), _plot(axis, "".join(paths), scale))


def spans(
    axis: Axis,
    title: str,
    rows: Sequence[tuple[str, Sequence[Span]]],
    keys: Sequence[tuple[str, str]],
) -> Chart:
    """Draw spans of time, one row for each name."""
    return Chart(title, keys, "".join(_row(axis, name, shown) for name, shown in rows))


def _row(axis: Axis, name: str, shown: Sequence[Span]) -> str:
    marks = "".join(_mark(axis, each) for each in _joined(axis, shown))
    return (
        f'<div class="row"><div class="name" title="{escape(name)}">{escape(name)}</div>'
        f'<div class="track">{_rules(axis)}{marks}</div></div>'
    )


def _joined(axis: Axis, shown: Sequence[Span]) -> Iterator[Span]:
    """Join spans of one kind that would touch when drawn, so that a page stays small."""
    last: dict[str, Span] = {}
    for each in sorted(shown, key=lambda span: (span.begin, span.end)):
        before = last.get(each.kind)
        if before and axis.place(each.begin) - axis.place(before.end) < _LEAST:
            last[each.kind] = before._replace(end=max(before.end, each.end))
        else:
            if before:
                yield before
            last[each.kind] = each
    yield from last.values()


def _mark(axis: Axis, span: Span) -> str:
    left, right = axis.place(span.begin), axis.place(span.end)
    width = max(right - left, _LEAST)
    lasted = duration((span.end - span.begin).total_seconds())
    hint = f"{minute(span.begin)} to {minute(span.end)} UTC, {lasted}"
    word = lasted if width >= _WORDED else ""
    left = min(left, 100 - width)
    place = f"left:{left:.2f}%;width:{width:.2f}%"
    kind = f"{span.kind}{' long' * (width >= _LONG)}"
    return f'<i class="{kind}" style="{place}" title="{hint}">{word}</i>'


def _rules(axis: Axis) -> str:
    return "".join(f'<b style="left:{left:.2f}%"></b>' for left, _ in axis.ticks())


def _plot(axis: Axis, drawn: str, scale: NumberScale) -> str:
    across = "".join(f"M0 {scale.height(value):.1f}H{_WIDTH:.0f}" for value, _ in scale.marks)
    down = "".join(f"M{left * 10:.1f} 0V{_HEIGHT:.0f}" for left, _ in axis.ticks())
    words = "".join(
        f'<span style="top:{scale.height(value):.1f}%">{escape(word)}</span>'
        for value, word in scale.marks
    )
    return (
        f'<div class="row"><div class="marks">{words}</div><svg class="plot" '
        f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="grid" d="{across}{down}"/>{drawn}</svg></div>'
    )


def _keys(series: Sequence[Series]) -> list[tuple[str, str]]:
    return [(f"s{number}", each.name) for number, each in enumerate(series)]


class NumberScale:
    """The scale of numbers, from the bottom of a drawing to its top."""

    def __init__(
        self, highest: float, lowest: float = 0.0, *, word: str = "", in_time: bool = False
    ) -> None:
        """Choose round marks that reach from the lowest to the highest number.

        Args:
            highest: the highest number.
            lowest: the lowest number; 0 is always on the scale if it is not negative and small.
            word: the unit, written at each mark.
            in_time: whether the numbers are seconds, drawn on a logarithmic scale.
        """
        self._log = in_time
        if in_time:
            usual = (1.0, 60.0, 3_600.0, 86_400.0, 864_000.0, 8_640_000.0)
            top = next((each for each in usual if each >= highest), highest)
            self.marks = [(each, duration(each)) for each in usual if each <= top]
            self._low, self._high = 0.0, self._of(top)
            return
        low, step = (min(lowest, 0.0), _round_step(highest - min(lowest, 0.0)))
        first, last = floor(low / step), max(ceil(highest / step - 1e-9), 1)
        self.marks = [(each * step, f"{each * step:,g}{word}") for each in range(first, last + 1)]
        self._low, self._high = first * step, last * step

    def height(self, value: float) -> float:
        """Return how far below the top of the drawing a number is, in percent."""
        share = (self._of(value) - self._low) / (self._high - self._low)
        return _HEIGHT * (1 - min(max(share, 0.0), 1.0))

    def _of(self, value: float) -> float:
        return log10(1 + max(value, 0.0)) if self._log else value


def _round_step(length: float) -> float:
    """Return a round number of which one to three make a length."""
    if length <= 0:
        return 1.0
    size = 10.0 ** floor(log10(length))
    return next(
        step for step in (0.5 * size, size, 2 * size, 5 * size) if length / step <= 3 + 1e-9
    )


def highest(series: Sequence[Series], *, stacked: bool = False) -> float:
    """Return the greatest number, or the greatest sum of one period."""
    columns = zip(*(each.values for each in series), strict=True)
    reduce_ = sum if stacked else max
    return max((reduce_(value or 0.0 for value in column) for column in columns), default=0.0)


def _end(when: When, period: str) -> datetime:
    """Return when the day or the month that begins then ends."""
    begin = _moment(when)
    if period == "month":
        return (begin + timedelta(days=32)).replace(day=1)
    return begin + timedelta(days=1)


def _moment(when: When) -> datetime:
    if isinstance(when, datetime):
        return when.astimezone(UTC)
    return datetime(when.year, when.month, when.day, tzinfo=UTC)
