"""Answers say where the twin does not model what a definition does to others."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, add_on_zos, build, make_twin
from twin.app.twin import Twin
from twin.model.instants import HOUR
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript
from twin.review.plan.text import text_of

NEWS = "DEFINE TOPIC(NEWS) TOPICSTR('/news') CLUSTER(CA)"
DIRECT = (
    "not modelled: NEWS at PR1 has CLROUTE(DIRECT), so full repositories tell every member of CA "
    "of every other one; the channels and records here are too few"
)
SHARED = (
    "not modelled: SHQ at ZOS1 is QSGDISP(SHARED); the queue of a queue-sharing group counts as a "
    "queue of its own at each queue manager"
)


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return the full repositories FR1 and FR2, and the members PR1 and PR2."""
    return build(make_twin(sqlite_url, lambda: START + HOUR))


def notes(twin: Twin, on: str, script: str) -> tuple[str, ...]:
    """Return the notes of the plan of a script."""
    made = plan(twin, Request(changes=lambda _: [PlannedScript(on, script)]))
    said = " ".join(line.strip() for line in text_of(made))
    assert all(note in said for note in made.notes)
    return made.notes


def test_a_topic_that_is_routed_directly_makes_all_members_known(twin: Twin) -> None:
    """A plan of it says so, and so do the figures of its cluster from then on."""
    assert notes(twin, "PR1", NEWS) == (DIRECT,)
    assert twin.ask("capacity").notes == ()
    assert twin.runmqsc("PR1", NEWS, at=START).exit_code == 0
    assert twin.ask("capacity").notes == (DIRECT,)
    assert twin.ask("capacity", cluster="CA", figure="sending").notes == (DIRECT,)
    assert notes(twin, "PR2", "DEFINE QLOCAL(OTHER) CLUSTER(CA)") == ()


def test_a_topic_with_hosts_or_without_a_cluster_has_no_such_note(twin: Twin) -> None:
    """Only direct routing makes all members known to each other."""
    for script in (f"{NEWS} CLROUTE(TOPICHOST)", "DEFINE TOPIC(OWN) TOPICSTR('/own')"):
        assert notes(twin, "PR1", script) == ()
        assert twin.runmqsc("PR1", script, at=START).exit_code == 0
    assert twin.ask("capacity").notes == ()


def test_a_shared_queue_of_a_queue_sharing_group_is_named(twin: Twin) -> None:
    """Plans say so of all of them, and an explanation of the queue that is put to."""
    add_on_zos(twin)
    script = """DEFINE QLOCAL(SHQ) QSGDISP(SHARED) CFSTRUCT(APP1) CLUSTER(CA)
    DEFINE QLOCAL(Q) CLUSTER(CA)"""
    assert notes(twin, "ZOS1", script) == (SHARED,)
    assert twin.runmqsc("ZOS1", script, at=START).exit_code == 0
    assert twin.ask("explain", on="PR2", queue="SHQ").notes == (SHARED,)
    assert twin.ask("explain", on="PR2", queue="Q").notes == ()
