"""Signals: they set a flag, so that a loop can stop between two steps."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_NOTICED: Final = 0.2
"""The seconds after which a wait notices that it is over."""


class Stop:
    """A flag that a signal sets.

    It is not a `threading.Event`, which has a lock: a handler that sets an event waits for ever if
    the signal came while the main thread held that lock, and a signal that comes just before the
    wait for an event does not end it.
    """

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        """Set it, from any thread or handler."""
        self._is_set = True

    def is_set(self) -> bool:
        """Return whether it is set."""
        return self._is_set

    def wait(self, seconds: float = math.inf) -> None:
        """Wait until it is set, or until these seconds have passed."""
        end = time.monotonic() + seconds
        while not self._is_set and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _NOTICED))


@contextmanager
def stoppable(*signals: signal.Signals) -> Iterator[Stop]:
    """Yield a flag that the first of these signals sets; a second signal acts as usual.

    A signal that the process ignores stays ignored. Only the main thread gets signals: in another
    thread the flag is never set.
    """
    stop = Stop()
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in signals}

    def set_stop(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, handlers[signal.Signals(number)])

    for number, handler in handlers.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, set_stop)
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
