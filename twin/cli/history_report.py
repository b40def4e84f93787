"""What `twin history report` is asked, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twin.cli.options import Format
from twin.model.instants import Instant, format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from twin.history.history import Extent, History
    from twin.history.report.report import Report
    from twin.history.window import Window


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for; instants are microseconds since 1970 UTC, None for all there is."""

    since: Instant | None
    until: Instant | None
    cluster: str | None
    metrics: tuple[str, ...]
    branch: str
    lake: Path
    out: Path

    def demand(self) -> None:
        """Refuse what cannot be answered, before Spark is started.

        Raises:
            BadWindow, NoLake, NotALake, NoSuchMetric, NoSuchBranch: where it cannot.
        """
        from twin.cli.errors import NoSpark

        try:
            from twin.history.errors import NoLake
            from twin.history.lake import About
            from twin.history.report.run import chosen
            from twin.history.visible import lineage
            from twin.history.window import Window
        except ModuleNotFoundError as error:
            raise NoSpark(error.name or "pyspark") from None
        if self.since is not None and self.until is not None:
            Window.of(self.since, self.until)
        chosen(self.metrics)
        about = About.read(self.lake)
        if about is None:
            raise NoLake(str(self.lake))
        about.demand_readable(self.lake)
        lineage(about.branches, self.branch)


@dataclass(frozen=True, slots=True)
class Written:
    """A report that was written."""

    report: Report
    history: History
    window: Window
    extent: Extent

    def shown(self, output: Format) -> Iterator[str]:
        """Write it as text, or as JSON."""
        from twin.history.report.report import about, said_of_all

        if output is Format.TEXT:
            yield from self.report.lines
            yield from said_of_all(self.report.of_all)
            yield f"the page: {self.report.page}"
            yield about(self.history, self.window, self.extent)
            return
        said: dict[str, Any] = {
            "window": {
                "from": format_instant(self.window.since),
                "to": format_instant(self.window.until),
            },
            "branch": self.history.branch,
            "position": self.history.about.position,
            "events": self.extent.events,
            "lines": self.report.lines,
            "page": str(self.report.page),
            "of_all": self.report.of_all,
            "rows": self.report.rows,
            "seconds": {name: round(each, 3) for name, each in self.report.seconds.items()},
        }
        yield json.dumps(said, indent=2)


def write_report(
    spark: SparkSession,
    asked: Asked,
    *,
    progress: Callable[[int, int, str], None],
    on_retry: Callable[[str], None] = lambda _: None,
) -> Written:
    """Analyse a lake and write the report.

    Raises:
        BadWindow, EmptyHistory, DamagedLake, NoRoom, SparkFailed: where it cannot be done.
    """
    from twin.history.history import History
    from twin.history.report.report import report
    from twin.history.report.run import chosen

    history = History.open(spark, asked.lake, asked.branch)
    extent = history.extent()
    window = history.window(extent, asked.since, asked.until)
    done = report(
        history,
        window,
        chosen(asked.metrics),
        asked.out,
        extent=extent,
        cluster=asked.cluster,
        progress=progress,
        on_retry=on_retry,
    )
    return Written(done, history, window, extent)
