"""`twin history update` that is killed: the next one copies each event once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE
from tests.soak.bench import SQLITE, Bench, expect
from tests.soak.children import ROOT
from tests.soak.contents import contents

QUICK: Final = (
    "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions=2",
    "spark.driver.memory=512m",
)
"""Settings of Spark with which a small update starts soon."""

_LONGEST: Final = 3.0
"""The seconds of writing after which an update is killed at the latest."""


def is_installed() -> bool:
    """Return whether Spark is there."""
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def by_lake(bench: Bench) -> None:
    """Kill an update with its Java, twice; then let it complete, and count what is there."""
    from tests.history.logs import positions_in_files

    with bench.copy("rich", SQLITE) as url:
        lake = bench.folder / "lake"
        for _ in range(2):
            process = _start(bench, url, lake)
            _sleep(process, lake, bench)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)
            found = positions_in_files(lake) if lake.exists() else []
            expect(len(found) == len(set(found)), "an event is in the lake twice")
            if process.returncode == -signal.SIGKILL:
                bench.tally.add("lake", "with its Java, SQLite")
        last = _start(bench, url, lake)
        out, err = last.communicate(timeout=PATIENCE)
        expect(last.returncode == 0, f"the update does not go on: {err}")
        events = len(contents(url).events)
        expect(f"is at position {events:,}" in out, out)
        expect(positions_in_files(lake) == list(range(1, events + 1)), "the lake differs")


def _start(bench: Bench, url: str, lake: Path) -> subprocess.Popen[str]:
    words = ["--log", url, "history", "update", "--lake", str(lake)]
    settings = [word for each in QUICK for word in ("--conf", each)]
    return subprocess.Popen(
        [sys.executable, "-m", "twin", *words, *settings],
        cwd=bench.folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "scheduler")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _sleep(process: subprocess.Popen[str], lake: Path, bench: Bench) -> None:
    """Wait until the update has begun to write, and a random while longer."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and not lake.exists() and time.monotonic() < until:
        time.sleep(0.01)
    process_ends = time.monotonic() + bench.chance.uniform(0, _LONGEST)
    while process.poll() is None and time.monotonic() < process_ends:
        time.sleep(0.01)
