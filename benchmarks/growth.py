"""How the time and memory of commands grow with a log: `python -m benchmarks.growth [--large]`.

Two series: more events of as many queue managers, and more queue managers with as many events.
Each command runs in a process of its own, as a user runs it. A step is linear if its figure grows
no more than the size does.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.table import Result
from twin.cli import main as twin
from twin.sampling import make

SMALL: Final = ((50, 25_000), (50, 100_000), (100, 25_000), (200, 25_000))
LARGE: Final = ((100, 100_000), (100, 1_000_000), (100, 3_000_000), (300, 300_000), (1000, 300_000))
"""Queue managers and events: first more events, then more queue managers."""

YEARS: Final = 1.0
COMMANDS: Final = (
    ("opening", "dspmq"),
    ("log show", "log show"),
    ("log verify", "log verify"),
    ("members", "ask members --as-of {end}"),
    ("divergence", "ask divergence --as-of {end}"),
    ("lifetimes", "ask lifetimes --as-of {end}"),
)
_MIB: Final = 1024
LINEAR: Final = 1.25
"""How much faster than the size a figure may grow: measurements differ by so much."""


class Size(NamedTuple):
    """The size of a log."""

    qmgrs: int
    events: int


class Figure(NamedTuple):
    """What a command took: seconds of processor, and the largest memory in MiB."""

    seconds: float
    memory: float


def measured(work: Sequence[str]) -> Figure:
    """Run a command in a fork of this process; its output is discarded."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            code = twin(list(work))
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, work
    return Figure(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / _MIB)


def figures(size: Size, folder: Path) -> tuple[Size, dict[str, Figure]]:
    """Build a log and run every command on it; return its true size, too."""
    url = f"sqlite:///{folder}/{size.qmgrs}-{size.events}.db"
    used = _used()
    planted = make(url, qmgrs=size.qmgrs, years=YEARS, seed=1, events=size.events)
    found = {"build": Figure(_used() - used, 0.0)}
    found["first question"] = measured(["--log", url, "dspmq"])
    for name, words in COMMANDS:
        line = words.format(end="2025-12-31T23:59:59Z").split()
        found[name] = min(measured(["--log", url, *line]) for _ in range(3))
    return Size(planted.qmgrs, planted.events), found


def _used() -> float:
    """Return the seconds of processor of this process and of those that it waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, kinds))


def growth(before: tuple[Size, Figure], after: tuple[Size, Figure]) -> float:
    """Return how much more a figure grew than the size did; at most 1 is linear."""
    (was, one), (size, other) = before, after
    larger = max(size.qmgrs / was.qmgrs, size.events / was.events)
    return other.seconds / one.seconds / larger


def measure(rounds: int, sizes: Sequence[tuple[int, int]] = SMALL) -> list[Result]:
    """Measure the growth of each command between the smallest log and each larger one."""
    del rounds
    with TemporaryDirectory() as folder:
        (first, base), *others = [figures(Size(*size), Path(folder)) for size in sizes]
    results = []
    for size, found in others:
        for name, figure in found.items():
            work = f"{name}: {size.qmgrs} queue managers, {size.events:,} events"
            ratio = growth((first, base[name]), (size, figure))
            results.append(Result(work=work, unit="x", ours=ratio, target=LINEAR))
            print(
                f"{work}: {figure.seconds:.2f} s, {figure.memory:.0f} MiB "
                f"({base[name].seconds:.2f} s, {base[name].memory:.0f} MiB with {first.qmgrs} "
                f"and {first.events:,})",
                file=sys.stderr,
            )
    return results


if __name__ == "__main__":
    from benchmarks.table import table

    print(table(measure(1, LARGE if "--large" in sys.argv else SMALL)))
