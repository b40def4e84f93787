"""The view History: the latest finished report, whose incidents lead to the map of then."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.conftest import Serve
from tests.web.serving import Served
from twin.web.pages.history_view import UnusableReport, is_changing, newest, read_report

INCIDENTS = """\
"began","ended","ongoing","planned","cause","partner","qmgr","channel","cluster","qmgrs",\
"channels","outages","seconds","channel_hours","messages","reason"
"2026-01-06T18:56:17Z","2026-01-06T20:06:17Z",false,false,"unreachable","QM2",,,"SALES",5,5,5,4200,\
3.08,7,"AMQ9202"
"2026-02-01T09:04:00Z","2026-05-12T11:04:00Z",false,false,"lost","<b>QM3</b>",,,"SALES",7,7,7,\
8647200,15121.4,0,"AMQ9202"
"2026-03-01T02:00:00Z","2026-03-01T04:00:00Z",false,true,"ended","QM4",,,"SALES",3,3,3,7200,6,0,
"""
OUTAGES = """\
"qmgr","channel","cluster","partner","began","ended","seconds","reason","retries","planned","cause"
"QM1","SALES.QM3","SALES","QM3","2026-02-01T09:04:00Z","2026-05-12T11:04:00Z",8647200,"AMQ9202",9,\
false,"lost"
"QM1","SALES.QM4","SALES","QM4","2026-03-01T02:00:00Z","2026-03-01T04:00:00Z",7200,,0,true,"ended"
"""
PAGE = """<!doctype html><html><head><style>p { color: red }</style></head><body><main>
<header><h1>History of all clusters</h1><p class="dim">2026, branch main</p></header>
<section class="card"><h2>What happened</h2><p>QM3 was lost for 100 d &amp; more.</p></section>
</main></body></html>
"""


def write(folder: Path) -> Path:
    """Write the files of a report as `twin history report` does: the page last."""
    folder.mkdir(parents=True)
    (folder / "incidents.csv").write_text(INCIDENTS, encoding="utf-8")
    (folder / "outages.csv").write_text(OUTAGES, encoding="utf-8")
    (folder / "report.html").write_text(PAGE, encoding="utf-8")
    return folder


@pytest.fixture
def with_report(serve: Serve, scene_log: Path, tmp_path: Path) -> Callable[[], Served]:
    """Return a function that serves the scene with a report."""
    folder = write(tmp_path / "twin.report")
    return lambda: serve(log=scene_log, history=folder, read_only=True)


def test_incidents_lead_to_the_map_of_then(
    with_report: Callable[[], Served], open_page: OpenPage
) -> None:
    """The worst incident comes first, and leads to the map at the instant at which it began."""
    page = open_page(f"{with_report().url}/history")
    incidents = page.get_by_role("region", name="Incidents")
    expect(incidents).to_be_visible()
    expect(incidents.get_by_role("row")).to_have_count(4)
    rows = incidents.get_by_role("row").all_inner_texts()
    assert [("lost" in row, "Planned" in row) for row in rows[1:]] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert "<b>QM3</b> lost" in rows[1]
    expect(page.get_by_text("QM3 was lost for 100 d & more.")).to_be_visible()
    link = incidents.get_by_role("link", name="map").first.get_attribute("href") or ""
    assert "as-of=2026-02-01T09%3A04%3A00Z" in link
    assert link.startswith("/map?")
    channels = page.get_by_role("region", name="Channels over time")
    expect(channels.get_by_role("link", name="QM1 SALES.QM3, retrying").first).to_be_visible()
    assert serious_violations(page) == []


def test_the_whole_report_is_a_page_without_scripts(with_report: Callable[[], Served]) -> None:
    """The page of the report is sent as it is, with a policy that allows its style alone."""
    reader = with_report().reader
    answer = reader.get("/history/files/report.html")
    assert answer.text == PAGE
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert reader.get("/history/files/incidents.csv").text == INCIDENTS
    for name in ("..%2Fserved%2Ftwin.db", "twin.db", "none.csv"):
        assert reader.get(f"/history/files/{name}").status_code == 404


def test_programs_get_the_incidents(with_report: Callable[[], Served]) -> None:
    """The JSON and the CSV have the incidents, worst first."""
    reader = with_report().reader
    document = reader.get("/history.json").json()
    rows = document["tables"]["incidents"]["rows"]
    assert [row["cause"] for row in rows] == ["lost", "unreachable", "ended"]
    assert document["commands"] == ["twin history update", "twin history report"]
    lines = list(csv.DictReader(reader.get("/history.csv").text.splitlines()))
    assert [line["seconds"] for line in lines] == ["8647200", "4200", "7200"]


def test_without_a_report_the_page_says_how_to_make_one(estate: Served) -> None:
    """Where no report is finished the page names the commands."""
    text = estate.reader.get("/history/part/result").text
    assert "There is no finished report" in text
    assert "twin history report" in text


def test_the_newest_finished_report_is_taken(tmp_path: Path) -> None:
    """Of several folders the one whose page is newest counts; one without a page does not."""
    old, new = write(tmp_path / "old"), write(tmp_path / "new")
    os.utime(old / "report.html", (1, 1))
    (tmp_path / "unfinished").mkdir()
    assert newest(tmp_path) == new
    assert newest(new) == new
    assert newest(tmp_path / "unfinished") is None
    assert is_changing(old)
    assert not is_changing(new)


def test_a_report_that_is_written_meanwhile_is_said_to_change(
    with_report: Callable[[], Served], tmp_path: Path
) -> None:
    """The page says so as long as it is true, whatever it said before."""
    reader, folder = with_report().reader, tmp_path / "twin.report"
    warning = "Another report is being written"
    for newer in (True, False):
        os.utime(folder / "outages.csv", (2, 2) if newer else (0, 0))
        os.utime(folder / "incidents.csv", (0, 0))
        os.utime(folder / "report.html", (1, 1))
        assert (warning in reader.get("/history/part/result").text) is newer


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("incidents.csv", "5,5,5,4200", "5,5,5,x"),
        ("incidents.csv", "5,5,5,4200", f"5,5,5,{'9' * 5000}"),
        ("incidents.csv", "3.08", "nan"),
        ("incidents.csv", "2026-01-06T18:56:17Z", "yesterday"),
        ("incidents.csv", '"messages"', '"letters"'),
        ("outages.csv", "QM1", "\udcff"),
    ],
)
def test_a_report_with_other_values_is_refused(
    tmp_path: Path, file: str, old: str, new: str
) -> None:
    """Files that `twin history report` cannot have written are one line, not a traceback."""
    folder = write(tmp_path / "report")
    text = (folder / file).read_text(encoding="utf-8").replace(old, new, 1)
    (folder / file).write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UnusableReport, match="its files are not those of twin history report"):
        read_report(folder)
