"""One workload for both sides: 2,350 entries are defined, then altered, in 50,000 events."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from twin import events
from twin.events.catalogue import column_of, encode
from twin.log import Log, NewEvent

START: Final = 1_767_225_600_000_000
STEP: Final = 1_000
"""Microseconds between one event and the next."""

QMGRS: Final = 10
ENTRIES: Final = 2_350
EVENTS: Final = 50_000
BATCH: Final = 1_000
SNAPSHOT_EVERY: Final = 1_000


def values(number: int) -> dict[str, Any]:
    """Return the attributes of one definition."""
    return {
        "DESCR": f"orders, part {number}",
        "CLUSTER": "CA",
        "MAXDEPTH": 5000 + number,
        "DEFBIND": "NOTFIXED",
    }


def changed(number: int) -> dict[str, Any]:
    """Return the attributes of one alteration."""
    return {"MAXDEPTH": number, "DESCR": f"altered {number}"}


def our_events() -> Iterator[events.Event]:
    """Make the events, including the creation of each queue manager."""
    for number in range(QMGRS):
        yield events.QueueManagerCreated(
            qmgr=f"QM{number}", qmid=f"QM{number}_x", cmdlevel=940, platform="UNIX"
        )
    for number in range(ENTRIES):
        yield events.ObjectDefined(
            qmgr=f"QM{number % QMGRS}",
            kind="QUEUE",
            name=f"ORDERS.{number}",
            type="QLOCAL",
            values=values(number),
        )
    for number in range(EVENTS - ENTRIES - QMGRS):
        entry = number % ENTRIES
        yield events.ObjectAltered(
            qmgr=f"QM{entry % QMGRS}",
            kind="QUEUE",
            name=f"ORDERS.{entry}",
            values=changed(number),
        )


def write(log: Log, made: Iterator[events.Event]) -> None:
    """Append events in batches, one every `STEP`."""
    numbered = enumerate(made)
    while batch := list(itertools.islice(numbered, BATCH)):
        log.append(
            [
                NewEvent(
                    START + number * STEP,
                    column_of(type(each)),
                    each.qmgr,
                    None,
                    "observation:benchmark",
                    f"{number:016x}",
                    encode(each),
                )
                for number, each in batch
            ],
            recorded_at=START + batch[0][0],
        )


class Registry(Aggregate):
    """The peer's aggregate: entries by name."""

    @event("Created")
    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Any]] = {}

    @event("Defined")
    def define(self, name: str, given: dict[str, Any]) -> None:
        """Define an entry."""
        self.entries[name] = given

    @event("Altered")
    def alter(self, name: str, given: dict[str, Any]) -> None:
        """Alter an entry."""
        self.entries[name] = {**self.entries[name], **given}


class Store(Application):
    """The peer's application, with snapshots as often as in twin."""

    snapshotting_intervals = {Registry: SNAPSHOT_EVERY}  # noqa: RUF012 - as its documentation has it


def peer_registry(store: Store) -> Registry:
    """Save a registry with all events, in batches, and return it."""
    registry = Registry()
    for number in range(EVENTS - 1):
        if number < ENTRIES:
            registry.define(f"ORDERS.{number}", values(number))
        else:
            registry.alter(f"ORDERS.{number % ENTRIES}", changed(number))
        if number % BATCH == BATCH - 1:
            store.save(registry)
    store.save(registry)
    return registry  # type: ignore[no-any-return]


@contextmanager
def our_log(url: str | None = None) -> Iterator[Log]:
    """Yield a log that contains the workload: at a URL, or in a temporary SQLite file."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        log = Log.open(url or f"sqlite:///{folder}/twin.db", synchronous="NORMAL")
        try:
            write(log, our_events())
            yield log
        finally:
            log.close()


@contextmanager
def peer_store(
    *, snapshots: bool, settings: Mapping[str, str] | None = None
) -> Iterator[tuple[Store, Registry]]:
    """Yield the peer's store that contains the workload, and its registry."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        sqlite = {
            "PERSISTENCE_MODULE": "eventsourcing.sqlite",
            "SQLITE_DBNAME": str(Path(folder) / "peer.db"),
        }
        enabled = {"IS_SNAPSHOTTING_ENABLED": "y" if snapshots else "n"}
        store = Store(env={**(settings or sqlite), **enabled})
        try:
            yield store, peer_registry(store)
        finally:
            store.close()
