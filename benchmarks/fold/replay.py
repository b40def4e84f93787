"""Replay of a whole log to the estate, from the database on."""

from __future__ import annotations

from benchmarks.fold.workload import ENTRIES, EVENTS, our_log, peer_store
from benchmarks.table import Result, interleaved, seconds
from twin.fold.estate import Estate
from twin.fold.replay import replay


def measure(rounds: int) -> list[Result]:
    """Measure 50,000 events, read, decoded and folded, without snapshots."""
    with our_log() as log, peer_store(snapshots=False) as (store, registry):

        def ours() -> float:
            estate = Estate()
            taken = seconds(lambda: replay(estate, log.rows()))
            held = sum(len(qmgr.definitions) for qmgr in estate.qmgrs.values())
            assert held > ENTRIES
            return EVENTS / taken / 1000

        def peer() -> float:
            taken = seconds(lambda: store.repository.get(registry.id))
            return EVENTS / taken / 1000

        mine, other = interleaved(rounds, ours, peer)
    return [
        Result(
            work="replay the whole log to the estate",
            unit="k/s",
            ours=mine,
            peer=other,
            target=6,
            name="eventsourcing",
        )
    ]
