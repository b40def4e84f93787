"""`twin advance`: virtual time, in which everything that falls due happens."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Self

from typer import Context, Option, Typer

from twin.cli.errors import BadUsage
from twin.cli.options import Format, FormatOption
from twin.cli.output import show_lines
from twin.cli.place import MAIN, instant, place_of
from twin.cli.stopping import stoppable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from twin.app.twin import Twin
    from twin.model.instants import Instant
    from twin.questions.answer import Answer, Row

INTERRUPTED: Final = 130

PATIENCE: Final = 1.0
"""Seconds before a bar is shown."""


def advance(
    context: Context,
    *,
    to: Annotated[
        str | None, Option("--to", metavar="T", help="How far: ISO 8601, or +90d from now")
    ] = None,
    days: Annotated[
        int | None, Option("--days", metavar="N", min=0, help="How far: so many days from now")
    ] = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Let time pass, and all that falls due happen.

    On main up to the present; on a branch, whose now is its latest instant, as far as you like.
    Ctrl-C or SIGTERM stops it with exit code 130: what happened by then stands, and the same
    command goes on from there if it names its end with --to and a date.
    """
    target = _target(to, days)
    with stoppable(signal.SIGINT, signal.SIGTERM) as stop, place_of(context).writer(target) as twin:
        upto = instant(twin, target)
        assert upto is not None  # noqa: S101 - there is a target
        passage = Passage(twin, upto)
        passage.run(stop)
        answer = passage.answer()
    show_lines(answer, _said(answer), output)
    return 0 if answer.rows[0]["finished"] else INTERRUPTED


def _target(to: str | None, days: int | None) -> str:
    if (to is None) == (days is None):
        raise BadUsage(command="advance", problem="say how far, with --to T or --days N")
    return to if to is not None else f"+{days}d"


@dataclass
class Passage:
    """Time passing on a branch, from where its log stands up to an instant."""

    twin: Twin
    upto: Instant
    since: Instant = field(init=False)
    reached: Instant = field(init=False)
    events: int = 0
    next_due: Instant | None = None
    next_retry: Instant | None = None
    retried: int = 0

    def run(self, stop: threading.Event) -> None:
        """Advance until the end, or until somebody wants it to stop."""
        from twin_scheduler import retries
        from twin_scheduler.virtual import VirtualScheduler

        self._before = self.twin.log.head(self.twin.branch).position
        before = self.twin.retrying()
        with VirtualScheduler(self.twin) as virtual:
            self.since = virtual.clock()
            with Bar(self.since, self.upto) as bar:
                for ticked in virtual.advance(self.upto):
                    self.events += ticked.events
                    bar.show(ticked.reached)
                    if stop.is_set():
                        break
            self.reached = virtual.clock()
            if self.twin.branch != MAIN and self.reached > self.twin.present():
                self.twin.pass_time(self.reached)
            self.next_due = virtual.next_due()
        self.next_retry = retries.following(self.twin.retrying(), self.reached)
        self.retried = retries.made(
            self.twin.log,
            self.twin.branch,
            before=before,
            after=self._before,
            upto=self.twin.log.head(self.twin.branch).position,
            since=self.since,
            reached=self.reached,
        )

    def answer(self) -> Answer:
        """Say how far it came, and what happened."""
        from twin.model.instants import DAY
        from twin.questions.answer import Answer
        from twin_scheduler.activity import deeds

        branch = self.twin.branch
        after, upto = self._before, self.twin.log.head(branch).position
        row: Row = {
            "branch": branch,
            "since": self.since,
            "reached": self.reached,
            "to": self.upto,
            "finished": self.reached >= self.upto,
            "days": (self.reached - self.since) // DAY,
            "events": self.events,
            **deeds(self.twin.log, branch, after=after, upto=upto),
            "retried": self.retried,
            "next_due": self.next_due,
            "now": self.twin.present(),
            "next_retry": self.next_retry,
        }
        instants = frozenset({"since", "reached", "to", "next_due", "next_retry", "now"})
        point = self.twin.as_of(valid=self.reached)
        return Answer("advance", point, tuple(row), (row,), instants)


class Bar:
    """Days passed, on a terminal's standard error, once that takes longer than one likes to wait.

    >>> with Bar(since, upto) as bar:  # doctest: +SKIP
    ...     bar.show(reached)
    """

    def __init__(self, since: Instant, upto: Instant) -> None:
        """Show the way from one instant to another."""
        self._since = since
        self._upto = upto
        self._begun = time.monotonic()
        self._wanted = sys.stderr is not None and sys.stderr.isatty()
        self._shown: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        """Begin to wait."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""
        if self._shown is not None:
            self._shown[0].stop()

    def show(self, reached: Instant) -> None:
        """Show how far it has come."""
        if not self._wanted or time.monotonic() - self._begun < PATIENCE:
            return
        from twin.model.instants import DAY

        if self._shown is None:
            self._shown = self._start(total=(self._upto - self._since) / DAY)
        progress, task = self._shown
        progress.update(task, completed=(reached - self._since) / DAY)

    def _start(self, *, total: float) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TextColumn("{task.completed:.0f} of {task.total:.0f} days"))
        progress = Progress(
            *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True
        )
        progress.start()
        return progress, progress.add_task("", total=total)


def _said(answer: Answer) -> Iterator[str]:
    from twin_scheduler.activity import told

    (row,) = answer.rows
    shown = answer.shown(row)
    how_far = f"{shown['since']} to {shown['reached']}, {_count(row['days'], 'day')}"
    yield f"{row['branch']}: {how_far}, {_count(row['events'], 'event')}"
    yield told(row)
    if not row["finished"]:
        yield f"stopped: twin --branch {row['branch']} advance --to {shown['to']} goes on"
    due = f"next due {shown['next_due']}" if row["next_due"] else "nothing more falls due"
    retry = f", next retry of a channel {shown['next_retry']}" if row["next_retry"] else ""
    yield f"{due}{retry}"


def _count(number: object, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(advance)
