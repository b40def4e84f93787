"""Scripts that do not belong in a URL: the service holds the last ones in memory."""

from __future__ import annotations

import secrets
from threading import Lock
from typing import Final

_MOST: Final = 50


class HeldScripts:
    """The last scripts of one service, each under a key that cannot be guessed."""

    def __init__(self) -> None:
        """Begin without any."""
        self._scripts: dict[str, str] = {}
        self._lock = Lock()

    def add(self, script: str) -> str:
        """Hold a script; return its key. The oldest goes if there are too many."""
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._scripts[key] = script
            while len(self._scripts) > _MOST:
                del self._scripts[next(iter(self._scripts))]
        return key

    def get(self, key: str) -> str | None:
        """Return the script of a key; None if it is not held."""
        with self._lock:
            return self._scripts.get(key)
