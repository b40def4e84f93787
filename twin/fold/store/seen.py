"""Write and read what was last seen of queue managers, known or not, as JSON."""

from __future__ import annotations

from typing import Any, cast

from twin.events.catalogue import column_of, decode, encode
from twin.fold.seen_before import SeenBefore, SeenState, StateFact
from twin.fold.seen_states import (
    SeenBatch,
    SeenCells,
    SeenConfiguration,
    SeenDepth,
    SeenFailing,
    SeenList,
    SeenRecord,
    SeenRetries,
    SeenRow,
    SeenStart,
    SeenStates,
    SeenStatus,
    SeenWarning,
)


def write_seen(seen: SeenStates) -> list[Any]:
    """Return what was last seen of one queue manager in its written form."""
    return [
        seen.qmgr,
        seen.channels,
        seen.depths,
        seen.listeners,
        seen.lists,
        seen.starts,
        seen.batches,
        seen.retries,
        seen.rows,
        seen.queues,
        seen.records,
        seen.failing,
        seen.logs,
        seen.servers,
        seen.own_rows,
        seen.configuration,
        seen.collected,
        seen.overdue,
    ]


def read_seen(stored: Any) -> SeenStates:
    """Read what `write_seen` wrote."""
    qmgr, channels, depths, listeners, lists, starts, batches, retries, *kept = stored
    rows, queues, records, failing, logs, servers, own, files, collected, overdue = kept
    return SeenStates(
        {name: SeenStatus._make(row) for name, row in qmgr.items()},
        {name: SeenStatus._make(row) for name, row in channels.items()},
        {name: SeenDepth._make(row) for name, row in depths.items()},
        {name: SeenStatus._make(row) for name, row in listeners.items()},
        {
            name: SeenList(at, tuple(shown), position)
            for name, (at, shown, position) in lists.items()
        },
        {name: SeenStart._make(row) for name, row in starts.items()},
        {name: SeenBatch._make(row) for name, row in batches.items()},
        {name: SeenRetries._make(row) for name, row in retries.items()},
        {
            name: {key: SeenRow._make(row) for key, row in instances.items()}
            for name, instances in rows.items()
        },
        {name: SeenCells._make(row) for name, row in queues.items()},
        {
            name: SeenRecord(at, id_, channel, tuple(inserts), position)
            for name, (at, id_, channel, inserts, position) in records.items()
        },
        {name: SeenFailing._make(row) for name, row in failing.items()},
        logs,
        {name: SeenCells._make(row) for name, row in servers.items()},
        {name: SeenStatus._make(row) for name, row in own.items()},
        {
            name: SeenConfiguration(at, tuple(map(tuple, values)), position)
            for name, (at, values, position) in files.items()
        },
        collected,
        {key: SeenWarning._make(row) for key, row in overdue.items()},
    )


def write_seen_before(seen_before: SeenBefore) -> list[Any]:
    """Return what was observed of a queue manager before it was known in its written form."""
    facts = [
        [state, at, column_of(type(event)), encode(event)]
        for state, (at, event) in seen_before.facts.items()
    ]
    return [write_seen(seen_before.seen), facts]


def read_seen_before(stored: Any) -> SeenBefore:
    """Read what `write_seen_before` wrote."""
    seen, facts = stored
    return SeenBefore(
        read_seen(seen),
        {
            state: SeenState(at, cast("StateFact", decode(column, body)))
            for state, at, column, body in facts
        },
    )
