"""The head of the page: incidents, the worst first, and one paragraph of what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from twin.history.report.rows import availability, rows_of
from twin.history.report.units import Incident, duration, minute, rank_of, title_of
from twin.model.amounts import counted

SHOWN: Final = 12
"""The largest number of incidents on the page that have ended."""

_LARGE: Final = 0.2
"""Availability is also given without an incident with more than this share of all channel-hours."""

_WHOLE: Final = 10
"""From this number on, channel-hours are written without a fraction."""


class Overview:
    """Collects what the head of the page needs while metrics are computed."""

    def __init__(self) -> None:
        """Start without findings."""
        self.incidents: Sequence[Incident] = ()
        self._coverage: Sequence[Mapping[str, Any]] | None = None
        self._months: list[Mapping[str, float]] = []
        self._channels = 0
        self.has_incidents = False

    def add(self, name: str, table: pa.Table) -> None:
        """Note what a metric says about incidents, coverage and availability."""
        if name == "incidents":
            self.incidents, self.has_incidents = sorted(rows_of(table), key=rank_of), True
        elif name == "coverage":
            self._coverage = rows_of(table)
        elif name == "channel_status_months":
            numbers = [field.name for field in table.schema if field.name.endswith("_s")]
            sums = table.group_by([]).aggregate([(each, "sum") for each in numbers])
            self._months = rows_of(sums.rename_columns(numbers))
            self._channels = table.group_by(["qmgr", "channel"]).aggregate([]).num_rows

    @property
    def ongoing(self) -> Sequence[Incident]:
        """Return the incidents that had not ended at the end of the window."""
        return [each for each in self.incidents if each["ongoing"] and not each["planned"]]

    def paragraph(self) -> str:
        """Return what happened, in a few sentences; '' if nothing is known."""
        return " ".join((*self._observed(), *self._available(), *self._happened()))

    def _observed(self) -> Iterator[str]:
        if self._coverage is None:
            return
        share = self.observed()
        if share == 0:
            yield "No queue manager was observed in this time, so no figure here speaks of health."
        elif share < 1:
            by_qmgr = grouped_gaps(self._coverage)
            yield (
                f"{_percent(share)} of the time was observed; "
                f"{counted(len(by_qmgr), 'queue manager')} had gaps."
            )

    def observed(self) -> float:
        """Return the share of the time of all queue managers in which they were observed."""
        rows = self._coverage or ()
        whole = sum(row["seconds"] for row in rows)
        return sum(row["seconds"] for row in rows if row["covered"]) / whole if whole else 0.0

    def _available(self) -> Iterator[str]:
        share = availability(self._months)
        if share is None:
            return
        said = f"{counted(self._channels, 'cluster-sender')}: {_percent(share)} available"
        out = [each for each in self.incidents if not each["planned"]]
        hours = sum(each["channel_hours"] for each in out)
        worst = max(out, key=lambda each: each["channel_hours"], default=None)
        if worst and worst["channel_hours"] > _LARGE * hours:
            down = (1 - share) * self._counted_hours()
            without = min(1 - max(down - worst["channel_hours"], 0) / self._counted_hours(), 1.0)
            said += f", {_percent(without)} without the largest incident"
        yield f"{said}."

    def _counted_hours(self) -> float:
        row = self._months[0]
        left_out = ("starting_s", "ended_s", "unknown_s", "mtbf_s", "mttr_s", "longest_outage_s")
        return sum(row[name] or 0 for name in row if name not in left_out) / 3600

    def _happened(self) -> Iterator[str]:
        if not self.has_incidents:
            return
        if self.ongoing:
            first = self.ongoing[0]
            yield (
                f"{counted(len(self.ongoing), 'incident')} had not ended, first of all "
                f"{title_of(first)} since {minute(first['began'])} UTC."
            )
        out = [each for each in self.incidents if not each["planned"] and not each["ongoing"]]
        if out:
            first, *others = out
            hours = sum(each["channel_hours"] for each in others)
            yield (
                f"The largest of {counted(len(out), 'incident')} that ended: {title_of(first)} "
                f"for {duration(first['seconds'])} from {minute(first['began'])} UTC "
                f"({_hours(first['channel_hours'])})"
                + (f"; the others took {_hours(hours)} together." if others else ".")
            )
        waited = sum(each["messages"] for each in self.incidents)
        if waited:
            yield f"{waited:,} messages waited because of incidents."
        if planned := [each for each in self.incidents if each["planned"]]:
            hours = sum(each["channel_hours"] for each in planned)
            yield f"{counted(len(planned), 'planned stop')} took {_hours(hours)}."
        if not self.incidents:
            yield "No incident was recorded."


def grouped_gaps(coverage: Sequence[Mapping[str, Any]]) -> Mapping[str, float]:
    """Return the seconds in which each queue manager was not observed, the longest first."""
    gaps: dict[str, float] = {}
    for row in coverage:
        if not row["covered"]:
            gaps[row["qmgr"]] = gaps.get(row["qmgr"], 0.0) + row["seconds"]
    return dict(sorted(gaps.items(), key=lambda each: (-each[1], each[0])))


def _hours(hours: float) -> str:
    return f"{hours:,.{0 if hours >= _WHOLE else 1}f} channel-hours"


def _percent(share: float) -> str:
    """Write a share so that only what is whole is called 100 %."""
    if share == 1:
        return "100 %"
    return f"{share:.2%}".replace("%", " %") if share < 0.99995 else "more than 99.99 %"  # noqa: PLR2004
