"""An explanation is the same from a twin that was used before and from a new one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin import Twin
from twin.model.instants import DAY, AsOf, Instant, parse_instant
from twin.questions.explanation import ExplainRequest
from twin.rules.messages.putting import Put

START = parse_instant("2026-01-01T00:00:00Z", now=0)
FULL = "ALTER QMGR REPOS(CA)\nDEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME(X) CLUSTER(CA)"
MEMBER = """DEFINE CHANNEL(CA.{0}) CHLTYPE(CLUSRCVR) CONNAME(X) CLUSTER(CA) CLWLWGHT({1})
DEFINE CHANNEL(CA.FR) CHLTYPE(CLUSSDR) CONNAME(X) CLUSTER(CA)"""
OWNERS = {"A1": ("QA", 50), "A2": ("QA", 75), "B1": ("QB", 50), "B2": ("QB", 50)}


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> Instant:
        """Return the instant that was set."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Make a clock that shows the start."""
    return Clock()


@pytest.fixture
def url(tmp_path: Path, clock: Clock) -> str:
    """Make a cluster."""
    return build(tmp_path, clock)


def build(folder: Path, clock: Clock) -> str:
    """Make a cluster with QA (whose channel has another weight) and QB; D and E put messages."""
    url = f"sqlite:///{folder / 'log.db'}"
    members = {"FR": FULL.format("FR"), "D": MEMBER.format("D", 50), "E": MEMBER.format("E", 50)}
    for name, (queue, weight) in OWNERS.items():
        own = f"\nDEFINE QLOCAL({queue}) CLUSTER(CA) DEFBIND(NOTFIXED)"
        members[name] = MEMBER.format(name, weight) + own
    with Twin.open(url, synchronous="NORMAL", clock=clock) as twin:
        for name, script in members.items():
            twin.crtmqm(name)
            twin.strmqm(name)
            assert not twin.runmqsc(name, script).exit_code
    return url


@pytest.fixture
def twin(url: str, clock: Clock) -> Iterator[Twin]:
    """Open the cluster's log."""
    with Twin.open(url, synchronous="NORMAL", clock=clock) as opened:
        yield opened


def told(twin: Twin, qmgr: str, queue: str) -> list[str]:
    """Explain in words."""
    return list(twin.explain(qmgr, ExplainRequest(queue=queue))[0].lines)


def afresh(url: str, clock: Clock, qmgr: str, queue: str) -> list[str]:
    """Explain in words with a new twin."""
    with Twin.open(url, read_only=True, clock=clock) as opened:
        return told(opened, qmgr, queue)


SEEN = st.tuples(st.just("explain"), st.sampled_from("DE"), st.sampled_from(("QA", "QB", "QC")))
DONE = st.one_of(
    st.tuples(st.just("put"), st.sampled_from("DE"), st.sampled_from(("QA", "QB"))),
    st.tuples(st.just("end"), st.sampled_from(("FR", *OWNERS)), st.just("")),
    st.tuples(st.just("suspend"), st.sampled_from(sorted(OWNERS)), st.just("")),
    st.tuples(st.just("wait"), st.just(""), st.just("")),
)


def perform(twin: Twin, clock: Clock, act: str, qmgr: str, queue: str) -> None:
    """Do one thing that changes explanations."""
    if act == "put":
        twin.put(qmgr, queue)
    elif act == "end" and twin.view()[0].qmgr(qmgr).running:
        twin.endmqm(qmgr)
    elif act == "suspend":
        twin.runmqsc(qmgr, "SUSPEND QMGR CLUSTER(CA)")
    elif act == "wait":
        clock.now += 9 * DAY


@given(st.lists(st.one_of(SEEN, SEEN, DONE), max_size=14))
def test_an_explanation_is_the_same_for_a_used_and_a_new_twin(
    acts: list[tuple[str, str, str]],
) -> None:
    """A twin that explains repeatedly gives the same explanations as a new one."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        url = build(Path(folder), clock)
        with Twin.open(url, synchronous="NORMAL", clock=clock) as twin:
            for act, qmgr, queue in acts:
                if act == "explain":
                    assert told(twin, qmgr, queue) == afresh(url, clock, qmgr, queue)
                else:
                    perform(twin, clock, act, qmgr, queue)


def test_an_explanation_has_no_effect_on_later_explanations(
    twin: Twin, url: str, clock: Clock
) -> None:
    """An explanation that asks full repositories has no effect on later explanations."""
    for qmgr, queue in (("D", "QA"), ("D", "QB"), ("E", "QB"), ("D", "QA"), ("E", "QA")):
        assert told(twin, qmgr, queue) == afresh(url, clock, qmgr, queue)
    assert any(line.startswith("All weights are 50") for line in told(twin, "D", "QB"))


def test_puts_and_explanations_may_take_turns(twin: Twin, url: str, clock: Clock) -> None:
    """An explanation between puts changes neither records nor counters of the puts."""
    head = twin.log.head()
    for number in range(3):
        assert told(twin, "D", "QA") == afresh(url, clock, "D", "QA")
        assert told(twin, "E", "QB") == afresh(url, clock, "E", "QB")
        assert twin.log.head() == head
        put = twin.put("D", "QA" if number else "QB")
        assert not put.reason
        head = twin.log.head()
        assert told(twin, "D", "QB") == afresh(url, clock, "D", "QB")


def test_what_is_due_and_not_recorded_counts(twin: Twin, url: str, clock: Clock) -> None:
    """An explanation months after the last tick takes the removed records into account."""
    twin.put("D", "QA")
    for name in OWNERS:
        twin.endmqm(name)
    seen = []
    for _ in range(5):
        clock.now += 31 * DAY
        seen.append(told(twin, "D", "QA"))
        assert seen[-1] == told(twin, "D", "QA")
        assert seen[-1] == afresh(url, clock, "D", "QA")
        assert told(twin, "E", "QB") == afresh(url, clock, "E", "QB")
    assert "2085" in seen[-1][0]
    head = twin.log.head()
    twin.tick(clock.now)
    assert twin.log.head() != head
    assert told(twin, "D", "QA") == seen[-1]


def test_a_clock_that_was_put_back_explains_of_its_own_instant(
    twin: Twin, url: str, clock: Clock
) -> None:
    """After a clock is set back, an explanation ignores later events of the log."""
    clock.now += DAY
    twin.runmqsc("A1", "ALTER QLOCAL(QA) PUT(DISABLED)")
    assert "A2" in told(twin, "D", "QA")[0]
    clock.now -= DAY // 2
    assert "A1" in told(twin, "D", "QA")[0]
    assert told(twin, "D", "QA") == afresh(url, clock, "D", "QA")


def test_a_clock_that_was_put_back_behind_what_was_looked_ahead_at(
    twin: Twin, url: str, clock: Clock
) -> None:
    """After a clock is set back, timed events that an explanation played are not seen."""
    for name in OWNERS:
        twin.endmqm(name)
    clock.now += 100 * DAY
    assert "2085" in told(twin, "D", "QA")[0]
    clock.now -= 99 * DAY
    for qmgr, queue in (("D", "QA"), ("E", "QB")):
        assert told(twin, qmgr, queue) == afresh(url, clock, qmgr, queue)


@pytest.mark.parametrize(
    ("what", "call"),
    [
        (
            "twin.questions.explain.explained",
            lambda twin: twin.explain("D", ExplainRequest(queue="QA")),
        ),
        ("twin.questions.inquire.inquired", lambda twin: twin.inquire("D", "QA")),
        (
            "twin.questions.put_outcome.put_outcome",
            lambda twin: twin.whereabouts("D", Put("QA", 1, positions=(1,)), at=START),
        ),
        ("twin.app.session.display", lambda twin: twin.runmqsc("D", "DISPLAY QMGR")),
    ],
)
def test_a_writer_waits_until_an_answer_is_complete(
    twin: Twin, monkeypatch: pytest.MonkeyPatch, what: str, call: Callable[[Twin], Any]
) -> None:
    """Another thread that writes waits until the answer is complete."""
    room, name = what.rsplit(".", 1)
    asked = getattr(import_module(room), name)
    writer = Thread(target=twin.crtmqm, args=("NEW",))
    waited: list[bool] = []

    def watched(*arguments: Any, **options: Any) -> Any:
        writer.start()
        writer.join(0.3)
        waited.append(writer.is_alive())
        return asked(*arguments, **options)

    monkeypatch.setattr(what, watched)
    call(twin)
    writer.join()
    assert waited == [True]
    assert "NEW" in twin.names().values()


def test_names_are_those_of_the_moment_they_were_asked_for(twin: Twin) -> None:
    """The names of queue managers, once returned, do not change with later actions."""
    names = twin.names()
    twin.crtmqm("NEW")
    assert "NEW" not in names.values()


def test_an_answer_tells_of_the_position_that_it_is_of(
    twin: Twin, url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer has the position that it was computed at, even while others append."""
    told(twin, "D", "QA")
    resolve = twin.views.resolve

    def late(**options: Any) -> AsOf:
        point = resolve(**options)
        with Twin.open(url, clock=clock) as other:
            other.runmqsc("D", "STOP CHANNEL(CA.A1)")
        return point

    monkeypatch.setattr(twin.views, "resolve", late)
    _, point = twin.explain("D", ExplainRequest(queue="QA"))
    assert point.position == twin.log.head().position
