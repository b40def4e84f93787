"""One request records at a time; few others wait for their turn, and none for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from twin.web.errors import Busy

WAITING: Final = 32
"""How many requests wait for their turn at the same time; each keeps a thread waiting."""

WITHIN: Final = 30.0
"""The seconds that a request waits for its turn."""


class RecordingTurns:
    """The turns of those who record."""

    def __init__(self, waiting: int = WAITING, within: float = WITHIN) -> None:
        """Let at most `waiting` requests wait, each for at most `within` seconds."""
        self._within = within
        self._places = BoundedSemaphore(waiting + 1)
        self._turn = Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a turn; the next one begins where the block ends.

        Raises:
            Busy: if too many wait already, or no turn comes within the time.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            if not self._turn.acquire(timeout=self._within):
                raise Busy
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()
