"""The demo, whose year is analysed once: its faults are found, and DuckDB gives the same rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from tests.history.logs import besides_retries, tree
from tests.history.page import Page
from tests.history.planted import CHECKS, Sample, read_planted
from tests.history.reference import demand_alike, reference, statement
from twin.cli.history import ReportRequest, WrittenReport, write_report
from twin.cli.target import Format
from twin.demo import SAMPLE_ENDS, main
from twin.history.metrics import METRICS
from twin.history.report.report import Result, compute, report
from twin.history.report.rows import rows_of
from twin.history.report.units import title_of
from twin.history.session import LOCAL
from twin.model.instants import format_instant, parse_instant
from twin.web.pages.history_view import read_report

EVENTS: Final = 22_000
"""The size of the year: a third of what `make demo` makes."""

SOME: Final = ("coverage", "outages", "suspensions")
COMPUTE: Final = "twin.history.report.report.compute"
"""What a report takes the results of its metrics from."""

SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"


class Demo(NamedTuple):
    """What the demo printed, the lake and the report of its year, and the sample itself.

    `sessions` are the options of the Spark sessions that it asked for.
    """

    printed: str
    sessions: list[dict[str, Any]]
    lake: Path
    report: Path
    sample: Sample


class SomeMetrics(NamedTuple):
    """A report of some metrics on the lake of the demo, its results, and its progress."""

    written: WrittenReport
    results: list[Result]
    steps: list[tuple[int, int, str]]


@pytest.fixture(scope="module")
def demo(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Run the demo with a year of little traffic, in the session of the tests."""
    folder = tmp_path_factory.mktemp("demo")
    sessions: list[dict[str, Any]] = []
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        patch.setattr("twin.demo.EVENTS", EVENTS)
        patch.setattr("twin.history.session.session", lent(spark, sessions))
        assert main([str(folder)]) == 0
    assert besides_retries(err.getvalue()) == ""
    report = folder / "year.report"
    rows = {name: rows_of(parquet.read_table(report / f"{name}.parquet")) for name in METRICS}
    sample = Sample(read_planted(folder / "year.db.planted.json"), rows)
    return Demo(out.getvalue(), sessions, folder / "year.lake", report, sample)


def lent(spark: SparkSession, sessions: list[dict[str, Any]]) -> Callable[..., Any]:
    """Return what stands for `session`: it gives a running session, and notes its options."""

    @contextmanager
    def session(**options: Any) -> Iterator[SparkSession]:
        sessions.append(options)
        yield spark

    return session


@pytest.fixture(scope="module")
def some(spark: SparkSession, demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> SomeMetrics:
    """Report some metrics on the lake of the demo."""
    return report_some(spark, demo.lake, tmp_path_factory.mktemp("some"))


def report_some(spark: SparkSession, lake: Path, out: Path) -> SomeMetrics:
    """Report some metrics on a lake."""
    steps: list[tuple[int, int, str]] = []
    results: list[Result] = []

    def note(done: int, of: int, what: str) -> None:
        steps.append((done, of, what))

    def noted(*words: Any, **options: Any) -> Iterator[Result]:
        for result in compute(*words, **options):
            results.append(result)
            yield result

    end = parse_instant(SAMPLE_ENDS, now=0)
    wanted = ReportRequest(None, end, None, SOME, "main", lake, out)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(COMPUTE, noted)
        return SomeMetrics(write_report(spark, wanted, progress=note), results, steps)


@pytest.fixture(scope="module")
def duck(demo: Demo) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the lake of the demo in DuckDB."""
    with closing(reference(demo.lake)) as connection:
        connection.execute(f"SET VARIABLE until = {parse_instant(SAMPLE_ENDS, now=0)}")
        yield connection


def test_the_demo_shows_belief_before_and_after(demo: Demo) -> None:
    """The demo shows beliefs before and after an alteration, and then analyses a year."""
    shown = demo.printed
    assert shown.count("REPOS   NO") == 2
    assert "AMQ8147E: IBM MQ object CLUS.WL.TEST not found." in shown
    assert "CLUS.WL.TEST on PR1 is a cluster queue with 3 known instances" in shown
    before, after = (
        shown.index("CLUSQMGR(PR3)                           PUT(ENABLED)"),
        shown.index("CLUSQMGR(PR3)                           PUT(DISABLED)"),
    )
    assert before < after
    assert f"page: {demo.report / 'report.html'}" in shown
    assert (demo.report / "report.html").is_file()
    assert len(shown.splitlines()) <= 56
    assert "\x1b" not in shown


@pytest.mark.parametrize("kind", CHECKS)
def test_what_was_planted_is_found_again(demo: Demo, kind: str) -> None:
    """Each fault is found by metrics where it was planted, to the second if it has an instant."""
    plants = demo.sample.planted.of_kind(kind)
    assert plants
    for plant in plants:
        CHECKS[kind](demo.sample, plant)


def test_plants_name_metrics_that_there_are(demo: Demo) -> None:
    """A fault names only existing metrics, and every kind of fault is checked."""
    faults = demo.sample.planted.faults
    assert {name for plant in faults for name in plant.metrics} <= set(METRICS)
    assert {plant.kind for plant in faults} == set(CHECKS)


NO_ROWS: Final = ("reallocation", "stayed", "counted_puts")
"""The metrics of which the demo's log may have no rows."""


@pytest.mark.parametrize("name", METRICS)
def test_duckdb_gives_the_same_answer(
    demo: Demo, duck: duckdb.DuckDBPyConnection, name: str
) -> None:
    """DuckDB gives the same rows, value by value, for a log with late facts and withdrawals."""
    theirs = duck.execute(statement(name))
    assert [each[0] for each in theirs.description or ()] == list(METRICS[name].columns)
    ours = [tuple(row.values()) for row in demo.sample.rows[name]]
    assert demand_alike(ours, theirs.fetchall()) > 0 or name in NO_ROWS


def test_a_report_is_a_page_and_two_files_for_each_metric(demo: Demo) -> None:
    """A report has two files per metric with the same rows and the declared columns."""
    names = {f"{name}.{kind}" for name in METRICS for kind in ("csv", "parquet")}
    assert {each.name for each in demo.report.iterdir()} == names | {"report.html"}
    for name, metric in METRICS.items():
        table = parquet.read_table(demo.report / f"{name}.parquet")
        with (demo.report / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert table.column_names == header == list(metric.columns)
        assert table.num_rows == len(rows)


def test_the_service_reads_a_report_as_it_was_written(demo: Demo) -> None:
    """What the page of the service shows of a report is in its files, with all rows and types."""
    read = read_report(demo.report)
    incidents = parquet.read_table(demo.report / "incidents.parquet").to_pylist()
    expected = {(title_of(each), each["messages"], round(each["seconds"])) for each in incidents}
    shown = {(title_of(each), each["messages"], round(each["seconds"])) for each in read.incidents}
    assert shown == expected
    assert len(read.outages) == parquet.read_table(demo.report / "outages.parquet").num_rows
    text = (demo.report / "report.html").read_text(encoding="utf-8")
    assert escape(read.paragraph) in text
    assert read.about
    assert all(escape(line) in text for line in read.about)
    assert {f"{name}.csv" for name in METRICS} < set(read.files)


def test_the_demo_asks_for_one_session_on_this_machine(demo: Demo) -> None:
    """The report alone needs Spark, and its session is one for the events of the lake."""
    few = {"master": LOCAL, "conf": [], "events": demo.sample.planted.events}
    assert demo.sessions == [few]


def test_the_same_lake_gives_the_same_rows_byte_for_byte(demo: Demo, some: SomeMetrics) -> None:
    """The files of a metric are the same, byte for byte, reported with some metrics or with all."""
    first, whole = tree(some.written.report.page.parent), tree(demo.report)
    names = {f"{name}.{kind}" for name in SOME for kind in ("csv", "parquet")}
    assert first.keys() == names | {"report.html"}
    assert {name: first[name] for name in names} == {name: whole[name] for name in names}


def test_the_same_results_make_the_same_report_byte_for_byte(
    some: SomeMetrics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page and the files depend on the results of the metrics alone."""
    monkeypatch.setattr(COMPUTE, lambda *_, **__: iter(some.results))
    told = some.written
    metrics = [METRICS[name] for name in SOME]
    report(told.history, told.window, metrics, tmp_path, extent=told.extent)
    assert tree(tmp_path) == tree(told.report.page.parent)


@pytest.mark.more
def test_the_same_lake_makes_the_same_report_byte_for_byte(
    spark: SparkSession, demo: Demo, some: SomeMetrics, tmp_path: Path
) -> None:
    """A second report on the same lake is the same, byte for byte."""
    report_some(spark, demo.lake, tmp_path)
    assert tree(tmp_path) == tree(some.written.report.page.parent)


def test_the_page_needs_nothing_but_itself(demo: Demo) -> None:
    """The page refers to no other file, and each of its links has a target in it."""
    text = (demo.report / "report.html").read_text(encoding="utf-8")
    page = Page.of(text)
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
    assert page.handlers == []
    drawn = re.sub(r"(?s)<metadata>.*?</metadata>", "", text)  # it may contain addresses
    assert set(re.findall(r"https?://[^\s\"'<>)]+", drawn)) <= {SVG, XLINK}
    assert "@import" not in text
    for target in page.targets:
        if target.startswith("data:"):
            continue
        if target.startswith("#"):
            assert target[1:] in page.ids
        else:
            assert (demo.report / target).is_file()
    for name in METRICS:
        assert name in page.ids


def test_progress_goes_from_the_first_metric_to_the_last(some: SomeMetrics) -> None:
    """Each step of the progress names the next metric; the last one names none."""
    titles = [metric.title for name, metric in METRICS.items() if name in SOME]
    assert some.steps == [
        (number, len(titles), title) for number, title in enumerate([*titles, ""])
    ]


def test_a_report_prints_the_headlines_the_page_and_the_window(
    demo: Demo, duck: duckdb.DuckDBPyConnection, some: SomeMetrics
) -> None:
    """A report prints at most ten lines, the path of the page, and the window."""
    _, found, whole = demo.printed.partition(f"$ twin history report --to {SAMPLE_ENDS}\n")
    assert found
    assert 5 < len(whole.splitlines()) <= 13
    lines = list(some.written.shown(Format.TEXT))
    report = some.written.report
    assert lines[:-2] == list(report.lines)
    assert {f"  {line}" for line in report.lines} < set(whole.splitlines())
    assert lines[-2] == f"page: {report.page}"
    assert report.rows == {name: len(demo.sample.rows[name]) for name in SOME}
    extent = duck.execute(
        "SELECT getvariable('since'), getvariable('until'), count(*), count(DISTINCT qmgr), "
        "max(occurred_at) FROM events"
    ).fetchone()
    assert extent is not None
    since, until, events, qmgrs, last = extent
    assert lines[-1] == (
        f"{format_instant(since)} to {format_instant(until)}, branch main with {events:,} events "
        f"of {qmgrs} queue managers, the last at {format_instant(last)}, log up to position "
        f"{demo.sample.planted.events:,}"
    )
    assert lines[-1] in (demo.report / "report.html").read_text(encoding="utf-8")
