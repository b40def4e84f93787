"""Runs a command and measures its memory, including all processes that it starts."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Final, NamedTuple

_EVERY: Final = 0.5
"""Seconds between two measurements."""


class Run(NamedTuple):
    """The costs and the output of a command.

    Attributes:
        seconds: the time from its start to its end.
        megabytes: its peak memory with all children; memory that they share counts once.
        output: its output.
    """

    seconds: float
    megabytes: float
    output: str


def twin(*words: str) -> Run:
    """Run the command line and measure it.

    Raises:
        CalledProcessError: if it fails.
    """
    started = time.perf_counter()
    command = [sys.executable, "-m", "twin", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        watch = _Watch(process.pid)
        output, _ = process.communicate()
        peak = watch.ended()
    taken = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Run(taken, peak / 1024, output)


class _Watch:
    """Measures a tree of processes repeatedly."""

    def __init__(self, root: int) -> None:
        """Start to measure."""
        self._root = root
        self._peak = 0
        self._over = Event()
        self._thread = Thread(target=self._look, daemon=True)
        self._thread.start()

    def ended(self) -> int:
        """Stop, and return the largest value that was measured, in kB."""
        self._over.set()
        self._thread.join()
        return self._peak

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            self._peak = max(self._peak, sum(map(_proportional, _tree(self._root))))


def _tree(root: int) -> Iterator[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        children.setdefault(_parent(folder), []).append(int(folder.name))
    waiting: Sequence[int] = [root]
    while waiting:
        yield from waiting
        waiting = [child for each in waiting for child in children.get(each, ())]


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0  # it has ended


def _proportional(process: int) -> int:
    """Return the memory of a process in kB, with its share of memory that it uses with others."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass  # it has ended
    return 0
