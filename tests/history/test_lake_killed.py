"""An update of the lake that is killed repeatedly, and then completed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Final

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK, ROOT, append, made, positions_in_files
from tests.patience import PATIENCE
from twin.history.columns import VERSION
from twin.history.errors import NotALake
from twin.history.lake import ABOUT, EVENTS, About, Updated, read, update

MADE: Final = 300
BATCH: Final = 30

PROGRAM: Final = """
import sys
from pathlib import Path
from twin.history.lake import update
from twin.history.session import session
url, folder, *conf = sys.argv[1:]
with session(master="local[2]", conf=conf, events=300) as spark:
    update(spark, url, Path(folder), partition=15, batch=30)
"""

Kill = Callable[[int], None]


def with_java(pid: int) -> None:
    """Kill the whole process group at once, as a power failure would."""
    os.killpg(pid, signal.SIGKILL)


def alone(pid: int) -> None:
    """Kill only the process; Java has to notice."""
    os.kill(pid, signal.SIGKILL)


def count_in(folder: Path) -> int:
    """Count the files in a folder, at any depth."""
    return sum(len(folders) + len(files) for _, folders, files in os.walk(folder))


def killed_at(url: str, lake: Path, watched: Path, more: int, kill: Kill) -> None:
    """Run an update until a number of new files are in a folder of the lake, and kill it then."""
    before = count_in(watched)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url, str(lake), *QUICK],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while count_in(watched) < before + more:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "it did not get that far"
            time.sleep(0.01)  # looking more often would keep the update from its processor
        kill(process.pid)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
        assert gone(process.pid), "Java goes on by itself"
    finally:
        if process.poll() is None or not gone(process.pid, within=0.0):
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def gone(group: int, *, within: float = PATIENCE) -> bool:
    """Wait for all processes of a group to end."""
    deadline = time.monotonic() + within
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)


KILLS: Final[tuple[tuple[str, tuple[int, int], Kill], ...]] = (
    (f"{EVENTS}/_temporary", (1, 4), with_java),
    (f"{EVENTS}/month=2026-01", (1, 4), with_java),
    (EVENTS, (2, 12), alone),
)
"""Folders of a lake, how many new files in it to wait for at least and at most, and how to kill."""


@pytest.mark.parametrize("kills", [1, *(pytest.param(n, marks=pytest.mark.more) for n in (2, 3))])
def test_an_update_that_is_killed_anywhere_takes_in_everything_once(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, kills: int
) -> None:
    """An update that is killed at any point is continued by the next, and copies each event once.

    Meanwhile readers see only complete batches.
    """
    append(sqlite_url, (made(number * 8) for number in range(MADE)))
    lake = tmp_path / "lake"
    seen = 0
    for folder, (least, most), kill in random.sample(KILLS, kills):
        watched, more = lake / folder, random.randint(least, most)
        killed_at(sqlite_url, lake, watched, more, kill)
        found = positions_in_files(lake)
        assert found == list(range(1, len(found) + 1))
        assert len(found) % BATCH == 0
        assert len(found) >= seen
        seen = len(found)
    assert seen < MADE, "it was killed too late"
    last = update(spark, sqlite_url, lake)
    assert last == Updated(MADE - seen, MADE)
    every = list(range(1, MADE + 1))
    assert positions_in_files(lake) == every
    rows = read(spark, lake).select("position").collect()
    assert sorted(row.position for row in rows) == every
    again_after_its_last_line(spark, sqlite_url, lake)


def test_an_update_that_was_killed_before_its_first_batch_begins_anew(
    sqlite_url: str, tmp_path: Path
) -> None:
    """A file that was being written when the update was killed is deleted by the next update."""
    append(sqlite_url, map(made, range(3)))
    left = tmp_path / "lake" / EVENTS / "month=2026-01" / "family=channels" / "part-1.parquet"
    left.parent.mkdir(parents=True)
    left.write_text("half of it")
    About(VERSION, "", 0, (), target=3).write(tmp_path / "lake")
    assert update(None, sqlite_url, tmp_path / "lake") == Updated(3, 3)
    assert positions_in_files(tmp_path / "lake") == [1, 2, 3]
    assert not left.exists()


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_task_that_ended_before_its_update_was_killed_is_not_taken_in_by_the_next(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, scheme: str
) -> None:
    """What a killed job's task left where Spark collects a batch does not come in twice."""
    append(sqlite_url, map(made, range(30)))
    update(spark, sqlite_url, tmp_path / "first", partition=15)
    task = tmp_path / "lake" / EVENTS / "_temporary/0/task_202601010000000000000_0000_m_000000"
    copytree(tmp_path / "first" / EVENTS, task)
    About(VERSION, "", 0, (), target=30).write(tmp_path / "lake")
    lake = f"{scheme}{tmp_path / 'lake'}" if scheme else tmp_path / "lake"
    assert update(spark, sqlite_url, lake, partition=15) == Updated(30, 30)
    assert positions_in_files(tmp_path / "lake") == list(range(1, 31))


def again_after_its_last_line(spark: SparkSession, url: str, lake: Path) -> None:
    """Run it again as if it had been killed before it wrote its first description."""
    about = About.read(lake)
    assert about is not None
    About(VERSION, about.origin, 0, about.branches).write(lake)
    assert update(spark, url, lake) == Updated(MADE, MADE)
    again = About.read(lake)
    assert again is not None
    assert again == replace(about, files=again.files, run=again.run)
    assert positions_in_files(lake) == list(range(1, MADE + 1))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"branches": [[1]]}', "\x00"])
def test_what_is_no_account_of_a_lake_is_refused(tmp_path: Path, text: str) -> None:
    """An incomplete or foreign description is refused in one line."""
    (tmp_path / ABOUT).write_text(text)
    with pytest.raises(NotALake, match="that is not that of a lake"):
        About.read(tmp_path)
