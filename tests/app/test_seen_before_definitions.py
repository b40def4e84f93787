"""What was observed of a queue manager before its first definitions is what was last seen of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START
from tests.app.test_laws import fresh
from tests.app.test_standing import ESTATE, QMGRS, STATES, observe, row, seen_channel, text_of
from tests.laws import examples
from twin import events
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.fold.store.pages import private_copy
from twin.model.instants import HOUR, Instant

BEFORE = START - HOUR
BASES = (
    (START, "observed"),
    (BEFORE + 26 * HOUR, "observed"),
    (BEFORE + 27 * HOUR, "assumed"),
    (LATER, "assumed"),
)


def _listed(*shown: str) -> events.ChannelsListed:
    return events.ChannelsListed(qmgr="P1", complete="*", shown=shown)


def _suspended() -> events.SuspensionObserved:
    return events.SuspensionObserved(qmgr="P1", cluster="CA", suspended=True)


def _status(status: str) -> events.QueueManagerStatusObserved:
    return events.QueueManagerStatusObserved(qmgr="P1", status=status)


def defined(twin: Twin) -> Twin:
    """Import the dumps of the estate, the first definitions of all queue managers."""
    twin.ingest_files([text_of(qmgr) for qmgr in ESTATE], at=START)
    return twin


def test_a_channel_has_the_status_that_was_seen_before_the_first_definitions(twin: Twin) -> None:
    """The latest of several counts, with its instant; after 26 hours that it stands is assumed."""
    observe(twin, BEFORE - HOUR, seen_channel("CA.F1", "RETRYING"))
    observe(twin, BEFORE, seen_channel("CA.F1", "STOPPED"))
    defined(twin)
    for at, basis in BASES:
        shown = row(twin, at)
        assert (shown["status"], shown["basis"], shown["since"]) == ("STOPPED", basis, BEFORE)


def test_a_complete_list_before_the_first_definitions_says_inactive(twin: Twin) -> None:
    """A channel that it lacks is INACTIVE, also one that another file names later, and as long."""
    observe(twin, BEFORE, seen_channel("CA.F2", "RUNNING"), _listed("CA.F2"))
    defined(twin)
    for at, basis in BASES:
        shown = row(twin, at)
        assert (shown["status"], shown["basis"]) == ("INACTIVE", basis)


def test_depths_listeners_suspension_and_queues_of_before_count(twin: Twin) -> None:
    """Every state that was observed before the first definitions is that of their instant."""
    queue, own = "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "XQ"
    observe(
        twin,
        BEFORE,
        events.DepthsObserved(qmgr="P1", depths=(events.QueueDepth(queue=queue, depth=7),)),
        events.ListenersObserved(qmgr="P1", running=("L.1",), complete="*"),
        events.TransmissionQueueObserved(qmgr="P1", channel="CA.F1", queue=own),
        _suspended(),
    )
    xmitq = FileText(f"DEFINE QLOCAL({own}) USAGE(XMITQ)\nDEFINE LISTENER(L.1) TRPTYPE(TCP)", "P1")
    twin.ingest_files([*(text_of(qmgr) for qmgr in ESTATE), xmitq], at=START)
    session = twin.runmqsc(
        "P1",
        f"DIS QL({queue}) CURDEPTH\nDIS LSSTATUS(*)\nDIS CLUSQMGR(P1) SUSPEND\n"
        "DIS CLUSQMGR(F1) XMITQ",
        as_of=LATER,
    )
    depth, listener, suspended, used = session.displayed
    assert depth["curdepth"] == 7
    assert listener["listener"] == "L.1"
    assert suspended["suspend"] == "YES"
    assert used["xmitq"] == own
    assert "LISTENER" not in session.lines[-1].upper()


def test_a_queue_manager_that_answered_ran_whatever_was_seen_before(twin: Twin) -> None:
    """Its end before a dump is past; a script does not say that it runs."""
    observe(twin, BEFORE, _status("ENDED"))
    observe(twin, BEFORE, events.QueueManagerStatusObserved(qmgr="S1", status="ENDED"))
    defined(twin)
    twin.ingest_files([FileText("DEFINE QLOCAL(Q)", "S1")], at=START)
    estate, _ = twin.view(as_of=LATER)
    assert estate.qmgrs["S1"].running is False


def _shown(twin: Twin) -> list[Any]:
    session = twin.runmqsc(
        "P1", "DIS CHSTATUS(*)\nDIS LSSTATUS(*)\nDIS CLUSQMGR(*) ALL", as_of=LATER
    )
    statuses = [row(twin, LATER, channel, "P1") for channel in ("CA.F1", "CA.F2")]
    return [session.lines[1:], [(each["status"], each["basis"]) for each in statuses]]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_order_of_imports_decides_nothing(twin: Twin, order: tuple[int, ...]) -> None:
    """States of before, the definitions, and states of after come in any order."""
    steps: list[Callable[[Twin], object]] = [
        lambda log: observe(log, BEFORE - HOUR, seen_channel("CA.F1", "STOPPED")),
        lambda log: observe(log, BEFORE, _suspended(), _listed()),
        defined,
        lambda log: observe(log, START + HOUR, seen_channel("CA.F2", "RUNNING")),
    ]
    for number in order:
        steps[number](twin)
    with fresh(1) as (other,):
        for step in steps:
            step(other)
        assert _shown(twin) == _shown(other)


@examples(cost=4)
@given(
    st.lists(st.tuples(st.integers(1, 9), STATES), max_size=5, unique_by=lambda each: each[0]),
    QMGRS,
)
def test_states_of_before_are_those_of_an_estate_that_was_defined_before_them(
    said: list[tuple[Instant, Any]], qmgr: str
) -> None:
    """If the same definitions were known earlier, channels have the same statuses later on."""
    with fresh(2) as (late, early):
        early.ingest_files([text_of(each) for each in ESTATE], at=START - 20 * HOUR)
        for log in (late, early):
            for hour, each in said:
                observe(log, START - 10 * HOUR + hour * HOUR, each)
            defined(log)
        for channel in ("CA.F1", "CA.F2", "CA.P2"):
            if channel != f"CA.{qmgr}":
                seen = [
                    each.activity.seen.of_channel(channel)
                    for log in (late, early)
                    if (each := log.view(as_of=LATER)[0].qmgrs[qmgr])
                ]
                assert (seen[0] and seen[0][:2]) == (seen[1] and seen[1][:2])


def test_states_of_before_survive_a_snapshot(twin: Twin) -> None:
    """A saved estate has what was observed of queue managers that it does not know."""
    queue = events.TransmissionQueueObserved(qmgr="P1", channel="CA.F1", queue="XQ")
    observe(twin, BEFORE, seen_channel("CA.F1", "RETRYING"), _listed(), queue)
    estate, _ = twin.view(as_of=BEFORE)
    assert estate.seen_before["P1"].facts
    assert private_copy(estate).seen_before == estate.seen_before
