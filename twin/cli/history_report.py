"""The request and the result of `twin history report`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twin.cli.target import Format
from twin.model.harmless import visible_json
from twin.model.instants import Instant, format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from twin.history.history import Extent, History
    from twin.history.report.report import Report
    from twin.history.visible import Window


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
            from twin.history.lake import about_of, is_local
            from twin.history.report.run import chosen
            from twin.history.visible import Window, lineage
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
    from twin.history.report.report import report
    from twin.history.report.run import chosen

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
