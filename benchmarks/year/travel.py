"""Time travel in the year that was written: one observer's DISPLAY, and the whole estate."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import closing
from statistics import quantiles
from typing import Final

from benchmarks.table import seconds
from benchmarks.year.workload import BEGIN, BRANCH, FULL, NOW, Size
from twin.app.twin import Twin
from twin.fold.estate import PARTS
from twin.model.instants import Instant

INSTANTS: Final = 100
WHOLE: Final = 10
"""Of the whole estate fewer instants are looked at: each takes long."""


def travel(url: str, size: Size) -> Mapping[str, float]:
    """Look at random instants of the year, and say in milliseconds how long that took."""
    chance = random.Random(90)
    instants = [chance.randrange(BEGIN, size.end) for _ in range(INSTANTS)]
    found: dict[str, float] = {}
    for role, number in (("full", 0), ("partial", max(FULL, size.qmgrs // 2))):
        name = size.names[number]
        with _opened(url) as twin:
            taken = [_timed(lambda at=at, name=name: _display(twin, name, at)) for at in instants]
        cuts = quantiles(taken, n=100)
        found |= {f"{role} p50": cuts[49], f"{role} p95": cuts[94]}
    with _opened(url) as twin:
        taken = [_timed(lambda at=at: _whole(twin, at)) for at in instants[:WHOLE]]
    return {**found, "whole p50": quantiles(taken, n=100)[49], "whole max": max(taken)}


def _opened(url: str) -> closing[Twin]:
    return closing(Twin.open(url, read_only=True, branch=BRANCH, clock=lambda: NOW))


def _timed(work: Callable[[], None]) -> float:
    return 1000 * seconds(work)


def _display(twin: Twin, name: str, at: Instant) -> None:
    session = twin.runmqsc(name, "DISPLAY CLUSQMGR(*)", as_of=at)
    assert session.exit_code == 0
    assert len(session.displayed) >= FULL


def _whole(twin: Twin, at: Instant) -> None:
    estate, _ = twin.view(as_of=at)
    for qmgr in estate.qmgrs.values():
        for part in PARTS:
            getattr(qmgr, part)
