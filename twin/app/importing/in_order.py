"""Facts of feeds with their sources, brought into the order of their instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final, NamedTuple

from twin.feeds.observed import DatedFact
from twin.model.instants import Instant

WINDOW: Final = 20_000
"""How many facts are looked at to bring them into the order of their instants."""


class SourcedFact(NamedTuple):
    """A fact of a feed, its source such as `observation:error-log`, and the number of its file."""

    fact: DatedFact
    source: str
    file: int = 0


def in_about_their_order(facts: Iterable[SourcedFact]) -> Iterator[SourcedFact]:
    """Yield facts in the order of their instants, if none is out of order by more than `WINDOW`.

    Facts of one instant stay in their order.
    """
    heap: list[tuple[Instant, int, SourcedFact]] = []
    numbers = count()
    for fact in facts:
        heappush(heap, (fact.fact.at, next(numbers), fact))
        if len(heap) > WINDOW:
            yield heappop(heap)[2]
    while heap:
        yield heappop(heap)[2]
