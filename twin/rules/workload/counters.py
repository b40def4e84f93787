"""The arithmetic of turns: who is next, one by one, and where a million messages go at once.

Sources: IBM MQ 9.2, "Fields in MQWDR": DestSeqFactor grows with every use of a route, by about
1000/CLWLWGHT, DestSeqNumber says when it was used last [arithmetic: memory, unverified]. The lowest
factor is next; of equal ones the lowest number; of those never used the first in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heapreplace
from typing import Final, NamedTuple

from twin.fold.messaging import RouteUse

_SCALE: Final = 1000


class Turn(NamedTuple):
    """A route as the arithmetic sees it.

    Attributes:
        step: what a use adds to the factor, 0 where only the order of use counts.
        factor: DestSeqFactor, 0 for all where only the order of use counts.
        number: DestSeqNumber, 0 if it was never used.
    """

    step: int
    factor: int
    number: int


class TurnsTaken(NamedTuple):
    """How often a route was chosen, and what is counted of it then."""

    times: int
    factor: int
    number: int


def step_of(weight: int) -> int:
    """Give what a use adds to the factor of a channel of this CLWLWGHT.

    A weight that MQ would not accept, as an observation may bring it, is taken as the nearest one.
    """
    return max(1, _SCALE // max(1, weight))


def turn_of(weight: int, use: RouteUse, *, even: bool) -> Turn:
    """See a route as the arithmetic does."""
    return Turn(0, 0, use.number) if even else Turn(step_of(weight), use.factor, use.number)


class Turns:
    """Routes taking turns one by one, from what was counted of them."""

    __slots__ = ("_heap", "_steps", "last")

    def __init__(self, turns: Sequence[Turn], last: int) -> None:
        """Start from the turns of routes, in their order; `last` is the number of the last use."""
        self.last = last
        self._steps = [turn.step for turn in turns]
        self._heap = [(turn.factor, turn.number, each) for each, turn in enumerate(turns)]
        heapify(self._heap)

    def __next__(self) -> int:
        """Choose: return the index of the route that is next, and count it."""
        factor, _, each = self._heap[0]
        self.last = number = self.last + 1
        heapreplace(self._heap, (factor + self._steps[each], number, each))
        return each

    def __iter__(self) -> Iterator[int]:
        """Go on for ever."""
        return self

    def turns(self) -> list[Turn]:
        """Return what is counted of the routes now, in their order."""
        found = [Turn(0, 0, 0)] * len(self._heap)
        for factor, number, each in self._heap:
            found[each] = Turn(self._steps[each], factor, number)
        return found


def split(turns: Sequence[Turn], last: int, count: int) -> list[TurnsTaken]:
    """Share `count` choices out exactly as one by one would, and say what is counted then.

    The routes' factors are all brought to one level by division, short of the end by the greatest
    step, so that every route that took part is chosen again on the way from there: numbers of
    the jump need only be in the right order.
    """
    if not turns:
        return []
    jumped, done = _jump(turns, last, count)
    rest = Turns(jumped, last + done)
    counts = [
        (here.factor - turn.factor) // max(turn.step, 1)
        for here, turn in zip(jumped, turns, strict=True)
    ]
    if done and not turns[0].step:  # even: the jump was whole rounds, which leave no trace
        counts = [done // len(turns)] * len(turns)
    for _ in range(count - done):
        counts[next(rest)] += 1
    return [
        TurnsTaken(taken, turn.factor, turn.number)
        for taken, turn in zip(counts, rest.turns(), strict=True)
    ]


def sequence(turns: Sequence[Turn], last: int, *, skip: int = 0) -> Iterator[int]:
    """Go through the routes' indexes in the order of choice, for ever, from the ordinal `skip`."""
    if not turns:
        return
    jumped, done = _jump(turns, last, skip)
    ahead = Turns(jumped, last + done)
    for _ in range(skip - done):
        next(ahead)
    yield from ahead


def _jump(turns: Sequence[Turn], last: int, count: int) -> tuple[list[Turn], int]:
    """Make most of `count` choices at once: the turns after them, and how many they were.

    Numbers of the result are right in their order only.
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
        (each for each, times in enumerate(chosen) if times),
        key=lambda each: _last_use(turns[each], chosen[each], each),
    )
    jumped = list(turns)
    for number, each in enumerate(order, start=last + 1):
        turn, times = turns[each], chosen[each]
        jumped[each] = Turn(turn.step, turn.factor + times * turn.step, number)
    return jumped, done


def _jump_evenly(turns: Sequence[Turn], last: int, count: int) -> tuple[list[Turn], int]:
    """Make all whole rounds but the last at once, after which the order is the same again."""
    return list(turns), max(0, count // len(turns) - 1) * len(turns)


def _level(turns: Sequence[Turn], count: int) -> int:
    """Find the highest level that factors can all be brought to with at most `count` choices."""
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
    """Say how often a route is chosen before its factor is at least `level`."""
    return -((turn.factor - level) // turn.step) if turn.factor < level else 0


def _last_use(turn: Turn, times: int, each: int) -> tuple[int, int, int, int]:
    """Order routes by the last of `times` choices of each.

    A lower factor was chosen earlier. At one factor, of two routes of equal steps the one that came
    in at the higher factor was behind in use and went first, and stays so; of those that came in
    together the one used longer ago. Routes of unequal steps never meet again before one of them
    was chosen anew: their order makes no difference.
    """
    return turn.factor + (times - 1) * turn.step, -turn.factor, turn.number, each
