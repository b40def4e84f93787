"""Progress bars for long commands, on standard error."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        """Start the timer."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar from the terminal."""
        if self._bar is not None:
            self._bar[0].stop()

    def show(self, done: float, total: float, step: str = "") -> None:
        """Show how much is done of a total, and the name of the step under way."""
        if not self._is_terminal or time.monotonic() - self._begun < PATIENCE:
            return
        if self._bar is None:
            self._bar = self._start()
        progress, task = self._bar
        progress.update(task, completed=done, total=total, step=step)

    def _start(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        count = TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + self._unit)
        columns = (BarColumn(), count, TimeRemainingColumn(), TextColumn("{task.fields[step]}"))
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task("", total=1, step="")
