"""Views as of random instants: the whole estate, read with snapshots."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import quantiles
from typing import Final

from benchmarks.fold.workload import (
    ENTRIES,
    EVENTS,
    SNAPSHOT_EVERY,
    START,
    STEP,
    Registry,
    Store,
    our_log,
    peer_store,
)
from benchmarks.table import Result, seconds
from twin import events
from twin.app.reading import Views
from twin.events.catalogue import column_of, encode
from twin.fold.estate import Estate
from twin.log import Log, NewEvent

VIEWS: Final = 150
LATE: Final = 10_000
LATE_BATCH: Final = 500


def measure(rounds: int) -> list[Result]:
    """Measure views before and after late events, and the peer's `get(version=)`."""
    numbers = [random.Random(1).randrange(ENTRIES + 10, EVENTS) for _ in range(VIEWS)]
    with our_log() as log, peer_store(snapshots=True) as (store, registry):
        views = Views(log)
        views.snapshot(branch="main", every=SNAPSHOT_EVERY)
        mine: list[float] = []
        other: list[float] = []
        for number in numbers * max(1, rounds // 3):
            mine.append(_view(views, number, log.head().position))
            other.append(_peer_view(store, registry, number))
        results = _rows("as-of, 50,000 events, 2,350 entries", mine, other, (6, 12))
        _write_late(log)
        position = log.head().position
        before = [_view(views, number, position) for number in numbers[:20]]
        views.snapshot(branch="main", every=SNAPSHOT_EVERY)
        after = [_view(views, number, position) for number in numbers]
    return [
        *results,
        _alone("as-of after 10,000 late events, not yet re-snapshotted, p95", before, 500),
        _alone("as-of after 10,000 late events, re-snapshotted, p95", after, 30),
    ]


def _view(views: Views, number: int, position: int) -> float:
    """Time one view of the whole estate in milliseconds; every definition is read."""

    def work() -> None:
        estate = views.upto(branch="main", valid=START + number * STEP, position=position)
        assert _touched(estate) > ENTRIES

    return 1000 * seconds(work)


def _peer_view(store: Store, registry: Registry, version: int) -> float:
    """Time the peer's view of a version in milliseconds."""
    taken = seconds(lambda: store.repository.get(registry.id, version=version))
    return 1000 * taken


def _touched(estate: Estate) -> int:
    return sum(len(qmgr.definitions) for qmgr in estate.qmgrs.values())


def _write_late(log: Log) -> None:
    """Append observations of instants all over the past, in random order."""
    chance = random.Random(2)
    for start in range(0, LATE, LATE_BATCH):
        batch = []
        for number in range(start, start + LATE_BATCH):
            entry = chance.randrange(ENTRIES)
            seen = events.ObjectObserved(
                qmgr=f"QM{entry % 10}",
                kind="QUEUE",
                name=f"ORDERS.{entry}",
                type="QLOCAL",
                values={"DESCR": f"seen {number}"},
            )
            at = START + chance.randrange(ENTRIES + 10, EVENTS - 1) * STEP
            batch.append(
                NewEvent(
                    at,
                    column_of(type(seen)),
                    seen.qmgr,
                    None,
                    "observation:late",
                    f"late-{number:08x}",
                    encode(seen),
                )
            )
        log.append(batch, recorded_at=START + EVENTS * STEP)


def _rows(
    work: str, ours: list[float], peer: list[float], targets: tuple[float, float]
) -> list[Result]:
    """Make a row for p50 and one for p95; the target is a figure, although there is a peer."""
    parts: list[tuple[str, Callable[[list[float]], float], float]] = [
        ("p50", _p50, targets[0]),
        ("p95", _p95, targets[1]),
    ]
    return [
        Result(
            work=f"{work}, {name}",
            unit="ms",
            ours=part(ours),
            peer=part(peer),
            target=target,
            absolute=True,
            name="eventsourcing",
        )
        for name, part, target in parts
    ]


def _alone(work: str, ours: list[float], target: float) -> Result:
    return Result(work=work, unit="ms", ours=_p95(ours), target=target)


def _p50(figures: list[float]) -> float:
    return quantiles(figures, n=100)[49]


def _p95(figures: list[float]) -> float:
    return quantiles(figures, n=100)[94]
