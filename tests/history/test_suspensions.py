"""How long queue managers were suspended."""

from __future__ import annotations

from pyspark.sql import SparkSession

from tests.history.scene import event, rows, told, window
from twin.history.metrics.suspensions import suspensions


def test_a_suspension_counts_for_each_day_it_lasts_within_the_window(spark: SparkSession) -> None:
    """A suspension is divided at midnight and cut to the window; without a resume it lasts on."""
    events = told(
        spark,
        event("+12h", "QueueManagerSuspended", "QM1", cluster="CA", mode="QUIESCE"),
        event("+36h", "QueueManagerResumed", "QM1", cluster="CA"),
        event("+60h", "QueueManagerSuspended", "QM1", cluster="CB", mode="FORCE"),
    )
    assert rows(suspensions(events, window("+18h", "+61h"))) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 6 * 3600.0},
        {"day": "2026-01-02", "qmgr": "QM1", "cluster": "CA", "suspended_s": 12 * 3600.0},
        {"day": "2026-01-03", "qmgr": "QM1", "cluster": "CB", "suspended_s": 3600.0},
    ]


def test_deleting_a_queue_manager_ends_its_suspension(spark: SparkSession) -> None:
    """A new queue manager with the name of a deleted one is not suspended."""
    events = told(
        spark,
        event("+1h", "QueueManagerSuspended", "QM1", cluster="CA", mode="QUIESCE"),
        event("+2h", "QueueManagerDeleted", "QM1"),
        event("+3h", "QueueManagerCreated", "QM1"),
    )
    assert rows(suspensions(events, window("+0h", "+48h"))) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 3600.0}
    ]


def test_a_restored_queue_manager_has_the_suspensions_of_its_backup(spark: SparkSession) -> None:
    """A restored queue manager is suspended from exactly the clusters in its backup."""
    events = told(
        spark,
        event("+1h", "QueueManagerSuspended", "QM1", cluster="CB", mode="FORCE"),
        event("+2h", "QueueManagerRestored", "QM1", suspended={"CA": "QUIESCE"}),
        event("+5h", "QueueManagerResumed", "QM1", cluster="CA"),
    )
    assert rows(suspensions(events, window("+0h", "+48h"))) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 3 * 3600.0},
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CB", "suspended_s": 3600.0},
    ]
