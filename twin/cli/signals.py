"""Signals: they set an event, so that a loop can stop between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(*signals: signal.Signals) -> Iterator[threading.Event]:
    """Yield an event that the first of these signals sets; a second signal acts as usual.

    A signal that the process ignores stays ignored. Only the main thread gets signals: in another
    thread the event is never set.
    """
    stop = threading.Event()
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in signals}

    def set_stop(number: int, frame: FrameType | None) -> None:
        del frame
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
