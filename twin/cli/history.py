"""`twin history`: analyses long histories on Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Context, Option, Typer

from twin.cli.output import DONE, ProgressBar, complain, emit, help_alone
from twin.cli.target import Format, log_time_alone, target_of
from twin.model.amounts import counted
from twin.model.harmless import visible_json
from twin.model.instants import Instant, format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from twin.history.history import Extent, History, Window
    from twin.history.report.report import Report
    from twin.sampling import Progress as Sampled


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What to report; instants are microseconds since 1970 UTC, None for no limit."""

    since: Instant | None
    until: Instant | None
    cluster: str | None
    metrics: tuple[str, ...]
    branch: str
    lake: Path | str
    out: Path

    def check(self) -> int | None:
        """Check the request before Spark is started; return the number of events in the lake.

        It is None for a lake that only Spark can reach.

        Raises:
            BadWindow, NoLake, NotALake, NoSuchMetric, NoSuchBranch: if it cannot be answered.
            NoSpark: if Spark is not installed.
        """
        from twin.cli.errors import NoSpark

        try:
            from twin.history.history import Window, lineage
            from twin.history.lake import about_of, is_local
            from twin.history.report.report import chosen
        except ModuleNotFoundError as error:
            raise NoSpark(error.name or "pyspark") from None
        if self.since is not None and self.until is not None:
            Window.of(self.since, self.until)
        chosen(self.metrics)
        if not is_local(self.lake):
            return None
        about = about_of(None, self.lake)
        lineage(about.branches, self.branch)
        return about.position


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A report that was written."""

    report: Report
    history: History
    window: Window
    extent: Extent

    def shown(self, output: Format) -> Iterator[str]:
        """Return its lines, as text or as JSON."""
        from twin.history.report.report import about, said_of_all

        if output is Format.TEXT:
            yield from self.report.lines
            yield from said_of_all(self.report.of_all)
            yield f"page: {self.report.page}"
            yield about(self.history, self.window, self.extent)
            return
        summary: dict[str, Any] = {
            "window": {
                "from": format_instant(self.window.since),
                "to": format_instant(self.window.until),
            },
            "branch": self.history.branch,
            "position": self.history.about.position,
            "complete": self.history.about.is_complete,
            "events": self.extent.events,
            "lines": self.report.lines,
            "page": str(self.report.page),
            "of_all": self.report.of_all,
            "rows": self.report.rows,
            "seconds": {name: round(seconds, 3) for name, seconds in self.report.seconds.items()},
        }
        yield visible_json(json.dumps(summary, indent=2))


def write_report(
    spark: SparkSession,
    request: ReportRequest,
    *,
    progress: Callable[[int, int, str], None],
    on_retry: Callable[[str], None] = lambda _: None,
) -> WrittenReport:
    """Analyse a lake and write the report.

    Raises:
        BadWindow, EmptyHistory, DamagedLake, NoSpace, SparkFailed: if it fails.
    """
    from twin.history.history import History
    from twin.history.report.report import chosen, report

    opened = History.open(spark, request.lake, request.branch, until=request.until)
    with opened.in_memory() as history:
        extent = history.extent()
        window = history.window(extent, request.since, request.until)
        written = report(
            history,
            window,
            chosen(request.metrics),
            request.out,
            extent=extent,
            cluster=request.cluster,
            progress=progress,
            on_retry=on_retry,
        )
    return WrittenReport(written, history, window, extent)


app = Typer(help="Analyse long histories on Spark.")
app.callback(invoke_without_command=True)(help_alone)

_HERE: Final = "local[*]"
_FEW: Final = 250_000
"""Up to this number of events, starting Spark takes longer than copying them."""

Lake = Annotated[
    str | None,
    Option(
        "--lake",
        metavar="DIR",
        help="Folder of the lake, or a URL that Spark knows [twin.lake beside the log twin.db]",
    ),
]
Master = Annotated[
    str, Option("--master", metavar="URL", help="Where Spark runs, as in spark-submit")
]
Conf = Annotated[
    list[str] | None,
    Option("--conf", metavar="NAME=VALUE", help="Setting of Spark; may be repeated"),
]


@app.command()
def update(
    context: Context,
    *,
    lake: Lake = None,
    master: Master = _HERE,
    conf: Conf = None,
) -> int:
    """Copy the new events of the log into the lake.

    If the command is stopped, the next run continues at the last copied event.
    """
    target = target_of(context)
    with target.reader() as twin:
        now, events = twin.clock(), twin.log.last().position
    folder = lake or target.beside("lake")
    with _worker(folder, master, conf, events) as spark, ProgressBar("positions") as steps:
        from twin.history.lake import update as update_lake

        done = update_lake(
            spark, target.url, folder, now=now, progress=steps.show, on_retry=complain
        )
    if done.rebuilt:
        emit([f"the lake was rebuilt: {done.rebuilt}"])
    emit([f"{done.events:,} events added; the lake {folder} is at position {done.position:,}"])
    return DONE


@app.command()
def compact(
    context: Context,
    *,
    lake: Lake = None,
    master: Master = _HERE,
    conf: Conf = None,
) -> int:
    """Join the files of the lake, so that it is read faster.

    Afterwards there is one file for each month and family of events. Each update adds files. Fewer
    files are read faster. Run no report meanwhile.
    """
    folder = lake or target_of(context).beside("lake")
    with _worker(folder, master, conf, None) as spark:
        from twin.history.lake import compact as compact_lake

        done = compact_lake(spark, folder)
    emit([f"{done.before:,} files are now {done.after:,}"])
    return DONE


@app.command()
def report(  # noqa: PLR0913 - an option each
    context: Context,
    *,
    since: Annotated[
        str | None, Option("--from", metavar="T", help="Start of the window [the first event]")
    ] = None,
    until: Annotated[
        str | None, Option("--to", metavar="T", help="End of the window [the present]")
    ] = None,
    cluster: Annotated[
        str | None, Option("--cluster", metavar="NAME", help="Only this cluster [all]")
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option("--metric", metavar="NAME", help="Only this metric; may be repeated [all]"),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            "--out", metavar="DIR", help="Folder of the report [twin.report beside the log twin.db]"
        ),
    ] = None,
    lake: Lake = None,
    master: Master = _HERE,
    conf: Conf = None,
    output: Annotated[
        Format, Option("--format", metavar="text|json", help="Format of the printed lines")
    ] = Format.TEXT,
) -> int:
    """Analyse the lake and write a report.

    The report covers the events that the last `twin history update` copied.

    Writes a page with charts, and each metric as CSV and Parquet, and prints a summary.
    """
    from twin.app.clocks import system_clock

    target = target_of(context)
    now = system_clock()
    request = ReportRequest(
        since=log_time_alone(since, now=now),
        until=log_time_alone(until, now=now),
        cluster=cluster,
        metrics=tuple(metric or ()),
        branch=target.branch,
        lake=lake or target.beside("lake"),
        out=out or target.beside("report"),
    )
    events = request.check()
    with _spark(master, conf or [], events) as spark, ProgressBar("metrics") as steps:
        written = write_report(spark, request, progress=steps.show, on_retry=complain)
    emit(written.shown(output))
    return DONE


@app.command()
def sample(
    context: Context,
    *,
    qmgrs: Annotated[int, Option("--qmgrs", metavar="N", help="Number of queue managers")] = 12,
    years: Annotated[
        float, Option("--years", metavar="Y", help="Number of years of 365 days")
    ] = 1.0,
    seed: Annotated[
        int,
        Option(
            "--seed",
            metavar="S",
            help="Seed of the random events; the same seed makes the same log",
        ),
    ] = 1,
    events: Annotated[
        int | None,
        Option(
            "--events",
            metavar="N",
            min=1,
            help="Approximate number of events [28,000 per queue manager and year]",
        ),
    ] = None,
) -> int:
    """Create a long, realistic log with planted faults.

    The faults are outages, a flapping channel, maintenance, a queue manager that is lost for 100
    days, and others. A file in the folder of the log lists each fault, with the metrics that should
    show it. The log (--log) must be new.
    """
    from twin.sampling import make, planted_beside

    url = target_of(context).url
    with ProgressBar("days") as steps:

        def show(progress: Sampled) -> None:
            steps.show(progress.done, progress.of, progress.step)

        planted = make(url, qmgrs=qmgrs, years=years, seed=seed, events=events, progress=show)
    span = f"{format_instant(planted.since)} to {format_instant(planted.until)}"
    clusters = counted(planted.clusters, "cluster", ",")
    emit([f"{planted.events:,} events of {planted.qmgrs:,} queue managers in {clusters}, {span}"])
    if (list_of_faults := planted_beside(url)) is not None:
        emit([f"planted faults: {list_of_faults}"])
    return DONE


@contextmanager
def _worker(
    lake: Path | str, master: str, conf: Sequence[str] | None, events: int | None
) -> Iterator[SparkSession | None]:
    """Start Spark if there is much to copy, or if the user says where and how it runs.

    Raises:
        NoSpark: if it is not installed.
    """
    from twin.cli.errors import NoSpark

    try:
        from twin.history.lake import about_of, is_local
    except ModuleNotFoundError as error:
        raise NoSpark(error.name or "pyspark") from None
    here = is_local(lake) and master == _HERE and not conf
    if here and (about_of(None, lake).position if events is None else events) <= _FEW:
        yield None
        return
    with _spark(master, conf or [], events) as spark:
        yield spark


@contextmanager
def _spark(master: str, conf: Sequence[str], events: int | None) -> Iterator[SparkSession]:
    """Start Spark.

    Raises:
        NoSpark: if it is not installed.
    """
    from twin.cli.errors import NoSpark

    try:
        from twin.history.session import session
    except ModuleNotFoundError as error:
        raise NoSpark(error.name or "pyspark") from None
    with session(master=master, conf=conf, events=events) as spark:
        yield spark
