"""Whether two logs say the same of the year: types, bodies, instants, and their order."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from benchmarks.year.workload import BRANCH
from twin.errors import TwinError
from twin.log import Log
from twin.model.instants import format_instant

Said: TypeAlias = tuple[int, str, str, str]
"""(occurred_at, type, queue manager, body)."""


class YearsDiffer(TwinError):
    """The two sides did not make the same events, so that their times cannot be compared."""

    def __init__(self, ours: Said | None, peer: Said | None) -> None:
        super().__init__(f"the years differ: {_shown(ours)} beside {_shown(peer)}")


class Alike(NamedTuple):
    """How many events two logs share, and whether they have them in the same order."""

    events: int
    ordered: bool


def demand_alike(ours: str, peer: str) -> Alike:
    """Compare the years of two logs.

    Raises:
        YearsDiffer: with the first events that one has and the other has not.
    """
    mine, other = _year(ours), _year(peer)
    if mine == other:
        return Alike(len(mine), ordered=True)
    missing = sorted((Counter(mine) - Counter(other)).elements())
    extra = sorted((Counter(other) - Counter(mine)).elements())
    for one, two in zip_longest(missing, extra):
        raise YearsDiffer(one, two)
    return Alike(len(mine), ordered=False)


def _year(url: str) -> list[Said]:
    with closing(Log.open(url, mode="read")) as log:
        fork = log.branch(BRANCH).fork_position
        return [
            (stored.occurred_at, stored.type, stored.qmgr, stored.body)
            for stored in log.events(after=fork, branch=BRANCH)
        ]


def _shown(said: Said | None) -> str:
    if said is None:
        return "nothing"
    at, column, qmgr, body = said
    return f"{format_instant(at)} {qmgr} {column} {body}"
