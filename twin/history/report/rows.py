"""Helpers for the rows of a metric: totals, greatest values, groups by day.

A long table stays in Arrow; only short parts of it become Python rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from twin.history.report.charts import Series

MetricRow: TypeAlias = Mapping[str, Any]


def rows_of(table: pa.Table) -> list[MetricRow]:
    """Return rows as mappings; equal values share one object if this saves memory."""
    columns = [_values(column) for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values; reading long tables cell by cell would be many times slower."""
    type_ = column.type
    if pa.types.is_string(type_) or pa.types.is_date(type_):
        coded = column.combine_chunks().dictionary_encode()
        words = [*coded.dictionary.to_pylist(), None]
        places = coded.indices.fill_null(len(words) - 1)
        return [words[place] for place in places.to_numpy().tolist()]
    if not column.null_count and (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
        return list(column.to_numpy().tolist())
    return list(column.to_pylist())


def having(table: pa.Table, column: str) -> pa.Table:
    """Keep the rows in which a column is true, or a number other than 0."""
    return table.filter(pc.cast(table.column(column), pa.bool_()))


def where(table: pa.Table, **values: str) -> pa.Table:
    """Keep the rows in which columns have these values."""
    for column, value in values.items():
        table = table.filter(pc.equal(table.column(column), value))
    return table


def total(table: pa.Table, column: str) -> float:
    """Add up a column; null counts 0."""
    return pc.sum(table.column(column)).as_py() or 0


def greatest(
    table: pa.Table, column: str, number: int, *, ascending: bool = False
) -> list[MetricRow]:
    """Return the rows with the greatest values of a column, greatest first, without nulls.

    With `ascending`, return the rows with the smallest values, smallest first.
    """
    order = "ascending" if ascending else "descending"
    known = table.filter(pc.is_valid(table.column(column)))
    # The sort is stable: rows with equal values keep their order.
    return rows_of(known.sort_by([(column, order)]).slice(0, number))


def grouped(table: pa.Table, *keys: str) -> dict[tuple[Any, ...], list[MetricRow]]:
    """Group rows by the values of some columns."""
    by_key: dict[tuple[Any, ...], list[MetricRow]] = defaultdict(list)
    for row in rows_of(table):
        by_key[tuple(row[key] for key in keys)].append(row)
    return dict(by_key)


def sum_of(rows: Iterable[MetricRow], column: str) -> float:
    """Add up a column of rows; null counts 0."""
    return sum(row[column] or 0 for row in rows)


def availability(rows: Iterable[MetricRow]) -> float | None:
    """Return the fraction of time that channels were RUNNING or INACTIVE; None without any time."""
    rows = list(rows)
    up = sum_of(rows, "running_s") + sum_of(rows, "inactive_s")
    down = sum(sum_of(rows, name) for name in ("retrying_s", "stopped_s", "other_s"))
    return up / (up + down) if up + down else None


def along(
    table: pa.Table, period: str, names: Mapping[str, Callable[[Sequence[MetricRow]], float | None]]
) -> tuple[list[date], list[Series]]:
    """Reduce the rows of each period to numbers: one series for each name."""
    by_period = {key[0]: rows for key, rows in grouped(table, period).items()}
    periods = sorted(by_period)
    series = [
        Series(name, [reduce_(by_period[each]) for each in periods])
        for name, reduce_ in names.items()
    ]
    return periods, series


def by_period(
    table: pa.Table, period: str, added: Iterable[str], lowest: Iterable[str] = ()
) -> list[MetricRow]:
    """Add up columns per period, and take the minimum of others; in order of time."""
    aggregates = dict.fromkeys(added, "sum") | dict.fromkeys(lowest, "min")
    summed = table.group_by(period).aggregate(list(aggregates.items())).sort_by(period)
    names = {f"{name}_{how}": name for name, how in aggregates.items()}
    return rows_of(summed.rename_columns([names.get(name, name) for name in summed.column_names]))


def totals(
    table: pa.Table, period: str, columns: Mapping[str, str], *, scale: float = 1.0
) -> tuple[list[date], list[Series]]:
    """Add up columns (by their names in the chart) for each period, divided by a scale."""
    rows = by_period(table, period, columns.values())
    series = [
        Series(name, [(row[column] or 0) / scale for row in rows])
        for name, column in columns.items()
    ]
    return [row[period] for row in rows], series
