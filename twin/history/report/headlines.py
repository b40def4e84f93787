"""The summary: one line for each of the most important findings.

A line says "none" only if somebody looked. If nothing was observed it says "not observed".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from twin.history.metrics import METRICS
from twin.history.report.rows import (
    MetricRow,
    availability,
    greatest,
    grouped,
    having,
    rows_of,
    sum_of,
    total,
    where,
)
from twin.history.report.units import duration, minute, title_of

_HOUR: Final = 3600.0

Write: TypeAlias = Callable[..., str | None]
"""Writes a line from the rows of metrics; None if there is nothing to say."""


class Known(NamedTuple):
    """How much was observed.

    Attributes:
        seconds: the time that was covered, of all queue managers.
        gaps: the time about which nothing is known.
        simulated: whether any queue manager was simulated.
        observed: whether any queue manager was only observed.
    """

    seconds: float = 1.0
    gaps: float = 0.0
    simulated: bool = True
    observed: bool = False

    @classmethod
    def of(cls, coverage: pa.Table) -> Known:
        """Read the rows of the metric `coverage`."""
        bases = set(coverage.column("basis").to_pylist())
        known = total(coverage.filter(coverage.column("covered")), "seconds")
        gaps = total(coverage, "seconds") - known
        return cls(known, gaps, "simulated" in bases, "observed" in bases)

    def nothing(self, words: str, metrics: Sequence[str]) -> str:
        """Say that nothing happened, if that was observed."""
        only_simulated = any(METRICS[name].simulated for name in metrics)
        if not (self.simulated if only_simulated else self.seconds):
            return "not observed"
        whole = not (self.observed if only_simulated else self.gaps)
        return words if whole else f"{words}, as far as observed"


class Headline(NamedTuple):
    """A line of the summary.

    Attributes:
        subject: its first words.
        write: writes the rest.
        nothing: the rest if nothing happened.
    """

    subject: str
    write: Write
    nothing: str = "none"


class Headlines:
    """Collects the lines while metrics are computed; keeps no table longer than necessary."""

    def __init__(self) -> None:
        """Start without findings."""
        self._tables: dict[str, pa.Table] = {}
        self._lines: dict[tuple[str, ...], str] = {}
        self._known = Known()

    def add(self, name: str, table: pa.Table) -> None:
        """Note the findings of a metric. Coverage must be the first."""
        if name == "coverage":
            self._known = Known.of(table)
        for names, line in _HEADLINES.items():
            if name not in names:
                continue
            self._tables[name] = table
            if all(each in self._tables for each in names):
                said = line.write(*(self._tables.pop(each) for each in names))
                if said is None and line.nothing:
                    said = self._known.nothing(line.nothing, names)
                if said:
                    self._lines[names] = f"{line.subject}: {said}"

    def lines(self) -> list[str]:
        """Return the summary of all findings."""
        return [self._lines[names] for names in _HEADLINES if names in self._lines]


def _counted(number: float, one: str, many: str = "") -> str:
    return f"{number:,.0f} {one if number == 1 else many or f'{one}s'}"


def _coverage(table: pa.Table) -> str | None:
    gaps = table.filter(pc.invert(table.column("covered")))
    if not table.num_rows:
        return "nothing was observed"
    if not gaps.num_rows:
        return None
    longest = greatest(gaps, "seconds", 1)[0]
    share = 1 - total(gaps, "seconds") / total(table, "seconds")
    return (
        f"{share:.1%} of the time was observed; longest gap {longest['qmgr']} from "
        f"{minute(longest['began'])}, {duration(longest['seconds'])}"
    )


def _incidents(table: pa.Table) -> str | None:
    rows = rows_of(table)
    found = [row for row in rows if not row["planned"]]
    planned = f"{len(rows) - len(found):,} planned"
    if not found:
        return f"none but {planned}" if rows else None
    ongoing = sum(row["ongoing"] for row in found)
    more = [f"{ongoing:,} ongoing"] * bool(ongoing) + [planned] * (len(rows) > len(found))
    counts = ", ".join([_counted(len(found), "incident"), *more])
    first = max(found, key=lambda row: (row["ongoing"], row["channel_hours"], row["messages"]))
    when = (
        f"ongoing {title_of(first)} since {minute(first['began'])}"
        if first["ongoing"]
        else f"worst {title_of(first)} for {duration(first['seconds'])}"
    )
    return (
        f"{counts}; {when}: {first['channel_hours']:,.1f} channel-hours, "
        f"{_counted(first['messages'], 'message')} waited"
    )


def _availability(table: pa.Table) -> str | None:
    channels = grouped(table.filter(pc.is_valid(table.column("availability"))), "qmgr", "channel")
    if not channels:
        return None
    worst = min(channels, key=lambda key: (_share(channels[key]), key))
    every = [row for days in channels.values() for row in days]
    name = f"{worst[1]} at {worst[0]}"
    return (
        f"{_counted(len(channels), 'cluster-sender')} {_share(every):.3%} available; "
        f"least available {name} with {_share(channels[worst]):.3%}"
    )


def _share(rows: Sequence[MetricRow]) -> float:
    share = availability(rows)
    return 1.0 if share is None else share


def _outages(table: pa.Table) -> str | None:
    table = table.filter(pc.invert(table.column("planned")))
    if not table.num_rows:
        return None
    longest = greatest(table, "seconds", 1)[0]
    hours = total(table, "seconds") / _HOUR
    ongoing = table.column("ended").null_count
    return (
        f"{_counted(table.num_rows, 'outage')}, {f'{ongoing:,} ongoing, ' * bool(ongoing)}"
        f"{hours:,.1f} channel-hours; longest "
        f"{longest['channel']} at {longest['qmgr']} from {minute(longest['began'])}, "
        f"{duration(longest['seconds'])}"
    )


def _flaps(table: pa.Table) -> str | None:
    channels = grouped(having(table, "flaps"), "qmgr", "channel")
    if not channels:
        return None
    worst = max(channels, key=lambda key: (sum_of(channels[key], "flaps"), key))
    days = channels[worst]
    return (
        f"{_counted(len(channels), 'channel')}, most {worst[1]} at {worst[0]} with "
        f"{_counted(round(sum_of(days, 'flaps')), 'flap')} on {_counted(len(days), 'day')}"
    )


def _instances(table: pa.Table) -> str | None:
    queues = grouped(having(table, "none_s"), "cluster", "queue")
    if not queues:
        return None
    worst = max(queues, key=lambda key: (sum_of(queues[key], "none_s"), key))
    return (
        f"{_counted(len(queues), 'queue')} had times without a reachable instance; longest "
        f"{worst[1]} in {worst[0]} with {duration(sum_of(queues[worst], 'none_s'))}"
    )


def _resends(table: pa.Table) -> str | None:
    if not table.num_rows:
        return None
    sent, missed = (round(total(table, column)) for column in ("resends", "near_misses"))
    line = f"{_counted(sent, 'republication')}, {_counted(missed, 'near miss', 'near misses')}"
    late = greatest(table, "late_max_s", 1)
    if late and late[0]["late_max_s"] > 0:
        line += f"; latest {late[0]['qmgr']}, {duration(late[0]['late_max_s'])} late"
    return line


def _losses(table: pa.Table) -> str | None:
    counts = [
        (total(table, many), one, many)
        for one, many in (("expiry", "expiries"), ("removal", "removals"), ("return", "returns"))
    ]
    if not any(number for number, *_ in counts):
        return None
    return ", ".join(_counted(*count) for count in counts)


def _passes(table: pa.Table) -> str | None:
    if not table.num_rows:
        return None
    return (
        f"{_counted(total(table, 'passes'), 'pass', 'passes')} moved "
        f"{_counted(total(table, 'moved'), 'message')}; {total(table, 'stayed'):,.0f} stayed"
    )


def _waits(table: pa.Table) -> str | None:
    worst = greatest(table, "waited_max_s", 1)
    if not worst:
        return None
    row, line = (
        worst[0],
        f"{_counted(total(table, 'messages'), 'message')} left transmission queues",
    )
    if row["waited_max_s"] < 1:
        return f"{line}, all in less than a second"
    return f"{line}; longest for {row['channel']} at {row['qmgr']}, {duration(row['waited_max_s'])}"


def _distribution(table: pa.Table) -> str | None:
    days = len(_days(table))
    if not days:
        return None
    judged = len(_days(having(table, "judged")))
    if not judged:
        return f"not judged; none of {_counted(days, 'queue-day')} had 100 messages"
    parted = grouped(having(table, "parts"), "qmgr", "queue")
    of = (
        f"{_counted(judged, 'queue-day')} with 100 messages or more "
        f"({judged / days:.1%} of {days:,})"
    )
    if not parted:
        return f"as the workload attributes say on all of {of}"
    worst = max(parted, key=lambda key: (len({row["day"] for row in parted[key]}), key))
    number = sum(len({row["day"] for row in rows}) for rows in parted.values())
    return (
        f"deviates from the workload attributes on {number:,} of {of}, most for {worst[1]} put at "
        f"{worst[0]}"
    )


def _days(table: pa.Table) -> pa.Table:
    return table.group_by(["day", "qmgr", "queue"]).aggregate([])


def _changes(changes: pa.Table, before: pa.Table) -> str | None:
    outages = before.group_by(["qmgr", "channel", "outage_began"]).aggregate([]).num_rows
    acts = total(where(changes, attribute=""), "changes")
    if not acts and not outages:
        return None
    return (
        f"{_counted(acts, 'change')} to definitions; {_counted(outages, 'outage')} began "
        "within an hour after a change at either end"
    )


_HEADLINES: Final[Mapping[tuple[str, ...], Headline]] = {
    ("coverage",): Headline("coverage", _coverage, ""),
    ("incidents",): Headline("incidents", _incidents),
    ("channel_status_months",): Headline("channels", _availability, "no cluster-sender was seen"),
    ("outages",): Headline("outages", _outages),
    ("channel_status_days",): Headline("flapping", _flaps, "no channel"),
    ("queue_instances",): Headline(
        "queues", _instances, "none was ever without a reachable instance"
    ),
    ("resends",): Headline("repositories", _resends, "nothing was republished"),
    ("losses",): Headline("lifecycle", _losses, "nothing expired"),
    ("reallocation",): Headline("reallocation", _passes, "no pass moved anything"),
    ("waits",): Headline("waiting", _waits, "no message waited"),
    ("distribution",): Headline("distribution", _distribution, "no message had a choice"),
    ("changes", "before_outages"): Headline("changes", _changes),
}
"""Which metrics each line needs, and how it is written."""
