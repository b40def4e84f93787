"""How long short commands take, as whole processes."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time_ns
from typing import Final

from benchmarks.table import Result, interleaved
from twin.demo import QUEUE, walk

_FLOOR: Final = """\
import pydantic
import sqlalchemy
engine = sqlalchemy.create_engine("sqlite:///{log}")
with engine.connect() as connection:
    connection.execute(sqlalchemy.text("SELECT count(*) FROM event")).scalar()
"""
"""The minimum that every command does that reads a log: import two libraries and open the file."""

_COMMANDS: Final = {
    "ask members": (["ask", "members"], 1.5),
    "explain": (["explain", "PR1", QUEUE], 2.0),
}
"""Name -> the command on the demo's log, and its time limit as a multiple of the minimum."""

_ENVIRONMENT: Final = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
"""Compiled modules are kept, as in every installation of twin."""


def measure(rounds: int) -> list[Result]:
    """Measure `twin --help` and `datasette --help`, and commands compared with their imports.

    For commands, the processor time counts: other processes do not disturb it.
    """
    mine, other = interleaved(rounds, lambda: _help("twin"), lambda: _help("datasette"))
    started = Result(
        work="--help",
        unit="ms",
        ours=mine,
        peer=other,
        target=150,
        absolute=True,
        name="datasette",
    )
    with TemporaryDirectory() as folder:
        log = Path(folder, "demo.db")
        with redirect_stdout(StringIO()):
            walk(log, now=time_ns() // 1000)
        return [started, *(_beside_floor(name, log, rounds) for name in _COMMANDS)]


def _beside_floor(name: str, log: Path, rounds: int) -> Result:
    words, limit = _COMMANDS[name]
    floor = [sys.executable, "-c", _FLOOR.format(log=log)]
    command = [sys.executable, "-m", "twin", "--log", str(log), *words]
    _processor_ms(command)  # compiles modules that are not compiled yet
    ours, peer = interleaved(
        2 * rounds, lambda: _processor_ms(command), lambda: _processor_ms(floor)
    )
    return Result(
        work=name,
        unit="ms",
        ours=ours,
        peer=peer,
        target=1 / limit,
        name="SQLAlchemy and pydantic alone",
    )


def _processor_ms(command: list[str]) -> float:
    """Run a process and return the processor time that it took, in milliseconds."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_ENVIRONMENT)
    after = os.times()
    return 1000 * (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def _help(command: str) -> float:
    path = str(Path(sys.executable).with_name(command))
    return _processor_ms([path, "--help"])
