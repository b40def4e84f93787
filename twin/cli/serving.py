"""`twin serve`: records what falls due at the time it is due, and serves, until it is stopped."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from typer import Context, Option

from twin.cli.errors import BadUsage, NoWeb, Unwritable
from twin.cli.messaging import ExitOption, load_exits
from twin.cli.output import DONE, complain, emit, note
from twin.cli.signals import Stop, stoppable
from twin.cli.target import target_of
from twin.cli.users import DEFAULT as DEFAULT_USERS
from twin.cli.users import UsersOption
from twin.cli.web_options import (
    AccessLogOf,
    certificate_of,
    demand_nothing_typed,
    path_prefix,
    suppressions_in,
    token_in,
    warn_about,
)
from twin.model.amounts import counted
from twin.model.instants import Instant, format_instant

if TYPE_CHECKING:
    from twin.app.ticking import Ticked
    from twin.app.twin import Twin
    from twin.web.metrics_options import MetricsOptions
    from twin.web.settings import ServerSettings


def serve(  # noqa: PLR0913 - each is an option of its own
    context: Context,
    *,
    exits: ExitOption = None,
    web: Annotated[
        bool, Option("--web/--no-web", help="Whether to serve REST, metrics and pages")
    ] = True,
    scheduler: Annotated[
        bool, Option("--scheduler/--no-scheduler", help="Whether to record what falls due")
    ] = True,
    read_only: Annotated[
        bool, Option("--read-only", help="Record nothing: refuse all writes, run no scheduler")
    ] = False,
    users: UsersOption = DEFAULT_USERS,
    address: Annotated[
        str, Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0: all of this machine")
    ] = "127.0.0.1",
    port: Annotated[int, Option(help="Port to listen on; 0: any", min=0, max=65535)] = 9444,
    http: Annotated[
        bool,
        Option("--http", help="Serve plain HTTP, without TLS: passwords can be read on the way"),
    ] = False,
    cert: Annotated[
        Path | None, Option(metavar="FILE", help="Certificate in PEM [self-signed, beside --users]")
    ] = None,
    key: Annotated[
        Path | None, Option(metavar="FILE", help="Private key of --cert, in PEM")
    ] = None,
    host_name: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Name by which clients call this service; may be repeated"),
    ] = None,
    prefix: Annotated[
        str, Option(metavar="/PATH", help="Path that a proxy puts in front of all URLs")
    ] = "",
    proxy: Annotated[
        list[str] | None,
        Option(metavar="ADDRESS", help="Proxy whose X-Forwarded headers to trust; may be repeated"),
    ] = None,
    access_log: Annotated[
        AccessLogOf, Option(metavar="text|json|none", help="Form of the line for each request")
    ] = AccessLogOf.TEXT,
    workers: Annotated[int, Option(help="Processes for long computations", min=1, max=64)] = 2,
    deadline: Annotated[
        int, Option(metavar="SECONDS", help="Time that a long computation may take", min=1)
    ] = 60,
    metrics_open: Annotated[
        bool, Option("--metrics-open", help="Answer /metrics without a user or token")
    ] = False,
    metrics_token: Annotated[
        Path | None,
        Option(metavar="FILE", help="File with a bearer token for /metrics in its first line"),
    ] = None,
    metrics_channels: Annotated[
        str | None,
        Option(
            metavar="PATTERN",
            help="Channels in /metrics: generic names, separated by commas; ! excludes "
            "[all cluster channels]",
        ),
    ] = None,
    metrics_full: Annotated[
        bool,
        Option(
            "--metrics-full",
            help="Also give observed queue managers metrics with the exporter's names",
        ),
    ] = False,
    label: Annotated[
        list[str] | None,
        Option(metavar="NAME=VALUE", help="A label of all metrics, such as mq_cluster=SALES"),
    ] = None,
    history_report: Annotated[
        Path | None,
        Option(metavar="DIR", help="Folder of the report to show [twin.report for twin.db]"),
    ] = None,
    suppressions: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Accepted findings, in YAML [.twin-doctor.yaml, if it is there]"
        ),
    ] = None,
) -> int:
    """Serve pages, REST and metrics, and record what falls due.

    The command runs until you stop it; it still answers the requests that it is working on. It
    first records the events that fell due before its start, each at its due instant. You can turn
    recording off (--no-scheduler), because every command that changes the log first records the
    events that are due.

    The service uses HTTPS. Without --cert it makes its own certificate at the first start, in the
    folder of the users file. It uses new certificate files without a restart. There is no default
    user: add users with `twin user add`.

    Prints the URL, a line for each request, and one for each batch of recorded events.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM; 20 bad input, or the log cannot be written.
    """
    target, loaded = target_of(context), load_exits("serve", exits)
    records = scheduler and not read_only
    _check(context, web=web, records=records)
    with stoppable(signal.SIGINT, signal.SIGTERM) as stop, ExitStack() as opened:
        if records:
            twin = opened.enter_context(target.writer(exits=loaded))
            twin.demand_clock()
            _demand_writable(twin)
        else:
            target.reader().close()  # an error in the URL is said at the start
        if web:
            with needs_web():
                from twin.web.access_log import AccessLogFormat
                from twin.web.settings import ServerSettings

                metrics = read_metrics_options(metrics_channels, label, full=metrics_full)
                settings = ServerSettings(
                    target.url,
                    users,
                    address=address,
                    port=port,
                    prefix=path_prefix(prefix),
                    read_only=read_only,
                    simulate_on_main=target.simulate_on_main,
                    workers=workers,
                    deadline=deadline,
                    exits=loaded,
                    metrics_open=metrics_open,
                    metrics_token=token_in(metrics_token),
                    host_names=tuple(host_name or ()),
                    proxies=tuple(proxy or ()),
                    certificate=certificate_of(
                        (cert, key), users, address, host_name or (), http=http
                    ),
                    access_log=AccessLogFormat(access_log),
                    metrics=metrics,
                    history=history_report or target.beside("report"),
                    suppressions=suppressions_in(suppressions),
                )
                opened.enter_context(serving_web(settings, stop))
        if records:
            LiveRecording(twin, stop).run()
        else:
            stop.wait()
            emit(["no longer serving"])
    return DONE


def _check(context: Context, *, web: bool, records: bool) -> None:
    """Check that the options leave something to do, and that all of them have an effect.

    Raises:
        BadUsage: if not.
    """
    if not web:
        demand_nothing_typed(context)
    if not web and not records:
        problem = "with --no-web and --no-scheduler there is nothing to do"
        raise BadUsage(command="serve", problem=problem)


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
        from twin.app.clocks import ClockInDoubt
        from twin.log import ConcurrentAppend, LogBusy, LogUnreachable

        if not isinstance(error, ClockInDoubt | LogBusy | LogUnreachable | ConcurrentAppend):
            self._failure = self._failure or error
            self._stop.set()
        elif str(error) != self._complaint:
            self._complaint = str(error)
            complain(f"{error}; trying again")


def _next(due: Instant | None) -> str:
    return "nothing is due" if due is None else f"next due {format_instant(due)}"


def read_metrics_options(
    channels: str | None, labels: Sequence[str] | None, *, full: bool
) -> MetricsOptions:
    """Read the values of the options.

    Raises:
        BadPattern, BadLabel: if one is malformed.
    """
    from twin.web.metrics.scraping import LABELS_IN_USE
    from twin.web.metrics_options import MetricsOptions, read_labels, read_pattern

    return MetricsOptions(
        channels=() if channels is None else read_pattern(channels),
        full=full,
        labels=read_labels(labels or (), taken=LABELS_IN_USE),
    )


_EXTRA: Final = frozenset(
    {"cryptography", "fastapi", "jinja2", "multipart", "starlette", "uvicorn"}
)
"""The packages of the extra `web`, as they are imported."""


@contextmanager
def needs_web() -> Iterator[None]:
    """Say in one line what is missing if the extra `web` is not installed.

    Raises:
        NoWeb: if a package of it cannot be imported.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (missing := (error.name or "").partition(".")[0]) in _EXTRA:
            raise NoWeb(missing) from None
        raise


@contextmanager
def serving_web(settings: ServerSettings, stop: Stop) -> Iterator[None]:
    """Serve until the block ends; `stop` is set if the server ends by itself.

    Raises:
        CannotListen, UnusableCertificate, UnusableUsers: if it cannot start.
    """
    from twin.web.server import serving

    with _logging():
        warn_about(settings)
        with serving(settings, ended=stop.set) as url:
            emit([f"listening on {url}"])
            yield


@contextmanager
def _logging() -> Iterator[None]:
    """Write what the service logs: requests to standard output, all else to standard error."""
    loggers = {
        "twin.web": logging.INFO,
        "uvicorn": logging.ERROR,
        "asyncio": logging.ERROR,
    }
    handler = _Terminal()
    for name, level in loggers.items():
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False
    try:
        yield
    finally:
        for name in loggers:
            logger = logging.getLogger(name)
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
            logger.propagate = True


class _Terminal(logging.Handler):
    """Writes records as lines of which no character acts on a terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; a traceback has a line for each of its lines."""
        if record.levelno <= logging.INFO:
            with suppress(Unwritable):  # whoever read the lines has left; the service goes on
                emit([record.getMessage()])
            return
        complain(record.getMessage())
        if record.exc_info:
            for line in logging.Formatter().formatException(record.exc_info).splitlines():
                note(line)
