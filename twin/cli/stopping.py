"""Stopping where it can be done in good order: signals become a question that loops ask."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(*signals: signal.Signals) -> Iterator[threading.Event]:
    """Give an event that is set by the first of these signals; a second one acts as ever.

    What the process was started to ignore stays ignored, and a thread, which gets no signals,
    is never asked to stop.
    """
    stop = threading.Event()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.getsignal(each) for each in signals}

    def ask(number: int, frame: FrameType | None) -> None:
        del frame
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    for each, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(each, ask)
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
