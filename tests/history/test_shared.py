"""An intermediate result that several metrics share is computed once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from tests.history.scene import event, told, window
from twin.history.columns import VERSION
from twin.history.history import History, Window
from twin.history.lake import About
from twin.history.metrics import METRICS, Metric
from twin.history.metrics.metric import Compute, shared
from twin.history.report.report import compute
from twin.history.session import FEW

READS_WHAT_IS_KEPT = "InMemoryRelation"
MARCH: Final = window("2026-03-01", "2026-04-01")


def plan(rows: DataFrame) -> str:
    """Return Spark's plan for rows as it is now, including cached results."""
    return str(rows.alias("again")._jdf.queryExecution().withCachedData().toString())


def nothing_kept(spark: SparkSession) -> bool:
    """Return whether Spark has no cached results."""
    return bool(spark.sparkContext._jsc.getPersistentRDDs().isEmpty())


class Asked:
    """Makes metrics that rest on one count, and notes how often it is computed."""

    def __init__(self) -> None:
        """Start without metrics."""
        self.computed = 0
        self._part = shared(self._counted)

    def _counted(self, events: DataFrame, window: Window) -> DataFrame:
        self.computed += 1
        return events.where(events["occurred_at"] < window.until).groupBy("qmgr").count()

    def metric(self, name: str) -> Metric:
        """Make a metric."""
        columns = {"qmgr": "", "count": ""}
        return Metric(name, name, self._part, "", "", columns, rests_on=(self._part,))


@pytest.fixture(scope="module")
def history(spark: SparkSession) -> History:
    """Make a history of two events."""
    events = told(
        spark,
        event("2026-03-01T00:00:00Z", "QueueManagerStarted", "QM1"),
        event("2026-03-02T00:00:00Z", "QueueManagerStarted", "QM2"),
    )
    return History(
        Path("lake"), About(version=VERSION, origin="", position=0, branches=()), "main", events
    )


@pytest.mark.parametrize("events", [2, FEW + 1])
def test_a_result_that_two_metrics_use_is_kept_until_the_last(
    spark: SparkSession, history: History, events: int
) -> None:
    """A shared result is computed once, whatever the size of the log, and not kept afterwards."""
    history = replace(history, about=replace(history.about, position=events))
    asked = Asked()
    march = window("2026-03-01", "2026-04-01")
    found = list(compute(history, march, [asked.metric("one"), asked.metric("other")]))
    assert [each.rows.to_pylist() for each in found] == [
        [{"qmgr": "QM1", "count": 1}, {"qmgr": "QM2", "count": 1}]
    ] * 2
    assert asked.computed == 1
    assert nothing_kept(spark)
    list(compute(history, march, [asked.metric("one")]))
    assert asked.computed == 2
    assert nothing_kept(spark)


@pytest.fixture(scope="module")
def part_of(history: History) -> Callable[[Compute], DataFrame]:
    """Return a function that plans an intermediate result, once."""
    return functools.cache(lambda part: part(history.events, MARCH))


@pytest.mark.parametrize("name", [name for name, each in METRICS.items() if each.rests_on])
def test_a_metric_reads_what_it_says_it_rests_on(
    spark: SparkSession, history: History, part_of: Callable[[Compute], DataFrame], name: str
) -> None:
    """Spark recognises the plan of every intermediate result that a metric declares."""
    rows = METRICS[name].compute(history.events, MARCH)
    assert READS_WHAT_IS_KEPT not in plan(rows)
    for part in {*METRICS[name].rests_on}:
        kept = part_of(part).persist(StorageLevel.DISK_ONLY)
        assert READS_WHAT_IS_KEPT in plan(rows)
        kept.unpersist()
    assert nothing_kept(spark)


def test_a_cluster_cuts_what_is_of_a_channel_too(spark: SparkSession) -> None:
    """A requested cluster also limits metrics of channels, but not metrics of definitions."""
    passed: dict[str, Any] = {
        "cause": "stop",
        "moves": [],
        "stayed": 1,
        "interrupted": False,
        "queue": "X",
    }
    events = told(
        spark,
        *(
            event(
                "2026-03-01T00:00:00Z",
                "InformationPublished",
                "QM2",
                cluster=cluster,
                qmid="QM2_ID",
                records=[{"kind": "qmgr", "name": f"{cluster}.QM2"}],
            )
            for cluster in ("CA", "CB")
        ),
        *(
            event("2026-03-02T00:00:00Z", "MessagesReallocated", "QM1", channel=channel, **passed)
            for channel in ("CA.QM2", "CB.QM2")
        ),
        event("2026-03-02T00:00:00Z", "QueueManagerAltered", "QM1", values={"DESCR": "x"}),
    )
    about = About(version=VERSION, origin="", position=0, branches=())
    asked = [METRICS[name] for name in ("reallocation", "changes")]
    march = window("2026-03-01", "2026-04-01")
    of_one = list(compute(History(Path("lake"), about, "main", events), march, asked, cluster="CB"))
    assert of_one[0].rows.column("channel").to_pylist() == ["CB.QM2"]
    assert [each.of_all for each in of_one] == [False, True]
    assert of_one[1].rows.num_rows == 2
