"""The view Findings: what the doctor finds, with fixes and proofs, and what was accepted."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.conftest import Serve
from tests.web.serving import Served, served
from twin.app.twin import Twin
from twin.review.doctor import report
from twin.review.doctor.examination import ExamRequest, examine
from twin.web.pages.findings import nothing_found

ONE_RULE = {"rule": "channel-stopped"}


def test_findings_stand_worst_first_with_their_fixes(estate: Served, open_page: OpenPage) -> None:
    """A finding has its object, its evidence, its commands with their class, and their proof."""
    page = open_page(f"{estate.url}/findings")
    stopped = page.get_by_role("article", name="channel-stopped QM1 CHANNEL(SALES.QM4)")
    expect(stopped).to_contain_text("START CHANNEL(SALES.QM4) at QM1")
    expect(stopped).to_contain_text("owner decides")
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
        ("rule=nonsense", 400, "parameter rule; expected one of"),
        ("severity=awful", 400, "expected one of error, warning, info"),
        ("on=NOBODY", 400, "NOBODY"),
        ("cluster=NOWHERE", 400, "parameter cluster; expected a cluster: ARCHIVE, SALES"),
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
    assert "Nothing is found besides what is accepted." in text
    assert 'class="ok"' not in text


@pytest.mark.parametrize("page", ["/findings/part/result", "/estate/part/findings"])
def test_an_empty_log_is_not_called_healthy(users_file: Path, tmp_path: Path, page: str) -> None:
    """Without any queue manager no rule is checked, and no page shows that as good news."""
    log = tmp_path / "empty.db"
    Twin.open(f"sqlite:///{log}").close()
    with served(log, users_file, read_only=True) as service:
        text = service.reader.get(page).text
    assert "No rule was checked: no queue manager exists at that instant." in text
    assert 'class="ok"' not in text


def test_findings_of_another_severity_are_not_called_nothing(estate: Served) -> None:
    """If the severity leaves everything out, the page counts what it leaves out."""
    query = {**ONE_RULE, "severity": "error"}
    text = estate.reader.get("/findings/part/result", params=query).text
    assert "No finding has the severity error. Not shown: 1 warning." in text
    assert 'class="ok"' not in text


def test_nothing_found_names_how_many_rules_looked(estate: Served) -> None:
    """Only if all rules were checked, and nothing is left out, is it good news."""
    query = {"rule": "channel-in-doubt"}
    text = estate.reader.get("/findings/part/result", params=query).text
    assert '<p class="ok">Nothing is found by 1 rule.</p>' in text


def test_rules_that_were_not_checked_everywhere_are_no_good_news() -> None:
    """Nothing found by rules that lacked facts is said with how many lacked them."""
    lacking = [{"id": "some-rule", "why": "never observed at QM1: status of channels"}]
    document = {"rules_run": 2, "rows": [], "suppressed": [], "not_checked": lacking}
    said = nothing_found(document)
    assert (said.text, said.healthy) == (
        "Nothing is found, but 1 of 2 rules is not checked.",
        False,
    )
