"""The same facts for both sides: an object that is defined again and again, in 150 to 250 bytes."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate
from eventsourcing.domain import event as recorded

from twin.events import ObjectDefined
from twin.events.catalogue import column_of, encode
from twin.log import NewEvent

START: Final = 1_767_225_600_000_000

_instants: Final = itertools.count(START)


def values(number: int) -> dict[str, str | int]:
    """Return some attributes of a queue."""
    return {
        "DESCR": f"orders, part {number}",
        "CLUSTER": "CA",
        "MAXDEPTH": 5000 + number,
        "DEFBIND": "NOTFIXED",
        "CLWLRANK": number % 10,
    }


def ours(count: int) -> list[ObjectDefined]:
    """Make events as the rules would produce them."""
    return [
        ObjectDefined(
            qmgr=f"QM{number % 50}",
            kind="QUEUE",
            name=f"ORDERS.{number}",
            type="QLOCAL",
            values=dict(values(number)),
        )
        for number in range(count)
    ]


def prepared(events: Sequence[ObjectDefined]) -> list[NewEvent]:
    """Encode events and give them ids: one primary fact, and events derived from it."""
    at = next(_instants)
    fact = f"{at:016x}-{secrets.token_hex(6)}"
    column = column_of(ObjectDefined)
    first, *derived = events
    return [
        NewEvent(at, column, first.qmgr, None, "command", fact, encode(first)),
        *[
            NewEvent(at, column, event.qmgr, fact, "rules", f"{fact}.{number}", encode(event))
            for number, event in enumerate(derived, start=1)
        ],
    ]


class Store(Application):
    """The peer's application, as in its documentation."""

    name = "store"


class Queues(Aggregate):
    """The peer's aggregate: the objects of a queue manager."""

    @recorded("Created")
    def __init__(self) -> None:
        self.defined = 0

    @recorded("Defined")
    def define(self, qmgr: str, kind: str, name: str, type: str, values: dict[str, Any]) -> None:  # noqa: A002
        """Define an object."""
        self.defined += 1


def peers(count: int, *, batch: int) -> list[Queues]:
    """Make the same events as pending events of aggregates, in groups of a fixed size."""
    found = []
    for start in range(0, count, batch):
        queues = Queues()
        for number in range(start + 1, start + batch):
            queues.define(f"QM{number % 50}", "QUEUE", f"ORDERS.{number}", "QLOCAL", values(number))
        found.append(queues)
    return found


def batches(count: int, size: int) -> list[list[ObjectDefined]]:
    """Divide events into batches."""
    events = ours(count)
    return [events[start : start + size] for start in range(0, count, size)]


def each(do: Callable[[Any], object], things: Sequence[Any]) -> Callable[[], None]:
    """Return a function that applies `do` to each thing."""

    def work() -> None:
        for thing in things:
            do(thing)

    return work
