"""Measures of observations: when each kind of fact about a queue manager was last observed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.rules.standing import instants_seen


class LastObserved(NamedTuple):
    """When facts of a kind were last observed at a queue manager."""

    qmgr: str
    feed: str
    at: Instant


def last_observed(estate: Estate) -> Iterator[LastObserved]:
    """Go through what was observed of queue managers, by name.

    The kinds are `status`, `channels`, `depths`, `records` (what a repository holds), `qm.ini`,
    `definitions` and `collections`. Definitions and records count if an answer named all of a kind.
    """
    for name in sorted(estate.qmgrs):
        for feed, instants in instants_seen(estate.qmgrs[name]):
            if instants:
                yield LastObserved(name, feed, max(instants))
