"""Limits how often somebody may try to sign in: by address and name, by address, and by name."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
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

MOST: Final = 10_000
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
            TooManyAttempts: if there were too many; then it does not count, and is forgotten.
        """
        now = self._clock()
        limits = _limits(address, name)
        with self._lock:
            waits = [
                times[0] + WINDOW - now
                for key, limit in limits.items()
                if (times := self._times.get(key))
                and len(times) == limit
                and times[0] + WINDOW > now
            ]
            if waits:
                raise TooManyAttempts(ceil(max(waits)))
            for key, limit in limits.items():
                self._times.setdefault(key, deque(maxlen=limit)).append(now)
                self._times.move_to_end(key)
            while len(self._times) > MOST:
                self._times.popitem(last=False)

    def succeeded(self, address: str, name: str) -> None:
        """Take the last attempt back, and all of this address for this name."""
        pair, *others = _limits(address, name)
        with self._lock:
            self._times.pop(pair, None)
            for key in others:
                if times := self._times.get(key):
                    times.pop()
                    if not times:
                        del self._times[key]

    def __len__(self) -> int:
        """Return how many addresses and names are remembered: `MOST` is the limit."""
        return len(self._times)


def _limits(address: str, name: str) -> dict[_Key, int]:
    """Return what an attempt counts for, and how many may fail; the pair is the first."""
    return {(address, name): OF_PAIR, (address, ""): OF_ADDRESS, ("", name): OF_NAME}
