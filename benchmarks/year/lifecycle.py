"""The simulated year compared with the same rules written for SimPy, and time travel in its log."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.table import Result, interleaved
from benchmarks.year.equality import YearsDiffer, demand_alike
from benchmarks.year.side import arguments
from benchmarks.year.workload import BUSY, LARGE, STANDARD, Size

ROUNDS: Final = 3
"""Each round takes half a minute, so there are fewer than usual."""

BASE: Final = "base.db"

_WITHIN: Final = {STANDARD: 10_000, LARGE: 60_000}
"""The limit for a year, in milliseconds."""

DISPLAY_WITHIN: Final = 50
WHOLE_WITHIN: Final = 1000


def measure(rounds: int, *, scale: float = 1, hosts: int = 1, busy: bool = False) -> list[Result]:
    """Measure the usual year, the year of a larger cluster, and time travel in the usual year.

    `scale` makes the clusters smaller, for a quick run whose figures mean nothing. `hosts` is the
    number of queue managers that have each queue. `busy` adds the larger cluster with applications,
    which takes minutes.
    """
    results: list[Result] = []
    for size in (STANDARD, LARGE, *([BUSY] if busy else [])):
        with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
            year = _Year(Path(folder), replace(size.scaled(scale), hosts=hosts))
            times = ROUNDS if size is STANDARD else 1
            results += year.rows(min(rounds, times), _WITHIN.get(size))
            if size is STANDARD:
                results += year.travel()
    return results


class _Year:
    """One size of cluster, with the logs of both sides in a folder."""

    def __init__(self, folder: Path, size: Size) -> None:
        self._folder = folder
        self._size = size
        self._run("prepare", BASE)

    def rows(self, rounds: int, within: int | None) -> list[Result]:
        """Measure both sides; if they made different events, do not compare them."""
        ours, peer = interleaved(rounds, lambda: self._side("ours"), lambda: self._side("peer"))
        try:
            alike = demand_alike(self._url("ours.db"), self._url("peer.db"))
        except YearsDiffer as error:
            print(error, file=sys.stderr)
            return [Result(work=f"{self._size}", unit="ms", ours=ours, target=within)]
        work = f"a year of {self._size}, {alike.events:,} events"
        if not alike.ordered:
            print("at some instants the order differs", file=sys.stderr)
        beside = Result(work=work, unit="ms", ours=ours, peer=peer, target=1, name="SimPy")
        if within is None:
            return [replace(beside, target=None)]
        return [beside, Result(work=work, unit="ms", ours=ours, target=within)]

    def travel(self) -> list[Result]:
        """Measure how long a new reader takes to show instants of the year."""
        found = self._run("travel", "ours.db")
        shown = (
            ("DISPLAY CLUSQMGR(*) at a partial repository", "partial", DISPLAY_WITHIN),
            ("DISPLAY CLUSQMGR(*) at a full repository", "full", DISPLAY_WITHIN),
            ("the whole estate", "whole", WHOLE_WITHIN),
        )
        return [
            Result(
                work=f"as-of in that year, {what}, {part}",
                unit="ms",
                ours=found[f"{where} {part}"],
                target=target,
            )
            for what, where, target in shown
            for part in ("p50", "p95")
        ]

    def _side(self, side: str) -> float:
        """Run a side on a log in which all queue managers have just joined; return milliseconds."""
        for old in self._folder.glob(f"{side}.db*"):
            old.unlink()
        shutil.copy(self._folder / BASE, self._folder / f"{side}.db")
        return 1000 * float(self._run(side, f"{side}.db")["seconds"])

    def _run(self, side: str, file: str) -> dict[str, Any]:
        command = arguments(side, self._url(file), self._size)
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        figures: dict[str, Any] = json.loads(done.stdout)
        print(f"  {side}: {_shown(figures)}", file=sys.stderr)
        return figures

    def _url(self, file: str) -> str:
        return f"sqlite:///{self._folder / file}"


def _shown(figures: dict[str, Any]) -> str:
    """Write figures on one line."""
    parts = [f"{name} {figure:,.4g}" for name, figure in figures.items()]
    if "events" in figures:
        parts = [
            f"{figures['seconds']:.2f} s ({figures['processor']:.2f} s of processor)",
            f"{figures['events']:,.0f} events",
            f"{figures['events'] / figures['seconds']:,.0f} events/s",
            f"peak {figures['megabytes']:,.0f} MB",
        ]
    return ", ".join(parts)
