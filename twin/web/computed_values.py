"""Values that are computed once, and answer several requests: the last ones of each kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

_MOST: Final = 16
"""The most values of one kind, unless the caller says another number."""


class ComputedValues:
    """The last values of each kind, by key. A value pushes out values of its own kind only."""

    def __init__(self) -> None:
        """Begin without any."""
        self._kinds: dict[str, dict[Hashable, Any]] = {}
        self._lock = Lock()

    def get(
        self,
        kind: str,
        key: Hashable,
        make: Callable[[], Value],
        *,
        keeps: Callable[[Value], bool] = lambda _: True,
        most: int = _MOST,
    ) -> Value:
        """Return the value of a kind and a key; make it if it is not kept.

        `keeps` says whether a value is to be kept: a large one may be not worth the memory. `most`
        is how many values of the kind are kept. Two requests may make the same value at the same
        time: neither waits for the other.
        """
        with self._lock:
            values = self._kinds.setdefault(kind, {})
            if key in values:
                value: Value = values.pop(key)
                values[key] = value
                return value
        value = make()
        if keeps(value):
            self.keep(kind, key, value, most=most)
        return value

    def keep(self, kind: str, key: Hashable, value: object, *, most: int = _MOST) -> None:
        """Keep a value, in place of the one that the key had."""
        with self._lock:
            values = self._kinds.setdefault(kind, {})
            values.pop(key, None)
            values[key] = value
            while len(values) > most:
                del values[next(iter(values))]

    def newest(self, kind: str, first: Hashable) -> Any:
        """Return the value of a kind used last whose key is a tuple that begins with `first`.

        None if there is none.
        """
        with self._lock:
            values = self._kinds.get(kind, {})
            keys = [key for key in values if isinstance(key, tuple) and key[0] == first]
            return values[keys[-1]] if keys else None
