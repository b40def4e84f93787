"""Durable appends to SQLite: in batches, and event by event."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.log.facts import Store, batches, each, peers, prepared
from benchmarks.table import Result, interleaved, seconds
from twin.log import Log

EVENTS: Final = 50_000
SINGLE: Final = 3_000


def measure(rounds: int) -> list[Result]:
    """Measure both kinds of appends."""
    return [
        _row("append, 1,000 per transaction, SQLite", rounds, EVENTS, size=1000, target=2),
        _row("append, one event per commit, SQLite", rounds, SINGLE, size=1, target=1.2),
    ]


def _row(work: str, rounds: int, count: int, *, size: int, target: float) -> Result:
    ours, peer = interleaved(
        rounds,
        lambda: count / _ours(count, size) / 1000,
        lambda: count / _peer(count, size) / 1000,
    )
    return Result(work=work, unit="k/s", ours=ours, peer=peer, target=target, name="eventsourcing")


def _ours(count: int, size: int) -> float:
    given = batches(count, size)
    with _folder() as folder, closing(Log.open(f"sqlite:///{folder}/twin.db")) as log:
        taken = seconds(each(lambda batch: log.append(prepared(batch), recorded_at=0), given))
        assert log.last().position == count
    return taken


def _peer(count: int, size: int) -> float:
    given = peers(count, batch=size)
    with _folder() as folder:
        settings = {
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": f"{folder}/peer.db",
        }
        with closing(Store(env=settings)) as store:
            taken = seconds(each(store.save, given))
            assert store.recorder.max_notification_id() == count
    return taken


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        yield Path(folder)
