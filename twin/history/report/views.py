"""How the page shows each metric: its charts, its columns, and which of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from twin.history.report.charts import (
    Axis,
    Chart,
    NumberScale,
    Series,
    Span,
    bars,
    highest,
    lines,
    spans,
)
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

SHOWN: Final = 20
"""The number of rows of a metric on the page; its files have all of them."""

_LANES: Final = 12
"""The number of rows of a chart of spans."""

_HOUR: Final = 3600.0
_DAY: Final = 86_400.0

DrawCharts: TypeAlias = Callable[[pa.Table, Axis], list[Chart]]


class MetricView(NamedTuple):
    """How a metric is shown.

    Attributes:
        by: the column whose greatest values are shown first.
        order: a name for this order.
        draw: makes the charts from all rows.
        ascending: whether the smallest values are shown first instead.
        columns: the columns on the page, separated by spaces; '' for all. The files have all.
    """

    by: str
    order: str
    draw: DrawCharts
    ascending: bool = False
    columns: str = ""

    def top(self, table: pa.Table) -> list[MetricRow]:
        """Return the rows that are shown."""
        rows = greatest(table, self.by, SHOWN, ascending=self.ascending)
        return rows or rows_of(table.slice(0, SHOWN))


def nothing(table: pa.Table, axis: Axis) -> list[Chart]:
    """Draw no chart."""
    return []


_PARTS: Final = {
    "retrying": "retrying_s",
    "stopped": "stopped_s",
    "starting": "starting_s",
    "other": "other_s",
}
_IN_STATUS: Final = ("running_s", "inactive_s", *_PARTS.values())


def _availability(table: pa.Table, axis: Axis) -> list[Chart]:
    known = [name for name in _IN_STATUS if name in table.column_names]
    rows = by_period(table, "day", known, ["availability"])
    days = [row["day"] for row in rows]
    down = [
        Series(name, [(row[column] or 0) / _HOUR for row in rows])
        for name, column in _PARTS.items()
        if any(row.get(column) for row in rows)
    ]
    shares = [
        Series("all cluster-senders", [_percent(availability([row])) for row in rows]),
        Series("the worst of the day", [_percent(row["availability"]) for row in rows]),
    ]
    title = "Channel-hours in which cluster-senders were not available, by day"
    return [
        *([bars(axis, title, "day", days, down)] if down else []),
        lines(axis, "Availability, by day", "day", days, shares, NumberScale(100, word=" %")),
    ]


def _percent(share: float | None) -> float | None:
    return None if share is None else share * 100


def _longest(table: pa.Table, axis: Axis) -> list[Chart]:
    """Draw when the cluster-senders that were out longest were out."""
    out = table.group_by(["qmgr", "channel", "partner"]).aggregate([("seconds", "sum")])
    rows = []
    for channel in greatest(out, "seconds_sum", _LANES):
        own = where(table, qmgr=channel["qmgr"], channel=channel["channel"])
        name = f"{channel['qmgr']} → {channel['partner'] or channel['channel']}"
        rows.append((name, [_span(row, axis) for row in rows_of(own)]))
    keys = [("out", "outage"), ("planned", "planned")]
    return [spans(axis, "Cluster-senders that were out longest", rows, keys)] if rows else []


def _span(row: MetricRow, axis: Axis) -> Span:
    kind = "planned" if row["planned"] else "out"
    return Span("", row["began"], row["ended"] or axis.until, kind)


def _gaps(table: pa.Table, axis: Axis) -> list[Chart]:
    """Draw when nothing is known of queue managers."""
    by_qmgr = grouped(table.filter(pc.invert(table.column("covered"))), "qmgr")
    longest = sorted(by_qmgr, key=lambda key: (-sum(row["seconds"] for row in by_qmgr[key]), key))
    rows = [
        (key[0], [Span("", row["began"], row["ended"], "unknown") for row in by_qmgr[key]])
        for key in longest[:_LANES]
    ]
    keys = [("unknown", "not observed")]
    return [spans(axis, "Queue managers that were not observed", rows, keys)] if rows else []


def _few(table: pa.Table, axis: Axis) -> list[Chart]:
    columns = {"one or none": "one_or_none_s", "none": "none_s"}
    days, (few, none) = totals(table, "day", columns, scale=_HOUR)
    one = [
        (both or 0.0) - (less or 0.0) for both, less in zip(few.values, none.values, strict=True)
    ]
    shown = [Series("none", none.values), Series("only one", one)]
    title = "Hours in which queues had one reachable instance or none, by day"
    return [bars(axis, title, "day", days, shown)] if highest(shown) else []


def _of(period: str, columns: Mapping[str, str], title: str, *, scale: float = 1.0) -> DrawCharts:
    """Make a function that draws the sums of columns for each period as bars."""

    def draw(table: pa.Table, axis: Axis) -> list[Chart]:
        times, series = totals(table, period, columns, scale=scale)
        return [bars(axis, f"{title}, by {period}", period, times, series)]

    return draw


def _punctual(table: pa.Table, axis: Axis) -> list[Chart]:
    months, series = along(
        table,
        "month",
        {
            "latest, days after it was due": lambda found: max(
                ((row["late_max_s"] or 0) / _DAY for row in found), default=0
            ),
            "fewest days left before expiry": lambda found: min(
                (row["least_days_left"] for row in found if row["least_days_left"] is not None),
                default=None,
            ),
        },
    )
    least = min((value for each in series for value in each.values if value is not None), default=0)
    scale = NumberScale(highest(series), least, word=" d")
    return [lines(axis, "Republications, by month", "month", months, series, scale)]


def _waiting(table: pa.Table, axis: Axis) -> list[Chart]:
    names = {"median": "waited_p50_s", "95 %": "waited_p95_s", "longest": "waited_max_s"}
    months, series = along(
        table,
        "month",
        {name: _greatest_of(column) for name, column in names.items()},
    )
    title = "Time on the transmission queue of the slowest cluster-sender, by month"
    return [lines(axis, title, "month", months, series, NumberScale(highest(series), in_time=True))]


def _greatest_of(column: str) -> Callable[[Sequence[MetricRow]], float | None]:
    return lambda rows: max((row[column] for row in rows if row[column] is not None), default=None)


def _parted(table: pa.Table, axis: Axis) -> list[Chart]:
    """Draw actual and expected shares of the queue that deviates on the most days."""
    parted = grouped(having(table, "parts"), "qmgr", "queue")
    if not parted:
        return []
    qmgr, queue = max(parted, key=lambda key: (len(parted[key]), key))
    own = where(table, qmgr=qmgr, queue=queue)
    names = sorted(filter(None, own.column("destination").unique().to_pylist()))[:2]
    wanted: dict[str, Callable[[Sequence[MetricRow]], float | None]] = {}
    for name in names:
        wanted[name] = _share(name, "share")
        wanted[f"{name}, expected"] = _share(name, "expected_share")
    days, series = along(own, "day", wanted)
    title = f"Shares of messages for {queue} put at {qmgr}, by day"
    return [lines(axis, title, "day", days, series, NumberScale(100, word=" %"))]


def _changed(table: pa.Table, axis: Axis) -> list[Chart]:
    acts = where(table, attribute="")
    return [
        bars(
            axis, "Changed definitions, by day", "day", *totals(acts, "day", {"changes": "changes"})
        )
    ]


def _share(name: str, column: str) -> Callable[[Sequence[MetricRow]], float | None]:
    def share(rows: Sequence[MetricRow]) -> float | None:
        shares = [row[column] for row in rows if row["destination"] == name]
        return sum(shares) * 100 if shares else None

    return share


_STATUS_COLUMNS: Final = (
    "qmgr channel retrying_s stopped_s unknown_s availability outages flaps mttr_s longest_outage_s"
)

VIEWS: Final[Mapping[str, MetricView]] = {
    "incidents": MetricView("channel_hours", "the most channel-hours", nothing),
    "coverage": MetricView("seconds", "the longest", _gaps),
    "channel_status_days": MetricView(
        "retrying_s", "the longest RETRYING", _availability, columns=f"day {_STATUS_COLUMNS}"
    ),
    "channel_status_months": MetricView(
        "availability",
        "the least available",
        nothing,
        ascending=True,
        columns=f"month {_STATUS_COLUMNS}",
    ),
    "outages": MetricView(
        "seconds",
        "the longest",
        _longest,
        columns="qmgr channel partner began ended seconds reason retries cause planned",
    ),
    "queue_instances": MetricView("one_or_none_s", "the longest with one instance or none", _few),
    "suspensions": MetricView(
        "suspended_s",
        "the longest",
        _of("day", {"suspended": "suspended_s"}, "Hours of suspended queue managers", scale=_HOUR),
    ),
    "resends": MetricView("late_max_s", "the latest", _punctual),
    "losses": MetricView(
        "removals",
        "the most removals",
        _of(
            "month",
            {"expiries": "expiries", "removals": "removals", "returns": "returns"},
            "Records that expired, were removed and returned",
        ),
    ),
    "subscription_turnover": MetricView(
        "lapsed",
        "the most lapsed",
        _of("month", {"made": "made", "renewed": "renewed", "lapsed": "lapsed"}, "Subscriptions"),
    ),
    "renewal_warnings": MetricView(
        "warnings",
        "the most warnings",
        _of("month", {"warnings": "warnings"}, "Warnings of missed renewals"),
    ),
    "reallocation": MetricView(
        "moved",
        "the most messages moved",
        _of("day", {"moved": "moved", "stayed": "stayed"}, "Messages moved by reallocation"),
    ),
    "stayed": MetricView("messages", "the most messages", nothing),
    "waits": MetricView("waited_max_s", "the longest", _waiting),
    "switches": MetricView("lasted_s", "the longest", nothing),
    "distribution": MetricView(
        "chi2",
        "the largest deviations",
        _parted,
        columns="day qmgr queue destination messages share expected_share chi2 chi2_limit parts",
    ),
    "counted_puts": MetricView("puts", "the most puts", nothing),
    "changes": MetricView("changes", "the most changes", _changed),
    "before_outages": MetricView(
        "seconds_before",
        "the shortest time before the outage",
        nothing,
        ascending=True,
        columns="outage_began qmgr channel seconds_before changed_on kind name attribute what",
    ),
}
"""How each metric is shown."""
