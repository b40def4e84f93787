"""Compute which route is next, and how a large number of messages divides among routes.

DestSeqFactor grows with every use of a route by about 1000/CLWLWGHT. DestSeqNumber is the number of
its last use [arithmetic: memory, unverified]. The route with the lowest factor is next; if factors
are equal, the one with the lowest number; among routes that were never used, the first in order.

A reset sets the weight factors of all routes to zero; the order of use stays.

Source: IBM MQ 9.2, "Fields in MQWDR".

Source: IBM MQ 9.2, "Fields in MQWDR", and "The cluster workload management algorithm": factors are
reset when a workload attribute of an available destination changes, or when a destination becomes
available [memory, unverified]. A channel that goes from INACTIVE to RUNNING was available before. A
manual CLUSSDR has no attributes of its destination, and attributes of queues are not attributes of
a destination [inferred].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from heapq import heapify, heapreplace
from typing import Final, NamedTuple, TypeAlias

from twin.events import WorkloadHistoryReset
from twin.fold.estate import QueueManager
from twin.fold.messaging import RouteUse
from twin.model.attributes import Value, attribute_of
from twin.rules.draft import Draft
from twin.rules.workload.filters import group_of

_SCALE: Final = 1000


class Turn(NamedTuple):
    """The counters of a route.

    Attributes:
        step: what each use adds to the factor; 0 if only the order of use counts.
        factor: DestSeqFactor, 0 if only the order of use counts.
        number: DestSeqNumber, 0 if the route was never used.
    """

    step: int
    factor: int
    number: int


class TurnsTaken(NamedTuple):
    """How often a route was chosen, and its counters after that."""

    times: int
    factor: int
    number: int


def step_of(weight: int) -> int:
    """Return what each use adds to the factor of a channel with this CLWLWGHT.

    An observed weight outside MQ's range counts as the nearest allowed one.
    """
    return max(1, _SCALE // max(1, weight))


def turn_of(weight: int, use: RouteUse, *, even: bool) -> Turn:
    """Return the counters of a route; with `even`, only the order of use counts."""
    return Turn(0, 0, use.number) if even else Turn(step_of(weight), use.factor, use.number)


class Turns:
    """An endless iterator over routes that take turns, starting from their counters."""

    __slots__ = ("_heap", "_steps", "last")

    def __init__(self, turns: Sequence[Turn], last: int) -> None:
        """Start from the counters of the routes, in order; `last` is the number of the last use."""
        self.last = last
        self._steps = [turn.step for turn in turns]
        self._heap = [(turn.factor, turn.number, index) for index, turn in enumerate(turns)]
        heapify(self._heap)

    def __next__(self) -> int:
        """Return the index of the next route, and count it."""
        factor, _, index = self._heap[0]
        self.last = number = self.last + 1
        heapreplace(self._heap, (factor + self._steps[index], number, index))
        return index

    def __iter__(self) -> Iterator[int]:
        """Iterate without end."""
        return self

    def turns(self) -> list[Turn]:
        """Return the current counters of the routes, in order."""
        turns = [Turn(0, 0, 0)] * len(self._heap)
        for factor, number, index in self._heap:
            turns[index] = Turn(self._steps[index], factor, number)
        return turns


def split(turns: Sequence[Turn], last: int, count: int) -> list[TurnsTaken]:
    """Divide `count` choices exactly as one by one, and return the counters after them.

    Most choices are made in one jump: a division brings all factors to one level. The last choices
    are made one by one. The level is lower than the final one by the greatest step, so every route
    of the jump is chosen again after it. So the numbers after the jump need only be in the right
    order.
    """
    if not turns:
        return []
    jumped, done = _jump(turns, last, count)
    rest = Turns(jumped, last + done)
    counts = [
        (here.factor - turn.factor) // max(turn.step, 1)
        for here, turn in zip(jumped, turns, strict=True)
    ]
    if done and not turns[0].step:  # even: the jump was whole rounds and changed no factor
        counts = [done // len(turns)] * len(turns)
    for _ in range(count - done):
        counts[next(rest)] += 1
    return [
        TurnsTaken(taken, turn.factor, turn.number)
        for taken, turn in zip(counts, rest.turns(), strict=True)
    ]


def sequence(turns: Sequence[Turn], last: int, *, skip: int = 0) -> Iterator[int]:
    """Yield the index of the route of each choice, without end, after the first `skip` choices."""
    if not turns:
        return
    jumped, done = _jump(turns, last, skip)
    ahead = Turns(jumped, last + done)
    for _ in range(skip - done):
        next(ahead)
    yield from ahead


def _jump(turns: Sequence[Turn], last: int, count: int) -> tuple[list[Turn], int]:
    """Make most of `count` choices at once; return the counters after them and their number.

    The DestSeqNumbers in the result have the right order, but not the right values.
    """
    if not turns[0].step:
        return _jump_evenly(turns, last, count)
    level = _level(turns, count)
    level -= max((turn.step for turn in turns if turn.factor < level), default=0)
    chosen = [_times(turn, level) for turn in turns]
    done = sum(chosen)
    if not done:
        return list(turns), 0
    order = sorted(
        (index for index, times in enumerate(chosen) if times),
        key=lambda index: _last_use(turns[index], chosen[index], index),
    )
    jumped = list(turns)
    for number, index in enumerate(order, start=last + 1):
        turn, times = turns[index], chosen[index]
        jumped[index] = Turn(turn.step, turn.factor + times * turn.step, number)
    return jumped, done


def _jump_evenly(turns: Sequence[Turn], last: int, count: int) -> tuple[list[Turn], int]:
    """Make all whole rounds except the last at once; they do not change the order."""
    return list(turns), max(0, count // len(turns) - 1) * len(turns)


def _level(turns: Sequence[Turn], count: int) -> int:
    """Return the highest level that all factors can reach with at most `count` choices."""
    low = min(turn.factor for turn in turns)
    high = low + (count + 1) * max(turn.step for turn in turns) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if sum(_times(turn, middle) for turn in turns) <= count:
            low = middle
        else:
            high = middle
    return low


def _times(turn: Turn, level: int) -> int:
    """Return how often a route is chosen before its factor is at least `level`."""
    return -((turn.factor - level) // turn.step) if turn.factor < level else 0


def _last_use(turn: Turn, times: int, index: int) -> tuple[int, int, int, int]:
    """Return a key that sorts routes by the last of `times` choices of each.

    The route with the lower factor before its last choice was chosen earlier. If these factors and
    the steps of two routes are equal, the one that started with the higher factor was chosen first;
    if they also started equal, the one that was used longer ago. For routes with unequal steps the
    order makes no difference: one of them is chosen again before their factors are equal.
    """
    return turn.factor + (times - 1) * turn.step, -turn.factor, turn.number, index


_ATTRIBUTES: Final = {
    keyword: attribute_of("CLUSRCVR", keyword).default
    for keyword in ("CLWLPRTY", "CLWLRANK", "CLWLWGHT", "NETPRTY")
}
"""Workload attribute of a destination -> its default, which counts if a record does not have it."""

_Attributes: TypeAlias = dict[tuple[str, str], tuple[Value | None, ...]]
"""(owner's QMID, channel) -> the workload attributes of a destination."""


def status_changes(draft: Draft, qmgr: QueueManager, channel: str, status: str) -> None:
    """Reset the factors if a channel that is not available is about to become available."""
    if not group_of(status) and not _is_available(qmgr, channel) and _counts(qmgr):
        draft.emit(WorkloadHistoryReset(qmgr=qmgr.name))


def records_change(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> AbstractContextManager[None]:
    """Reset the factors if records that arrive inside the context change or add destinations.

    `owners` are the QMIDs of the owners of these records.
    """
    return _compared(draft, qmgr, cluster, owners) if _counts(qmgr) else _UNCOUNTED


_UNCOUNTED: Final = nullcontext()
"""The context if all factors are zero: nothing is compared."""


@contextmanager
def _compared(
    draft: Draft, qmgr: QueueManager, cluster: str, owners: Iterable[str]
) -> Iterator[None]:
    whose = dict.fromkeys(owners)
    before = _destinations(qmgr, cluster, whose)
    yield
    for (owner, channel), attributes in _destinations(qmgr, cluster, whose).items():
        previous = before.get((owner, channel))
        if previous is None or (previous != attributes and _is_available(qmgr, channel)):
            draft.emit(WorkloadHistoryReset(qmgr=qmgr.name))
            return


def _is_available(qmgr: QueueManager, channel: str) -> bool:
    state = qmgr.activity.channels.get(channel)
    return state is None or not group_of(state.status)


def _counts(qmgr: QueueManager) -> bool:
    """Return whether any factor is above zero."""
    return qmgr.has_messaging and any(use.factor for use in qmgr.messaging.workload.uses.values())


def _destinations(qmgr: QueueManager, cluster: str, owners: Iterable[str]) -> _Attributes:
    repository = qmgr.repository
    return {
        (owner, channel): tuple(
            repository.beliefs[cluster, "qmgr", channel][owner].values.get(keyword, default)
            for keyword, default in _ATTRIBUTES.items()
        )
        for owner in owners
        for channel in repository.routes.get((cluster, owner), ())
    }
