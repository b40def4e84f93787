"""Short ways to write events for tests of the log."""

from __future__ import annotations

import itertools
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
