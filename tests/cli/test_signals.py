"""A flag that signals set, whenever they come."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from twin.cli.signals import stoppable


def test_a_signal_at_any_moment_ends_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait ends if its signal comes before it, while it begins, or during it."""
    monkeypatch.setattr("twin.cli.signals._NOTICED", 0.001)
    for number in range(300):
        with stoppable(signal.SIGUSR2) as stop:
            sender = threading.Timer(number / 1e6, os.kill, (os.getpid(), signal.SIGUSR2))
            sender.start()
            stop.wait()
            sender.join()
            assert stop.is_set()


def test_another_thread_ends_a_wait_too() -> None:
    """A wait ends when another thread sets the flag."""
    with stoppable(signal.SIGUSR2) as stop:
        setter = threading.Timer(0.01, stop.set)
        setter.start()
        stop.wait()
        setter.join()
        assert stop.is_set()
