"""Tokens of signed-in users: in memory, for two hours, and only as many as memory may hold."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

LIFETIME: Final = 120 * 60.0
"""The seconds after which a token expires, as in mqweb."""

OF_USER: Final = 100
"""The most tokens of one user; another one replaces the oldest."""

_MOST: Final = 10_000


class GivenToken(NamedTuple):
    """A token that was given.

    Attributes:
        name: the user it was given to.
        password: the digest of the password that the user had then.
        expires: when it expires, in seconds of the clock.
    """

    name: str
    password: bytes
    expires: float


class Tokens:
    """The tokens that were given and have not expired; only their digests are kept."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Use a clock in seconds that only grows."""
        self._clock = clock
        self._lock = threading.Lock()
        self._given: OrderedDict[bytes, GivenToken] = OrderedDict()

    def give(self, name: str, password: bytes) -> str:
        """Make a token for a user with this digest of the password."""
        text = secrets.token_urlsafe(48)
        with self._lock:
            self._drop_expired()
            own = [key for key, token in self._given.items() if token.name == name]
            for key in own[: max(0, len(own) - OF_USER + 1)]:
                del self._given[key]
            while len(self._given) >= _MOST:
                self._given.popitem(last=False)
            expires = self._clock() + LIFETIME
            self._given[_digest(text)] = GivenToken(name, password, expires)
        return text

    def find(self, text: str) -> GivenToken | None:
        """Return what is known of a token; None if it was never given, or has expired."""
        with self._lock:
            self._drop_expired()
            return self._given.get(_digest(text))

    def take_back(self, text: str) -> None:
        """Let a token expire now."""
        with self._lock:
            self._given.pop(_digest(text), None)

    def _drop_expired(self) -> None:
        now = self._clock()
        while self._given and next(iter(self._given.values())).expires <= now:
            self._given.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
