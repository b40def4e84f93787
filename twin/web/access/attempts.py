"""Limits how often somebody may try to sign in: by address and name, by address, and by name."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from math import ceil
from typing import Final

from twin.web.errors import TooManyAttempts

WINDOW: Final = 300.0
"""The seconds for which a failed attempt counts."""

OF_PAIR: Final = 5
"""The failed attempts that one address has for one name."""

OF_ADDRESS: Final = 30
"""The failed attempts that one address has for all names."""

OF_NAME: Final = 100
"""The failed attempts for one name from all addresses: fewer would let anybody lock a user out."""

_MOST: Final = 10_000
"""The most addresses and names that are remembered."""

_Key = tuple[str, str]


class SignInAttempts:
    """The failed attempts of the last minutes. Each counts from its beginning."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Count by a clock in seconds that only grows."""
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[_Key, deque[float]] = OrderedDict()

    def begin(self, address: str, name: str) -> None:
        """Count an attempt, until it succeeds.

        Raises:
            TooManyAttempts: if there were too many; then it does not count.
        """
        now = self._clock()
        with self._lock:
            kept = list(self._kept(address, name))
            waits = [
                times[0] + WINDOW - now
                for times, limit in kept
                if len(times) == limit and times[0] + WINDOW > now
            ]
            if waits:
                raise TooManyAttempts(ceil(max(waits)))
            for times, _ in kept:
                times.append(now)
            while len(self._times) > _MOST:
                self._times.popitem(last=False)

    def succeeded(self, address: str, name: str) -> None:
        """Take the last attempt back, and all of this address for this name."""
        with self._lock:
            (pair, _), *others = self._kept(address, name)
            pair.clear()
            for times, _ in others:
                if times:
                    times.pop()

    def _kept(self, address: str, name: str) -> Iterator[tuple[deque[float], int]]:
        """Yield the times of the attempts that count with this one, and the limits."""
        limits = {(address, name): OF_PAIR, (address, ""): OF_ADDRESS, ("", name): OF_NAME}
        for key, limit in limits.items():
            times = self._times.setdefault(key, deque(maxlen=limit))
            self._times.move_to_end(key)
            yield times, limit
