"""What is computed once for a branch at a position of the log, and used by all pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from twin.web.service import Service

Value = TypeVar("Value")

_MOST: Final = 16


class KeptValues:
    """The last values of one service, by key."""

    def __init__(self) -> None:
        """Begin without any."""
        self._values: dict[Hashable, Any] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; make it if it is not kept.

        Two requests may make the same value at the same time: neither waits for the other.
        """
        with self._lock:
            if key in self._values:
                value: Value = self._values.pop(key)
                self._values[key] = value
                return value
        value = make()
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


_OF_SERVICES: Final[WeakKeyDictionary[Service, KeptValues]] = WeakKeyDictionary()
_MAKING: Final = Lock()


def kept_by(service: Service) -> KeptValues:
    """Return what is kept for a service."""
    with _MAKING:
        return _OF_SERVICES.setdefault(service, KeptValues())
