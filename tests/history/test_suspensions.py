"""How long queue managers were suspended."""

from __future__ import annotations

from tests.history.scene import event, window
from tests.history.together import Asking, ask, together
from twin.history.metrics.suspensions import suspensions


@together
def test_a_suspension_counts_for_each_day_it_lasts_within_the_window() -> Asking:
    """A suspension is divided at midnight and cut to the window; without a resume it lasts on."""
    events = [
        event("+12h", "QueueManagerSuspended", "QM1", cluster="CA", mode="QUIESCE"),
        event("+36h", "QueueManagerResumed", "QM1", cluster="CA"),
        event("+60h", "QueueManagerSuspended", "QM1", cluster="CB", mode="FORCE"),
    ]
    assert (yield ask(suspensions, window("+18h", "+61h"), events)) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 6 * 3600.0},
        {"day": "2026-01-02", "qmgr": "QM1", "cluster": "CA", "suspended_s": 12 * 3600.0},
        {"day": "2026-01-03", "qmgr": "QM1", "cluster": "CB", "suspended_s": 3600.0},
    ]


@together
def test_deleting_a_queue_manager_ends_its_suspension() -> Asking:
    """A new queue manager with the name of a deleted one is not suspended."""
    events = [
        event("+1h", "QueueManagerSuspended", "QM1", cluster="CA", mode="QUIESCE"),
        event("+2h", "QueueManagerDeleted", "QM1"),
        event("+3h", "QueueManagerCreated", "QM1"),
    ]
    assert (yield ask(suspensions, window("+0h", "+48h"), events)) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 3600.0}
    ]


@together
def test_a_restored_queue_manager_has_the_suspensions_of_its_backup() -> Asking:
    """A restored queue manager is suspended from exactly the clusters in its backup."""
    events = [
        event("+1h", "QueueManagerSuspended", "QM1", cluster="CB", mode="FORCE"),
        event("+2h", "QueueManagerRestored", "QM1", suspended={"CA": "QUIESCE"}),
        event("+5h", "QueueManagerResumed", "QM1", cluster="CA"),
    ]
    assert (yield ask(suspensions, window("+0h", "+48h"), events)) == [
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CA", "suspended_s": 3 * 3600.0},
        {"day": "2026-01-01", "qmgr": "QM1", "cluster": "CB", "suspended_s": 3600.0},
    ]
