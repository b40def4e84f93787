"""Observed states: what follows from them, and that the order of imports does not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, build, picture
from tests.app.test_import_order import AT, NAMES, RECEIVER, dumps
from tests.app.test_laws import fresh
from tests.feeds.test_dumps import dump
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant
from twin.questions.channels import channels
from twin.questions.doctor.diagnosis import diagnose

QMGRS = st.sampled_from([*NAMES, "NEVER.SEEN"])
CHANNELS = st.sampled_from(["CA.FR1", "CA.PR1", "CA.QM8", "APP"])
STATES = st.one_of(
    st.builds(
        events.ChannelObserved,
        qmgr=QMGRS,
        channel=CHANNELS,
        status=st.sampled_from(["RUNNING", "RETRYING", "STOPPED", "INACTIVE"]),
        instance=st.just(""),
    ),
    st.builds(
        events.QueueManagerStatusObserved, qmgr=QMGRS, status=st.sampled_from(["RUNNING", "ENDED"])
    ),
    st.builds(
        events.SuspensionObserved, qmgr=QMGRS, cluster=st.just("CA"), suspended=st.booleans()
    ),
    st.builds(
        events.ClusterCommandObserved,
        qmgr=QMGRS,
        command=st.just("REFRESH"),
        cluster=st.just("CA"),
        done=st.booleans(),
    ),
    st.builds(
        events.DepthsObserved,
        qmgr=QMGRS,
        depths=st.lists(
            st.builds(events.QueueDepth, queue=st.just("Q"), depth=st.integers(0, 3)), max_size=2
        ).map(tuple),
    ),
    st.builds(
        events.ChannelsListed,
        qmgr=QMGRS,
        complete=st.sampled_from(["*", "CA.*"]),
        shown=st.lists(CHANNELS, max_size=2, unique=True).map(tuple),
    ),
    st.builds(events.EvidenceObserved, qmgr=QMGRS, id=st.just("AMQ9206")),
)
Said = tuple[Instant, Any]


@st.composite
def states(draw: st.DrawFn) -> list[Said]:
    """Draw states of instants of their own: no two of one instant."""
    said = draw(st.lists(STATES, max_size=4))
    places = draw(st.permutations(range(len(said))))
    return [
        (AT[place % 3] + (place // 3) * HOUR, each)
        for place, each in zip(places, said, strict=True)
    ]


def take_in(twin: Twin, said: list[Said]) -> None:
    """Import dumps, and record states."""
    for at, each in said:
        if isinstance(each, FileText):
            twin.ingest_files([each], at=at)
        else:
            twin.record_observations([Fact(each, "observation:error-log")], at=at)


def known(twin: Twin) -> list[Any]:
    """Return what a twin knows after the states, and later."""
    points = [*AT, *(each + 2 * HOUR for each in AT), AT[-1] + DAY]
    return [picture(twin.view(as_of=at)[0]) for at in points]


@examples(cost=4)
@given(st.lists(dumps(), max_size=3), states(), st.randoms(use_true_random=False))
def test_states_and_dumps_may_come_in_any_order(
    files: list[Said], said: list[Said], chance: Any
) -> None:
    """A state counts once its queue manager and its channel are known, however late they come."""
    one_order = [*files, *said]
    other_order = list(one_order)
    chance.shuffle(other_order)
    with fresh(2) as (one, other):
        build(one)
        build(other)
        take_in(one, sorted(one_order, key=lambda each: each[0]))
        take_in(other, other_order)
        assert known(one) == known(other)
        one.log.verify()
        other.log.verify()


def channel_status(twin: Twin, qmgr: str, channel: str) -> str | None:
    """Return the last recorded status of a channel."""
    state = twin.view(as_of=AT[2])[0].qmgr(qmgr).activity.channels.get(channel)
    return None if state is None else state.status


def observed(channel: str, status: str = "STOPPED") -> events.ChannelObserved:
    """Return an observation of one instance of a channel at PR1."""
    return events.ChannelObserved(qmgr="PR1", channel=channel, status=status, instance="")


def test_one_instance_counts_for_channels_that_send() -> None:
    """A sender has one instance; of an instance of a receiver or of a client nothing follows."""
    with fresh(1) as (twin,):
        build(twin)
        before = {each: channel_status(twin, "PR1", each) for each in ("CA.PR1", "APP")}
        take_in(twin, [(AT[0], observed(each)) for each in ("CA.FR1", "APP")])
        take_in(twin, [(AT[0], observed("CA.PR1", "RETRYING"))])
        assert channel_status(twin, "PR1", "CA.FR1") == "STOPPED"
        for name, status in before.items():
            assert channel_status(twin, "PR1", name) == status
            seen = twin.view(as_of=AT[2])[0].qmgr("PR1").activity.seen.channels[name]
            assert (seen.at, seen.status) == (AT[0], "STOPPED" if name == "APP" else "RETRYING")


def of_receiver(status: str, partner: str = "") -> events.ChannelObserved:
    """Return an observation of an instance of the CLUSRCVR of PR1."""
    return events.ChannelObserved(qmgr="PR1", channel="CA.PR1", status=status, instance=partner)


PR1 = FileText(dump(RECEIVER.format(qmgr="PR1")).replace("QM7", "PR1"))
UNLISTED = events.ChannelsListed(qmgr="PR1", complete="*")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ([(AT[0], of_receiver("STOPPED"))], "STOPPED"),
        ([(AT[0], of_receiver("STOPPED")), (AT[0], of_receiver("RUNNING", "h"))], "STOPPED"),
        ([(AT[0], of_receiver("STOPPED")), (AT[1], of_receiver("INACTIVE", "h"))], "STOPPED"),
        ([(AT[0], of_receiver("STOPPED")), (AT[1], of_receiver("RUNNING", "h"))], "RUNNING"),
        ([(AT[0], of_receiver("RUNNING", "h")), (AT[1], of_receiver("STOPPED"))], "STOPPED"),
        ([(AT[0], of_receiver("STOPPED")), (AT[0], UNLISTED)], "STOPPED"),
        ([(AT[0], of_receiver("STOPPED")), (AT[1], UNLISTED)], "INACTIVE"),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("defined_last", [False, True])
def test_a_stopped_receiver_is_stopped_for_all_partners_until_one_runs(
    said: list[Said], status: str, *, backwards: bool, defined_last: bool
) -> None:
    """STOPPED is the status of the channel, in whatever order the files come in."""
    definitions = [(START + HOUR, PR1)]
    states = said[::-1] if backwards else said
    with fresh(1) as (twin,):
        take_in(twin, [*states, *definitions] if defined_last else [*definitions, *states])
        (found,) = channels(*twin.view(as_of=AT[2]), on="PR1", channel="CA.PR1").rows
        assert found["status"] == status
        assert found["basis"] in {"observed", "assumed"} or status == "INACTIVE"
        twin.log.verify()


def test_a_receiver_that_was_seen_stopped_is_stopped_once_it_is_known() -> None:
    """The capture may be older than the first definitions; the doctor finds the stopped channel."""
    with fresh(1) as (twin,):
        take_in(twin, [(AT[0], of_receiver("STOPPED")), (AT[1], PR1)])
        (found,) = channels(*twin.view(as_of=AT[2]), on="PR1", channel="CA.PR1").rows
        assert (found["status"], found["since"]) == ("STOPPED", AT[0])
        found_by = {each.rule.id for each in diagnose(twin.view(as_of=AT[2])[0], AT[2]).found}
        assert "cluster-receiver-stopped" in found_by


def test_channels_that_a_complete_answer_does_not_list_are_inactive() -> None:
    """What is not listed has ended; what is listed, and what has another name, stays."""
    for listed, status in (
        (events.ChannelsListed(qmgr="PR1", complete="*"), "INACTIVE"),
        (events.ChannelsListed(qmgr="PR1", complete="CA.*", shown=("CA.FR1",)), "STOPPED"),
        (events.ChannelsListed(qmgr="PR1", complete="CB.*"), "STOPPED"),
    ):
        with fresh(1) as (twin,):
            build(twin)
            take_in(twin, [(AT[0], observed("CA.FR1")), (AT[1], listed)])
            found = channel_status(twin, "PR1", "CA.FR1")
            assert (found or "INACTIVE") == status
            seen = twin.view(as_of=AT[2])[0].qmgr("PR1").activity.seen
            assert seen.channels["CA.FR1"].status == status


def test_late_evidence_costs_one_event() -> None:
    """What no rule reads is added late, and nothing is derived again."""
    with fresh(1) as (twin,):
        build(twin)
        take_in(twin, [(AT[1], observed("CA.FR1"))])
        last = twin.log.last().position
        depths = events.DepthsObserved(qmgr="PR1", depths=(events.QueueDepth(queue="Q", depth=7),))
        evidence = events.EvidenceObserved(qmgr="PR1", id="AMQ9206", digest="00")
        take_in(twin, [(START + HOUR, depths), (START + HOUR, evidence)])
        assert twin.log.last().position == last + 2
        seen = twin.view(as_of=AT[2])[0].qmgr("PR1").activity.seen
        assert seen.depths["Q"][:2] == (START + HOUR, 7)


def test_a_queue_manager_that_runs_channels_or_answers_has_started() -> None:
    """Its start need not be observed, since logs rotate; a channel that ends says nothing."""
    ended = events.QueueManagerStatusObserved(qmgr="QM8", status="ENDED")
    listed = events.ChannelsListed(qmgr="QM8", complete="*")
    with fresh(1) as (twin,):
        build(twin)
        text = dump(RECEIVER.format(qmgr="QM8")).replace("QM7", "QM8")
        twin.ingest_files([FileText(text)], at=AT[0])
        hours: list[Said] = [
            (AT[0] + HOUR, ended),
            (AT[0] + 2 * HOUR, replace(observed("APP", "RETRYING"), qmgr="QM8")),
            (AT[0] + 3 * HOUR, replace(observed("APP", "RUNNING"), qmgr="QM8")),
            (AT[0] + 4 * HOUR, ended),
            (AT[0] + 5 * HOUR, listed),
        ]
        take_in(twin, hours)
        running = [twin.view(as_of=at)[0].qmgr("QM8").running for at, _ in hours]
        assert running == [False, False, True, False, True]


def test_an_observed_end_and_start_are_those_of_the_commands() -> None:
    """A queue manager that was observed to have ended has ended, until it was observed to run."""
    with fresh(1) as (twin,):
        build(twin)
        for at, status in ((AT[0], "ENDED"), (AT[1], "RUNNING")):
            said = events.QueueManagerStatusObserved(qmgr="PR1", status=status)
            take_in(twin, [(at, said)])
        running = [twin.view(as_of=at + HOUR)[0].qmgr("PR1").running for at in AT]
        assert running == [False, True, True]
