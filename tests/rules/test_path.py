"""The graph of a path: every way that a message takes is one of its ways."""

from __future__ import annotations

from itertools import product
from typing import cast

from hypothesis import given

from tests.laws import examples
from tests.rules.random_estates import ESTATES, QUEUES, Estate, Members
from tests.sandbox import Sandbox
from twin.events import PutEntered
from twin.events.messages import Bind
from twin.fold.store.pages import private_copy
from twin.questions.hops import Hop
from twin.questions.route import followed
from twin.rules.path.graph import PathGraph, PathPlace, circling


def _hops(sandbox: Sandbox, on: str, queue: str, bind: str) -> list[Hop]:
    entered = PutEntered(qmgr=on, queue=queue, bind=cast("Bind", bind))
    return list(followed(private_copy(sandbox.estate), entered, at=sandbox.draft.at))


@examples()
@given(ESTATES)
def test_a_message_goes_on_by_one_of_the_ways_of_the_graph(members: Members) -> None:
    """Law: where a message goes next from an object that it comes to, the graph says it can go."""
    sandbox = Estate(members).sandbox
    graph = PathGraph(sandbox.estate)
    for on, queue, bind in product(sorted(sandbox.estate.qmgrs), QUEUES, ("open", "notfixed")):
        for hop in _hops(sandbox, on, queue, bind):
            place = PathPlace(hop.on, hop.queue)
            defined = graph.definition(place)
            is_by_name = bool(hop.path) and hop.path[0].startswith(f"{hop.queue} ")
            if hop.came and hop.to and is_by_name and defined is not None:
                if defined.is_qmgr_alias:  # it was named as the queue manager, for a queue like it
                    place = place._replace(queue=hop.queue)
                assert hop.to in graph.next_qmgrs(place), (on, queue, bind, str(hop))


LOOP = {
    "GW1": "DEFINE QREMOTE(FAR) RQMNAME(FAR) XMITQ(GW2)",
    "GW2": "DEFINE QREMOTE(FAR) RQMNAME(FAR) XMITQ(GW1)",
    "QM1": "DEFINE QREMOTE(A) RNAME(B) RQMNAME(FAR) XMITQ(GW1)",
}


def test_queue_manager_aliases_that_name_each_other_circle() -> None:
    """Every way from a remote definition leads into their loop, with the queue that it names."""
    sandbox = Sandbox()
    for name, script in LOOP.items():
        sandbox.control("crtmqm", name)
        sandbox.control("strmqm", name)
        for other in LOOP:
            sandbox.run(name, f"DEFINE QLOCAL({other}) USAGE(XMITQ)")
        sandbox.run(name, script)
    graph = PathGraph(sandbox.estate)
    found = circling(graph, [PathPlace("QM1", "A")])
    assert found == {
        PathPlace("QM1", "A"): (PathPlace("GW1", "FAR", "B"),),
        PathPlace("GW1", "FAR", "B"): (PathPlace("GW2", "FAR", "B"),),
        PathPlace("GW2", "FAR", "B"): (PathPlace("GW1", "FAR", "B"),),
    }
