"""How long the command line takes to say what it can do, as a whole process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.table import Result, interleaved, seconds


def measure(rounds: int) -> list[Result]:
    """Measure `twin --help` beside `datasette --help`."""
    mine, other = interleaved(rounds, lambda: _help("twin"), lambda: _help("datasette"))
    return [
        Result(
            work="--help",
            unit="ms",
            ours=mine,
            peer=other,
            target=150,
            absolute=True,
            name="datasette",
        )
    ]


def _help(command: str) -> float:
    path = str(Path(sys.executable).with_name(command))
    return 1000 * seconds(
        lambda: subprocess.run([path, "--help"], check=True, stdout=subprocess.DEVNULL)
    )
