"""The view Findings: what the doctor finds, with fixes and proofs, and what was accepted."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.conftest import Serve
from tests.web.serving import Served
from twin.app.twin import Twin
from twin.review.doctor import report
from twin.review.doctor.examination import ExamRequest, examine

ONE_RULE = {"rule": "channel-stopped"}


def test_findings_stand_worst_first_with_their_fixes(estate: Served, open_page: OpenPage) -> None:
    """A finding has its object, its evidence, its commands with their class, and their proof."""
    page = open_page(f"{estate.url}/findings")
    stopped = page.get_by_role("article", name="channel-stopped QM1 CHANNEL(SALES.QM4)")
    expect(stopped).to_contain_text("START CHANNEL(SALES.QM4) at QM1", timeout=60_000)
    expect(stopped).to_contain_text("safe")
    expect(stopped).to_contain_text("proved")
    expect(stopped).to_contain_text("STATUS(STOPPED) SUBSTATE() -> STATUS(RUNNING)")
    severities = page.locator(".fault > p:first-child .badge").all_inner_texts()
    order = ["error", "warning", "info"]
    assert severities == sorted(severities, key=order.index)
    assert serious_violations(page) == []
    stopped.get_by_role("link", name="150").click()
    expect(page.get_by_role("region", name="Event 150")).to_contain_text("STOPPED")


def test_programs_get_the_report_of_the_doctor(estate: Served) -> None:
    """The JSON has the rows of `twin doctor`, the CSV one line for each finding."""
    document = estate.reader.get("/findings.json", params=ONE_RULE).json()
    with Twin.open(estate.log_url, read_only=True) as twin:
        expected = report.document_of(examine(twin, ExamRequest(rules=("channel-stopped",))))
    assert document["tables"]["doctor"]["rows"] == expected["rows"]
    assert document["commands"] == ["twin doctor --rule channel-stopped"]
    text = estate.reader.get("/findings.csv", params=ONE_RULE).text
    (line,) = csv.DictReader(io.StringIO(text))
    assert (line["verdict"], line["fix"]) == ("proved", "QM1: START CHANNEL(SALES.QM4);")


@pytest.mark.parametrize(
    ("query", "status", "problem"),
    [
        ("rule=nonsense", 404, "unknown rule"),
        ("severity=awful", 400, "expected one of error, warning, info"),
        ("on=NOBODY", 404, "NOBODY"),
        ("cluster=NOWHERE", 404, "cluster NOWHERE is unknown"),
    ],
)
def test_bad_input_is_named(estate: Served, query: str, status: int, problem: str) -> None:
    """What cannot be examined is answered in one line."""
    answer = estate.reader.get(f"/findings/part/result?{query}")
    assert (answer.status_code, problem in answer.text) == (status, True)


def test_accepted_findings_stand_apart(serve: Serve, scene_log: Path, tmp_path: Path) -> None:
    """A finding in the service's file of accepted ones does not count, and has its reason."""
    accepted = tmp_path / "accepted.yaml"
    accepted.write_text(
        "ignore:\n- id: channel-stopped\n  object: QM1 CHANNEL(SALES.QM4)\n"
        "  reason: <b>stopped</b> on purpose\n",
        encoding="utf-8",
    )
    service = serve(log=scene_log, suppressions=accepted, read_only=True)
    text = service.reader.get("/findings/part/result", params=ONE_RULE).text
    assert "1 suppressed" in text
    assert "&lt;b&gt;stopped&lt;/b&gt; on purpose" in text
    assert "Nothing is found." in text
