"""Samples of several sizes: copied into a lake, reported on, and each metric compared with SQL."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.history.beside import Beside, beside
from benchmarks.history.processes import Run, twin
from benchmarks.table import Result
from twin.history.metrics import METRICS
from twin.log import Log
from twin.sampling import make

ROUNDS: Final = 3
"""How often each metric and its peer are measured, in turns; the best time counts."""

SMALL: Final = (100_000,)
"""The sizes that a run of all benchmarks measures; published figures come from larger samples."""

LONG: Final = (1_000_000, 10_000_000)

YEARS: Final = {1_000_000: 1.0, 10_000_000: 3.0}
"""How many years a sample of this size covers; one year for all other sizes."""

A_YEAR_OF_ONE: Final = 28_000
"""The approximate number of events of a queue manager in a year."""

TEN_MILLION: Final = 10_000_000
UPDATE_WITHIN: Final = 180_000
REPORT_WITHIN: Final = 240_000
MEGABYTES: Final = 4_000
RATIO: Final = 1 / 1.2
"""With ten million events, a metric may take 1.2 times as long as SQL written by hand. With fewer
events, most of the time is planning.
"""


class _Measured(NamedTuple):
    """The measurements of one sample."""

    events: int
    update: Run
    nothing_new: Run
    report: Run
    metrics: Mapping[str, Beside]


def measure(
    rounds: int, *, events: Sequence[int] = SMALL, keep: Path | None = None
) -> list[Result]:
    """Measure samples of several sizes, and how their costs grow from one size to the next.

    `keep` is a folder in which samples are kept and reused; their lakes are rebuilt.
    """
    with _folder(keep) as folder:
        found = [_measured(_sample(folder, size), min(rounds, ROUNDS)) for size in sorted(events)]
    results = [row for each in found for row in _rows(each)]
    for one, other in pairwise(found):
        results += _growth(one, other)
    return results


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        yield Path(folder)


def _sample(folder: Path, events: int) -> Path:
    """Make a sample, or reuse one that was kept."""
    million, rest = divmod(events, 1_000_000)
    file = folder / (f"{events}.db" if rest else f"{million}m.db")
    if not file.exists():
        print(f"making a sample of {events:,} events ...", file=sys.stderr)
        years = YEARS.get(events, 1.0)
        qmgrs = max(12, round(events / years / A_YEAR_OF_ONE))
        make(f"sqlite:///{file}", qmgrs=qmgrs, years=years, seed=1, events=events)
    return file


def _measured(log: Path, rounds: int) -> _Measured:
    """Run the commands as a user would, then the metrics in one session."""
    lake, report = log.with_suffix(".lake"), log.with_suffix(".report")
    shutil.rmtree(lake, ignore_errors=True)
    with closing(Log.open(f"sqlite:///{log}", mode="read")) as opened:
        events = opened.last().position
    history = ("--log", str(log), "history")
    master = ("--master", "local[2]", "--lake", str(lake))
    update = twin(*history, "update", *master)
    nothing_new = twin(*history, "update", *master)
    told = twin(*history, "report", *master, "--out", str(report), "--format", "json")
    print(json.dumps(json.loads(told.output)["seconds"], indent=1), file=sys.stderr)
    return _Measured(events, update, nothing_new, told, beside(lake, rounds))


def _rows(found: _Measured) -> Iterator[Result]:
    events = f"{found.events:,} events"
    whole = found.events > 0.9 * TEN_MILLION
    runs = (
        (f"update of a lake, {events}", found.update, UPDATE_WITHIN),
        (f"update with nothing new, {events}", found.nothing_new, None),
        (f"report of {len(METRICS)} metrics, {events}", found.report, REPORT_WITHIN),
    )
    for work, run, within in runs:
        target = within if whole else None
        yield Result(work=work, unit="ms", ours=1000 * run.seconds, target=target)
        memory = MEGABYTES if within is not None else None
        yield Result(work=f"{work}, memory", unit="MB", ours=run.megabytes, target=memory)
    rate = found.events / found.update.seconds / 1000
    yield Result(work=f"update of a lake, {events}", unit="k/s", ours=rate, target=None)
    for name, each in found.metrics.items():
        ratio = RATIO if whole else None
        yield _metric(f"{name}, {events}", each.ours, each.sql, "Spark SQL", ratio)
        if each.duckdb is not None:
            yield _metric(f"{name}, {events}", each.ours, each.duckdb, "DuckDB", None)


def _metric(work: str, ours: float, peer: float, name: str, target: float | None) -> Result:
    return Result(
        work=work, unit="ms", ours=1000 * ours, peer=1000 * peer, target=target, name=name
    )


def _growth(one: _Measured, other: _Measured) -> Iterator[Result]:
    """Compare the costs per event of two samples: at most 1 if they grow at most linearly."""
    times = other.events / one.events
    grown = {
        "update of a lake": (one.update.seconds, other.update.seconds),
        "report": (one.report.seconds, other.report.seconds),
        **{name: (one.metrics[name].ours, each.ours) for name, each in other.metrics.items()},
    }
    for name, (less, more) in grown.items():
        yield Result(
            work=f"{name}, of one event among {other.events:,} beside {one.events:,}",
            unit="x",
            ours=more / less / times,
            target=1,
        )
