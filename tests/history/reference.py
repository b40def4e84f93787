"""The same answers from DuckDB, for comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb
from pyspark.sql import DataFrame

from twin.history.lake import files

Answer: TypeAlias = tuple[Any, ...]
"""A row."""

_VISIBLE: Final = """
CREATE VIEW events AS
WITH withdrawn AS (
    SELECT position AS w, occurred_at AS t FROM lake
    WHERE type = 'DerivedFactsWithdrawn' AND branch = 1
)
SELECT * FROM lake WHERE branch = 1 AND NOT (derived AND EXISTS (
    SELECT 1 FROM withdrawn WHERE w > position AND occurred_at > t
))
"""


SQL: Final = Path(__file__).parent / "sql"
"""One statement per metric, in DuckDB's dialect; `views` has the parts that several share."""

_VIEWS: Final = (
    *("covered", "numbered", "islands", "cluster_names", "anywhere", "found", "stays"),
)
"""The shared parts; each needs only parts before it."""


def statement(metric: str) -> str:
    """Return the statement of a metric, with the shared parts that it needs before it."""
    text = _read(SQL / f"{metric}.sql")
    needed: list[str] = []
    for name in reversed(_VIEWS):
        part = _read(SQL / "views" / f"{name}.sql")
        if any(re.search(rf"\b{name}\b", each) for each in (text, *needed)):
            needed.insert(0, f"{name} AS MATERIALIZED (\n{part})")
    return f"WITH {', '.join(needed)} SELECT * FROM (\n{text})" if needed else text


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def reference(lake: Path) -> duckdb.DuckDBPyConnection:
    """Open main's events of a lake as view `events`.

    The variables `since` and `until` are the window of all of them.
    """
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    names = ", ".join(f"'{file}'" for file in files(lake))
    connection.execute(
        f"CREATE VIEW lake AS SELECT * FROM read_parquet([{names}], hive_partitioning = true)"
    )
    connection.execute(_VISIBLE)
    connection.execute("SET VARIABLE since = (SELECT min(occurred_at) FROM events)")
    connection.execute("SET VARIABLE until = (SELECT max(occurred_at) + 1 FROM events)")
    return connection


def demand_same(ours: DataFrame, theirs: duckdb.DuckDBPyConnection) -> int:
    """Compare two answers value by value, floats to a relative 1e-9; return the number of rows.

    Raises:
        AssertionError: if they differ.
    """
    columns = [each[0] for each in theirs.description or ()]
    assert ours.columns == columns
    return demand_alike((tuple(row) for row in ours.collect()), theirs.fetchall())


def demand_alike(ours: Iterable[Answer], theirs: Iterable[Answer]) -> int:
    """Compare rows in any order, as `demand_same` does; return their number.

    Raises:
        AssertionError: if they differ.
    """
    left, right = sorted(ours, key=_sortable), sorted(theirs, key=_sortable)
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert all(map(_same, one, other)), f"{one} is not {other}"
    return len(left)


def _sortable(row: Answer) -> tuple[str, ...]:
    return tuple("" if value is None else _key(value) for value in row)


def _key(value: Any) -> str:
    return f"{value:.6e}" if isinstance(value, float) else str(value)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if hasattr(one, "tzinfo") and hasattr(other, "tzinfo"):
        return bool(one.replace(tzinfo=None) == other.replace(tzinfo=None))
    return bool(one == other)
