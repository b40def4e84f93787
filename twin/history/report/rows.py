"""Looking into the rows of a metric: totals, the greatest, what is of one day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

import pyarrow as pa

from twin.history.report.charts import Series

Row: TypeAlias = Mapping[str, Any]


def rows_of(table: pa.Table) -> list[Row]:
    """Return rows as mappings; values that are alike are the same object, as far as it pays."""
    columns = [_values(column) for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values; cell by cell, long tables would take many times as long."""
    type_ = column.type
    if pa.types.is_string(type_) or pa.types.is_date(type_):
        coded = column.combine_chunks().dictionary_encode()
        words = [*coded.dictionary.to_pylist(), None]
        places = coded.indices.fill_null(len(words) - 1)
        return [words[place] for place in places.to_numpy().tolist()]
    if not column.null_count and (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
        return list(column.to_numpy().tolist())
    return list(column.to_pylist())


def total(rows: Iterable[Row], column: str) -> float:
    """Add up a column; what is null counts nothing."""
    return sum(row[column] or 0 for row in rows)


def greatest(rows: Iterable[Row], column: str, number: int) -> list[Row]:
    """Return the rows with the greatest values of a column, greatest first; never nulls."""
    known = [row for row in rows if row[column] is not None]
    return sorted(known, key=lambda row: row[column], reverse=True)[:number]


def grouped(rows: Iterable[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """Put rows together that are alike in some columns."""
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[key] for key in keys)].append(row)
    return dict(found)


def along(
    rows: Sequence[Row], period: str, names: Mapping[str, Callable[[Sequence[Row]], float | None]]
) -> tuple[list[date], list[Series]]:
    """Reduce the rows of each period to numbers: one series for each name."""
    periods = sorted({row[period] for row in rows})
    by_period = {key[0]: found for key, found in grouped(rows, period).items()}
    series = [
        Series(name, [reduce_(by_period[each]) for each in periods])
        for name, reduce_ in names.items()
    ]
    return periods, series


def totals(
    rows: Sequence[Row], period: str, columns: Mapping[str, str]
) -> tuple[list[date], list[Series]]:
    """Add up columns (named by what the chart calls them) for each period."""
    return along(
        rows,
        period,
        {name: _adder(column) for name, column in columns.items()},
    )


def _adder(column: str) -> Callable[[Sequence[Row]], float]:
    return lambda found: total(found, column)
