"""Short ways to write events in tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession

from twin.history.arrow import typed
from twin.history.columns import LOG
from twin.history.history import Window
from twin.model.instants import parse_instant

_ARROW: Final = {
    "long": pa.int64(),
    "int": pa.int32(),
    "string": pa.string(),
    "binary": pa.binary(),
}
_SCHEMA: Final = pa.schema([(name, _ARROW[type_]) for name, type_ in LOG.items()])

START: Final = parse_instant("2026-01-01T00:00:00Z", now=0)
"""The zero of relative times in tests."""


def at(text: str) -> int:
    """Return an instant: ISO 8601, or relative to the first of January 2026, as `+1d`."""
    return parse_instant(text, now=START)


def window(since: str, until: str) -> Window:
    """Return a window between two such instants."""
    return Window.of(at(since), at(until))


def event(
    when: str, type_: str, qmgr: str, *, branch: int = 1, derived: bool = True, **fields: Any
) -> dict[str, Any]:
    """Make an event as the log has it, without its position."""
    body = {"qmgr": qmgr, **fields}
    return {
        "branch": branch,
        "occurred_at": at(when),
        "recorded_at": at(when),
        "type": type_,
        "qmgr": qmgr,
        "cause": "x" if derived else None,
        "source": "rules" if derived else "command",
        "event_id": "x",
        "body": json.dumps(body),
        "digest": b"",
    }


def told(spark: SparkSession, *events: dict[str, Any]) -> DataFrame:
    """Return events in the order of the log, with the columns of the lake."""
    rows = [{"position": position, **each} for position, each in enumerate(events, start=1)]
    return of_few_rows(spark, rows)


def of_few_rows(spark: SparkSession, rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Convert rows of the log to the columns of the lake.

    From an Arrow table, Spark knows that there are few rows, and plans half as many tasks.
    """
    return spark.createDataFrame(as_in_lake(rows))


def as_in_lake(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Convert rows of the log to a table with the columns of the lake."""
    of_log = pa.RecordBatch.from_pylist(list(rows), schema=_SCHEMA)
    return pa.Table.from_batches([typed(of_log)])


def rows(frame: DataFrame, *order: str) -> list[dict[str, Any]]:
    """Return all rows of a metric in a fixed order, with dates and instants as text."""
    found: list[Row] = frame.orderBy(*(order or frame.columns)).collect()
    return [{name: plain(value) for name, value in row.asDict().items()} for row in found]


def plain(value: Any) -> Any:
    """Return a date or an instant as text, and anything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
