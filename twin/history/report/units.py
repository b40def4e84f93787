"""Durations, instants and incidents as people read them: `2 h 10 m`, `2025-02-01 09:04`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Final, TypeAlias

from twin.model.amounts import counted

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def duration(seconds: float) -> str:
    """Write a duration in its two largest units: `100 d 2 h`, `2 h 10 m`, `45 s`, `0.4 s`."""
    if seconds and abs(seconds) < 1:
        return f"{seconds:.1g} s"
    if seconds < 0:
        return f"-{duration(-seconds)}"
    left = _rounded(seconds)
    parts: list[str] = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:,} {unit}")
    return " ".join(parts) or "0 s"


def _rounded(seconds: float) -> int:
    """Round to the second of the two units that are shown."""
    whole = round(seconds)
    for (_, size), (_, smaller) in pairwise(_UNITS):
        if whole >= size:
            return round(seconds / smaller) * smaller
    return whole


def minute(instant: date) -> str:
    """Write an instant to the minute, or a day."""
    return f"{instant:%Y-%m-%d %H:%M}" if isinstance(instant, datetime) else f"{instant:%Y-%m-%d}"


_TITLES: Final[Mapping[str, str]] = {
    "lost": "{partner} lost",
    "ended": "{partner} ended",
    "suspended": "{partner} suspended",
    "stopped": "{channel} at {qmgr} stopped",
    "unreachable": "{partner} unreachable from {qmgr}",
}
"""Cause of an incident -> how it is called."""

Incident: TypeAlias = Mapping[str, Any]
"""A row of the metric `incidents`."""


def title_of(incident: Incident) -> str:
    """Return what an incident is called."""
    known = {
        "partner": incident["partner"] or "an unknown queue manager",
        "qmgr": incident["qmgr"] or counted(incident["qmgrs"], "queue manager"),
        "channel": incident["channel"] or counted(incident["channels"], "channel"),
    }
    title = _TITLES.get(incident["cause"], "{partner} not available").format(**known)
    return f"Planned: {title}" if incident["planned"] else title


def details_of(incident: Incident) -> str:
    """Return who was concerned, how often, and why, in one line."""
    details = []
    if incident["channel"] and incident["qmgr"]:
        details.append(f"{incident['channel']} at {incident['qmgr']}")
    elif incident["cause"] != "unreachable":
        details.append(f"{counted(incident['qmgrs'], 'queue manager')} could not reach it")
    elif incident["cluster"]:
        details.append(f"cluster {incident['cluster']}")
    if incident["outages"] > incident["channels"]:
        details.append(f"{incident['outages']:,} outages")
    if incident["reason"]:
        details.append(incident["reason"])
    return "; ".join(details)


def rank_of(incident: Incident) -> tuple[bool, bool, float, int]:
    """Sort ongoing incidents first, then unplanned ones, then the largest."""
    return (
        not incident["ongoing"],
        incident["planned"],
        -incident["channel_hours"],
        -incident["messages"],
    )
