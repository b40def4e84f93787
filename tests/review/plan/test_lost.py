"""A plan names the messages that the change destroys."""

from __future__ import annotations

import pytest

from tests.app.scenes import START, build, make_twin
from twin import events
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import HOUR
from twin.review.plan.document import document_of
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.sentences import sections, summary


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin in which PR1 has three messages on MINE, one of them nonpersistent."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    twin.runmqsc("PR1", "DEFINE QLOCAL(MINE)", at=START)
    twin.put("PR1", "MINE", count=2, persistent=True, at=START)
    twin.put("PR1", "MINE", persistent=False, at=START)
    return twin


def planned(twin: Twin, *changes: PlannedChange) -> Plan:
    """Plan these changes now."""
    return plan(twin, Request(changes=lambda _: changes))


def waiting(made: Plan) -> tuple[str, tuple[str, ...]]:
    """Return what the section of a plan about waiting messages says."""
    (found,) = (each for each in sections(made) if each.title == "Waiting messages")
    return found.summary, tuple(map(str, found.lines))


@pytest.mark.parametrize(
    ("command", "why"),
    [("CLEAR QLOCAL(MINE)", "cleared"), ("DELETE QLOCAL(MINE) PURGE", "deleted")],
)
def test_messages_that_are_cleared_or_purged_are_named(twin: Twin, command: str, why: str) -> None:
    """They count as a change: in the section, in the last line, and as rows in JSON."""
    made = planned(twin, PlannedScript("PR1", command))
    assert made.changes_anything
    assert waiting(made) == (
        "3 messages are lost",
        ("- 3 messages on MINE at PR1 are deleted",),
    )
    assert "; 3 messages are lost" in summary(made)
    document = document_of(made)
    assert document["lost"] == [
        {"effect": "lost", "on": "PR1", "queue": "MINE", "why": why, "before": 0, "after": 3}
    ]
    assert document["summary"]["lost"] == 3


def test_messages_that_wait_on_a_cleared_transmission_queue_are_named_too(twin: Twin) -> None:
    """They are lost, and no longer wait."""
    twin.runmqsc("PR2", "DEFINE QLOCAL(Q) CLUSTER(CA)", at=START)
    twin.put("PR1", "Q", at=START)
    twin.link("cut", "PR1", "PR2", at=START + HOUR)
    twin.put("PR1", "Q", bind="open", at=START + HOUR)
    for row in twin.ask("channels", on="PR1").rows:
        twin.runmqsc("PR1", f"STOP CHANNEL({row['channel']})", at=START + HOUR)
    made = planned(twin, PlannedScript("PR1", "CLEAR QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE)"))
    said, (lost, *others) = waiting(made)
    assert said == "1 message is lost; more or fewer messages wait"
    assert lost == "- 1 message on SYSTEM.CLUSTER.TRANSMIT.QUEUE at PR1 is deleted"
    assert [each for each in others if "1 -> 0 messages" in each] == others
    assert len(others) == 1


def test_a_restart_loses_nonpersistent_messages_and_a_refused_delete_none(twin: Twin) -> None:
    """Without PURGE, DELETE is refused for a queue with messages."""
    restart = (Command.program("PR1", "endmqm"), Command.program("PR1", "strmqm"))
    assert waiting(planned(twin, *restart))[1] == (
        "- 1 nonpersistent message on MINE at PR1 is lost at the restart",
    )
    refused = planned(twin, PlannedScript("PR1", "DELETE QLOCAL(MINE)"))
    assert (refused.refused, refused.lost, waiting(refused)) == (1, (), ("no changes", ()))


@pytest.mark.parametrize(
    ("command", "then", "lost"),
    [
        ("CLEAR QL(SEEN)", "messages on it are lost", [7]),
        ("DELETE QLOCAL('SEEN') PURGE", "messages on it are lost", [7]),
        ("DELETE QLOCAL(SEEN)", "with messages on it, DELETE is refused (AMQ8143)", []),
    ],
)
def test_what_is_on_a_queue_of_an_observed_queue_manager_is_a_note(
    twin: Twin, command: str, then: str, lost: list[int]
) -> None:
    """Messages there cannot be seen: the plan does not say none. A depth that was seen counts."""
    twin.ingest("* dump\nDEFINE QLOCAL('SEEN') REPLACE\n", qmgr="OBS", at=START + HOUR)
    script = PlannedScript("OBS", command)
    made = planned(twin, script)
    assert not made.refused
    assert f"how many messages are on SEEN at OBS is not known: {then}" in made.notes
    depths = (events.QueueDepth(queue="SEEN", depth=7),)
    seen = events.DepthsObserved(qmgr="OBS", depths=depths)
    twin.record_observations([Fact(seen, "observation:test")], at=START + HOUR)
    known = "7 messages on SEEN at OBS when last observed, at 2026-01-01T01:00:00Z: "
    made = planned(twin, script)
    assert f"{known}{then}" in made.notes
    assert [each.loses for each in made.lost] == lost
    other = planned(twin, PlannedScript("PR1", "CLEAR QLOCAL(MINE)"))
    assert not any("observed" in each for each in other.notes)
