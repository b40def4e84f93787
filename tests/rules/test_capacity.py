"""The capacity of queues: the same for messages one by one and for many at once."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.sending_scene import DEFAULT, Scene, scene
from tests.sandbox import small_cluster
from twin import events
from twin.model.instants import SECOND
from twin.rules.deriving import derive

REMOTE: Final = """
DEFINE QLOCAL(XS) USAGE(XMITQ) MAXDEPTH(6) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE CHANNEL(TO.PR2) CHLTYPE(SDR) CONNAME('PR2') XMITQ(XS)
DEFINE QREMOTE(R) RNAME(Q) RQMNAME(OTHER) XMITQ(XS)
"""
SMALL: Final = st.integers(min_value=1, max_value=9)
MANY: Final = st.integers(min_value=1, max_value=30)


def one_by_one(sandbox: Scene, count: int, **options: object) -> tuple[int, int]:
    """Put messages one by one until a put fails; return the number of puts, and the reason."""
    for number in range(count):
        if reason := sandbox.put("QMS", "ORD", **options).reason:
            return number, reason
    return count, 0


def at_once(sandbox: Scene, count: int, **options: object) -> tuple[int, int]:
    """Put messages with one call; return the number that were put, and the reason."""
    put = sandbox.put("QMS", "ORD", count=count, **options)
    return put.count, put.reason


def depths(sandbox: Scene) -> dict[tuple[str, str], int]:
    """Count the messages on all queues."""
    return {
        (name, queue): sandbox.depth(name, queue)
        for name in ("QMS", "QM3", "QM4")
        for queue in ("ORD", "DLQ", "XQ3", DEFAULT)
    }


@given(
    st.sets(st.sampled_from(["QM3", "QM4"])),
    st.tuples(SMALL, SMALL),
    MANY,
    st.sampled_from(["' '", "CA.QM3"]),
)
def test_messages_put_at_once_are_refused_where_one_of_so_many_would_be(
    held: set[str], room: tuple[int, int], count: int, clchname: str
) -> None:
    """One put of many messages is refused at the same message as many puts of one."""
    results = []
    for way in (one_by_one, at_once):
        made = scene()
        made.run("QMS", f"DEFINE QLOCAL(XQ3) USAGE(XMITQ) CLCHNAME({clchname})")
        made.run("QMS", f"ALTER QLOCAL(XQ3) MAXDEPTH({room[0]})")
        made.run("QMS", f"ALTER QLOCAL({DEFAULT}) MAXDEPTH({room[1]})")
        made.send(count=2)
        for name in sorted(held):
            made.run("QMS", f"STOP CHANNEL(CA.{name})\nSTART CHANNEL(CA.{name})")
            made.hold(f"CA.{name}")
        result = way(made, count, bind="notfixed")
        results.append((result, depths(made), made.messaging.workload.uses))
    assert results[0] == results[1]


@given(
    st.tuples(SMALL, SMALL, st.integers(0, 9)),
    MANY,
    st.fixed_dictionaries(
        {"persistent": st.booleans(), "bind": st.sampled_from(["open", "notfixed"])}
    ),
)
def test_returned_messages_of_one_put_fill_queues_as_single_puts_do(
    room: tuple[int, int, int], count: int, options: dict[str, object]
) -> None:
    """With small queues at both ends, one put of many messages equals many puts of one."""
    results = []
    for way in (one_by_one, at_once):
        made = scene()
        made.run("QMS", f"ALTER QLOCAL({DEFAULT}) MAXDEPTH({room[0]})")
        made.run("QM4", "DELETE QLOCAL(ORD)")
        made.run("QM3", f"ALTER QLOCAL(ORD) MAXDEPTH({room[1]})")
        if room[2]:
            made.run("QM3", f"DEFINE QLOCAL(DLQ) MAXDEPTH({room[2]})\nALTER QMGR DEADQ(DLQ)")
        result = way(made, count, **options)
        results.append((result, depths(made)))
    assert results[0] == results[1]
    assert results[0][1]["QMS", DEFAULT] <= room[0]


def test_where_there_is_room_a_put_is_one_event_and_one_message_event() -> None:
    """A put of a million messages through a queue of ten is one put event and one sent event."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.run("QM3", "ALTER QLOCAL(ORD) MAXDEPTH(999999999)")
    made.run("QMS", f"ALTER QLOCAL({DEFAULT}) MAXDEPTH(10)")
    made.send(count=1_000_000)
    assert made.depth("QM3") == 1_000_000
    assert [len(made.told(kind)) for kind in (events.MessagesPut, events.MessagesSent)] == [1, 1]


def test_messages_that_have_to_wait_for_an_answer_take_room() -> None:
    """A transmission queue takes no more than it holds if the receiver must first ask for a name.

    This includes nonpersistent messages, which a fast channel discards if they can be put nowhere.
    """
    sandbox = small_cluster()
    for full in ("FR1", "FR2"):
        derive(sandbox.draft, events.LinkChanged(qmgr="PR2", other=full, cut=True))
    sandbox.run("PR1", REMOTE)
    sandbox.run("PR2", "DEFINE CHANNEL(TO.PR2) CHLTYPE(RCVR)")
    put = sandbox.put("PR1", "R", count=7, persistent=False)
    assert (put.count, put.reason, sandbox.depth("PR1", "XS")) == (6, 2053, 6)
    sandbox.pass_time(10 * SECOND)
    assert sandbox.depth("PR1", "XS") == 0


def test_repository_commands_that_wait_take_room() -> None:
    """Waiting repository commands take room on their transmission queue."""
    made = scene()
    made.run("QM4", "DELETE QLOCAL(ORD)")
    made.run("QMS", f"ALTER QLOCAL({DEFAULT}) MAXDEPTH(3)\nSTOP CHANNEL(CA.QM3)")
    made.send(count=1)
    made.run("QMS", "ALTER CHANNEL(CA.QMS) CHLTYPE(CLUSRCVR) DESCR('news')")
    assert len(made.estate.qmgr("QMS").repository.waiting["CA.QM3"]) == 1
    assert at_once(made, 5, bind="notfixed") == (1, 2053)


@pytest.mark.parametrize("change", ["MAXDEPTH(1)", "PUT(DISABLED)"])
def test_a_pass_without_room_counts_no_turn_and_is_retried_with_room(
    change: str,
) -> None:
    """A pass without room counts no turn; a retry is scheduled once there is room."""
    made = scene()
    made.run("QMS", "DEFINE QLOCAL(XQ4) USAGE(XMITQ) CLCHNAME(CA.QM4)")
    made.run("QMS", "STOP CHANNEL(CA.QM4)\nSTART CHANNEL(CA.QM4)")
    made.hold("CA.QM3")
    made.hold("CA.QM4")
    made.send(count=4)
    made.run("QMS", f"ALTER QLOCAL(XQ4) {change}")
    uses = dict(made.messaging.workload.uses)
    made.control("endmqm", "QM3")
    assert made.waiting("CA.QM3") == {DEFAULT: 2}
    assert dict(made.messaging.workload.uses) == uses
    state = made.state("CA.QM3")
    assert state is not None
    assert state.retry is None
    made.run("QMS", "ALTER QLOCAL(XQ4) MAXDEPTH(3) PUT(ENABLED)")
    made.pass_time(60_000_000)
    assert (made.waiting("CA.QM3"), made.waiting("CA.QM4")) == ({DEFAULT: 1}, {"XQ4": 3})
