"""The whole report: computes metrics, saves them, draws the page and writes the summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from twin.history.history import Extent, History
from twin.history.metrics import Metric
from twin.history.report.charts import Axis, Chart
from twin.history.report.headlines import Headlines
from twin.history.report.overview import Overview
from twin.history.report.page import Section, page
from twin.history.report.rows import rows_of
from twin.history.report.run import Result, compute, demand_cluster, make_folder, save, write_text
from twin.history.report.views import SHOWN, VIEWS
from twin.history.visible import Window
from twin.model.instants import format_instant

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
