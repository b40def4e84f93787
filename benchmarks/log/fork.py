"""Durable forks of a branch of a log on SQLite."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from statistics import median
from typing import Final

from benchmarks.log.facts import START, batches, prepared
from benchmarks.table import Result, seconds
from twin.log import Log

EVENTS: Final = 50_000
FORKS: Final = 100


def measure(rounds: int) -> list[Result]:
    """Measure forks at the head, and in the middle of the past."""
    with (
        tempfile.TemporaryDirectory(prefix="twin-bench-") as folder,
        closing(Log.open(f"sqlite:///{folder}/twin.db")) as log,
    ):
        for batch in batches(EVENTS, 100):
            log.append(prepared(batch), recorded_at=0)
        latest = log.head().occurred_at or START
        at_head = _forks(rounds, log.create_branch, "head")
        past = partial(log.create_branch, at_occurred=latest - EVENTS // 200)
        in_the_past = _forks(rounds, past, "past")
    return [
        Result(work="fork a branch at its head, SQLite", unit="ms", ours=at_head, target=1),
        Result(work="fork a branch in the past, SQLite", unit="ms", ours=in_the_past, target=1),
    ]


def _forks(rounds: int, fork: Callable[[str], object], stem: str) -> float:
    names = [f"{stem}-{number}" for number in range(rounds * FORKS // 5)]
    return 1000 * median(seconds(partial(fork, name)) for name in names)
