"""The summary: one line for each of the most important findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from twin.history.report.rows import (
    MetricRow,
    availability,
    greatest,
    grouped,
    having,
    sum_of,
    total,
    where,
)

_DAY = 86_400.0
_HOUR = 3_600.0


class Headlines:
    """Collects the lines while metrics are computed; keeps no table longer than necessary."""

    def __init__(self) -> None:
        """Start without findings."""
        self._tables: dict[str, pa.Table] = {}
        self._lines: dict[tuple[str, ...], str] = {}

    def add(self, name: str, table: pa.Table) -> None:
        """Note the findings of a metric."""
        for names, write in _WRITERS.items():
            if name not in names:
                continue
            self._tables[name] = table
            if all(each in self._tables for each in names):
                self._lines[names] = write(*(self._tables.pop(each) for each in names))

    def lines(self) -> list[str]:
        """Return the summary of all findings."""
        return [self._lines[names] for names in _WRITERS if names in self._lines]


def lasting(seconds: float) -> str:
    """Write a duration in the largest unit that fits, as `3.5 h`."""
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (60.0, "min")):
        if seconds >= unit:
            return f"{seconds / unit:,.1f} {name}"
    return f"{seconds:,.0f} s"


def _counted(number: float, one: str, many: str = "") -> str:
    return f"{number:,.0f} {one if number == 1 else many or f'{one}s'}"


def _availability(table: pa.Table) -> str:
    known = table.filter(pc.is_valid(table.column("availability")))
    channels = grouped(known, "qmgr", "channel")
    if not channels:
        return "channels: no cluster-sender was seen"
    worst = min(channels, key=lambda key: (_share(channels[key]), key))
    every = [row for days in channels.values() for row in days]
    name = f"{worst[1]} at {worst[0]}"
    return (
        f"channels: {_counted(len(channels), 'cluster-sender')} {_share(every):.3%} available; "
        f"least available {name} with {_share(channels[worst]):.3%}"
    )


def _share(rows: Sequence[MetricRow]) -> float:
    share = availability(rows)
    return 1.0 if share is None else share


def _outages(table: pa.Table) -> str:
    table = table.filter(pc.invert(table.column("planned")))
    if not table.num_rows:
        return "outages: none"
    longest = greatest(table, "seconds", 1)[0]
    return (
        f"outages: {_counted(table.num_rows, 'outage')} lasted "
        f"{lasting(total(table, 'seconds'))} in all; longest "
        f"{longest['channel']} at {longest['qmgr']} from {longest['began']:%Y-%m-%d %H:%M}, "
        f"{lasting(longest['seconds'])}"
    )


def _flaps(table: pa.Table) -> str:
    channels = grouped(having(table, "flaps"), "qmgr", "channel")
    if not channels:
        return "flapping: no channel"
    worst = max(channels, key=lambda key: (sum_of(channels[key], "flaps"), key))
    days = channels[worst]
    return (
        f"flapping: {_counted(len(channels), 'channel')}, most {worst[1]} at {worst[0]} with "
        f"{_counted(round(sum_of(days, 'flaps')), 'flap')} on {_counted(len(days), 'day')}"
    )


def _instances(table: pa.Table) -> str:
    queues = grouped(having(table, "none_s"), "cluster", "queue")
    if not queues:
        return "queues: none was ever without a reachable instance"
    worst = max(queues, key=lambda key: (sum_of(queues[key], "none_s"), key))
    return (
        f"queues: {_counted(len(queues), 'queue')} had times without a reachable instance; longest "
        f"{worst[1]} in {worst[0]} with {lasting(sum_of(queues[worst], 'none_s'))}"
    )


def _resends(table: pa.Table) -> str:
    if not table.num_rows:
        return "repositories: nothing was republished"
    sent, missed = (round(total(table, column)) for column in ("resends", "near_misses"))
    line = (
        f"repositories: {_counted(sent, 'republication')}, "
        f"{_counted(missed, 'near miss', 'near misses')}"
    )
    late = greatest(table, "late_max_s", 1)
    if late and late[0]["late_max_s"] > 0:
        line += f"; latest {late[0]['qmgr']}, {lasting(late[0]['late_max_s'])} late"
    return line


def _losses(table: pa.Table) -> str:
    counts = [
        (total(table, many), one, many)
        for one, many in (("expiry", "expiries"), ("removal", "removals"), ("return", "returns"))
    ]
    if not any(number for number, *_ in counts):
        return "lifecycle: nothing expired"
    return "lifecycle: " + ", ".join(_counted(*count) for count in counts)


def _passes(table: pa.Table) -> str:
    if not table.num_rows:
        return "reallocation: no pass moved anything"
    return (
        f"reallocation: {_counted(total(table, 'passes'), 'pass', 'passes')} moved "
        f"{_counted(total(table, 'moved'), 'message')}; {total(table, 'stayed'):,.0f} stayed"
    )


def _waits(table: pa.Table) -> str:
    worst = greatest(table, "waited_max_s", 1)
    if not worst:
        return "waiting: no message waited"
    row, line = (
        worst[0],
        f"{_counted(total(table, 'messages'), 'message')} left transmission queues",
    )
    if row["waited_max_s"] < 1:
        return f"waiting: {line}, all in less than a second"
    return (
        f"waiting: {line}; longest for {row['channel']} at {row['qmgr']}, "
        f"{lasting(row['waited_max_s'])}"
    )


def _distribution(table: pa.Table) -> str:
    parted = grouped(having(table, "parts"), "qmgr", "queue")
    if not parted:
        return "distribution: matches the workload attributes"
    worst = max(parted, key=lambda key: (len({row["day"] for row in parted[key]}), key))
    days = {row["day"] for rows in parted.values() for row in rows}
    return (
        f"distribution: deviates from the workload attributes on {_counted(len(days), 'day')}, "
        f"most for {worst[1]} put at {worst[0]}"
    )


def _changes(changes: pa.Table, before: pa.Table) -> str:
    outages = before.group_by(["qmgr", "channel", "outage_began"]).aggregate([]).num_rows
    acts = total(where(changes, attribute=""), "changes")
    return (
        f"changes: {_counted(acts, 'change')} to definitions; {_counted(outages, 'outage')} began "
        "within an hour after a change at either end"
    )


_WRITERS: Final[Mapping[tuple[str, ...], Callable[..., str]]] = {
    ("channel_status_months",): _availability,
    ("outages",): _outages,
    ("channel_status_days",): _flaps,
    ("queue_instances",): _instances,
    ("resends",): _resends,
    ("losses",): _losses,
    ("reallocation",): _passes,
    ("waits",): _waits,
    ("distribution",): _distribution,
    ("changes", "before_outages"): _changes,
}
"""Which metrics each line needs, and the function that writes it."""
