"""A log stays intact with several processes, and with processes that die."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.log.writing import OpenLog, new
from tests.patience import PATIENCE
from twin.log import Log

ROOT: Final = Path(__file__).parents[2]
ENOUGH: Final = 10**9


def start(work: str, url: str, worker: str, count: int) -> subprocess.Popen[str]:
    """Start a process that appends; see `worker`."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.log.worker", work, url, worker, str(count)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(processes: list[subprocess.Popen[str]]) -> None:
    """Wait for processes that must succeed."""
    for process in processes:
        process.communicate(timeout=PATIENCE)
    assert [process.returncode for process in processes] == [0] * len(processes)


def whole_batches(log: Log, worker: str) -> int:
    """Count a worker's batches in a log, and check that each is complete and in order."""
    sizes: dict[int, int] = {}
    events = log.events(qmgr=worker)
    counted = Counter(int(event.event_id.split(".")[1]) for event in events)
    for event in log.events(qmgr=worker):
        sizes[int(event.event_id.split(".")[1])] = int(event.body)
    assert counted == Counter(sizes)
    assert sorted(sizes) == list(range(len(sizes)))
    return len(sizes)


@pytest.mark.parametrize("deaths", [4, pytest.param(20, marks=pytest.mark.more)])
def test_a_killed_process_leaves_whole_batches(
    log_url: str, open_log: OpenLog, deaths: int
) -> None:
    """After SIGKILL, the log has every acknowledged batch and at most one more, and verifies."""
    log = open_log(log_url)
    moments = random.Random(deaths)
    for death in range(deaths):
        worker = f"W{death}"
        process = start("batches", log_url, worker, ENOUGH)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(moments.uniform(0.0, 0.12))
        process.kill()
        acknowledged = len(process.stdout.read().splitlines())
        process.wait()
        process.stdout.close()
        log.append([new(0)], recorded_at=0)
        log.verify()
        assert whole_batches(log, worker) in (acknowledged, acknowledged + 1)


def test_processes_that_append_at_once_lose_nothing(log_url: str, open_log: OpenLog) -> None:
    """Two processes that append from the log's creation on lose no batch and leave no gap."""
    finish([start("batches", log_url, worker, 100) for worker in ("A", "B")])
    log = open_log(log_url, mode="read")
    log.verify()
    assert [whole_batches(log, worker) for worker in ("A", "B")] == [100, 100]


def test_decisions_of_several_processes_take_turns(log_url: str, open_log: OpenLog) -> None:
    """With `after`, an event is appended only if its writer saw all events before it."""
    finish([start("turns", log_url, worker, 60) for worker in ("A", "B", "C")])
    log = open_log(log_url, mode="read")
    assert [int(event.body) for event in log.events()] == list(range(180))


@pytest.mark.parametrize("attempt", [0, *(pytest.param(n, marks=pytest.mark.more) for n in (1, 2))])
def test_processes_create_a_log_together(log_url: str, open_log: OpenLog, attempt: int) -> None:
    """A log that several processes create at once is created once, and all of them can use it."""
    workers = [f"P{number}" for number in range(4)]
    finish([start("batches", log_url, worker, 2) for worker in workers])
    log = open_log(log_url, mode="read")
    assert [whole_batches(log, worker) for worker in workers] == [2, 2, 2, 2]
