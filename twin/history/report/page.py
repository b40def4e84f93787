"""The page: one HTML file without links to other files, to be read, mailed or printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any, Final, NamedTuple

from twin.history.metrics import Metric

_STYLE: Final = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #161616; max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 0.3rem; border-top: 1px solid #e0e0e0; padding-top: 1rem; }
p.says, p.about { color: #525252; margin: 0.2rem 0 0.6rem; max-width: 52rem; }
ul.lines { padding-left: 1.1rem; }
nav a { margin-right: 0.9rem; white-space: nowrap; }
a { color: #0f62fe; }
svg { max-width: 100%; height: auto; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin: 0.6rem 0; }
th, td { text-align: left; padding: 0.15rem 0.7rem 0.15rem 0; border-bottom: 1px solid #e8e8e8;
  white-space: nowrap; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
@media print { nav { display: none; } h2 { break-after: avoid; } svg { break-inside: avoid; } }
"""


_LARGE: Final = 1000.0
"""Numbers of at least this size are shown without a fraction."""


class Section(NamedTuple):
    """The part of the page that shows one metric.

    Attributes:
        metric: the metric.
        charts: drawings, as SVG.
        rows: the rows that are shown.
        order: how the rows were chosen, in a few words; '' if all are shown.
        total: the number of all rows.
    """

    metric: Metric
    charts: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    order: str
    total: int


def page(
    *, title: str, about: Sequence[str], lines: Sequence[str], sections: Sequence[Section]
) -> str:
    """Write the page."""
    return "\n".join(_page(title, about, lines, sections)) + "\n"


def _page(
    title: str, about: Sequence[str], lines: Sequence[str], sections: Sequence[Section]
) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(title)}</h1>"
    for each in about:
        yield f'<p class="about">{escape(each)}</p>'
    yield '<ul class="lines">'
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul><nav>"
    for section in sections:
        metric = section.metric
        yield f'<a href="#{metric.name}">{escape(metric.title)}</a>'
    yield "</nav>"
    for section in sections:
        yield from _section(section)
    yield "</body></html>"


def _section(section: Section) -> Iterator[str]:
    metric = section.metric
    yield f'<section id="{metric.name}"><h2>{escape(metric.title)}</h2>'
    yield f'<p class="says">{escape(metric.says)} Source: {escape(metric.source)}.</p>'
    if not section.rows:
        yield "<p>There are no rows.</p></section>"
        return
    for chart in section.charts:
        yield f"<figure role='img' aria-label='{escape(metric.title)}'>{chart}</figure>"
    shown = f"{len(section.rows):,} of {section.total:,} rows"
    if section.order:
        shown += f", {section.order}"
    files = f'<a href="{metric.name}.csv">CSV</a>, <a href="{metric.name}.parquet">Parquet</a>'
    yield f"<p>{escape(shown)}; all rows: {files}</p>"
    yield from _table(metric, section.rows)
    yield "</section>"


def _table(metric: Metric, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    numeric = {name for name in metric.columns if any(_is_number(row[name]) for row in rows)}
    yield '<div class="wide"><table><thead><tr>'
    for name, meaning in metric.columns.items():
        yield f'<th{_kind(name in numeric)} title="{escape(meaning)}">{escape(name)}</th>'
    yield "</tr></thead><tbody>"
    for row in rows:
        cells = (f"<td{_kind(name in numeric)}>{escape(shown(row[name]))}</td>" for name in row)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _kind(is_number: bool) -> str:  # noqa: FBT001 - a cell is one or it is not
    return ' class="number"' if is_number else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: object) -> str:
    """Format a value for people."""
    text = "" if value is None else str(value)
    match value:
        case bool():
            text = "yes" if value else "no"
        case float():
            text = f"{value:,.4g}" if abs(value) < _LARGE else f"{value:,.0f}"
        case int():
            text = f"{value:,}"
        case datetime():
            text = value.strftime("%Y-%m-%d %H:%M:%S")
        case list() | tuple():
            text = " ".join(map(shown, value))
        case _:
            pass
    return text
