"""The first question on a branch, compared with the same question on its parent."""

from __future__ import annotations

from functools import partial
from statistics import median

from benchmarks.fold.workload import EVENTS, SNAPSHOT_EVERY, START, STEP, our_log
from benchmarks.table import Result, seconds
from twin.app.reading import Views


def measure(rounds: int) -> list[Result]:
    """Measure a view of the head on a fork and on its parent."""
    on_fork: list[float] = []
    on_parent: list[float] = []
    with our_log() as log:
        views = Views(log)
        views.snapshot(branch="main", every=SNAPSHOT_EVERY)
        for number in range(rounds * 6):
            name = f"fork-{number}"
            log.create_branch(name)
            on_fork.append(_first_question(views, name, log.head().position))
            on_parent.append(_first_question(views, "main", log.head().position))
    return [
        Result(
            work="first question on a fork",
            unit="ms",
            ours=median(on_fork),
            peer=median(on_parent),
            target=1 / 1.2,
            name="on its parent",
        ),
    ]


def _first_question(views: Views, branch: str, position: int) -> float:
    valid = START + (EVENTS - 1) * STEP
    return 1000 * seconds(partial(views.upto, branch=branch, valid=valid, position=position))
