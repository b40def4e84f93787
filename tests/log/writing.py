"""Short ways to write events for tests of the log."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Final, TypeAlias

from twin.log import Log, NewEvent

OpenLog: TypeAlias = Callable[..., Log]

WITHDRAWAL: Final = "DerivedFactsWithdrawn"

_numbers: Final = itertools.count(1)


def new(
    occurred_at: int = 0,
    *,
    type: str = "SomethingHappened",  # noqa: A002 - the column's name
    qmgr: str = "QM1",
    cause: str | None = None,
    source: str = "command",
    event_id: str | None = None,
    body: str = "{}",
) -> NewEvent:
    """Make an event with an id of its own."""
    if event_id is None:
        event_id = f"event-{next(_numbers):08}"
    return NewEvent(occurred_at, type, qmgr, cause, source, event_id, body)


def fill(log: Log, *instants: int, branch: str = "main") -> None:
    """Append one primary event for each instant, each in a batch of its own."""
    for instant in instants:
        log.append([new(instant)], recorded_at=0, branch=branch)


def positions(log: Log, *, branch: str = "main", known: int | None = None) -> list[int]:
    """Return the positions that a branch sees, in fold order."""
    return [position for _, position, _, _ in log.rows(branch=branch, known=known)]


def retire(log: Log, branch: str) -> None:
    """Append the event that retires a branch, at its latest instant."""
    latest = log.head(branch).occurred_at or 0
    body = json.dumps({"qmgr": "", "branch": branch})
    log.append(
        [new(latest, type="BranchRetired", qmgr="", body=body)], recorded_at=0, branch=branch
    )


def begin_import(log: Log, digest: str, name: str) -> None:
    """Append the event that begins an import."""
    body = json.dumps({"qmgr": "", "digest": digest, "name": name})
    log.append([new(0, type="ImportBegun", qmgr="", body=body)], recorded_at=0)


def end_import(log: Log, digest: str, *, events: int, done: bool = True) -> None:
    """Append the event that ends an import."""
    body = json.dumps({"qmgr": "", "digest": digest, "events": events, "done": done})
    log.append([new(0, type="ImportEnded", qmgr="", body=body)], recorded_at=0)
