"""The report on a lake: its files, its page and its summary."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from tests.history.logs import append, made, tree
from twin.cli.history_report import ReportRequest, WrittenReport, write_report
from twin.cli.options import Format
from twin.history.lake import update
from twin.history.metrics import METRICS

MADE: Final = 300
SOME: Final = ("outages", "suspensions", "reallocation", "changes")
SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"


class Told(NamedTuple):
    """A report on a lake."""

    lake: Path
    one: Path
    written: WrittenReport
    steps: list[tuple[int, int, str]]


@pytest.fixture(scope="module")
def told(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Make a lake, and a report on it."""
    place = tmp_path_factory.mktemp("reported")
    append(f"sqlite:///{place}/twin.db", map(made, range(MADE)))
    update(spark, f"sqlite:///{place}/twin.db", place / "lake")
    steps: list[tuple[int, int, str]] = []

    def note(done: int, of: int, what: str) -> None:
        steps.append((done, of, what))

    one = place / "one"
    wanted = ReportRequest(None, None, None, (), "main", place / "lake", one)
    written = write_report(spark, wanted, progress=note)
    return Told(place / "lake", one, written, steps)


def test_a_report_is_a_page_and_two_files_for_each_metric(told: Told) -> None:
    """A report has two files per metric with the same rows and the declared columns."""
    names = {f"{name}.{kind}" for name in METRICS for kind in ("csv", "parquet")}
    assert {each.name for each in told.one.iterdir()} == names | {"report.html"}
    for name, metric in METRICS.items():
        table = parquet.read_table(told.one / f"{name}.parquet")
        with (told.one / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert table.column_names == header == list(metric.columns)
        assert table.num_rows == len(rows) == told.written.report.rows[name]
    assert any(told.written.report.rows.values())


def test_the_same_lake_makes_the_same_report_byte_for_byte(
    spark: SparkSession, told: Told, tmp_path: Path
) -> None:
    """A report on the same lake is the same, byte for byte, with some metrics or with all."""
    made = []
    for name in ("some", "again"):
        asked = ReportRequest(None, None, None, SOME, "main", told.lake, tmp_path / name)
        write_report(spark, asked, progress=lambda *_: None)
        made.append(tree(tmp_path / name))
    assert made[0] == made[1]
    whole = tree(told.one)
    assert all(made[0][f"{name}.csv"] == whole[f"{name}.csv"] for name in SOME)


class Page(HTMLParser):
    """Collects the elements of a page, and its references."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.targets: set[str] = set()
        self.ids: set[str] = set()
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and its attributes."""
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "xlink:href", "srcset", "data", "action"):
                self.targets.add(value or "")
            if name == "id":
                self.ids.add(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


def test_the_page_needs_nothing_but_itself(told: Told) -> None:
    """The page refers to no other file, and each of its links has a target in it."""
    text = (told.one / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
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
            assert (told.one / target).is_file()
    for name in METRICS:
        assert name in page.ids


def test_progress_goes_from_the_first_metric_to_the_last(told: Told) -> None:
    """Each step of the progress names the next metric; the last one names none."""
    titles = [metric.title for metric in METRICS.values()]
    assert told.steps == [
        (number, len(titles), title) for number, title in enumerate([*titles, ""])
    ]


def test_what_is_printed_is_the_lines_the_page_and_what_was_looked_at(told: Told) -> None:
    """A report prints at most ten lines, the path of the page, and the window."""
    lines = list(told.written.shown(Format.TEXT))
    assert lines[:-2] == list(told.written.report.lines)
    assert len(lines) <= 12
    assert lines[-2] == f"page: {told.one / 'report.html'}"
    assert lines[-1] == (
        "2026-01-01T00:00:00Z to 2026-02-19T20:00:00.000001Z, branch main with 300 events "
        "of 5 queue managers, log up to position 300"
    )
