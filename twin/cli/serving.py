"""`twin serve`: what falls due happens when it is due, for as long as this runs."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

from typer import Context, Typer

from twin.cli.output import complain, emit
from twin.cli.place import place_of
from twin.cli.stopping import stoppable

if TYPE_CHECKING:
    from twin.app.ticking import Ticked
    from twin.app.twin import Twin
    from twin.model.instants import Instant


def serve(context: Context) -> int:
    """Keep a branch in step with the clock.

    What fell due while nobody served happens first, at the instants it was due. Ends with exit
    code 0 at Ctrl-C or SIGTERM.
    """
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        place_of(context).writer() as twin,
    ):
        _demand_writable(twin)
        service = Service(twin, stop)
        service.run()
    return 0


def _demand_writable(twin: Twin) -> None:
    """Check that the log can be written to, long before anything falls due.

    Its first event is recorded once more, which changes nothing where that is possible: what
    stands in the log already is not recorded again.

    Raises:
        LogUnreachable, LogBusy: when it is not.
    """
    from twin.log import NewEvent

    for stored in twin.log.events(limit=1):
        again = NewEvent(*(getattr(stored, name) for name in NewEvent._fields))
        twin.log.append([again], recorded_at=stored.recorded_at, branch=stored.branch)


class Service:
    """A live scheduler in the foreground, which says what it does."""

    def __init__(self, twin: Twin, stop: threading.Event) -> None:
        """Serve a twin until `stop` is set."""
        self._twin = twin
        self._stop = stop
        self._position = 0
        self._complaint = ""
        self._failure: Exception | None = None

    def run(self) -> None:
        """Serve until the end.

        Raises:
            Exception: what went wrong and cannot go right by itself.
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
        """Say in one line what a tick did."""
        from twin.model.instants import format_instant
        from twin_scheduler.activity import deeds

        self._complaint = ""
        branch = self._twin.branch
        after, upto = self._position, self._twin.log.head(branch).position
        counted = deeds(self._twin.log, branch, after=after, upto=upto)
        self._position = upto
        did = "".join(f", {word} {count}" for word, count in counted.items() if count)
        plural = "" if ticked.events == 1 else "s"
        emit([f"{format_instant(ticked.reached)} {ticked.events:,} event{plural}{did}"])

    def _on_error(self, error: Exception) -> None:
        """Say once what may pass by itself, such as a server that is away; end for the rest."""
        from twin.log import ConcurrentAppend, LogBusy, LogUnreachable

        if not isinstance(error, LogBusy | LogUnreachable | ConcurrentAppend):
            self._failure = self._failure or error
            self._stop.set()
        elif str(error) != self._complaint:
            self._complaint = str(error)
            complain(f"{error}; trying again")


def _next(due: Instant | None) -> str:
    from twin.model.instants import format_instant

    return "nothing falls due" if due is None else f"next due {format_instant(due)}"


def register(app: Typer) -> None:
    """Add this command to the command line."""
    app.command()(serve)
