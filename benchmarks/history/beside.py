"""Each metric beside statements for the same answer, for Spark and for DuckDB, on one lake."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
from pyspark.sql import DataFrame, SparkSession

from benchmarks.table import seconds
from tests.history.reference import demand_same, reference
from twin.history.history import Extent, History
from twin.history.metrics import METRICS
from twin.history.session import session
from twin.history.window import Window

SPARK: Final = Path(__file__).parent / "sql"
"""A statement for each metric, in Spark's dialect, and in `views` what several of them share."""

DUCKDB: Final = Path(__file__).parents[2] / "tests" / "history" / "sql"
"""The same in DuckDB's, as the tests have them."""

CORES: Final = 2


@dataclass(frozen=True, slots=True)
class Beside:
    """What a metric took, in seconds, each the best of its rounds.

    Attributes:
        rows: how many rows the answer has.
        ours: of the metric.
        sql: of the statement for Spark.
        duckdb: of the one for DuckDB, once; None where there is none.
    """

    rows: int
    ours: float
    sql: float
    duckdb: float | None


def beside(lake: Path, rounds: int, *, names: tuple[str, ...] = ()) -> Mapping[str, Beside]:
    """Compare all metrics, or those named, in one session.

    Raises:
        AssertionError: where two answers are not the same, value for value.
    """
    with session(master=f"local[{CORES}]", name="benchmark") as spark:
        history = History.open(spark, lake)
        window = history.window(history.extent(), None, None)
        peers = _Statements(spark, history, window)
        found = {}
        for name in names or tuple(METRICS):
            found[name] = _Compared(spark, history, window, peers, name).measured(rounds)
            print(f"{name}: {found[name]}", file=sys.stderr, flush=True)
    return found


def extent(lake: Path) -> Extent:
    """Say how much there is in a lake."""
    with session(master=f"local[{CORES}]", name="benchmark") as spark:
        return History.open(spark, lake).extent()


class _Statements:
    """The statements for Spark, over the view `events`: the same events as the metrics see."""

    def __init__(self, spark: SparkSession, history: History, window: Window) -> None:
        self._spark = spark
        self._given = {"since": window.since, "until": window.until}
        history.events.createOrReplaceTempView("events")
        for name in ("definition_changes", "channel_clusters", "stretches", "lying", "kept"):
            self._of(SPARK / "views" / f"{name}.sql").createOrReplaceTempView(name)

    def answer(self, name: str) -> DataFrame:
        """Ask for a metric."""
        return self._of(SPARK / f"{name}.sql")

    def _of(self, file: Path) -> DataFrame:
        return self._spark.sql(file.read_text(encoding="utf-8"), args=self._given)


class _Compared:
    """One metric, and what stands beside it."""

    def __init__(
        self,
        spark: SparkSession,
        history: History,
        window: Window,
        peers: _Statements,
        name: str,
    ) -> None:
        self._ours = lambda: METRICS[name].compute(history.events, window)
        self._sql = lambda: peers.answer(name)
        self._history = history
        self._window = window
        self._duckdb = DUCKDB / f"{name}.sql"
        self._spark = spark

    def measured(self, rounds: int) -> Beside:
        """Check that the answers are the same, then measure both in turn."""
        rows = self._same()
        other = self._in_duckdb()
        best: dict[Callable[[], DataFrame], float] = {}
        for number in range(rounds):
            for ask in (self._ours, self._sql) if number % 2 else (self._sql, self._ours):
                taken = seconds(lambda ask=ask: _consumed(ask()))
                best[ask] = min(taken, best.get(ask, taken))
        return Beside(rows, best[self._ours], best[self._sql], other)

    def _same(self) -> int:
        """Compare with Spark's answer to the statement, as DuckDB holds both."""
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.register("theirs", self._sql().toArrow())
            return demand_same(self._ours(), connection.execute("FROM theirs"))

    def _in_duckdb(self) -> float | None:
        """Compare with DuckDB's answer to its statement, and time that."""
        if not self._duckdb.exists():
            return None
        statement = self._duckdb.read_text(encoding="utf-8")
        with reference(self._history.folder, self._window) as connection:
            connection.execute(f"SET threads = {CORES}")
            answer = connection.execute(statement)
            demand_same(self._ours(), answer)
            return seconds(lambda: connection.execute(statement).fetch_arrow_table())


def _consumed(answer: DataFrame) -> None:
    answer.write.format("noop").mode("overwrite").save()
