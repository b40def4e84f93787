"""Durable appends to PostgreSQL, on a private server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Final

from sqlalchemy import make_url

from benchmarks.log.facts import Store, batches, each, peers, prepared
from benchmarks.table import Result, interleaved, seconds
from tests.postgres import NoPostgres, Server
from twin.log import Log

EVENTS: Final = 20_000
SIZE: Final = 1000


def measure(rounds: int) -> Sequence[Result]:
    """Measure appends in batches; return nothing without PostgreSQL."""
    try:
        server = Server(durable=True)
    except NoPostgres as error:
        print(error)
        return []
    with closing(server):
        ours, peer = interleaved(
            rounds, lambda: EVENTS / _ours(server) / 1000, lambda: EVENTS / _peer(server) / 1000
        )
    return [
        Result(
            work="append, 1,000 per transaction, PostgreSQL",
            unit="k/s",
            ours=ours,
            peer=peer,
            target=2.5,
            name="eventsourcing",
        )
    ]


def _ours(server: Server) -> float:
    given = batches(EVENTS, SIZE)
    with closing(Log.open(server.new_database())) as log:
        taken = seconds(each(lambda batch: log.append(prepared(batch), recorded_at=0), given))
        assert log.last().position == EVENTS
    return taken


def peer_settings(server: Server) -> dict[str, str]:
    """Return the peer's settings for a new database on a server."""
    url = make_url(server.new_database())
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(url.database),
        "POSTGRES_HOST": str(url.host),
        "POSTGRES_PORT": str(url.port),
        "POSTGRES_USER": str(url.username),
        "POSTGRES_PASSWORD": "",
    }


def _peer(server: Server) -> float:
    given = peers(EVENTS, batch=SIZE)
    with closing(Store(env=peer_settings(server))) as store:
        taken = seconds(each(store.save, given))
        assert store.recorder.max_notification_id() == EVENTS
    return taken
