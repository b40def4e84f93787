"""The live scheduler records events when they are due, also if other processes write."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from freezegun.api import FrozenDateTimeFactory

from tests.app.scenes import START, make_twin
from tests.patience import PATIENCE, wait_until
from tests.scheduler.living import Stepped, build, happened, standing_still, stepped
from twin.app.clocks import system_clock
from twin.app.ticking import Ticked
from twin.app.twin import Twin
from twin.log import LogBusy, LogMoved
from twin.model.instants import DAY, MINUTE, SECOND, Instant, datetime_of
from twin_scheduler.live import LiveScheduler

Open = Callable[[], Twin]


@pytest.fixture
def frozen() -> Iterator[FrozenDateTimeFactory]:
    """Stop the machine's clock at the start."""
    with standing_still() as clock:
        yield clock


@pytest.fixture
def open_twin(log_url: str) -> Iterator[Open]:
    """Return a function that opens twins on one log of the small cluster, as other processes would.

    The log is on each kind of database in turn.
    """
    opened: list[Twin] = []

    def open_one() -> Twin:
        opened.append(make_twin(log_url, system_clock))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def resent(twin: Twin) -> list[Instant]:
    """Return when owners republished their records."""
    return [event.occurred_at for event in twin.log.events(types=["InformationRepublished"])]


def test_it_wakes_when_something_is_due(open_twin: Open, frozen: FrozenDateTimeFactory) -> None:
    """A due event is recorded at its due instant, not earlier, in one reported tick."""
    twin, told = build(open_twin()), list[Ticked]()
    with stepped(twin, on_tick=told.append) as live:
        frozen.move_to(datetime_of(START + 27 * DAY - 1))
        live.step()
        assert (resent(twin), told) == ([], [])
        frozen.move_to(datetime_of(START + 27 * DAY))
        live.step()
        assert set(resent(twin)) == {START + 27 * DAY}
        assert [ticked.reached for ticked in told] == [START + 27 * DAY]
        assert live.next_due() == START + 54 * DAY


def test_a_log_that_was_moved_is_reported(tmp_path: Path, frozen: FrozenDateTimeFactory) -> None:
    """The scheduler says so at its next look, although it has the file open; nothing is made."""
    file = tmp_path / "twin.db"
    errors: list[Exception] = []
    with make_twin(f"sqlite:///{file}", system_clock) as twin:
        live = Stepped(build(twin), on_error=errors.append)
        live.start()
        live.step()
        file.rename(tmp_path / "away.db")
        frozen.move_to(datetime_of(START + 27 * DAY))
        live.step()
        live.shutdown()
        assert {type(error) for error in errors} == {LogMoved}
        assert not file.exists()
        assert resent(twin) == []


def test_it_sleeps_until_then(open_twin: Open, frozen: FrozenDateTimeFactory) -> None:
    """The scheduler only waits between two checks of the log."""
    with stepped(build(open_twin())) as live:
        live.step()
        assert live._process_jobs() == 1.0
        frozen.move_to(datetime_of(START + 27 * DAY - SECOND // 2))
        live.step()
        assert live._process_jobs() == pytest.approx(0.5, abs=1e-5)


def test_catching_up_stamps_what_was_due_when_it_was(
    open_twin: Open, frozen: FrozenDateTimeFactory
) -> None:
    """After a gap, an event that fell due has its due instant and the present recording instant."""
    twin = build(open_twin())
    frozen.move_to(datetime_of(START + 60 * DAY))
    with stepped(twin) as live:
        live.step()
    events = list(twin.log.events(types=["InformationRepublished"]))
    assert {event.occurred_at for event in events} == {START + 27 * DAY, START + 54 * DAY}
    assert {event.recorded_at for event in events} == {START + 60 * DAY}


def test_a_restart_after_a_gap_leaves_no_trace(
    tmp_path: Path, frozen: FrozenDateTimeFactory
) -> None:
    """A scheduler that restarts after a gap makes the same events as one that never stopped."""
    logs = []
    for name, away in (("never", ()), ("twice", ((20, 70), (80, 95)))):
        frozen.move_to(datetime_of(START))
        with make_twin(f"sqlite:///{tmp_path / name}.db", system_clock) as twin:
            build(twin)
            twin.endmqm("PR2", at=START)
            live = _started(twin)
            for day in range(120):
                if any(day == begin for begin, _ in away):
                    live.shutdown()
                if any(day == end for _, end in away):
                    live = _started(twin)
                frozen.move_to(datetime_of(START + day * DAY + 7 * MINUTE))
                if live.running:
                    live.step()
            live.shutdown()
            logs.append(happened(twin))
    assert logs[0] == logs[1]
    assert len({occurred for occurred, *_ in logs[0]}) > 30


def _started(twin: Twin) -> Stepped:
    live = Stepped(twin)
    live.start()
    return live


def test_an_append_by_anybody_is_noticed(open_twin: Open, frozen: FrozenDateTimeFactory) -> None:
    """An event of another process is on the agenda within one second."""
    with stepped(open_twin()) as live:
        live.step()
        assert live.next_due() is None
        build(open_twin())
        frozen.tick(timedelta(seconds=1))
        live.step()
        assert live.next_due() == START + 27 * DAY


def test_two_of_them_do_nothing_twice(
    open_twin: Open, tmp_path: Path, frozen: FrozenDateTimeFactory
) -> None:
    """Two live schedulers on one log wake at the same instants and record each event once."""
    twin = build(open_twin())
    with stepped(open_twin()) as one, stepped(open_twin()) as other:
        for day in range(0, 121, 3):
            frozen.move_to(datetime_of(START + day * DAY))
            for live in (one, other) if day % 2 else (other, one):
                live.step()
        assert one.next_due() == other.next_due()
    both = happened(twin)
    frozen.move_to(datetime_of(START))
    with make_twin(f"sqlite:///{tmp_path / 'alone.db'}", system_clock) as alone:
        build(alone)
        frozen.move_to(datetime_of(START + 120 * DAY))
        with stepped(alone) as live:
            live.step()
        assert happened(alone) == both


def test_an_error_is_reported_and_the_work_is_tried_again(
    open_twin: Open, frozen: FrozenDateTimeFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy log delays events, and all that fell due are recorded afterwards."""
    twin, failures, tick = build(open_twin()), list[Exception](), Twin.tick

    def busy(*_: object, **__: object) -> Ticked:
        raise LogBusy(twin.log._database.name)

    live = Stepped(twin, on_error=failures.append)
    live.start()
    monkeypatch.setattr(Twin, "tick", busy)
    frozen.move_to(datetime_of(START + 27 * DAY))
    live.step()
    assert {type(failure) for failure in failures} == {LogBusy}
    monkeypatch.setattr(Twin, "tick", tick)
    frozen.tick(timedelta(seconds=10))
    live.step()
    assert set(resent(twin)) == {START + 27 * DAY}
    live.shutdown()


def test_its_own_thread_does_the_same(open_twin: Open) -> None:
    """A scheduler with its own thread and the real clock records an event once it is due."""
    twin, woken = open_twin(), threading.Event()
    due = time.time_ns() // 1000 + SECOND
    build(twin, at=due - 27 * DAY)
    failures = list[Exception]()
    live = LiveScheduler(open_twin(), on_tick=lambda _: woken.set(), on_error=failures.append)
    live.start()
    assert woken.wait(PATIENCE)
    live.shutdown()
    assert (set(resent(twin)), failures) == ({due}, [])
    (first, *_) = twin.log.events(types=["InformationRepublished"])
    assert first.recorded_at >= due


def test_it_can_be_stopped_at_any_moment(
    open_twin: Open, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A scheduler that records missed events stops at once, and a later one continues."""
    monkeypatch.setattr("twin_scheduler.live.CHUNK", 1)
    twin, failures = open_twin(), list[Exception]()
    build(twin, at=time.time_ns() // 1000 - 3650 * DAY)
    for number in range(40):
        live = LiveScheduler(twin, on_error=failures.append)
        live.start()
        time.sleep(number * 0.0007)
        stopper = threading.Thread(target=live.shutdown, daemon=True)
        stopper.start()
        stopper.join(PATIENCE)
        assert not stopper.is_alive()
    live = LiveScheduler(twin, on_error=failures.append)
    live.start()
    wait_until(lambda: resent(twin), "a later scheduler records something")
    live.shutdown()
    assert (failures, capfd.readouterr().err) == ([], "")
    twin.log.verify()


def test_two_threads_of_two_processes_do_nothing_twice(open_twin: Open) -> None:
    """Two real schedulers that record the same missed year at once record it only once."""
    twin = build(open_twin(), at=time.time_ns() // 1000 - 365 * DAY)
    lives = [LiveScheduler(open_twin()) for _ in range(2)]
    for live in lives:
        live.start()

    def caught_up() -> bool:
        due = twin.due()
        return due is None or due > time.time_ns() // 1000

    wait_until(caught_up, "the missed year is recorded")
    for live in lives:
        live.shutdown()
    stamped = [
        (event.occurred_at, event.qmgr, event.body)
        for event in twin.log.events(types=["InformationRepublished"])
    ]
    assert len(stamped) == len(set(stamped)) > 4 * 12
