"""The months before a window: only those are read whose events say how it began."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import append
from tests.history.scene import at, window
from tests.log.writing import new
from twin.history.history import History
from twin.history.lake import update
from twin.history.metrics import METRICS
from twin.log import NewEvent

WINDOW = window("+31d", "+59d")
"""February."""


def event(when: str, type_: str, qmgr: str, **fields: Any) -> NewEvent:
    """Make an event for the log."""
    body = json.dumps({"qmgr": qmgr, **fields})
    return new(at(when), type=type_, qmgr=qmgr, cause=None, source="command", body=body)


def month(day: str) -> list[NewEvent]:
    """Make events of a day that count in the window only, each for one of these metrics."""
    share = {"count": 200, "to": "ID.QM1", "channel": "TO.QM1", "queue": "Q", "cluster": "CA"}
    passed: dict[str, Any] = {"channel": "TO.QM1", "cause": "stop", "stayed": 1, "moves": []}
    overdue: dict[str, Any] = {"id": "AMQ9456", "owner": "ID.QM1", "days": 3, "left": 60}
    counted: dict[str, Any] = {"kind": "queue", "name": "Q", "counters": {"puts": 1}}
    return [
        *(event(day, "IntervalCounted", qmgr, **counted) for qmgr in ("QM1", "QM2")),
        event(day, "MessagesPut", "QM3", shares=[share]),
        event(day, "MessagesReallocated", "QM3", **passed),
        event(day, "SubscriptionMade", "QM3", cluster="CA", kind="queue", name="Q"),
        event(day, "RenewalOverdue", "QM3", cluster="CA", **overdue),
    ]


@pytest.fixture(scope="module")
def two_months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy two months into a lake: who published a queue in January, and what happened in both."""
    records = [{"kind": "queue", "name": "Q", "values": {}}]
    published = [
        each
        for qmgr in ("QM1", "QM2")
        for each in (
            event("+0d", "QueueManagerCreated", qmgr, qmid=f"ID.{qmgr}"),
            event(
                "+1d",
                "InformationPublished",
                qmgr,
                qmid=f"ID.{qmgr}",
                cluster="CA",
                sequence=1,
                records=[*records, {"kind": "qmgr", "name": f"TO.{qmgr}", "values": {}}],
            ),
        )
    ]
    suspended = event("+3d", "QueueManagerSuspended", "QM1", cluster="CA", mode="QUIESCE")
    place = tmp_path_factory.mktemp("months")
    url = f"sqlite:///{place}/twin.db"
    append(url, [*published, *month("+2d"), suspended, *month("+40d")])
    update(None, url, place / "lake")
    return place / "lake"


@pytest.fixture
def lake(two_months: Path, tmp_path: Path) -> Path:
    """Copy the lake, so that files of it can be deleted."""
    return Path(shutil.copytree(two_months, tmp_path / "lake"))


def months_without(lake: Path, families: tuple[str, ...]) -> None:
    """Delete all files of January but those of some families."""
    for file in lake.glob("events/month=2026-01/*/*.parquet"):
        if file.parent.name.removeprefix("family=") not in families:
            file.unlink()


CUT = [name for name, metric in METRICS.items() if metric.earlier is not None]


@pytest.mark.parametrize("name", CUT)
def test_a_metric_of_what_happened_opens_no_file_of_earlier_months(
    spark: SparkSession, lake: Path, name: str
) -> None:
    """What only counts inside the window is not even opened before it."""
    events = History.open(spark, lake).events
    metric = METRICS[name]
    assert metric.earlier is not None
    months_without(lake, metric.earlier)
    found = metric.compute(metric.needed(events, WINDOW), WINDOW).collect()
    assert found
    assert all((row["day"] if "day" in row else row["month"]).month == 2 for row in found)


def test_a_state_that_began_in_an_earlier_month_is_known(spark: SparkSession, lake: Path) -> None:
    """A suspension of January lasts through a window of February."""
    metric = METRICS["suspensions"]
    events = History.open(spark, lake).events
    found = metric.compute(metric.needed(events, WINDOW), WINDOW)
    assert found.count() == 28
