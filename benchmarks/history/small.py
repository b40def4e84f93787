"""A small log beside an empty Spark session: `python -m benchmarks.history.small`.

Processor time counts, of all processes: `twin history update` and `report`, and a Spark session
with its own settings that reads the same rows from Parquet and writes them once.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from pyarrow import dataset, parquet

from benchmarks.history.processes import twin
from twin.history.arrow import SCHEMA
from twin.history.lake import files

EVENTS: Final = 59_000
AT_MOST: Final = 3.0
"""How many empty sessions an update and a report together may cost."""

_SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of Linux: processes that lose their parent become children of this one."""

_EMPTY: Final = """
import os, sys
from pyspark.sql import SparkSession
rows, out = sys.argv[1:]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.read.parquet(rows).write.parquet(out)
spark.stop()
"""


def measure(events: int, rounds: int) -> str:
    """Measure both in turns; return a table of the best of each."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        url, lake = f"sqlite:///{folder}/small.db", folder / "small.lake"
        twin("--log", url, "history", "sample", "--qmgrs", "12", "--events", str(events))
        ours = [sys.executable, "-m", "twin", "--log", url, "history"]
        best: dict[str, float] = {}
        for number in range(rounds):
            found = {"update": _processor([*ours, "update", "--lake", f"{lake}{number}"])}
            found["report"] = _processor(
                [*ours, "report", "--lake", f"{lake}{number}", "--out", f"{folder}/out"]
            )
            names = [str(file) for file in files(Path(f"{lake}{number}"))]
            folders = dataset.partitioning(flavor="hive")
            rows = dataset.dataset(names, schema=SCHEMA, partitioning=folders).to_table()
            (folder / "rows").mkdir(exist_ok=True)
            parquet.write_table(rows, folder / "rows" / "all.parquet")
            found["empty session"] = _processor(
                [sys.executable, "-c", _EMPTY, f"{folder}/rows", f"{folder}/copy{number}"]
            )
            best = {name: min(value, best.get(name, value)) for name, value in found.items()}
    share = (best["update"] + best["report"]) / best["empty session"]
    lines = [f"{name}: {value:.1f} s of processor" for name, value in best.items()]
    return "\n".join(
        [f"{rows.num_rows:,} events", *lines, f"{share:.2f} empty sessions, at most {AT_MOST}"]
    )


def _processor(command: list[str]) -> float:
    """Run a command; return the processor seconds of it and of all processes that it started."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        from twin.history import session

        environment = {
            **os.environ,
            "JAVA_HOME": str(session.java_home(Path(tempfile.gettempdir()))),
        }
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        with suppress(ChildProcessError):
            while True:
                os.wait()
        os._exit(done.returncode != 0)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Run it and print its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history.small")
    parser.add_argument("--events", type=int, default=EVENTS, metavar="N")
    parser.add_argument("--rounds", type=int, default=1)
    print(measure(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
