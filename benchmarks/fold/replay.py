"""Replay of a whole log to the estate, including the reading, on both databases."""

from __future__ import annotations

from contextlib import closing

from benchmarks.fold.workload import ENTRIES, EVENTS, Registry, Store, our_log, peer_store
from benchmarks.log.append_postgresql import peer_settings
from benchmarks.table import Result, interleaved, seconds
from tests.postgres import NoPostgres, Server
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.log import Log


def measure(rounds: int) -> list[Result]:
    """Measure the replay of 50,000 events (read, decode, fold) without snapshots."""
    with our_log() as log, peer_store(snapshots=False) as (store, registry):
        results = [_row("SQLite", log, store, registry, rounds, target=6)]
    try:
        server = Server(durable=True)
    except NoPostgres as error:
        print(error)
        return results
    with (
        closing(server),
        our_log(server.new_database()) as log,
        peer_store(snapshots=False, settings=peer_settings(server)) as (store, registry),
    ):
        return [*results, _row("PostgreSQL", log, store, registry, rounds, target=4)]


def _row(
    database: str, log: Log, store: Store, registry: Registry, rounds: int, *, target: float
) -> Result:
    def ours() -> float:
        estate = Estate()
        taken = seconds(lambda: replay(estate, log.rows()))
        held = sum(len(qmgr.definitions) for qmgr in estate.qmgrs.values())
        assert held > ENTRIES
        return EVENTS / taken / 1000

    def peer() -> float:
        return EVENTS / seconds(lambda: store.repository.get(registry.id)) / 1000

    mine, other = interleaved(rounds, ours, peer)
    return Result(
        work=f"replay the whole log to the estate, {database}",
        unit="k/s",
        ours=mine,
        peer=other,
        target=target,
        name="eventsourcing",
    )
