"""The page: one HTML file without links to other files, to be read, mailed or printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any, Final, NamedTuple

from twin.history.metrics import Metric
from twin.history.report.charts import Axis, Chart
from twin.history.report.overview import SHOWN, Overview
from twin.history.report.style import STYLE
from twin.history.report.units import Incident, details_of, duration, minute, title_of

_LARGE: Final = 1000.0
"""Numbers of at least this size are shown without a fraction."""

_SHARES: Final = ("availability", "share", "expected_share")
_WORDS: Final = {
    "qmgr": "queue manager",
    "mtbf": "time between failures",
    "mttr": "time to repair",
    "chi2": "chi²",
    "chi2_limit": "chi² limit",
    "none": "without any",
    "one_or_none": "with one or none",
    "parts": "deviates",
    "what": "change",
    "on": "at",
}
"""Columns whose names are not what people say; of durations, without their unit."""


class Section(NamedTuple):
    """The part of the page that shows one metric.

    Attributes:
        metric: the metric.
        columns: the columns that are shown.
        rows: the rows that are shown.
        order: how the rows were chosen, in a few words; '' if all are shown.
        total: the number of all rows.
    """

    metric: Metric
    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    order: str
    total: int


def page(
    *,
    title: str,
    about: Sequence[str],
    overview: Overview,
    axis: Axis,
    charts: Sequence[Chart],
    lines: Sequence[str],
    sections: Sequence[Section],
) -> str:
    """Write the page."""
    parts = (
        _head(title, about),
        _happened(overview),
        _incidents(overview),
        _over_time(axis, charts),
        _figures(lines),
        _metrics(sections),
    )
    return "\n".join([line for part in parts for line in part] + ["</main></body></html>", ""])


def _head(title: str, about: Sequence[str]) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
    yield f"<header><h1>{escape(title)}</h1>"
    yield from (f'<p class="dim">{escape(each)}</p>' for each in about)
    yield "</header>"


def _happened(overview: Overview) -> Iterator[str]:
    for each in overview.ongoing[:SHOWN]:
        yield (
            f'<p class="now"><b>Not ended: {escape(title_of(each))}</b> since '
            f"{minute(each['began'])}, {duration(each['seconds'])} in this window. "
            f"{escape(details_of(each))}.</p>"
        )
    if paragraph := overview.paragraph():
        yield f'<section class="card"><h2>What happened</h2><p>{escape(paragraph)}</p></section>'


def _incidents(overview: Overview) -> Iterator[str]:
    if not overview.incidents:
        return
    shown = overview.incidents[: len(overview.ongoing) + SHOWN]
    yield '<section class="card"><h2>Incidents</h2><table class="incidents"><thead><tr>'
    yield from (f"<th>{name}</th>" for name in ("began", "ended", "lasted", "what"))
    for name in ("channels", "channel-hours", "messages waited"):
        yield f'<th class="number">{name}</th>'
    yield "</tr></thead><tbody>"
    yield from map(_incident, shown)
    yield "</tbody></table>"
    if len(shown) < len(overview.incidents):
        yield f'<p class="dim">{len(shown):,} of {len(overview.incidents):,}, the worst first.</p>'
    yield "</section>"


def _incident(each: Incident) -> str:
    kind = "planned" if each["planned"] else "out"
    ended = "<b>not ended</b>" if each["ongoing"] else minute(each["ended"])
    cells = (
        ("began", "when", minute(each["began"])),
        ("ended", "when", ended),
        ("lasted", "when", duration(each["seconds"])),
        (
            "what",
            "what",
            f"<b>{escape(title_of(each))}</b><small>{escape(details_of(each))}</small>",
        ),
        ("channels", "number", f"{each['channels']:,}"),
        ("channel-hours", "number", f"{each['channel_hours']:,.1f}"),
        ("messages waited", "number", f"{each['messages']:,}"),
    )
    written = (
        f'<td class="{class_}" data-name="{name}"><div>{text}</div></td>'
        for name, class_, text in cells
    )
    return f'<tr class="{kind}">{"".join(written)}</tr>'


def _over_time(axis: Axis, charts: Sequence[Chart]) -> Iterator[str]:
    if not charts:
        return
    yield '<section class="card"><h2>Over time, UTC</h2>'
    for chart in charts:
        keys = "".join(
            f'<span><i class="key {class_}"></i>{escape(word)}</span>'
            for class_, word in chart.keys
        )
        yield (
            f'<figure role="img" aria-label="{escape(chart.title)}"><figcaption>'
            f"<b>{escape(chart.title)}</b>{keys}</figcaption>{chart.drawing}{axis.drawn()}</figure>"
        )
    yield "</section>"


def _figures(lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield '<section class="card"><h2>In figures</h2><dl>'
    for line in lines:
        name, colon, text = line.partition(": ")
        yield f"<dt>{escape(name)}</dt><dd>{escape(text if colon else line)}</dd>"
    yield "</dl></section>"


def _metrics(sections: Sequence[Section]) -> Iterator[str]:
    yield '<section class="card"><h2>Metrics</h2>'
    for section in sections:
        yield from _section(section)
    yield "</section>"


def _section(section: Section) -> Iterator[str]:
    metric = section.metric
    count = f"{section.total:,} row{'' if section.total == 1 else 's'}"
    yield f'<details id="{metric.name}"><summary>{escape(metric.title)} <small>{count}</small>'
    yield f'</summary><p class="dim">{escape(metric.says)} Source: {escape(metric.source)}.</p>'
    files = f'<a href="{metric.name}.csv">CSV</a>, <a href="{metric.name}.parquet">Parquet</a>'
    if not section.rows:
        yield f"<p>There are no rows. Files: {files}</p></details>"
        return
    shown = f"{len(section.rows):,} of {count}"
    if section.order:
        shown += f", {section.order}"
    if len(section.columns) < len(metric.columns):
        shown += f"; {len(section.columns)} of {len(metric.columns)} columns"
    yield f"<p>{escape(shown)}; all: {files}</p>"
    yield from _table(section)
    yield "</details>"


def _table(section: Section) -> Iterator[str]:
    columns = section.columns
    numeric = {name for name in columns if any(_is_number(row[name]) for row in section.rows)}
    yield '<div class="wide"><table><thead><tr>'
    for name in columns:
        meaning = escape(section.metric.columns.get(name, ""))
        yield f'<th{_kind(name in numeric)} title="{meaning}">{escape(words_of(name))}</th>'
    yield "</tr></thead><tbody>"
    for row in section.rows:
        cells = (
            f'<td{_kind(name in numeric)} data-name="{escape(words_of(name))}">'
            f"<div>{escape(shown(row[name], name))}</div></td>"
            for name in columns
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _kind(is_number: bool) -> str:  # noqa: FBT001 - a cell is one or it is not
    return ' class="number"' if is_number else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def words_of(column: str) -> str:
    """Return the name of a column in words, without the unit that its cells show."""
    name = column.removesuffix("_s")
    return _WORDS.get(name, name.replace("_", " "))


def shown(value: object, column: str = "") -> str:
    """Format a value for people; durations and shares by the name of their column."""
    text = "-" if value in (None, "") else str(value)
    match value:
        case bool():
            text = "yes" if value else "no"
        case int() | float() if column.endswith("_s") or column in ("seconds", "seconds_before"):
            text = duration(value)
        case float() if column in _SHARES:
            text = f"{value:.2%}".replace("%", " %")
        case float():
            text = f"{value:,.4g}" if abs(value) < _LARGE else f"{value:,.0f}"
        case int():
            text = f"{value:,}"
        case datetime():
            text = minute(value)
        case list() | tuple():
            text = " ".join(map(shown, value))
        case _:
            pass
    return text
