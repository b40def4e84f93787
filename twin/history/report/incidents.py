"""Incidents in words, and which comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from twin.model.amounts import counted

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
