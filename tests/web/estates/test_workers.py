"""Workers: a bounded pool of processes for long computations."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

import pytest

from tests.patience import PATIENCE, wait_until
from twin.app.asking import BadFilter
from twin.app.twin import Twin
from twin.log import NoSuchBranch
from twin.web.errors import Busy, TookTooLong, WorkerEnded
from twin.web.estates.readers import LogOpening
from twin.web.estates.workers import Unforeseen, Worker, Workers


def process_of(twin: Twin) -> int:
    """Return the process that a twin is in."""
    del twin
    return os.getpid()


def names(twin: Twin, *, running: bool) -> list[str]:
    """Return the names of the queue managers that run, or that do not."""
    estate, _ = twin.view()
    return [name for name, qmgr in estate.qmgrs.items() if qmgr.running is running]


def count(twin: Twin, question: str, filters: dict[str, Any]) -> int:
    """Return how many rows an answer has."""
    return len(twin.ask(question, **filters).rows)


def fail(twin: Twin) -> None:
    """Fail as nobody foresaw."""
    del twin
    message = "nobody foresaw this"
    raise KeyError(message)


def wait_for(twin: Twin, file: str) -> str:
    """Say in a file that it began, then never return."""
    del twin
    Path(file).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def wait_until_released(twin: Twin, folder: str) -> float:
    """Say in a file that a call began, and wait for another file; return the time."""
    del twin
    with Path(folder, "calls").open("a") as calls:
        calls.write(f"{os.getpid()}\n")
    while not Path(folder, "released").exists():
        time.sleep(0.02)
    return time.time()


def unsendable(twin: Twin) -> object:
    """Return what cannot be sent."""
    return twin


@pytest.fixture
def opening(tmp_path: Path) -> LogOpening:
    """Make a log with one running queue manager."""
    url = f"sqlite:///{tmp_path}/twin.db"
    with Twin.open(url) as twin:
        twin.crtmqm("QM1")
        twin.strmqm("QM1")
        twin.create_branch("b")
        twin.on_branch("b").endmqm("QM1")
    return LogOpening(url)


@pytest.fixture
def workers(opening: LogOpening) -> Iterator[Workers]:
    """Make one worker that has much time."""
    with closing(Workers(opening, 1, deadline=PATIENCE)) as made:
        yield made


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets an item for each call that joined another one and waits for it."""
    found: list[object] = []

    class Shared(Future[Any]):
        """The answer to a call, for those who joined it."""

        def result(self, timeout: float | None = None) -> Any:
            """Note that somebody waits for it."""
            found.append(self)
            return super().result(timeout)

    monkeypatch.setattr("twin.web.estates.workers.Future", Shared)
    return found


def has_ended(process: int) -> bool:
    """Return whether a process has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def ended(process: int) -> bool:
    """Wait until a process has ended."""
    return wait_until(lambda: has_ended(process), f"process {process} ends")


def begun(file: Path) -> int:
    """Wait until a call has written its process into a file."""
    return int(wait_until(lambda: file.read_text() if file.exists() else "", "the call begins"))


def test_calls_are_carried_out_by_a_process_that_stays(workers: Workers) -> None:
    """A worker is another process, which the next call finds with its twin still open."""
    first = workers.run(process_of)
    assert first != os.getpid()
    assert workers.run(process_of) == first


def test_a_worker_reads_what_was_recorded_meanwhile(workers: Workers, opening: LogOpening) -> None:
    """What another process records is there at the next call, on main and on a branch."""
    assert workers.run(names, running=True) == ["QM1"]
    assert workers.run_on("b", names, running=True) == []
    with Twin.open(opening.url) as twin:
        twin.endmqm("QM1")
        twin.on_branch("b").strmqm("QM1")
    assert workers.run(names, running=True) == []
    assert workers.run_on("b", names, running=True) == ["QM1"]


def test_errors_arrive_as_they_were_raised(workers: Workers) -> None:
    """An error of twin keeps its class and message; any other one is sent as its traceback."""
    with pytest.raises(BadFilter, match="members has no filter colour; expected one of"):
        workers.run(count, "members", {"colour": "red"})
    with pytest.raises(NoSuchBranch, match="unknown branch 'none'"):
        workers.run_on("none", names, running=True)
    with pytest.raises(Unforeseen, match="KeyError: 'nobody foresaw this'"):
        workers.run(fail)
    with pytest.raises(Unforeseen, match="the result cannot be sent"):
        workers.run(unsendable)
    assert workers.run(count, "members", {}) == 0


def test_a_late_call_is_ended(opening: LogOpening, tmp_path: Path) -> None:
    """At the deadline the process is killed, and its place is free again."""
    with closing(Workers(opening, 1, deadline=2)) as workers:
        with pytest.raises(TookTooLong, match="ended after 2 seconds"):
            workers.run(wait_for, str(tmp_path / "begun"))
        assert workers._idle.get_nowait() is None
    if (tmp_path / "begun").exists():  # it may not have come so far
        assert ended(begun(tmp_path / "begun"))


def test_a_process_that_died_while_idle_is_replaced(workers: Workers) -> None:
    """A call does not notice that the process of the call before was killed."""
    process = workers.run(process_of)
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    assert workers.run(process_of) != process


def test_a_process_that_dies_in_a_call_is_replaced(workers: Workers, tmp_path: Path) -> None:
    """A killed process fails its own call alone."""
    with ThreadPoolExecutor() as threads:
        lost = threads.submit(workers.run, wait_for, str(tmp_path / "begun"))
        os.kill(begun(tmp_path / "begun"), signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="ended unexpectedly"):
            lost.result()
    assert workers.run(names, running=True) == ["QM1"]


def test_a_full_pool_refuses_calls_at_once(opening: LogOpening, tmp_path: Path) -> None:
    """When all places to wait are taken, a call is refused, and says when to come again."""
    with closing(Workers(opening, 1, deadline=PATIENCE, waiting=0)) as workers:
        lost = threading.Thread(target=_ignoring, args=(workers, str(tmp_path / "begun")))
        lost.start()
        begun(tmp_path / "begun")
        with pytest.raises(Busy) as refused:
            workers.run(process_of)
    lost.join()
    assert refused.value.headers == {"Retry-After": "5"}


def test_equal_calls_that_wait_are_carried_out_once(
    workers: Workers, tmp_path: Path, joined: list[object]
) -> None:
    """A call that has begun is not shared, since it has read the log and the clock already."""
    with ThreadPoolExecutor(6) as threads:
        first = threads.submit(workers.run, wait_until_released, str(tmp_path))
        begun(tmp_path / "calls")
        later = [threads.submit(workers.run, wait_until_released, str(tmp_path)) for _ in range(5)]
        wait_until(lambda: len(joined) == 4, "four calls join the second one")
        (tmp_path / "released").touch()
        assert len({each.result() for each in later} - {first.result()}) == 1
    assert len((tmp_path / "calls").read_text().splitlines()) == 2


def test_who_shares_a_call_that_fails_gets_its_error(
    workers: Workers, tmp_path: Path, joined: list[object]
) -> None:
    """Each gets an error of its own."""
    with ThreadPoolExecutor(4) as threads:
        threads.submit(workers.run, wait_until_released, str(tmp_path))
        begun(tmp_path / "calls")
        failed = [threads.submit(workers.run, fail) for _ in range(3)]
        wait_until(lambda: len(joined) == 2, "two calls join a third one")
        (tmp_path / "released").touch()
        errors = [each.exception() for each in failed]
    assert [type(each) for each in errors] == [Unforeseen] * 3
    assert len(set(map(id, errors))) == 3


class LateProcesses(LifoQueue[Worker | None]):
    """Idle processes, of which none becomes free before the time of the first call is over."""

    def __init__(self) -> None:
        super().__init__()
        self.put(None)
        self.time_is_over = threading.Event()

    def get(self, block: bool = True, timeout: float | None = None) -> Worker | None:  # noqa: FBT001, FBT002 - of the base class
        """Let the first call wait in vain until its time is over."""
        if not self.time_is_over.is_set():
            self.time_is_over.wait()
            raise Empty
        return super().get(block, timeout)


@pytest.mark.parametrize("left", [True, False])
def test_who_joins_a_call_late_waits_for_its_own_time(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, joined: list[object], *, left: bool
) -> None:
    """If the call that it joined did not begin in time, it is made for those with time left."""
    now = 0.0
    monkeypatch.setattr("twin.web.estates.workers.monotonic", lambda: now)
    workers._idle = processes = LateProcesses()
    with ThreadPoolExecutor(2) as threads:
        early = threads.submit(workers.run, process_of)
        wait_until(lambda: workers._waiting, "the first call waits for a process")
        now = PATIENCE / 2
        late = threads.submit(workers.run, process_of)
        wait_until(lambda: joined, "the second call joins it")
        now = PATIENCE if left else 2 * PATIENCE
        processes.time_is_over.set()
        assert isinstance(early.exception(), Busy)
        if left:
            assert late.result() != os.getpid()
        else:
            assert isinstance(late.exception(), Busy)


def test_closing_ends_all_processes(opening: LogOpening, tmp_path: Path) -> None:
    """A closed pool leaves no process behind, neither an idle nor a busy one, and takes no call."""
    workers = Workers(opening, 2, deadline=PATIENCE)
    busy = threading.Thread(target=_ignoring, args=(workers, str(tmp_path / "begun")))
    busy.start()
    processes = {begun(tmp_path / "begun"), workers.run(process_of)}
    workers.close()
    busy.join()
    assert len(processes) == 2
    assert all(map(ended, processes))
    with pytest.raises(Busy):
        workers.run(process_of)


def _ignoring(workers: Workers, file: str) -> None:
    """Make a call that never returns; ignore how it ends."""
    with pytest.raises(WorkerEnded):
        workers.run(wait_for, file)
