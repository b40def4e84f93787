"""Measures of observations: when each kind of fact about a queue manager was last observed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant


class LastObserved(NamedTuple):
    """When facts of a kind were last observed at a queue manager."""

    qmgr: str
    feed: str
    at: Instant


def last_observed(estate: Estate) -> Iterator[LastObserved]:
    """Go through what was observed of queue managers, by name.

    The kinds are `status`, `channels`, `depths`, `records` (what a repository holds) and
    `definitions`. Definitions and records count if an answer named all of a kind.
    """
    for name in sorted(estate.qmgrs):
        for feed, instants in _instants(estate.qmgrs[name]):
            if instants:
                yield LastObserved(name, feed, max(instants))


def _instants(qmgr: QueueManager) -> Iterator[tuple[str, list[Instant]]]:
    seen = qmgr.activity.seen
    yield "channels", [each.at for each in seen.channels.values()]
    complete = {kind: each.at for kind, each in qmgr.confirmed.items() if each.complete}
    yield "definitions", [at for kind, at in complete.items() if kind.isupper()]
    yield "depths", [each.at for each in seen.depths.values()]
    held = [each.at for each in qmgr.repository.shown.values()]
    yield "records", [*held, *(at for kind, at in complete.items() if kind.islower())]
    yield "status", [each.at for each in seen.qmgr.values()]
