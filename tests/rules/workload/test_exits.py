"""Workload exits: their input, their possible answers, and the stored outcome."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from pydantic import TypeAdapter

from tests.rules.workload.routing import SENDER, route
from twin.events import ExitSaid
from twin.fold.messaging import RouteUse, Workload
from twin.rules.workload import exits as mq
from twin.rules.workload.choosing import Trace
from twin.rules.workload.counterfactuals import alternatives
from twin.rules.workload.exits import (
    MQWDR,
    MQWQR,
    MQWXP,
    ExitOutcome,
    WorkloadExit,
    applied,
    consult,
    parameters,
)
from twin.rules.workload.routes import Context, Route

ROUTES = [
    route("A", put_enabled=False),
    route("B", "CB.B", cluster="CB"),
    route("B", suspended=True),
    route("C", local=True, status="RUNNING", weight=20),
]
CONTEXT = Context(qmgr="C", queue="ORD", queue_useq="ANY", mruc=5)


def _trace(routes: list[Route] = ROUTES, context: Context = CONTEXT) -> Trace:
    return Trace.of(routes, context, Workload())


def _ask(exit_: WorkloadExit, trace: Trace | None = None) -> ExitOutcome:
    return consult(exit_, "EXIT", trace or _trace(), Workload(), exit_reason=mq.REASON_PUT)


def choosing(number: int, response: int = mq.RESPONSE_OK) -> WorkloadExit:
    """Make an exit that always gives the same answer."""

    def exit_(block: MQWXP, there: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
        assert block.destination_count == len(there) == len(queues)
        return replace(block, destination_chosen=number, exit_response=response)

    return exit_


def test_an_exit_is_given_what_shares_the_clusters_and_the_choice() -> None:
    """An exit gets put-disabled instances, but not the channels of other clusters."""
    workload = Workload({("C_1", "CA.C"): RouteUse(4, 50)}, last=4)
    given = parameters(_trace(), workload, exit_reason=mq.REASON_OPEN, exit_data="DATA")
    assert [each.channel for each in given.routes] == ["CA.C", "CA.A", "CA.B"]
    assert given.block == MQWXP(
        exit_reason=20,
        exit_data="DATA",
        flags=0,
        q_name="ORD",
        q_mgr_name="C",
        destination_count=3,
        destination_chosen=1,
        clwl_mru_channels=5,
    )
    here = given.destinations[0]
    assert (here.q_mgr_identifier, here.channel_state, here.clwl_channel_weight) == ("C_1", 3, 20)
    assert (here.dest_seq_number, here.dest_seq_factor) == (4, 50)
    flags = [each.q_mgr_flags for each in given.destinations]
    assert flags == [
        mq.AVAILABLE,
        mq.AVAILABLE | mq.CLUSSDR_AUTO_DEFINED,
        mq.CLUSSDR_AUTO_DEFINED,
    ]
    assert [each.inhibit_put for each in given.queues] == [0, 1, 0]
    assert given.queues[0].q_flags == mq.LOCAL_QUEUE | mq.USEQ_ANY


def test_a_message_from_a_cluster_channel_is_flagged() -> None:
    """An exit sees that a message came from a cluster channel, and CLWLUSEQ(ANY) is off."""
    trace = _trace(context=replace(CONTEXT, arrived=True))
    given = parameters(trace, Workload(), exit_reason=mq.REASON_PUT)
    assert given.block.flags == mq.FLAG_PUT_BY_CLUSTER_CHANNEL
    assert given.queues[0].q_flags == mq.LOCAL_QUEUE


@pytest.mark.parametrize(
    ("exit_", "outcome"),
    [
        (choosing(1), ExitOutcome(ExitSaid(name="EXIT"))),
        (choosing(2), ExitOutcome(ExitSaid(name="EXIT", to="A_1", channel="CA.A"))),
        (choosing(1, mq.RESPONSE_SUPPRESS_EXIT), ExitOutcome(ExitSaid(name="EXIT"), over=True)),
        (
            choosing(2, mq.RESPONSE_SUPPRESS_FUNCTION),
            ExitOutcome(ExitSaid(name="EXIT", reason=2188)),
        ),
        (choosing(0), ExitOutcome(ExitSaid(name="EXIT", reason=2270))),
    ],
)
def test_an_exit_may_choose_or_refuse(exit_: WorkloadExit, outcome: ExitOutcome) -> None:
    """An exit may keep the choice, choose another route, or make the call fail."""
    assert _ask(exit_) == outcome


def _raises(*_: object) -> MQWXP:
    tables: dict[str, MQWXP] = {}
    return tables["no such table"]


def _nothing(*_: object) -> MQWXP:
    return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("exit_", "problem"),
    [
        (choosing(4), "DestinationChosen 4; expected 0 to 3"),
        (choosing(-1), "DestinationChosen -1; expected 0 to 3"),
        (choosing(1, 7), "unknown ExitResponse 7"),
        (_raises, "KeyError: 'no such table'"),
        (_nothing, "returned NoneType, not MQWXP"),
    ],
)
def test_what_an_exit_does_wrong_is_2266_and_the_choice_stands(
    exit_: WorkloadExit, problem: str
) -> None:
    """An exit that fails has reason 2266 and is not called again; a trace shows no choice of it."""
    outcome = _ask(exit_)
    assert outcome == ExitOutcome(ExitSaid(name="EXIT", reason=2266, problem=problem), over=True)
    assert applied(_trace(), outcome.said) == _trace()


def test_a_trace_takes_what_was_recorded_without_calling_the_exit() -> None:
    """A trace shows a recorded exit's choice: the rules' route is excluded by `exit`."""
    said = _ask(choosing(2)).said
    trace = applied(_trace(), said)
    assert [(row["qmgr"], row["removed_by"], row["chosen"]) for row in trace.rows()] == [
        ("C", "exit", False),
        ("A", None, True),
        ("B", "weight", False),
        ("B", "cluster", False),
    ]
    assert trace.rows()[0]["attribute"] == "CLWLEXIT"
    assert (trace.rows()[0]["value"], trace.rows()[0]["best"]) == ("EXIT", None)
    _, rule, fall = trace.removals()[0]
    assert rule is not None
    assert fall is not None
    assert trace.fell_by(rule, fall) == "CLWLEXIT(EXIT), which chose A"


def test_a_refusal_leaves_no_choice() -> None:
    """A refusal (2188) leaves no chosen route."""
    trace = applied(_trace(), ExitSaid(name="EXIT", reason=2188))
    assert (trace.chosen, trace.reason) == (None, 2188)
    assert not any(row["chosen"] for row in trace.rows())


def test_an_exit_helps_where_all_are_put_disabled() -> None:
    """An exit may choose a route where a call would fail with 2268; a lost route is ignored."""
    trace = Trace.of([route("A", put_enabled=False)], SENDER, Workload())
    assert trace.reason == 2268
    helped = applied(trace, _ask(choosing(1), trace).said)
    assert (helped.chosen, helped.reason) == (trace.routes[0], 0)
    assert applied(trace, ExitSaid(name="EXIT", to="GONE", channel="CA.GONE")) == trace


def test_an_outcome_can_be_written_down() -> None:
    """An outcome is the same after writing it as JSON and reading it."""
    adapter = TypeAdapter(ExitOutcome)
    outcome = ExitOutcome(ExitSaid(name="EXIT", to="A_1", channel="CA.A"), over=True)
    assert adapter.validate_json(adapter.dump_json(outcome)) == outcome
    assert asdict(outcome.said) == {
        "name": "EXIT",
        "to": "A_1",
        "channel": "CA.A",
        "reason": 0,
        "problem": "",
    }


def test_no_change_is_suggested_if_an_exit_decided() -> None:
    """No change is suggested if an exit decided."""
    trace = applied(_trace(), _ask(choosing(2)).said)
    assert trace.by_exit
    assert alternatives(trace, Workload()) == ()
