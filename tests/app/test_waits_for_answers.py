"""Calls that wait for full repositories: whatever happens meanwhile, nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, build, make_twin
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.events.catalogue import decode
from twin.model.instants import SECOND, Instant
from twin.questions.explanation import ExplainRequest

OPENED = START + 60 * SECOND
QMGRS = ("FR1", "PR1", "PR2")
QUEUES = ("Q1", "Q2", "ALIAS")


@contextmanager
def clusters() -> Iterator[tuple[Twin, str]]:
    """Build a cluster with Q1 at PR2 and an alias for it; yield a twin and the log's address."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'twin.db'}"
        with make_twin(url, lambda: LATER) as twin:
            build(twin)
            twin.runmqsc("PR2", "DEFINE QLOCAL(Q1) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
            twin.runmqsc("PR1", "DEFINE QALIAS(ALIAS) TARGET(Q1)", at=START)
            yield twin, url


def delay(twin: Twin, one: str = "", other: str = "", *, seconds: float) -> None:
    """Set the latency of a link, or of all."""
    twin.link("delay", one, other, latency=int(seconds * SECOND), at=START)


def told(twin: Twin) -> list[tuple[Any, ...]]:
    """Return the events of a branch without their ids, causes and recording instants."""
    return [
        (event.occurred_at, event.type, event.qmgr, event.body)
        for event in twin.log.events(branch=twin.branch)
    ]


def opened(twin: Twin) -> list[tuple[Instant, events.Event]]:
    """Return the handles that were opened, the puts, and the ends of waits."""
    types = ["HandleOpened", "MessagesPut", "AnswerWaitEnded"]
    stored = twin.log.events(branch=twin.branch, types=types)
    return [(each.occurred_at, decode(each.type, each.body)) for each in stored]


def test_only_the_open_and_its_request_are_recorded_at_its_instant() -> None:
    """The outcome is recorded when the answer comes, and the caller is told it ahead."""
    with clusters() as (twin, _):
        delay(twin, seconds=2)
        before = twin.log.head().position
        said = twin.open_queue("PR1", "Q1", handle="H", at=OPENED)
        types = [event.type for event in twin.log.events(after=before)]
        assert types == [
            "QueueOpened",
            "SubscriptionMade",
            *["ClusterCommandsUnderWay@1"[:-2]] * 2,
            "AnswerAwaited",
        ]
        assert (said.reason, said.waited, said.pending > 0) == (0, 4 * SECOND, True)
        assert not opened(twin)
        twin.tick(OPENED + 10 * SECOND)
        ended, handle = opened(twin)
        assert ended == (
            OPENED + 4 * SECOND,
            events.AnswerWaitEnded(qmgr="PR1", names=(("queue", "Q1"),)),
        )
        assert (handle[0], handle[1].handle) == (OPENED + 4 * SECOND, "H")  # type: ignore[attr-defined]


def test_a_second_open_ends_with_the_wait_that_it_joins() -> None:
    """Two opens of a name end at once, also if nobody answers."""
    with clusters() as (twin, _):
        delay(twin, seconds=30)
        first = twin.open_queue("PR1", "Q1", at=OPENED)
        second = twin.open_queue("PR1", "ALIAS", at=OPENED + 7 * SECOND)
        assert (first.reason, first.waited) == (2189, 10 * SECOND)
        assert (second.reason, second.waited) == (2082, 3 * SECOND)
        other = twin.open_queue("PR1", "Q2", at=OPENED + 8 * SECOND)
        assert (other.reason, other.waited) == (2189, 10 * SECOND)


def test_an_open_asks_again_if_refresh_cluster_drops_its_request() -> None:
    """Both while its request and while the answer is under way; its ten seconds go on."""
    for refreshed, ended, reason in ((1, 5, 0), (3, 7, 0), (8, 10, 2189)):
        with clusters() as (twin, _):
            delay(twin, seconds=2 if refreshed < 8 else 5)
            twin.open_queue("PR1", "Q1", handle="H", at=OPENED)
            twin.runmqsc("PR1", "REFRESH CLUSTER(CA)", at=OPENED + refreshed * SECOND)
            twin.tick(OPENED + 60 * SECOND)
            assert opened(twin)[0] == (
                OPENED + ended * SECOND,
                events.AnswerWaitEnded(qmgr="PR1", names=(("queue", "Q1"),), reason=reason),
            )


def test_a_process_that_ends_in_the_middle_loses_nothing() -> None:
    """Another process on the same log ends the wait."""
    with clusters() as (twin, url):
        delay(twin, seconds=2)
        twin.put("PR1", "Q1", count=3, at=OPENED)
        twin.snapshot(every=1)
        twin.close()
        with make_twin(url, lambda: LATER) as again:
            again.tick(OPENED + 10 * SECOND)
            (_, put) = opened(again)
            assert put[0] == OPENED + 4 * SECOND
            assert again.get("PR2", "Q1", count=9, at=OPENED + 11 * SECOND).count == 3


def test_a_branch_in_the_middle_has_an_end_of_its_own() -> None:
    """On a branch the wait goes on, and may end otherwise than on its parent."""
    with clusters() as (twin, _):
        delay(twin, seconds=2)
        twin.open_queue("PR1", "Q1", handle="H", at=OPENED)
        twin.log.create_branch("cut")
        branch = twin.on_branch("cut")
        for full in ("FR1", "FR2"):
            branch.link("cut", "PR1", full, at=OPENED + SECOND)
        branch.tick(OPENED + 10 * SECOND)
        twin.tick(OPENED + 10 * SECOND)
        assert [type(event).__name__ for _, event in opened(twin)] == [
            "AnswerWaitEnded",
            "HandleOpened",
        ]
        assert opened(branch)[-1] == (
            OPENED + 10 * SECOND,
            events.AnswerWaitEnded(qmgr="PR1", names=(("queue", "Q1"),), reason=2189),
        )


def test_a_late_fact_in_the_middle_is_as_if_it_had_come_on_time() -> None:
    """What a late fact changes for a wait that has ended is derived again."""
    gone = events.ObjectVanished(qmgr="PR2", kind="QUEUE", name="Q1")
    ends = []
    for late in (False, True):
        with clusters() as (twin, _):
            delay(twin, seconds=4)
            delay(twin, "PR2", "FR1", seconds=1)
            delay(twin, "PR2", "FR2", seconds=1)

            def vanish(twin: Twin = twin) -> None:
                twin.record_observations([Fact(gone, "observation:test")], at=OPENED + SECOND)

            twin.put("PR1", "Q1", count=3, at=OPENED)
            if not late:
                vanish()
            twin.tick(OPENED + 20 * SECOND)
            if late:
                assert opened(twin)[-1][0] == OPENED + 8 * SECOND
                vanish()
            rows = twin.log.rows(branch="main", types=["MessagesPut", "AnswerWaitEnded"])
            ends.append([(at, body) for at, _, _, body in rows])
    assert ends[0] == ends[1]
    assert '"reason":2085' in ends[0][0][1]


def test_a_queue_manager_that_ends_drops_its_calls() -> None:
    """Applications lose their connections; a channel that was held up asks again later."""
    with clusters() as (twin, _):
        delay(twin, seconds=2)
        twin.put("PR1", "Q1", at=OPENED)
        twin.endmqm("PR1", at=OPENED + SECOND)
        twin.strmqm("PR1", at=OPENED + 2 * SECOND)
        twin.tick(OPENED + 30 * SECOND)
        assert not opened(twin)
        assert twin.put("PR1", "Q1", at=OPENED + 31 * SECOND).reason == 0


Step = tuple[int, Callable[[Twin, Instant], object]]


def _steps() -> st.SearchStrategy[list[Step]]:
    qmgrs, queues = st.sampled_from(QMGRS), st.sampled_from(QUEUES)
    handles, pairs = (
        st.sampled_from("HK"),
        st.sampled_from([("FR1", "PR1"), ("FR2", "PR1"), ("FR1", "PR2")]),
    )
    seconds = st.sampled_from([0, 1, 3, 6])
    acts = st.one_of(
        st.builds(
            lambda q, n, h: lambda t, at: t.open_queue(q, n, handle=h, at=at),
            qmgrs,
            queues,
            handles,
        ),
        st.builds(lambda q, n: lambda t, at: t.put(q, n, count=2, at=at), qmgrs, queues),
        st.builds(lambda h: lambda t, at: t.put("PR1", handle=h, at=at), handles),
        st.builds(lambda h: lambda t, at: t.close_handle("PR1", h, at=at), handles),
        st.builds(
            lambda p, c: lambda t, at: t.link(c, *p, at=at), pairs, st.sampled_from(["cut", "heal"])
        ),
        st.builds(
            lambda p, s: lambda t, at: t.link("delay", *p, latency=s * SECOND, at=at),
            pairs,
            seconds,
        ),
        st.builds(
            lambda q, c: lambda t, at: getattr(t, c)(q, at=at),
            qmgrs,
            st.sampled_from(["endmqm", "strmqm"]),
        ),
        st.builds(lambda q: lambda t, at: t.runmqsc("PR2", f"DELETE QLOCAL({q})", at=at), queues),
        st.builds(
            lambda q: lambda t, at: t.runmqsc("PR2", f"DEFINE QLOCAL({q}) CLUSTER(CA)", at=at),
            queues,
        ),
    )
    return st.lists(st.tuples(st.integers(0, 8), acts), min_size=1, max_size=10)


@examples(cost=2)
@given(steps=_steps(), seconds=st.sampled_from([0, 1, 3, 6]), stride=st.integers(1, 7))
def test_time_may_pass_in_one_step_or_in_many(steps: list[Step], seconds: int, stride: int) -> None:
    """The events are the same, also if each step is made by a new process."""
    worlds = []
    for small in (False, True):
        with clusters() as (first, url):
            delay(first, seconds=seconds)
            at, twin = OPENED, first
            for gap, act in steps:
                if small:
                    for instant in range(at, at + gap * SECOND, stride * SECOND):
                        twin.tick(instant)
                    twin = make_twin(url, lambda: LATER)
                at += gap * SECOND
                with suppress(TwinError):
                    act(twin, at)
                if small and gap % 2:
                    twin.snapshot(every=1)
            twin.tick(at + 60 * SECOND)
            worlds.append(told(twin))
            assert not any(
                qmgr.activity.waits for qmgr in twin.view(as_of=at + 60 * SECOND)[0].qmgrs.values()
            )
    assert worlds[0] == worlds[1]


@examples(cost=2)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from(["Q1", "Q2", "ALIAS"])), min_size=1, max_size=6
    ),
    st.sampled_from([0, 1, 3, 6]),
)
def test_the_expected_outcome_is_the_one_that_is_recorded(
    opens: list[tuple[int, str]], seconds: int
) -> None:
    """If nothing else happens, each call ends as it was foretold."""
    with clusters() as (twin, _):
        delay(twin, seconds=seconds)
        at, expected = OPENED, []
        for number, (gap, queue) in enumerate(opens):
            at += gap * SECOND
            said = twin.open_queue("PR1", queue, handle=str(number), at=at)
            if not said.reason:
                expected.append((at + said.waited, str(number), said.bound_to))
        twin.tick(at + 30 * SECOND)
        recorded = [
            (when, event.handle, twin.names()[event.bound.to] if event.bound else "")
            for when, event in opened(twin)
            if isinstance(event, events.HandleOpened)
        ]
        assert sorted(recorded) == sorted(expected)


def test_explain_and_inquire_look_ahead_as_the_caller_does() -> None:
    """An explanation tells what a put that waits would do, and records nothing."""
    with clusters() as (twin, _):
        delay(twin, seconds=2)
        branch = twin.log.create_branch("what-if").name
        there = twin.on_branch(branch)
        before = there.log.head().position
        explained, _ = there.explain("PR1", ExplainRequest(queue="Q1"))
        assert explained.reason == 0
        assert explained.trace is not None
        assert [route.qmgr for route in explained.trace.routes] == ["PR2"]
        assert there.inquire("PR1", "Q1").reason == 0
        assert there.inquire("PR1", "NONE").reason == 2085
        delay(there, seconds=30)
        explained, _ = there.explain("PR1", ExplainRequest(queue="Q2"))
        assert explained.reason == 2189
        assert there.log.head().position == before


def test_a_put_says_that_its_channel_is_held_up() -> None:
    """What waits for a receiver that asks its full repositories says so."""
    with clusters() as (twin, _):
        for full in ("FR1", "FR2"):
            delay(twin, "PR2", full, seconds=3)
        twin.put("PR1", "Q1", at=OPENED)
        twin.runmqsc("PR2", "DELETE QLOCAL(Q1) PURGE", at=OPENED + SECOND)
        put = twin.put("PR1", "Q1", count=2, at=OPENED + SECOND)
        outcome = twin.whereabouts("PR1", put, at=OPENED + SECOND)
        (waits,) = outcome.waits
        assert str(waits) == "CA.PR2 is held up by PR2, which waits for its full repositories"
        twin.tick(OPENED + 30 * SECOND)
        (waits,) = twin.whereabouts("PR1", put, at=OPENED + 30 * SECOND).waits
        assert "returned with 2085 MQRC_UNKNOWN_OBJECT_NAME" in str(waits)


GATEWAYS = {
    "FRA": "ALTER QMGR REPOS(A)",
    "FRB": "ALTER QMGR REPOS(B)",
    "QMA": "",
    "QMB": "DEFINE QLOCAL(Q) CLUSNL(AB) DEFBIND(NOTFIXED)",
    "QMC": "DEFINE QALIAS(Q) TARGET(Q) CLUSNL(AB) DEFBIND(NOTFIXED)",
    "QMD": "DEFINE QLOCAL(Q) CLUSTER(B) CLWLRANK(1)\nDEFINE QLOCAL(ONLY) CLUSTER(B)",
}
"""Two clusters: QMB and QMC are in both, QMA in the first, QMD in the second."""

MEMBERS = {"FRA": "A", "FRB": "B", "QMA": "A", "QMB": "AB", "QMC": "AB", "QMD": "B"}


@contextmanager
def two_clusters() -> Iterator[Twin]:
    """Build both clusters on a new log."""
    with (
        TemporaryDirectory() as folder,
        make_twin(f"sqlite:///{Path(folder) / 'twin.db'}", lambda: LATER) as twin,
    ):
        for name, own in GATEWAYS.items():
            twin.crtmqm(name, at=START)
            twin.strmqm(name, at=START)
            lines = ["DEFINE NAMELIST(AB) NAMES(A,B)"]
            for cluster in MEMBERS[name]:
                conname = f"CONNAME('{name.lower()}({1414 + (cluster == 'B')})')"
                at = f"{conname} CLUSTER({cluster})"
                lines.append(f"DEFINE CHANNEL({cluster}.{name}) CHLTYPE(CLUSRCVR) {at}")
                full = f"DEFINE CHANNEL({cluster}.FR{cluster}) CHLTYPE(CLUSSDR) CONNAME('x')"
                lines += [f"{full} CLUSTER({cluster})"] * (name != f"FR{cluster}")
            assert not twin.runmqsc(name, "\n".join([*lines, own]), at=START).exit_code
        yield twin


def _gateway_steps() -> st.SearchStrategy[list[Step]]:
    pairs = st.sampled_from([("FRA", "QMB"), ("FRB", "QMB"), ("FRB", "QMC"), ("QMA", "QMB")])
    seconds, binds = st.sampled_from([0, 1, 4, 7]), st.sampled_from(["open", "notfixed"])
    queues = st.sampled_from(["Q", "Q", "ONLY"])
    gateways = st.sampled_from(["QMB", "QMC"])
    acts = st.one_of(
        *[st.builds(lambda b: lambda t, at: t.put("QMA", "Q", count=3, bind=b, at=at), binds)] * 3,
        st.builds(lambda g, q: lambda t, at: t.put(g, q, at=at), gateways, queues),
        st.builds(
            lambda p, s: lambda t, at: t.link("delay", *p, latency=s * SECOND, at=at),
            *(pairs, seconds),
        ),
        st.builds(
            lambda p, c: lambda t, at: t.link(c, *p, at=at),
            *(pairs, st.sampled_from(["cut", "heal"])),
        ),
        st.builds(lambda g: lambda t, at: t.runmqsc(g, "DELETE QLOCAL(Q) PURGE", at=at), gateways),
        st.builds(
            lambda g, c: lambda t, at: t.runmqsc(g, f"{c} CHANNEL(A.{g})", at=at),
            *(st.just("QMB"), st.sampled_from(["STOP", "START"])),
        ),
    )
    return st.lists(st.tuples(st.integers(0, 6), acts), min_size=1, max_size=10)


@examples(cost=2)
@given(steps=_gateway_steps(), stride=st.integers(1, 4))
def test_no_message_is_lost_at_a_gateway_that_asks(steps: list[Step], stride: int) -> None:
    """Messages put equal messages on queues, in one step of time or in many."""
    worlds = []
    for small in (False, True):
        with two_clusters() as twin:
            at = OPENED
            for gap, act in steps:
                for instant in range(at, at + gap * SECOND, stride * SECOND) if small else ():
                    twin.tick(instant)
                at += gap * SECOND
                act(twin, at)
            twin.tick(at + 40 * SECOND)
            worlds.append(told(twin))
            put = lost = 0
            for stored in twin.log.events(types=["MessagesPut", "MessagesLost"]):
                event = decode(stored.type, stored.body)
                if isinstance(event, events.MessagesPut):
                    put += sum(share.count for share in event.shares)
                elif isinstance(event, events.MessagesLost):
                    lost += event.count
            estate, _ = twin.view(as_of=at + 40 * SECOND)
            there = sum(
                parcel.count
                for qmgr in estate.qmgrs.values()
                for parcels in qmgr.messaging.local.values()
                for parcel in parcels
            )
            waiting = sum(
                parcel.count
                for qmgr in estate.qmgrs.values()
                for queue in qmgr.messaging.waiting
                for parcel in qmgr.messaging.on(queue)
            )
            assert put == there + waiting + lost
    assert worlds[0] == worlds[1]
