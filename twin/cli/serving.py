"""`twin serve`: records what falls due at the time it is due, until it is stopped."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Context, Option, Typer

from twin.cli.exit_codes import DONE
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.metrics_options import (
    MetricsChannels,
    MetricsFull,
    MetricsLabel,
    read_metrics_options,
)
from twin.cli.output import complain, emit
from twin.cli.signals import Stop, stoppable
from twin.cli.target import target_of

if TYPE_CHECKING:
    from twin.app.ticking import Ticked
    from twin.app.twin import Twin
    from twin.model.instants import Instant


def serve(
    context: Context,
    *,
    exits: ExitOption = None,
    web: Annotated[
        bool, Option("--web/--no-web", help="Whether to serve REST, metrics and pages, too")
    ] = True,
    port: Annotated[int, Option(help="Port to listen on", min=0, max=65535)] = 9444,
    users: Annotated[
        Path, Option(metavar="FILE", help="File of users and hashed passwords")
    ] = Path("twin-users.json"),
    metrics_channels: MetricsChannels = None,
    metrics_full: MetricsFull = False,
    label: MetricsLabel = None,
) -> int:
    """Serve REST, metrics and pages, and record what falls due on a branch, at its time.

    The command runs until it is stopped. Events that fell due before the start are recorded first,
    at their due instants. Recording so is optional, because every command that changes the log
    first records the events that are due.

    Prints the URL, and one line for each batch of recorded events.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM; 20 bad input, or the log cannot be written.
    """
    target = target_of(context)
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        target.writer(exits=load_exits("serve", exits)) as twin,
        ExitStack() as opened,
    ):
        twin.demand_clock()
        _demand_writable(twin)
        if web:
            from twin.web.server import serving
            from twin.web.settings import ServerSettings

            metrics = read_metrics_options(metrics_channels, label, full=metrics_full)
            settings = ServerSettings(target.url, users, port=port, metrics=metrics)
            emit([f"listening on {opened.enter_context(serving(settings))}"])
        recording = LiveRecording(twin, stop)
        recording.run()
    return DONE


def _demand_writable(twin: Twin) -> None:
    """Check that the log can be written to before anything falls due.

    The check appends the first event of the log again. The log ignores an event that it has.

    Raises:
        LogUnreachable, LogBusy: when the log cannot be written to.
    """
    from twin.log import NewEvent

    for stored in twin.log.events(limit=1):
        same = NewEvent(*(getattr(stored, name) for name in NewEvent._fields))
        twin.log.append([same], recorded_at=stored.recorded_at, branch=stored.branch)


class LiveRecording:
    """Runs a live scheduler until it is stopped, and writes a line for each tick."""

    def __init__(self, twin: Twin, stop: Stop) -> None:
        """Serve a twin until `stop` is set."""
        self._twin = twin
        self._stop = stop
        self._position = 0
        self._complaint = ""
        self._failure: Exception | None = None

    def run(self) -> None:
        """Serve until `stop` is set.

        Raises:
            Exception: an error that does not pass by itself.
        """
        from twin_scheduler.live import LiveScheduler

        self._position = self._twin.log.head(self._twin.branch).position
        live = LiveScheduler(self._twin, on_tick=self._on_tick, on_error=self._on_error)
        live.start(paused=True)
        emit([f"serving {self._twin.branch}: {_next(live.next_due())}"])
        live.resume()
        self._stop.wait()
        live.shutdown()
        if self._failure is not None:
            raise self._failure
        emit([f"no longer serving {self._twin.branch}"])

    def _on_tick(self, ticked: Ticked) -> None:
        """Write one line about what a tick recorded."""
        from twin.model.amounts import counted
        from twin.model.instants import format_instant
        from twin_scheduler.activity import count_activity

        self._complaint = ""
        branch = self._twin.branch
        after, upto = self._position, self._twin.log.head(branch).position
        counts = count_activity(self._twin.log, branch, after=after, upto=upto)
        self._position = upto
        activity = "".join(f", {name} {count}" for name, count in counts.items() if count)
        events = counted(ticked.events, "event", ",")
        emit([f"{format_instant(ticked.reached)} {events}{activity}"])

    def _on_error(self, error: Exception) -> None:
        """Report an error once if it may pass by itself, such as a busy log; else stop."""
        from twin.app.clock_policy import ClockInDoubt
        from twin.log import ConcurrentAppend, LogBusy, LogUnreachable

        if not isinstance(error, ClockInDoubt | LogBusy | LogUnreachable | ConcurrentAppend):
            self._failure = self._failure or error
            self._stop.set()
        elif str(error) != self._complaint:
            self._complaint = str(error)
            complain(f"{error}; trying again")


def _next(due: Instant | None) -> str:
    from twin.model.instants import format_instant

    return "nothing is due" if due is None else f"next due {format_instant(due)}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(serve)
