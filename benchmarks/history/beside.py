"""Each metric compared with SQL for the same answer, in Spark and in DuckDB, on one lake."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from benchmarks.table import seconds
from tests.history.reference import Answer, demand_alike, reference, statement
from twin.history.history import History, Window
from twin.history.metrics import METRICS
from twin.history.session import session

SPARK: Final = Path(__file__).parent / "sql"
"""One SQL statement per metric, in Spark's dialect; `views` has the parts that several share."""

_VIEWS: Final = (
    *("definition_changes", "channel_clusters", "covered", "stretches", "found"),
    *("lying", "kept", "stays"),
)

CORES: Final = 2


@dataclass(frozen=True, slots=True)
class Beside:
    """The times of a metric in seconds, each the best of its rounds.

    Attributes:
        rows: the number of rows of the answer.
        ours: the time of the metric.
        sql: the time of the SQL in Spark.
        duckdb: the time of the SQL in DuckDB, measured once; None without a statement.
    """

    rows: int
    ours: float
    sql: float
    duckdb: float | None


def beside(lake: Path, rounds: int, *, names: tuple[str, ...] = ()) -> Mapping[str, Beside]:
    """Compare all metrics, or the named ones, in one session.

    Raises:
        AssertionError: if two answers differ in any value.
    """
    with session(master=f"local[{CORES}]", name="benchmark") as spark:
        history = History.open(spark, lake)
        extent = history.extent()
        window = history.window(extent, None, extent.last + 1)  # as in the statements for DuckDB
        peers = _Statements(spark, history, window)
        found = {}
        for name in names or tuple(METRICS):
            found[name] = _Compared(history, window, peers, name).measured(rounds)
            print(f"{name}: {found[name]}", file=sys.stderr, flush=True)
    return found


class _Statements:
    """The SQL statements for Spark on the view `events`: the same events as the metrics see."""

    def __init__(self, spark: SparkSession, history: History, window: Window) -> None:
        self._spark = spark
        self._given = {"since": window.since, "until": window.until}
        history.events.createOrReplaceTempView("events")
        for name in _VIEWS:
            self._of(SPARK / "views" / f"{name}.sql").createOrReplaceTempView(name)

    def answer(self, name: str) -> DataFrame:
        """Run the statement of a metric."""
        return self._of(SPARK / f"{name}.sql")

    def _of(self, file: Path) -> DataFrame:
        return self._spark.sql(file.read_text(encoding="utf-8"), args=self._given)


class _Compared:
    """One metric, and the statements it is compared with."""

    def __init__(
        self,
        history: History,
        window: Window,
        peers: _Statements,
        name: str,
    ) -> None:
        self._ours = partial(METRICS[name].compute, history.events, window)
        self._sql = partial(peers.answer, name)
        self._history = history
        self._name = name
        self._rows: list[Answer] = []

    def measured(self, rounds: int) -> Beside:
        """Check that the answers are equal, then measure both in turns."""
        rows = self._same()
        other = self._in_duckdb()
        asks = {"ours": self._ours, "sql": self._sql}
        best = dict.fromkeys(asks, inf)
        for number in range(rounds):
            for side in ("ours", "sql") if number % 2 else ("sql", "ours"):
                best[side] = min(best[side], seconds(partial(_consumed, asks[side])))
        return Beside(rows, best["ours"], best["sql"], other)

    def _same(self) -> int:
        """Compare both answers in Spark."""
        ours, theirs = self._ours(), self._sql()
        assert ours.columns == theirs.columns
        self._rows = [tuple(row) for row in ours.collect()]
        return demand_alike(self._rows, (tuple(row) for row in theirs.collect()))

    def _in_duckdb(self) -> float | None:
        """Compare with the answer of DuckDB, and time it."""
        asked = statement(self._name)
        with reference(Path(self._history.folder)) as connection:
            connection.execute(f"SET threads = {CORES}")
            taken = seconds(lambda: connection.execute(f"CREATE TABLE answer AS {asked}"))
            demand_alike(self._rows, connection.execute("FROM answer").fetchall())
            return taken


def _consumed(ask: Callable[[], DataFrame]) -> None:
    """Plan an answer and compute all of it, without keeping it."""
    ask().write.format("noop").mode("overwrite").save()
