"""Run trials in parallel until the time is over, each in a process of its own."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE
from tests.soak import disks, estates, flipping, kills, lakes, servers, tampering, writers
from tests.soak.bench import POSTGRESQL, SQLITE, Bench, Prepared
from tests.soak.tally import Tally
from tests.soak.victims import victims

LONGEST: Final = 4 * PATIENCE
"""The seconds after which a trial is ended: it hangs."""

_ENOUGH: Final = 20
"""After so many failures no trial begins."""

_DAY: Final = 86_400.0
"""Seconds that no soak without a time limit needs."""

_REPORTED: Final = 60.0
"""The seconds between two lines that say how far the soak is."""


@dataclass(frozen=True)
class Trial:
    """A kind of trial.

    Attributes:
        section: the section of the table that it counts in.
        work: does it.
        weight: how often it is chosen.
        needs: what must be there: POSTGRESQL, or Spark.
        alone: whether only one of its section runs at a time.
    """

    section: str
    work: Callable[[Bench], None]
    weight: float
    needs: str = ""
    alone: bool = False


_KILLED: Final = tuple(victims("", 0))
_SPARK: Final = "Spark"
_NEEDS: Final = {SQLITE: "", POSTGRESQL: POSTGRESQL}


def trials() -> Mapping[str, Trial]:
    """Return all kinds of trials by their names."""
    found: dict[str, Trial] = {}
    for name in _KILLED:
        for database, needs in _NEEDS.items():
            found[f"kill {name} {database}"] = Trial(
                "kill", _bound(kills.by_kill, name, database), 4, needs
            )
            found[f"signal {name} {database}"] = Trial(
                "signal", _bound(kills.by_signal, name, database), 1.5, needs
            )
        found[f"disk {name}"] = Trial("full disk", _bound(disks.by_disk, name), 2)
        found[f"server {name}"] = Trial("server", _bound(servers.by_server, name), 2, POSTGRESQL)
    for database, needs in _NEEDS.items():
        found[f"writers {database}"] = Trial(
            "writers", _bound(writers.by_writers, database), 4, needs
        )
        found[f"tampering {database}"] = Trial(
            "tampering", _bound(tampering.by_tampering, database), 8, needs
        )
    found["flipping"] = Trial("flip", flipping.by_flipping, 8)
    found["estates"] = Trial("answers", estates.by_estates, 25)
    found["lake"] = Trial("lake", lakes.by_lake, 2, _SPARK, alone=True)
    return found


def _bound(work: Callable[..., None], *arguments: str) -> Callable[[Bench], None]:
    return lambda bench: work(bench, *arguments)


def possible(prepared: Prepared, *, spark: bool) -> dict[str, Trial]:
    """Return the trials that are possible on this machine."""
    there = {"", *prepared.databases, *([_SPARK] if spark and lakes.is_installed() else [])}
    return {name: trial for name, trial in trials().items() if trial.needs in there}


@dataclass
class Soak:
    """A soak: trials that follow from a seed.

    Attributes:
        prepared: what its trials copy.
        folder: where they work, and where the material of failures is kept.
        workers: how many run at a time.
        names: the trials to choose from.
        short: whether trials have fewer parts.
        tally: the counts so far.
    """

    prepared: Prepared
    folder: Path
    workers: int
    names: Sequence[str]
    short: bool = False
    tally: Tally = field(default_factory=Tally)
    _running: dict[int, tuple[int, str, float]] = field(default_factory=dict)

    def for_minutes(self, minutes: float) -> None:
        """Run trials for so many minutes."""
        self._run(self._chosen(), time.monotonic() + minutes * 60)

    def each_once(self) -> None:
        """Run every trial once."""
        self._run(enumerate(self.names), time.monotonic() + _DAY)

    def one(self, number: int) -> None:
        """Run one trial again."""
        (name,) = self.names
        self._run(iter([(number, name)]), time.monotonic() + _DAY)

    def _chosen(self) -> Iterator[tuple[int, str]]:
        weights = [trials()[name].weight for name in self.names]
        chance = random.Random(f"{self.prepared.seed} trials")
        for number in itertools.count():
            (name,) = chance.choices(self.names, weights)
            yield number, name

    def _run(self, chosen: Iterator[tuple[int, str]], deadline: float) -> None:
        reported = time.monotonic()
        try:
            while True:
                if len(self.tally.failures) >= _ENOUGH:
                    chosen, deadline = iter(()), 0.0
                while len(self._running) < self.workers and time.monotonic() < deadline:
                    following = next(chosen, None)
                    if following is None:
                        deadline = 0.0
                        break
                    number, name = following
                    if trials()[name].alone and self._busy(name):
                        continue
                    self._begin(number, name, deadline)
                if not self._running:
                    return
                time.sleep(0.01)
                self._collect()
                if time.monotonic() - reported > _REPORTED:
                    reported = time.monotonic()
                    self._report()
        finally:
            for pid in self._running:
                _kill_group(pid)

    def _busy(self, name: str) -> bool:
        return any(each == name for _, each, _ in self._running.values())

    def _begin(self, number: int, name: str, deadline: float) -> None:
        folder = self.folder / f"trial{number}"
        folder.mkdir()
        pid = os.fork()
        if pid:
            self._running[pid] = (number, name, time.monotonic())
            return
        try:
            os.setsid()
            bench = Bench(self.prepared, number, folder, deadline, short=self.short)
            _perform(bench, name)
        finally:
            os._exit(0)

    def _collect(self) -> None:
        for pid, (number, name, began) in list(self._running.items()):
            if time.monotonic() - began > LONGEST:
                _kill_group(pid)
            ended, _ = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._running[pid]
                _kill_group(pid)
                self._finish(number, name)

    def _finish(self, number: int, name: str) -> None:
        folder = self.folder / f"trial{number}"
        result = folder / "tally.json"
        tally = Tally.read(result) if result.exists() else Tally(failures=["it did not end"])
        if tally.failures:
            (why,) = tally.failures
            tally.failures = [f"trial {number} ({name}), kept in {folder}: {why}"]
            sys.stderr.write(f"{tally.failures[0][:3000]}\n")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        self.tally.merge(tally)

    def _report(self) -> None:
        counts = Tally(self.tally.counts)
        shown = ", ".join(
            f"{section} {counts.total(section):,}"
            for section in dict.fromkeys(each for each, _, _ in counts.counts)
        )
        sys.stderr.write(f"{shown}; failures {len(self.tally.failures)}\n")


def _perform(bench: Bench, name: str) -> None:
    """Do one trial in this process, and write its counts."""
    try:
        trials()[name].work(bench)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        bench.tally.failures.append(f"{error}\n{traceback.format_exc()}")
    bench.tally.write(bench.folder / "tally.json")


def _kill_group(pid: int) -> None:
    """Kill a trial, and all that it started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
