"""Time travel in the year's log: one observer's DISPLAY, and the whole estate."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from statistics import quantiles
from typing import Final

from benchmarks.year.workload import BEGIN, BRANCH, FULL, NOW, Size
from twin.app.twin import Twin
from twin.fold.estate import PARTS
from twin.model.instants import Instant

INSTANTS: Final = 100


def travel(url: str, size: Size) -> Mapping[str, float]:
    """Show random instants of the year, and return how long this took in milliseconds."""
    chance = random.Random(90)
    instants = [chance.randrange(BEGIN, size.end) for _ in range(INSTANTS)]
    looks: dict[str, Callable[[Twin, Instant], None]] = {
        "full": partial(_display, size.names[0]),
        "partial": partial(_display, size.names[max(FULL, size.qmgrs // 2)]),
        "whole": _whole,
    }
    found: dict[str, float] = {}
    for name, look in looks.items():
        cuts = quantiles(_each(url, look, instants), n=100)
        found |= {f"{name} p50": cuts[49], f"{name} p95": cuts[94]}
    return found


def _each(
    url: str, look: Callable[[Twin, Instant], None], instants: Iterable[Instant]
) -> list[float]:
    """Time each view in milliseconds, including garbage collection."""
    taken = []
    with closing(Twin.open(url, read_only=True, branch=BRANCH, clock=lambda: NOW)) as twin:
        for at in instants:
            started = time.perf_counter()
            look(twin, at)
            taken.append(1000 * (time.perf_counter() - started))
    return taken


def _display(name: str, twin: Twin, at: Instant) -> None:
    session = twin.runmqsc(name, "DISPLAY CLUSQMGR(*)", as_of=at)
    assert session.exit_code == 0
    assert len(session.displayed) >= FULL


def _whole(twin: Twin, at: Instant) -> None:
    estate, _ = twin.view(as_of=at)
    for qmgr in estate.qmgrs.values():
        for part in PARTS:
            getattr(qmgr, part)
        assert qmgr.repository.beliefs
