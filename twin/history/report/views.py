"""How the page shows each metric: its charts, and which of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa

from twin.history.report.charts import Series, Span, bars, heat, lines, spans
from twin.history.report.rows import (
    MetricRow,
    along,
    availability,
    by_period,
    greatest,
    grouped,
    having,
    rows_of,
    totals,
    where,
)
from twin.history.window import Window

SHOWN: Final = 20
"""The number of rows of a metric on the page; its files have all of them."""

_HOUR: Final = 3600.0
_MONTH: Final = 25.0
"""The width of a month's bar, in days."""

DrawCharts: TypeAlias = Callable[[pa.Table, Window], list[str]]


class MetricView(NamedTuple):
    """How a metric is shown.

    Attributes:
        by: the column whose greatest values are shown first.
        order: a name for this order.
        draw: makes the charts from all rows.
        ascending: whether the smallest values are shown first instead.
    """

    by: str
    order: str
    draw: DrawCharts
    ascending: bool = False

    def top(self, table: pa.Table) -> list[MetricRow]:
        """Return the rows that are shown."""
        rows = greatest(table, self.by, SHOWN, ascending=self.ascending)
        return rows or rows_of(table.slice(0, SHOWN))


def _nothing(table: pa.Table, window: Window) -> list[str]:
    return []


_IN_STATUS: Final = ("running_s", "inactive_s", "retrying_s", "stopped_s", "other_s")


def _availability(table: pa.Table, window: Window) -> list[str]:
    rows = by_period(table, "day", _IN_STATUS, ["availability"])
    days = [row["day"] for row in rows]
    shares = [
        Series("all", [availability([row]) for row in rows]),
        Series("the worst channel", [row["availability"] for row in rows]),
    ]
    hours = [
        Series(name, [(row[f"{name}_s"] or 0) / _HOUR for row in rows])
        for name in ("retrying", "stopped")
    ]
    return [lines(days, shares, unit="availability"), bars(days, hours, unit="channel hours")]


def _months(table: pa.Table, window: Window) -> list[str]:
    by_channel = grouped(table, "qmgr", "channel")
    shares = {key: availability(rows) for key, rows in by_channel.items()}
    worst = sorted(shares, key=lambda key: (1.0 if (share := shares[key]) is None else share, key))[
        :SHOWN
    ]
    months = sorted(table.column("month").unique().to_pylist())
    cells = [[_cell(by_channel[key], month) for month in months] for key in worst]
    names = [f"{channel} at {qmgr}" for qmgr, channel in worst]
    shown = [f"{month:%Y-%m}" for month in months]
    return [heat(names, shown, cells, unit="availability", low=0.9, high=1.0)]


def _cell(rows: Sequence[MetricRow], month: object) -> float | None:
    return next((row["availability"] for row in rows if row["month"] == month), None)


def _longest(table: pa.Table, window: Window) -> list[str]:
    end = datetime.fromtimestamp(window.until / 1e6, tz=None)  # noqa: DTZ006 - drawn without a zone
    longest = [
        Span(
            f"{row['channel']} at {row['qmgr']}",
            row["began"],
            row["ended"] or end.astimezone(row["began"].tzinfo),
            colour=0 if row["planned"] else 1,
        )
        for row in greatest(table, "seconds", SHOWN)
    ]
    return [spans(longest)] if longest else []


def _few(table: pa.Table, window: Window) -> list[str]:
    columns = {"one or none": "one_or_none_s", "none": "none_s"}
    return [lines(*totals(table, "day", columns, scale=_HOUR), unit="queue hours")]


def _of(period: str, columns: Mapping[str, str], unit: str, *, scale: float = 1.0) -> DrawCharts:
    """Make a function that draws the sums of columns for each period as bars."""

    def draw(table: pa.Table, window: Window) -> list[str]:
        times, series = totals(table, period, columns, scale=scale)
        return [bars(times, series, unit=unit, width=_MONTH if period == "month" else 1.0)]

    return draw


def _punctual(table: pa.Table, window: Window) -> list[str]:
    days = 86_400.0
    months, series = along(
        table,
        "month",
        {
            "latest republication, days after it was due": lambda found: max(
                ((row["late_max_s"] or 0) / days for row in found), default=0
            ),
            "fewest days left before expiry": lambda found: min(
                (row["least_days_left"] for row in found if row["least_days_left"] is not None),
                default=None,
            ),
        },
    )
    return [lines(months, series, unit="days")]


def _waiting(table: pa.Table, window: Window) -> list[str]:
    names = {"p50": "waited_p50_s", "p95": "waited_p95_s", "max": "waited_max_s"}
    months, series = along(
        table,
        "month",
        {name: _greatest_of(column) for name, column in names.items()},
    )
    return [lines(months, series, unit="seconds, worst channel", log=True)]


def _greatest_of(column: str) -> Callable[[Sequence[MetricRow]], float | None]:
    return lambda rows: max((row[column] for row in rows if row[column] is not None), default=None)


def _parted(table: pa.Table, window: Window) -> list[str]:
    """Draw actual and expected shares of the queue that deviates on the most days."""
    parted = grouped(having(table, "parts"), "qmgr", "queue")
    if not parted:
        return []
    qmgr, queue = max(parted, key=lambda key: (len(parted[key]), key))
    own = where(table, qmgr=qmgr, queue=queue)
    names = sorted(filter(None, own.column("destination").unique().to_pylist()))[:3]
    wanted: dict[str, Callable[[Sequence[MetricRow]], float | None]] = {}
    for name in names:
        wanted[name] = _share(name, "share")
        wanted[f"{name}, expected"] = _share(name, "expected_share")
    days, series = along(own, "day", wanted)
    return [lines(days, series, unit=f"share of {queue} at {qmgr}")]


def _changed(table: pa.Table, window: Window) -> list[str]:
    acts = where(table, attribute="")
    return [bars(*totals(acts, "day", {"changes": "changes"}), unit="changes", width=1.0)]


def _share(name: str, column: str) -> Callable[[Sequence[MetricRow]], float | None]:
    def share(rows: Sequence[MetricRow]) -> float | None:
        shares = [row[column] for row in rows if row["destination"] == name]
        return sum(shares) if shares else None

    return share


VIEWS: Final[Mapping[str, MetricView]] = {
    "channel_status_days": MetricView("retrying_s", "the longest RETRYING", _availability),
    "channel_status_months": MetricView(
        "availability", "the least available", _months, ascending=True
    ),
    "outages": MetricView("seconds", "the longest", _longest),
    "queue_instances": MetricView("one_or_none_s", "the longest with one instance or none", _few),
    "suspensions": MetricView(
        "suspended_s",
        "the longest",
        _of("day", {"suspended": "suspended_s"}, "hours", scale=_HOUR),
    ),
    "resends": MetricView("late_max_s", "the latest", _punctual),
    "losses": MetricView(
        "removals",
        "the most removals",
        _of("month", {"expiries": "expiries", "removals": "removals", "returns": "returns"}, ""),
    ),
    "subscription_turnover": MetricView(
        "lapsed",
        "the most lapsed",
        _of("month", {"made": "made", "renewed": "renewed", "lapsed": "lapsed"}, ""),
    ),
    "renewal_warnings": MetricView(
        "warnings", "the most warnings", _of("month", {"warnings": "warnings"}, "")
    ),
    "reallocation": MetricView(
        "moved",
        "the most messages moved",
        _of("day", {"moved": "moved", "stayed": "stayed"}, "messages"),
    ),
    "stayed": MetricView("messages", "the most messages", _nothing),
    "waits": MetricView("waited_max_s", "the longest", _waiting),
    "switches": MetricView("lasted_s", "the longest", _nothing),
    "distribution": MetricView("chi2", "the largest deviations", _parted),
    "changes": MetricView("changes", "the most changes", _changed),
    "before_outages": MetricView(
        "seconds_before", "the shortest time before the outage", _nothing, ascending=True
    ),
}
"""How each metric is shown."""
