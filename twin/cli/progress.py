"""Progress bars for long commands, on standard error."""

from __future__ import annotations

import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.progress import Progress, TaskID

    from twin.app.twin import Twin

PATIENCE: Final = 1.0
"""Seconds before a progress bar is shown."""


class ProgressBar:
    """A bar that is shown after one second, and only if standard error is a terminal.

    >>> with ProgressBar("days") as bar:  # doctest: +SKIP
    ...     bar.show(12, 400)
    """

    def __init__(self, unit: str) -> None:
        """Set the unit that is counted, a plural such as `days`."""
        self._unit = unit
        self._begun = time.monotonic()
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None
        self._lock = threading.Lock()
        self._later: threading.Timer | None = None

    def __enter__(self) -> Self:
        """Start the timer."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar from the terminal."""
        with self._lock:
            self._is_shown = False
            self._show_later(None)
            if self._bar is not None:
                self._bar[0].stop()

    def show(self, done: float, total: float, step: str = "") -> None:
        """Show how much is done of a total, and the name of the step under way.

        With a total of 0, show a moving bar until the next call: how long the step takes is
        unknown.
        """
        if not self._is_shown:
            return
        with self._lock:
            left = self._begun + PATIENCE - time.monotonic()
            if left > 0:
                again = threading.Timer(left, self.show, (done, total, step))
                self._show_later(None if total else again)
            elif self._is_shown:
                self._show(done, total, step)

    def _show(self, done: float, total: float, step: str) -> None:
        self._show_later(None)
        if self._bar is None:
            self._bar = self._start()
        progress, task = self._bar
        if not total or not progress.tasks[0].total:  # a total can be changed, but not unset
            progress.remove_task(task)
            task = progress.add_task("", total=total or None, count="", step="")
            self._bar = progress, task
        count = f"{done:,.0f} of {total:,.0f} {self._unit}" if total else ""
        progress.update(task, completed=done, total=total or None, count=count, step=step)

    def _show_later(self, timer: threading.Timer | None) -> None:
        """Let a timer call `show`, in place of the one that waits."""
        if self._later is not None:
            self._later.cancel()
        self._later = timer
        if timer is not None:
            timer.daemon = True
            timer.start()

    def _start(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        count, step = TextColumn("{task.fields[count]}"), TextColumn("{task.fields[step]}")
        columns = (BarColumn(), count, TimeRemainingColumn(), step)
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task("", total=1, count="", step="")


def save_snapshots(twin: Twin, branches: Iterable[str]) -> dict[str, int]:
    """Save snapshots of branches, with a progress bar; return how many by branch."""
    saved = {}
    with ProgressBar("events") as bar:
        for name in branches:
            step = f"snapshots of branch {name}"
            bar.show(0, 0, step)
            saved[name] = twin.on_branch(name).snapshot(progress=partial(bar.show, step=step))
    return saved
