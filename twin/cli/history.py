"""`twin history`: long histories, analysed on Spark."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from typer import Context, Option, Typer

from twin.cli.options import Format
from twin.cli.output import complain, emit, help_alone
from twin.cli.place import Place, log_time_alone, place_of
from twin.cli.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

    from twin.sampling import Progress as Sampled

app = Typer(help="Long histories on Spark: the lake, the report, a sample")
app.callback(invoke_without_command=True)(help_alone)

_SQLITE: Final = "sqlite:///"
_ALONE: Final = "twin"
"""What a lake or report is called where the log is no file."""

Lake = Annotated[
    Path | None, Option("--lake", metavar="DIR", help="The lake [beside the log: twin.lake]")
]
Master = Annotated[
    str, Option("--master", metavar="URL", help="Where Spark runs, as for spark-submit")
]
Conf = Annotated[
    list[str] | None,
    Option("--conf", metavar="NAME=VALUE", help="A setting of Spark; may be given more than once"),
]


@app.command()
def update(
    context: Context,
    *,
    lake: Lake = None,
    master: Master = "local[*]",
    conf: Conf = None,
) -> int:
    """Bring everything of the log that is new into the lake.

    What was taken in stays; killed and run again, it goes on where it was.
    """
    place = place_of(context)
    _demand_log(place)
    folder = lake or _beside(place, "lake")
    with _spark(master, conf or []) as spark, ProgressBar("positions") as steps:
        from twin.history.lake import update as bring

        done = bring(spark, place.url, folder, progress=steps.show, on_retry=complain)
    if done.rebuilt:
        emit([f"the lake was built anew: {done.rebuilt}"])
    emit([f"{done.events:,} events taken in; the lake {folder} is at position {done.position:,}"])
    return 0


@app.command()
def report(  # noqa: PLR0913 - an option each
    context: Context,
    *,
    since: Annotated[
        str | None, Option("--from", metavar="T", help="The window's begin [the first event]")
    ] = None,
    until: Annotated[
        str | None, Option("--to", metavar="T", help="The window's end [the last event]")
    ] = None,
    cluster: Annotated[
        str | None, Option("--cluster", metavar="NAME", help="Only what is of this cluster [all]")
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option("--metric", metavar="NAME", help="Only this metric; may be given more than once"),
    ] = None,
    out: Annotated[
        Path | None, Option("--out", metavar="DIR", help="Where it goes [beside the log]")
    ] = None,
    lake: Lake = None,
    master: Master = "local[*]",
    conf: Conf = None,
    output: Annotated[
        Format, Option("--format", metavar="text|json", help="How the lines are written")
    ] = Format.TEXT,
) -> int:
    """Analyse the lake: a page with charts, every metric as CSV and parquet, and ten lines.

    It tells what was in the log at the last `twin history update`.
    """
    from twin.cli.history_report import Asked, write_report

    place = place_of(context)
    now = time.time_ns() // 1000
    asked = Asked(
        since=log_time_alone(since, now=now),
        until=log_time_alone(until, now=now),
        cluster=cluster,
        metrics=tuple(metric or ()),
        branch=place.branch,
        lake=lake or _beside(place, "lake"),
        out=out or _beside(place, "report"),
    )
    asked.demand()
    with _spark(master, conf or []) as spark, ProgressBar("metrics") as steps:
        written = write_report(spark, asked, progress=steps.show, on_retry=complain)
    emit(written.shown(output))
    return 0


@app.command()
def sample(
    context: Context,
    *,
    qmgrs: Annotated[
        int, Option("--qmgrs", metavar="N", help="How many queue managers there are to be")
    ] = 12,
    years: Annotated[
        float, Option("--years", metavar="Y", help="How many years of 365 days it covers")
    ] = 1.0,
    seed: Annotated[
        int, Option("--seed", metavar="S", help="The same seed makes the same events")
    ] = 1,
    events: Annotated[
        int | None,
        Option(
            "--events", metavar="N", min=1, help="About how many [28,000 a queue manager's year]"
        ),
    ] = None,
) -> int:
    """Write a long log that looks like a real one, into a new log.

    Outages, a flapping channel, maintenance, a queue manager that is lost for 100 days and more are
    planted in it; what, and where it should be found, is written beside it.
    """
    from twin.model.instants import format_instant
    from twin.sampling import make, planted_beside

    url = place_of(context).url
    with ProgressBar("days") as steps:

        def told(progress: Sampled) -> None:
            steps.show(progress.done, progress.of, progress.step)

        planted = make(url, qmgrs=qmgrs, years=years, seed=seed, events=events, progress=told)
    span = f"{format_instant(planted.since)} to {format_instant(planted.until)}"
    many = "" if planted.clusters == 1 else "s"
    who = f"{planted.qmgrs:,} queue managers in {planted.clusters:,} cluster{many}"
    emit([f"{planted.events:,} events of {who}, {span}"])
    beside = planted_beside(url)
    if beside is not None:
        emit([f"what was planted in it: {beside}"])
    return 0


@contextmanager
def _spark(master: str, conf: Sequence[str]) -> Iterator[SparkSession]:
    """Start Spark, where it is installed.

    Raises:
        NoSpark: where it is not.
    """
    from twin.cli.errors import NoSpark

    try:
        from twin.history.session import session
    except ModuleNotFoundError as error:
        raise NoSpark(error.name or "pyspark") from None
    with session(master=master, conf=conf) as spark:
        yield spark


def _demand_log(place: Place) -> None:
    """Check that there is a log before Spark is started."""
    place.reader().close()


def _beside(place: Place, kind: str) -> Path:
    """Name a folder beside the log, or here where it is no file."""
    if place.url.startswith(_SQLITE):
        file = Path(place.url.removeprefix(_SQLITE).partition("?")[0])
        return file.with_name(f"{file.stem}.{kind}")
    return Path(f"{_ALONE}.{kind}")


def register(app_: Typer) -> None:
    """Add these commands to the command line."""
    app_.add_typer(app, name="history")
