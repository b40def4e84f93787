"""Charts as SVG, drawn by matplotlib: lines, stacked bars, heat maps, spans of time.

The same rows always give the same text. A drawing needs no script and no font of its own.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

_WIDTH: Final = 9.0
_HEIGHT: Final = 2.6
_ROW: Final = 0.24
"""The height of a row of a heat map or of spans, in inches."""

_LABELS: Final = 8
"""The number of periods that are labelled below a heat map."""

COLOURS: Final = ("#0f62fe", "#da1e28", "#f1a100", "#198038", "#8a3ffc", "#009d9a", "#ee538b")

_STYLE: Final[dict[str, Any]] = {
    "axes.edgecolor": "#8d8d8d",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "grid.color": "#e0e0e0",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "twin",
}

_UNSIGNED: Final = dict.fromkeys(("Creator", "Date", "Format", "Type"))
"""Metadata that matplotlib would write into a drawing; left out."""

When = date | datetime


class Series(NamedTuple):
    """Numbers over time; None if there is no number."""

    name: str
    values: Sequence[float | None]


class Span(NamedTuple):
    """Something that lasted for a time."""

    name: str
    begin: datetime
    end: datetime
    colour: int = 0


def lines(times: Sequence[When], series: Sequence[Series], *, unit: str, log: bool = False) -> str:
    """Draw numbers over time as lines."""
    with rc_context(_STYLE):
        figure, axes = _figure()
        for number, each in enumerate(series):
            values = [float("nan") if value is None else value for value in each.values]
            axes.plot(
                _numbers(times), values, label=each.name, color=_colour(number), linewidth=1.3
            )
        if log:
            axes.set_yscale("symlog")
        _dated(axes)
        return _finished(figure, axes, unit=unit, names=len(series))


def bars(times: Sequence[When], series: Sequence[Series], *, unit: str, width: float = 0.9) -> str:
    """Draw numbers over time as stacked bars, each `width` days wide."""
    with rc_context(_STYLE):
        figure, axes = _figure()
        base = [0.0] * len(times)
        for number, each in enumerate(series):
            values = [value or 0.0 for value in each.values]
            axes.bar(
                _numbers(times),
                values,
                width,
                bottom=base,
                label=each.name,
                color=_colour(number),
                align="edge",
            )
            base = [below + value for below, value in zip(base, values, strict=True)]
        _dated(axes)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        return _finished(figure, axes, unit=unit, names=len(series))


def heat(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    *,
    unit: str,
    low: float,
    high: float,
) -> str:
    """Draw a heat map: one row per name, one column per period; a dark cell has the value `low`."""
    with rc_context({**_STYLE, "axes.grid": False}):
        figure, axes = _figure(0.9 + _ROW * len(rows))
        values = [[float("nan") if cell is None else cell for cell in row] for row in cells]
        mesh = axes.pcolormesh(values, cmap="RdYlGn", vmin=low, vmax=high, edgecolors="white")
        axes.invert_yaxis()
        axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
        step = -(-len(columns) // _LABELS)
        shown = range(0, len(columns), step)
        axes.set_xticks([place + 0.5 for place in shown], [columns[place] for place in shown])
        axes.tick_params(length=0)
        figure.colorbar(mesh, ax=axes, label=unit)
        return _finished(figure, axes, unit="", names=0)


def spans(shown: Sequence[Span], *, unit: str = "") -> str:
    """Draw spans of time, one row for each name, in the order of their first appearance."""
    with rc_context({**_STYLE, "axes.grid.axis": "x"}):
        names = list(dict.fromkeys(span.name for span in shown))
        figure, axes = _figure(0.8 + _ROW * len(names))
        for span in shown:
            begin, end = date2num(span.begin), date2num(span.end)
            axes.barh(
                names.index(span.name),
                end - begin,
                left=begin,
                color=_colour(span.colour),
                height=0.7,
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        _dated(axes)
        return _finished(figure, axes, unit=unit, names=0)


def _figure(height: float = _HEIGHT) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _numbers(times: Sequence[When]) -> list[float]:
    return [float(date2num(when)) for when in times]


def _dated(axes: Axes) -> None:
    locator = AutoDateLocator(maxticks=10)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _finished(figure: Figure, axes: Axes, *, unit: str, names: int) -> str:
    axes.set_ylabel(unit)
    if names > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, fontsize=8)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata=_UNSIGNED)
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]
