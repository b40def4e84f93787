"""Writes lines to standard output and standard error; and the exit codes of all commands.

All text for a terminal goes through here: no character of any input acts on it.

If the reader of the output leaves, that is no error. If output cannot be written for any other
reason, an error is raised, but only after all lines were taken: what a session does never depends
on its output.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from typer import Context

from twin.cli.errors import Unwritable
from twin.cli.table import Styled
from twin.errors import reason_of
from twin.model.harmless import visible, visible_json, visible_line
from twin.model.passwords import message_without_passwords

_LONGEST: Final = 2000
"""The longest message, in characters: a message repeats input, which can be of any size."""

_said: Final[set[str]] = set()
"""The messages of this command: an error that was said as a warning is not said again."""

DONE: Final = 0
"""The command did everything it was asked to do."""

FAILED: Final = 10
"""A call ended in a reason code, or some commands or expectations failed; everything else was done.
"""

BAD_INPUT: Final = 20
"""The command could not be run as written; one line on standard error says why."""

INTERRUPTED: Final = 130
"""Ctrl-C or SIGTERM ended the command."""


def begin() -> None:
    """Forget the messages of the command before, which ran in the same process."""
    _said.clear()


def was_said(message: str) -> bool:
    """Return whether this command has complained in these words."""
    return message in _said


def demand_output() -> None:
    """Check that standard output is open, before anything is done.

    Raises:
        Unwritable: if it was closed from the start.
    """
    if sys.stdout is None:
        raise Unwritable(os.strerror(errno.EBADF))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # for a terminal that does not know a character
            stream.reconfigure(errors="backslashreplace")


def emit(lines: Iterable[str]) -> None:
    """Write lines to standard output; take all of them, even if nobody reads them any more.

    Raises:
        Unwritable: at the end, if some could not be written.
    """
    failures = list(filter(None, (_write(f"{_shown(line)}\n") for line in lines)))
    _demand_success([*failures, _write("")])


def _shown(line: str) -> str:
    """Return what a terminal gets for a line: the only escape sequences are those of our styles."""
    shown = visible(line)
    return line.on(sys.stdout, shown) if isinstance(line, Styled) else shown


def flush() -> None:
    """Write what a library may have left in the buffer.

    Raises:
        Unwritable: if it cannot be written.
    """
    if sys.stdout is not None:
        _demand_success([_write("")])


def _demand_success(failures: Sequence[str]) -> None:
    if reason := next(filter(None, failures), ""):
        raise Unwritable(reason)


def _write(text: str) -> str:
    """Write a text, or flush for ''; return why this failed, '' if it need not be reported."""
    try:
        sys.stdout.write(text)
        if not text:
            sys.stdout.flush()
    except OSError as error:
        discard()
        return "" if isinstance(error, BrokenPipeError) else reason_of(error) or str(error)
    return ""


def complain(message: str, values: Iterable[str] = ()) -> None:
    """Write one line about an error to standard error, if it is open; secrets are hidden.

    `values` are texts of others in it, such as a word that was typed.
    """
    given = (" ".join(each.split()) for each in values)
    line = visible_line(message_without_passwords(" ".join(message.split()), given))
    _said.add(message)
    shown = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"twin: {shown}\n")
            sys.stderr.flush()


def note(line: str) -> None:
    """Write one line about the progress of a command to standard error, if it is open."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{visible_line(line)}\n")


def help_alone(context: Context) -> None:
    """Show the help of a group of commands if none of them is given."""
    if context.invoked_subcommand is None:
        emit([context.get_help()])


def emit_json(value: object) -> None:
    """Write a value as JSON; no character of it acts on a terminal."""
    emit([visible_json(json.dumps(value, indent=2, ensure_ascii=not _writes_all()))])


def _writes_all() -> bool:
    """Return whether standard output can write every character."""
    return (sys.stdout.encoding or "").lower().startswith("utf")


def discard() -> None:
    """Discard all output that is still in buffers, including at exit."""
    with (
        contextlib.suppress(OSError, ValueError),  # a stream without a descriptor
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123 - a device
    ):
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


if TYPE_CHECKING:
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
