"""Compares the events of two logs: types, bodies, instants, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from benchmarks.year.workload import BRANCH
from twin.errors import TwinError
from twin.log import Log
from twin.model.instants import format_instant

Said: TypeAlias = tuple[int, str, str, str]
"""(occurred_at, type, queue manager, body)."""


class YearsDiffer(TwinError):
    """The two sides did not make the same events, so their times cannot be compared."""

    def __init__(self, ours: Said | None, peer: Said | None) -> None:
        super().__init__(f"the years differ: {_shown(ours)} beside {_shown(peer)}")


class Alike(NamedTuple):
    """The number of events that two logs share, and whether they are in the same order."""

    events: int
    ordered: bool


def demand_alike(ours: str, peer: str) -> Alike:
    """Compare the years of two logs.

    Raises:
        YearsDiffer: with the first events that only one of them has.
    """
    if (same := _in_step(ours, peer)) is not None:
        return Alike(same, ordered=True)
    with _year(ours) as mine, _year(peer) as other:
        one, two = Counter(mine), Counter(other)
    for missing, extra in zip_longest(sorted(one - two), sorted(two - one)):
        raise YearsDiffer(missing, extra)
    return Alike(one.total(), ordered=False)


def _in_step(ours: str, peer: str) -> int | None:
    """Compare event by event without keeping any; None if they differ."""
    count = 0
    with _year(ours) as mine, _year(peer) as other:
        for one, two in zip_longest(mine, other):
            if one != two:
                return None
            count += 1
    return count


@contextmanager
def _year(url: str) -> Iterator[Iterator[Said]]:
    with closing(Log.open(url, mode="read")) as log:
        fork = log.branch(BRANCH).fork_position
        yield (
            (stored.occurred_at, stored.type, stored.qmgr, stored.body)
            for stored in log.events(after=fork, branch=BRANCH)
        )


def _shown(said: Said | None) -> str:
    if said is None:
        return "nothing"
    at, column, qmgr, body = said
    return f"{format_instant(at)} {qmgr} {column} {body}"
