"""The whole report: computes metrics, saves them, draws the page and writes the summary."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from twin.errors import reason_of
from twin.history.errors import (
    FULL,
    BadFolder,
    NoSpace,
    NoSuchCluster,
    NoSuchMetric,
    translate_spark_errors,
)
from twin.history.history import Extent, History, Window
from twin.history.metrics import METRICS, Metric
from twin.history.metrics.channel_status import with_clusters
from twin.history.metrics.metric import Compute, drop, keep
from twin.history.report.charts import Axis, Chart
from twin.history.report.headlines import Headlines
from twin.history.report.overview import Overview
from twin.history.report.page import Section, page
from twin.history.report.rows import rows_of
from twin.history.report.views import SHOWN, VIEWS
from twin.history.timeouts import retry_when_late
from twin.model.harmless import FORMULA, cell
from twin.model.instants import format_instant
from twin.output_files import whole_file


class Result(NamedTuple):
    """The rows of a metric.

    Attributes:
        metric: the metric.
        rows: its rows, as an Arrow table.
        seconds: how long the computation took.
        of_all: whether the rows cover all clusters although one was requested.
    """

    metric: Metric
    rows: pa.Table
    seconds: float
    of_all: bool = False


def chosen(names: Collection[str]) -> list[Metric]:
    """Return metrics by name; all of them if no name is given. What was observed is always there.

    Raises:
        NoSuchMetric: if a name is unknown.
    """
    for name in names:
        if name not in METRICS:
            raise NoSuchMetric(name, ", ".join(METRICS))
    wanted = set(names) | {"coverage"} if names else set(METRICS)
    return [metric for name, metric in METRICS.items() if name in wanted]


def compute(
    history: History,
    window: Window,
    metrics: Sequence[Metric],
    *,
    cluster: str | None = None,
    progress: Callable[[int, int, str], None] = lambda *_: None,
    on_retry: Callable[[str], None] = lambda _: None,
) -> Iterator[Result]:
    """Compute metrics one after another.

    Args:
        history: the history.
        window: the window that limits them.
        metrics: the metrics.
        cluster: keep only rows of this cluster, in metrics that name a cluster or a channel.
        progress: called with the number done, the total, and the name of the next metric.
        on_retry: called with one line when the machine is too busy and a metric is computed again.

    Raises:
        DamagedLake, NoSpace, SparkFailed: if Spark cannot read, or cannot write temporary files.
        MachineBusy: if Spark's processes start too late at every attempt.
    """
    shared = _Shared(history.events, window, metrics, few=history.is_few)
    for number, metric in enumerate(metrics):
        progress(number, len(metrics), metric.title)
        begun = time.monotonic()
        with translate_spark_errors(history.folder), shared.kept_for(metric):
            rows = metric.compute(metric.needed(history.events, window), window)
            cut = rows if cluster is None else _cut(rows, metric, cluster, history, window)
            shown = (rows if cut is None else cut).select(*metric.columns)
            table = retry_when_late(shown.toArrow, on_retry=on_retry)
        yield Result(metric, _in_order(table), time.monotonic() - begun, of_all=cut is None)
    progress(len(metrics), len(metrics), "")


def demand_cluster(history: History, cluster: str) -> None:
    """Refuse an unknown cluster.

    Raises:
        NoSuchCluster: if no event names it.
    """
    told_of = history.events.where(F.col("cluster") == cluster)
    defined = history.events.where(
        (F.col("kind") == "CHANNEL") & (F.get_json_object("body", "$.values.CLUSTER") == cluster)
    )
    with translate_spark_errors(history.folder):
        if told_of.isEmpty() and defined.isEmpty():
            raise NoSuchCluster(cluster)


def _cut(
    rows: DataFrame, metric: Metric, cluster: str, history: History, window: Window
) -> DataFrame | None:
    """Keep the rows of one cluster; None if the rows of the metric belong to no cluster.

    A row of `distribution` belongs to the cluster of its queue: for a local instance, its channel
    is ''.
    """
    if "cluster" not in metric.columns:
        if "channel" not in metric.columns or "destination" in metric.columns:
            return None
        nobody = F.lit(None).cast("string")
        rows = with_clusters(rows.withColumn("partner", nobody), history.events, window)
    return rows.where(F.col("cluster") == cluster)


class _Shared:
    """Intermediate results that several metrics share, from first to last use.

    They are on disk. Those of few events come back to Spark as a table in memory instead, so that
    it does not plan them again with each metric.
    """

    def __init__(
        self, events: DataFrame, window: Window, metrics: Iterable[Metric], *, few: bool
    ) -> None:
        """Count how many metrics need each intermediate result."""
        self._few = few
        self._events = events
        self._window = window
        self._left = Counter(part for metric in metrics for part in metric.rests_on)
        self._kept: dict[Compute, DataFrame] = {}

    @contextmanager
    def kept_for(self, metric: Metric) -> Iterator[None]:
        """Keep what this metric and a later one need; drop what no later metric needs."""
        for part in metric.rests_on:
            if self._left[part] > 1 and part not in self._kept:
                self._kept[part] = self._table(part(self._events, self._window))
                keep(part, self._events, self._window, self._kept[part])
        try:
            yield
        finally:
            for part in metric.rests_on:
                self._left[part] -= 1
                if not self._left[part] and part in self._kept:
                    self._kept.pop(part).unpersist()
                    drop(part)

    def _table(self, rows: DataFrame) -> DataFrame:
        if self._few:
            return rows.sparkSession.createDataFrame(rows.toArrow()).coalesce(1)
        return rows.persist(StorageLevel.DISK_ONLY)


def _in_order(table: pa.Table) -> pa.Table:
    """Sort rows by all columns, so that the same result gives the same files."""
    return table.sort_by([(name, "ascending") for name in table.column_names])


def make_folder(folder: Path) -> None:
    """Create the folder of a report if it does not exist.

    Raises:
        NoSpace: if the disk is full.
        BadFolder: if the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass  # checks that it can be written to
    except OSError as error:
        if FULL.search(str(error)):
            raise NoSpace(str(folder)) from None
        raise BadFolder(str(folder), reason_of(error) or str(error)) from None


def save(result: Result, folder: Path) -> None:
    """Write rows as Parquet and as CSV, each file completely or not at all.

    Raises:
        NoSpace: if the disk is full.
        BadFolder: if the file cannot be written for another reason.
    """
    name = result.metric.name
    with _whole(folder / f"{name}.parquet") as file:
        parquet.write_table(result.rows, file, compression="zstd")
    with _whole(folder / f"{name}.csv") as file:
        csv.write_csv(_harmless(_readable(result.rows)), file)


@contextmanager
def _whole(file: Path) -> Iterator[BinaryIO]:
    """Yield a new file, and move it to a path when it is complete."""
    try:
        with whole_file(file) as new:
            yield new
    except OSError as error:
        if FULL.search(str(error)):
            raise NoSpace(str(file)) from None
        raise BadFolder(str(file.parent), f"{file.name}: {reason_of(error)}") from None


def write_text(file: Path, text: str) -> None:
    """Write a text file, completely or not at all.

    Raises:
        NoSpace: if the disk is full.
    """
    with _whole(file) as new:
        new.write(text.encode())


def _harmless(table: pa.Table) -> pa.Table:
    """Write an apostrophe before text that a spreadsheet would take for a formula."""
    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        if pc.any(pc.match_substring_regex(table[place], f"^{FORMULA.pattern}")).as_py():
            cells = [text if text is None else cell(text) for text in table[place].to_pylist()]
            table = table.set_column(place, field.name, pa.array(cells, pa.string()))
    return table


def _readable(table: pa.Table) -> pa.Table:
    """Write instants as everywhere else: in ISO 8601 with Z."""
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            text = pc.strftime(table.column(place), format="%Y-%m-%dT%H:%M:%SZ")
            text = pc.replace_substring(text, ".000000Z", "Z")
            table = table.set_column(place, field.name, text)
    return table


PAGE: Final = "report.html"


class Report(NamedTuple):
    """The result of a report.

    Attributes:
        lines: the summary.
        page: the page.
        rows: the number of rows of each metric, by its name.
        seconds: how long each metric took, by its name.
        of_all: the metrics whose rows cover all clusters although one was requested.
    """

    lines: tuple[str, ...]
    page: Path
    rows: dict[str, int]
    seconds: dict[str, float]
    of_all: tuple[str, ...] = ()


def report(
    history: History,
    window: Window,
    metrics: Sequence[Metric],
    folder: Path,
    *,
    extent: Extent,
    cluster: str | None = None,
    progress: Callable[[int, int, str], None] = lambda *_: None,
    on_retry: Callable[[str], None] = lambda _: None,
) -> Report:
    """Compute metrics, and write them and the page into a folder.

    Args:
        history: the history to report on.
        window: the window.
        metrics: the metrics, in the order of the page.
        folder: the folder; it is created if it does not exist.
        extent: the size of the history.
        cluster: report only rows of this cluster, for metrics whose rows belong to clusters.
        progress: called with the number done, the total, and the name of the next metric.
        on_retry: called with one line when the machine is too busy and a metric is computed again.

    Raises:
        NoSuchCluster: if no event names the cluster.
        BadFolder, DamagedLake, NoSpace, SparkFailed: if something cannot be read or written.
    """
    if cluster is not None:
        demand_cluster(history, cluster)
    make_folder(folder)
    headlines, overview, axis = Headlines(), Overview(), Axis(window)
    charts: list[Chart] = []
    counts: dict[str, int] = {}
    seconds: dict[str, float] = {}
    sections: list[Section] = []
    uncut: list[str] = []
    for result in compute(
        history, window, metrics, cluster=cluster, progress=progress, on_retry=on_retry
    ):
        save(result, folder)
        name = result.metric.name
        counts[name], seconds[name] = result.rows.num_rows, result.seconds
        headlines.add(name, result.rows)
        overview.add(name, result.rows)
        if result.rows.num_rows:
            charts += VIEWS[name].draw(result.rows, axis)
        sections.append(_section(result))
        if result.of_all:
            uncut.append(name)
    written = page(
        title=f"History of {cluster or 'all clusters'}",
        about=[about(history, window, extent), *said_of_all(uncut)],
        overview=overview,
        axis=axis,
        charts=charts,
        lines=headlines.lines(),
        sections=sections,
    )
    write_text(folder / PAGE, written)
    return Report(tuple(headlines.lines()), folder / PAGE, counts, seconds, tuple(uncut))


def about(history: History, window: Window, extent: Extent) -> str:
    """Return one line about the data that was analysed."""
    return (
        f"{format_instant(window.since)} to {format_instant(window.until)}, branch "
        f"{history.branch} with {extent.events:,} events of {extent.qmgrs:,} queue managers, the "
        f"last at {format_instant(extent.last)}, {history.about.covers()}"
    )


def said_of_all(names: Sequence[str]) -> list[str]:
    """Return a line that names the metrics that cover all clusters, if there are any."""
    return [f"for all clusters: {', '.join(names)}"] if names else []


def _section(result: Result) -> Section:
    """Choose the rows and the columns that the page shows."""
    table, columns = result.rows, result.metric.columns
    view = VIEWS[result.metric.name]
    whole = table.num_rows <= SHOWN
    return Section(
        result.metric,
        [name for name in view.columns.split() if name in columns] or list(columns),
        rows_of(table) if whole else view.top(table),
        "" if whole else view.order,
        table.num_rows,
    )
