"""Several writers share a log: each folds what the others appended, and none is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, build, make_twin
from tests.patience import PATIENCE
from twin.app import writing
from twin.app.clocks import system_clock
from twin.app.exits import ExitCalls
from twin.app.twin import Twin
from twin.fold.store.pages import pages_of
from twin.log import Appended, ConcurrentAppend
from twin.model.instants import HOUR, Instant
from twin.rules.workload.exits import MQWDR, MQWQR, MQWXP, REASON_PUT

ROOT: Final = Path(__file__).parents[2]
DEFINE: Final = "DEFINE QLOCAL({}) CLUSTER(CA)"


@pytest.fixture
def two(log_url: str) -> Iterator[tuple[Twin, Twin]]:
    """Open two twins of a small cluster on one log, on each kind of database in turn."""
    with ExitStack() as opened:
        one, other = (opened.enter_context(make_twin(log_url, lambda: START)) for _ in range(2))
        build(one)
        other.names()
        yield one, other


def at_hand(twin: Twin) -> dict[str, bytes]:
    """Return the pages of the estate that a twin keeps for its next write."""
    return twin._recorded.read(pages_of)


def rebuilt(twin: Twin) -> dict[str, bytes]:
    """Return the pages of the estate at the head, rebuilt from the log."""
    head = twin.log.head(twin.branch)
    assert head.occurred_at is not None
    return pages_of(
        twin.views.upto(branch=twin.branch, valid=head.occurred_at, position=head.position)
    )


def test_what_others_append_is_folded_and_not_replayed(
    two: tuple[Twin, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers in turns never rebuild their estates, and both have that of the log."""
    one, other = two

    replayed: list[object] = []
    for twin in two:
        monkeypatch.setattr(twin.views, "rebuild", lambda **point: replayed.append(point))
    for number in range(5):
        assert not one.runmqsc("PR1", DEFINE.format(f"A{number}")).exit_code
        assert not other.runmqsc("PR2", DEFINE.format(f"B{number}")).exit_code
    monkeypatch.undo()
    assert replayed == []
    assert at_hand(one) == at_hand(other) == rebuilt(one)


_ACTS: Final[dict[str, Callable[[Twin, int], object]]] = {
    "define": lambda twin, number: twin.runmqsc("PR1", DEFINE.format(f"Q{number}")),
    "observe": lambda twin, number: twin.ingest(
        f"DEFINE QLOCAL(L{number})", qmgr="OBS", at=START + number * HOUR // 2
    ),
    "put": lambda twin, number: twin.put("PR2", "Q0", count=number + 1),
    "cut": lambda twin, number: twin.link("cut" if number % 2 else "heal", "PR1", "FR1"),
    "wait": lambda twin, _: twin.tick(twin.now()),
}


@given(
    acts=st.lists(st.tuples(st.booleans(), st.sampled_from(sorted(_ACTS))), min_size=2, max_size=9)
)
def test_estates_that_follow_are_those_of_the_log(
    acts: list[tuple[bool, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """After any acts of two writers, late facts and time among them, both have the log's estate."""
    url = f"sqlite:///{tmp_path_factory.mktemp('log') / 'twin.db'}"
    number = 0

    def clock() -> Instant:
        return START + number * number * 24 * HOUR

    with make_twin(url, clock) as one, make_twin(url, clock) as other:
        build(one)
        for number, (first, act) in enumerate(acts):
            _ACTS[act](one if first else other, number)
        assert at_hand(one) == at_hand(other) == rebuilt(one)


def test_an_act_that_always_loses_is_decided_under_the_lock(
    two: tuple[Twin, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If others append before every try, the act is recorded after them, and nobody is refused."""
    one, other = two
    append = one.log.append
    lost: list[object] = []

    def overtaken(*args: Any, **options: Any) -> Appended:
        other.runmqsc("PR2", DEFINE.format(f"B{len(lost)}"))
        lost.append(options["after"])
        return append(*args, **options)

    monkeypatch.setattr(other.log, "turn", nullcontext)  # it does not wait for the turn of `one`
    monkeypatch.setattr(one.log, "append", overtaken)
    monkeypatch.setattr(writing, "LOCKED_FOR", PATIENCE)
    assert not one.runmqsc("PR1", DEFINE.format("A")).exit_code
    assert len(lost) == writing.TRIES
    assert at_hand(one) == at_hand(other) == rebuilt(one)


def test_a_long_decision_is_tried_longer_before_the_lock(
    two: tuple[Twin, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision that takes too long for the lock is made under it only after many tries."""
    one, _ = two
    lost: list[object] = []

    def overtaken(*_: Any, **options: Any) -> Appended:
        lost.append(options["after"])
        raise ConcurrentAppend(one.branch)

    monkeypatch.setattr(one.log, "append", overtaken)
    monkeypatch.setattr(writing, "LOCKED_FOR", -1.0)
    assert not one.runmqsc("PR1", DEFINE.format("A")).exit_code
    assert len(lost) == writing.MOST_TRIES
    assert at_hand(one) == rebuilt(one)


def test_processes_that_write_together_are_all_served(log_url: str) -> None:
    """Three scripts of other processes, single commands and late facts are all recorded."""
    with make_twin(log_url, system_clock) as twin:
        since = system_clock()
        build(twin, at=since)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.app.sharing_worker", log_url, qmgr, "60"], cwd=ROOT
        )
        for qmgr in ("FR1", "FR2", "PR1")
    ]
    with Twin.open(log_url, synchronous="NORMAL") as twin:
        number = 0
        while any(process.poll() is None for process in processes) or number < 20:
            assert not twin.runmqsc("PR2", f"DEFINE QLOCAL(S{number})").exit_code
            if number % 10 == 0:
                twin.ingest(f"DEFINE QLOCAL(L{number})", qmgr="OBS", at=since)
            number += 1
        assert [process.returncode for process in processes] == [0, 0, 0]
        twin.log.verify()
        estate, _ = twin.view()
        mine = {name for kind, name in estate.qmgr("PR1").definitions if name.startswith("R")}
        assert mine == {f"R{each}" for each in range(60)}
        assert at_hand(twin) == rebuilt(twin)


def exit_block(queue: str) -> MQWXP:
    """Make the parameters of an exit."""
    return MQWXP(
        exit_reason=REASON_PUT,
        exit_data="",
        flags=0,
        q_name=queue,
        q_mgr_name="PR1",
        destination_count=0,
        destination_chosen=0,
        clwl_mru_channels=1,
    )


@pytest.fixture
def asked() -> list[str]:
    """Return a list of the queues that the exit was asked about."""
    return []


@pytest.fixture
def calls(asked: list[str]) -> ExitCalls:
    """Make the calls of an exit that fails for the queue BAD."""

    def exit_(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
        del destinations, queues
        asked.append(block.q_name)
        if block.q_name == "BAD":
            raise ValueError(block.q_name)
        return block

    return ExitCalls({"E": exit_})


def decide(calls: ExitCalls, *queues: str, may_ask: bool = True) -> None:
    """Decide something for which the exit is asked about these queues."""
    calls.begin(may_ask=may_ask)
    for queue in queues:
        try:
            calls.exits["E"](exit_block(queue), (), ())
        except ValueError:
            assert queue == "BAD"


def test_an_exit_is_asked_again_only_from_what_changed(calls: ExitCalls, asked: list[str]) -> None:
    """A repeated decision asks an exit only from the first call on that sees something else."""
    decide(calls, "Q1", "Q1", "BAD", "Q2")
    decide(calls, "Q1", "Q1", "BAD", "Q2")
    assert asked == ["Q1", "Q1", "BAD", "Q2"]
    decide(calls, "Q1", "Q3", "BAD")
    assert asked[4:] == ["Q3", "BAD"]
    calls.forget()
    decide(calls, "Q1")
    assert asked[6:] == ["Q1"]


def test_an_exit_is_never_asked_under_the_lock(calls: ExitCalls, asked: list[str]) -> None:
    """Without leave to ask, known answers are given, and an unknown one is missed."""
    decide(calls, "Q1")
    decide(calls, "Q1", may_ask=False)
    missed = [calls.missed]
    decide(calls, "Q1", "Q2", may_ask=False)
    assert [*missed, calls.missed] == [False, True]
    assert asked == ["Q1"]


def test_an_exit_that_sees_something_new_under_the_lock_is_asked_outside(
    two: tuple[Twin, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is released to ask the exit, and the act is then recorded."""
    one, _ = two
    leaves: list[bool] = []
    begin = ExitCalls.begin

    def first_missed(self: ExitCalls, *, may_ask: bool) -> None:
        begin(self, may_ask=may_ask)
        leaves.append(may_ask)
        self.missed = leaves.count(False) == 1 and not may_ask

    def overtaken(*_: Any, **__: Any) -> Appended:
        raise ConcurrentAppend(one.branch)

    monkeypatch.setattr(ExitCalls, "begin", first_missed)
    monkeypatch.setattr(one.log, "append", overtaken)
    monkeypatch.setattr(writing, "LOCKED_FOR", PATIENCE)
    assert not one.runmqsc("PR1", DEFINE.format("A")).exit_code
    assert leaves == [True] * writing.TRIES + [False, True, False]
    assert at_hand(one) == rebuilt(one)


def test_a_late_batch_ends_at_a_whole_instant(
    twins: Callable[[], Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timed events that take too long are recorded in several transactions, and are the same."""
    slow, quick = build(twins()), build(twins())
    upto = START + 120 * 24 * HOUR
    monkeypatch.setattr("twin.app.ticking._STEP", 1)
    monkeypatch.setattr("twin.app.ticking.OpenBatch.is_late", True)
    ticked = slow.tick(upto)
    monkeypatch.undo()
    assert quick.tick(upto) == ticked
    recorded = [[event[2:6] for event in twin.log.events()] for twin in (slow, quick)]
    assert [(at, type_, qmgr) for at, _, type_, qmgr in recorded[0]] == [
        (at, type_, qmgr) for at, _, type_, qmgr in recorded[1]
    ]
