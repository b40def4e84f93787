"""Observations that no rule reads: late ones are added, and nothing is derived again.

Source: design decision 35.
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.events.logged import FAILED_PUTS

_READ_BY_NONE: Final = (
    events.DepthsObserved,
    events.IntervalCounted,
    events.QueueManagerReplaced,
    events.ZoneStated,
)


def read_by_none(event: events.Event) -> bool:
    """Return whether nothing can ever follow from an observation, whatever is known."""
    if isinstance(event, events.ClusterCommandObserved):
        return not event.done
    if isinstance(event, events.EvidenceObserved):
        return event.id not in FAILED_PUTS
    return isinstance(event, _READ_BY_NONE)
