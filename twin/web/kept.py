"""What is computed once for a position of the log, and answers several requests."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

_MOST: Final = 16


class KeptValues:
    """The last values, by key."""

    def __init__(self) -> None:
        """Begin without any."""
        self._values: dict[Hashable, Any] = {}
        self._lock = Lock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], Value],
        *,
        keeps: Callable[[Value], bool] = lambda _: True,
    ) -> Value:
        """Return the value of a key; make it if it is not kept.

        `keeps` says whether a value is to be kept: a large one may be not worth the memory. Two
        requests may make the same value at the same time: neither waits for the other.
        """
        with self._lock:
            if key in self._values:
                value: Value = self._values.pop(key)
                self._values[key] = value
                return value
        value = make()
        if not keeps(value):
            return value
        with self._lock:
            self._values[key] = value
            while len(self._values) > _MOST:
                del self._values[next(iter(self._values))]
        return value

    def newest(self, kind: Hashable) -> Any:
        """Return the value used last among those whose key is a tuple that begins with `kind`."""
        with self._lock:
            keys = [key for key in self._values if isinstance(key, tuple) and key[0] == kind]
            return self._values[keys[-1]] if keys else None
