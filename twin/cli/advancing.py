"""`twin advance`: lets virtual time pass, and records everything that falls due."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from typer import Context, Option

from twin.cli.answers import show_lines
from twin.cli.errors import BadUsage
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, INTERRUPTED, ProgressBar, note
from twin.cli.signals import Stop, stoppable
from twin.cli.table import folded
from twin.cli.target import Format, FormatOption, instant, target_of
from twin.model.amounts import counted
from twin.model.instants import DAY, MAIN, Instant, format_instant

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.questions.answer import Answer, Row
    from twin_scheduler.virtual import VirtualScheduler


def advance(
    context: Context,
    *,
    to: Annotated[
        str | None,
        Option("--to", metavar="T", help="End: ISO 8601, or relative to now, such as +90d"),
    ] = None,
    days: Annotated[
        int | None, Option("--days", metavar="N", min=0, help="End: N days from now")
    ] = None,
    verbose: Annotated[
        bool,
        Option(
            "--verbose",
            help="Print each job with its next run, and each run, on standard error",
        ),
    ] = False,
    exits: ExitOption = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Let time pass, and record everything that falls due.

    On main, time can pass up to the present. On another branch, it can pass as far as you like, and
    the end becomes the present of the branch.

    Prints how many events were recorded, how often each activity happened, and what is due next.

    Ctrl-C or SIGTERM stops the command. The log keeps the recorded events, and the last line says
    how to continue.

    Exit codes: 0 the end is reached; 20 bad input; 130 stopped before the end.
    """
    target = _target(to, days)
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        target_of(context).writer(target, exits=load_exits("advance", exits)) as twin,
    ):
        upto = instant(twin, target)
        assert upto is not None  # noqa: S101 - there is a target
        passage = Passage(twin, upto, report=note if verbose else None)
        passage.run(stop)
        answer = passage.answer()
    show_lines(answer, folded(_summary(answer)), output)
    return DONE if answer.rows[0]["finished"] else INTERRUPTED


def _target(to: str | None, days: int | None) -> str:
    if (to is None) == (days is None):
        raise BadUsage(command="advance", problem="give the end with one of --to T and --days N")
    return to if to is not None else f"+{days}d"


@dataclass
class Passage:
    """Time that passes on a branch, from its present up to an instant.

    Attributes:
        report: called with each line of `--verbose`; None without it.
    """

    twin: Twin
    upto: Instant
    report: Callable[[str], None] | None = None
    since: Instant = field(init=False)
    reached: Instant = field(init=False)
    events: int = 0
    next_due: Instant | None = None
    next_retry: Instant | None = None
    retried: int = 0

    def run(self, stop: Stop) -> None:
        """Advance until the end, or until `stop` is set."""
        from twin_scheduler.retries import count_retries, next_retry
        from twin_scheduler.virtual import VirtualScheduler

        self._before = self.twin.log.head(self.twin.branch).position
        self.twin.demand_clock()
        before = self.twin.retrying()
        with VirtualScheduler(self.twin) as virtual:
            self.since = virtual.clock()
            if self.upto < self.since:
                problem = f"branch {self.twin.branch} is already at {format_instant(self.since)}"
                raise BadUsage(command="advance", problem=f"{problem}; --to must be later")
            self._report_jobs(virtual)
            with ProgressBar("days") as bar:
                for ticked in virtual.advance(self.upto):
                    self.events += ticked.events
                    self._report_wakes(virtual)
                    bar.show((ticked.reached - self.since) / DAY, (self.upto - self.since) / DAY)
                    if stop.is_set():
                        break
            self.reached = virtual.clock()
            if self.twin.branch != MAIN and self.reached > self.twin.present():
                self.twin.pass_time(self.reached)
            self.next_due = virtual.next_due()
            self._report_jobs(virtual)
        self.next_retry = next_retry(self.twin.retrying(), self.reached)
        self.retried = count_retries(
            self.twin.log,
            self.twin.branch,
            before=before,
            after=self._before,
            upto=self.twin.log.head(self.twin.branch).position,
            since=self.since,
            reached=self.reached,
        )

    def _report_jobs(self, virtual: VirtualScheduler) -> None:
        """Report the next run of each job, the earliest first."""
        from twin_scheduler.jobs import JOB_IDS

        if self.report is not None:
            for at, kind in sorted((at, kind) for kind, at in virtual.next_runs().items()):
                self.report(f"job {JOB_IDS[kind]}: next run {format_instant(at)}")

    def _report_wakes(self, virtual: VirtualScheduler) -> None:
        """Report each run of a job in the last transaction."""
        from twin_scheduler.jobs import JOB_IDS

        if self.report is not None:
            for wake in virtual.wakes:
                events = counted(wake.events, "event", ",")
                self.report(f"{format_instant(wake.at)} job {JOB_IDS[wake.kind]}: {events}")

    def answer(self) -> Answer:
        """Return how far time has come, and counts of what happened."""
        from twin.questions.answer import Answer
        from twin_scheduler.activity import count_activity

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
            **count_activity(self.twin.log, branch, after=after, upto=upto),
            "retried": self.retried,
            "next_due": self.next_due,
            "now": self.twin.present(),
            "next_retry": self.next_retry,
        }
        instants = frozenset({"since", "reached", "to", "next_due", "next_retry", "now"})
        point = self.twin.as_of(valid=self.reached)
        return Answer("advance", point, tuple(row), (row,), instants)


def _summary(answer: Answer) -> Iterator[str]:
    from twin_scheduler.activity import activity_text

    (row,) = answer.rows
    shown = answer.shown(row)
    span = f"{shown['since']} to {shown['reached']}, {counted(row['days'], 'day', ',')}"
    yield f"{row['branch']}: {span}, {counted(row['events'], 'event', ',')}"
    yield activity_text(row)
    if not row["finished"]:
        command = f"twin --branch {row['branch']} advance --to {shown['to']}"
        yield f"stopped; to go on, run: {command}"
    due = f"next due {shown['next_due']}" if row["next_due"] else "nothing is due later"
    retry = f", next retry of a channel {shown['next_retry']}" if row["next_retry"] else ""
    yield f"{due}{retry}"
