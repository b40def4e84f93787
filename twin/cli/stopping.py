"""Signals: they set an event, so that a loop can stop between two steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a command that Ctrl-C or SIGTERM ended."""


@contextmanager
def stoppable(*signals: signal.Signals) -> Iterator[threading.Event]:
    """Yield an event that the first of these signals sets; a second signal acts as usual.

    A signal that the process ignores stays ignored. Only the main thread gets signals: in another
    thread the event is never set.
    """
    stop = threading.Event()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.getsignal(each) for each in signals}

    def set_stop(number: int, frame: FrameType | None) -> None:
        del frame
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    for each, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(each, set_stop)
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
