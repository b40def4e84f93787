"""A plan names open handles whose messages end elsewhere after the change."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import HOUR
from twin.review.plan.document import document_of
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.sentences import sections

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin in which PR2 has PAY open, bound to its only instance at PR1."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    twin.runmqsc("PR1", f"ALTER QMGR DEADQ({DEAD})\nDEFINE QLOCAL(PAY) CLUSTER(CA)", at=START)
    twin.runmqsc("PR1", "DEFINE QLOCAL(OTHER) CLUSTER(CA)", at=START)
    twin.open_queue("PR2", "PAY", bind="open", handle="H", at=START)
    twin.open_queue("FR1", "PAY", bind="notfixed", handle="FREE", at=START)
    return twin


def planned(twin: Twin, *changes: PlannedChange) -> Plan:
    """Plan these changes now."""
    return plan(twin, Request(changes=lambda _: changes))


def test_a_handle_that_is_bound_to_a_deleted_queue_is_named(twin: Twin) -> None:
    """Its messages go to the dead-letter queue; the handle that is not bound is not named."""
    made = planned(twin, PlannedScript("PR1", "DELETE QLOCAL(PAY)"))
    (waits,) = (each for each in sections(made) if each.title == "Waiting messages")
    end = f"go to the dead-letter queue {DEAD} of PR1 (2085 MQRC_UNKNOWN_OBJECT_NAME)"
    assert waits.summary == "those put through 1 open handle end elsewhere"
    assert tuple(map(str, waits.lines)) == (
        "~ PAY is open at PR2 (handle H), bound to PR1: messages put through this handle " + end,
    )
    assert document_of(made)["handles"] == [
        {
            "on": "PR2",
            "handle": "H",
            "queue": "PAY",
            "qmgr": "PR1",
            "before": "arrive",
            "after": end,
        }
    ]


def test_without_a_dead_letter_queue_they_wait_at_the_sender(twin: Twin) -> None:
    """The channel cannot put them, so they stay on the transmission queue."""
    made = planned(twin, PlannedScript("PR1", "ALTER QMGR DEADQ(' ')\nDELETE QLOCAL(PAY)"))
    (change,) = made.handles
    assert change.after.startswith("wait on SYSTEM.CLUSTER.TRANSMIT.QUEUE at PR2: ")


def test_handles_bound_to_what_stays_are_not_named(twin: Twin) -> None:
    """A handle is named only if its messages end elsewhere."""
    assert planned(twin, PlannedScript("PR1", "DELETE QLOCAL(OTHER)")).handles == ()
    assert planned(twin, PlannedScript("PR1", "ALTER QLOCAL(PAY) DESCR('X')")).handles == ()
    twin.close_handle("PR2", "H", at=START + HOUR)
    assert planned(twin, PlannedScript("PR1", "DELETE QLOCAL(PAY)")).handles == ()


def test_a_handle_bound_to_a_disabled_queue_is_named(twin: Twin) -> None:
    """Bind open chooses no other instance of a queue that is PUT(DISABLED)."""
    (change,) = planned(twin, PlannedScript("PR1", "ALTER QLOCAL(PAY) PUT(DISABLED)")).handles
    assert (change.before, "2051" in change.after) == ("arrive", True)
