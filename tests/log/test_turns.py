"""Processes that want to write wait in a queue, and nobody is overtaken or waits for the dead."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
from sqlalchemy import make_url

from tests.log.writing import OpenLog, new
from tests.patience import wait_until
from twin.log.postgresql import TURN
from twin.log.sqlite_files import NEXT, LockFile

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture
def start(log_url: str, open_log: OpenLog) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Provide a function that starts a process which takes turns; see `worker.queue`."""
    open_log(log_url)
    started: list[subprocess.Popen[str]] = []

    def begin(worker: str, count: int = 0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.log.worker", "queue", log_url, worker, str(count)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def has_a_turn(process: subprocess.Popen[str]) -> bool:
    """Wait until a process says that it has its turn."""
    assert process.stdout is not None
    return process.stdout.readline() == "has a turn\n"


def somebody_waits(url: str) -> bool:
    """Return whether a process waits for the turn of another one."""
    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite"):
        file = os.open(f"{parsed.database}-queue", os.O_RDWR)
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, NEXT)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False
    plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
    waiting = "SELECT count(*) FROM pg_locks WHERE objid = %s AND NOT granted"
    with psycopg.connect(plain) as connection:
        row = connection.execute(waiting, (TURN,)).fetchone()
        return row is not None and row[0] > 0


def test_who_ends_a_turn_comes_after_who_waits(
    log_url: str, open_log: OpenLog, start: Callable[..., subprocess.Popen[str]]
) -> None:
    """A process that ends its turn and wants another one lets the waiting process go first."""
    first = start("FIRST", 3)
    assert has_a_turn(first)
    second = start("SECOND")
    wait_until(lambda: somebody_waits(log_url), "a process waits for its turn")
    assert first.stdin is not None
    first.stdin.write("\n")
    first.stdin.flush()
    assert has_a_turn(second)
    second.communicate("\n")
    first.communicate()
    order = [event.qmgr for event in open_log(log_url, mode="read").events()]
    assert order == ["FIRST", "SECOND", "FIRST", "FIRST", "FIRST"]


def test_the_turn_of_a_killed_process_ends(
    log_url: str, open_log: OpenLog, start: Callable[..., subprocess.Popen[str]]
) -> None:
    """After SIGKILL of the process whose turn it is, the process that waits gets its turn."""
    killed = start("KILLED")
    assert has_a_turn(killed)
    waiting = start("WAITING")
    wait_until(lambda: somebody_waits(log_url), "a process waits for its turn")
    killed.kill()
    assert has_a_turn(waiting)
    waiting.communicate("\n")
    order = [event.qmgr for event in open_log(log_url, mode="read").events()]
    assert order == ["KILLED", "WAITING"]


def test_a_waiting_process_that_is_killed_holds_up_nobody(
    log_url: str, open_log: OpenLog, start: Callable[..., subprocess.Popen[str]]
) -> None:
    """After SIGKILL of the process that comes next, the one after it gets its turn."""
    first = start("FIRST")
    assert has_a_turn(first)
    killed = start("KILLED")
    wait_until(lambda: somebody_waits(log_url), "a process waits for its turn")
    last = start("LAST")
    killed.kill()
    killed.communicate()
    first.communicate("\n")
    assert has_a_turn(last)
    last.communicate("\n")
    order = [event.qmgr for event in open_log(log_url, mode="read").events()]
    assert order == ["FIRST", "LAST"]


@pytest.mark.parametrize("obstacle", ["a link", "a folder"])
def test_without_a_lock_file_processes_write_without_turns(
    tmp_path: Path, sqlite_url: str, open_log: OpenLog, obstacle: str
) -> None:
    """A link or a folder in the place of the lock file is left alone, and writing goes on."""
    place, elsewhere = tmp_path / "twin.db-queue", tmp_path / "elsewhere"
    if obstacle == "a link":
        place.symlink_to(elsewhere)
    else:
        place.mkdir()
    log = open_log(sqlite_url)
    assert not LockFile(tmp_path / "twin.db").take()
    with log.turn():
        log.append([new()], recorded_at=0)
    assert log.last().position == 1
    assert not elsewhere.exists()


def test_the_lock_file_has_the_permissions_of_the_log(
    tmp_path: Path, sqlite_url: str, open_log: OpenLog
) -> None:
    """Whoever may write to the log may wait in its queue, whoever created it."""
    log = open_log(sqlite_url)
    (tmp_path / "twin.db").chmod(0o660)
    with log.turn():
        pass
    file = tmp_path / "twin.db-queue"
    assert (file.stat().st_mode & 0o777, file.stat().st_size) == (0o660, 0)


def test_a_log_in_memory_has_no_queue(tmp_path: Path, open_log: OpenLog) -> None:
    """A log in memory belongs to one process, and makes no file."""
    log = open_log("sqlite://")
    with log.turn():
        log.append([new()], recorded_at=0)
    assert list(tmp_path.iterdir()) == []
