"""Answers say where the order of messages can be lost, and that groups keep it."""

from __future__ import annotations

from tests.rules.sending_scene import Scene, scene
from twin import events
from twin.questions.explain import explained
from twin.questions.explanation import ExplainRequest
from twin.questions.order import GROUPS, order_after


def notes(made: Scene, queue: str, bind: str) -> list[str]:
    """Return what an explanation says of order."""
    request = ExplainRequest(queue=queue, bind=bind)
    qmgr = made.estate.qmgr("QMS")
    found = explained(made.estate, qmgr, request, at=made.draft.at, asks=False)
    return [note for note in found.notes if GROUPS in note]


def test_several_instances_and_reallocation_are_said_of_a_put_that_is_not_fixed() -> None:
    """A put that is fixed to a destination, and one with a single route, keeps its order."""
    made = scene()
    (note,) = notes(made, "ORD", "notfixed")
    assert "2 routes take turns" in note
    assert "rerouted" in note
    assert not notes(made, "ORD", "open")
    assert not notes(made, "PAY", "notfixed")


def test_a_switch_is_said_of_every_put() -> None:
    """A pending switch of the channel can disturb the order, also of a put with one route."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME('CA.QM3')")
    (note,) = notes(made, "PAY", "open")
    assert "CA.QM3 is switched to XQ3" in note


def test_what_happened_is_named_by_channel() -> None:
    """Messages that were moved, and switches, are named with their channels; others are not."""
    made = scene()
    made.hold("CA.QM3")
    made.send("ORD", count=4)
    made.run("QMS", "DEFINE QLOCAL(XQ4) USAGE(XMITQ) CLCHNAME('CA.QM4')")
    before = len(made.draft.events)
    made.run("QMS", "STOP CHANNEL(CA.QM3)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)")
    switch, moved = order_after(event for _, event in made.draft.events[before:])
    assert switch.endswith("(CA.QM4)")
    assert "CA.QM3" in moved
    assert not order_after([events.WorkloadHistoryReset(qmgr="QMS")])
