"""The estate at a glance."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.web.browser import OpenPage
from tests.web.serving import Served, served
from twin.app.twin import Twin


def test_clusters_say_what_is_wrong_with_them(estate: Served, open_page: OpenPage) -> None:
    """Each cluster has its full repositories, its channels that do not deliver, and what waits."""
    page = open_page(estate.url)
    sales = page.get_by_role("row", name="SALES")
    expect(sales).to_contain_text("5 retrying")
    expect(sales).to_contain_text("1 stopped")
    expect(sales).to_contain_text("QM2 suspended")
    expect(page.get_by_role("row", name="ARCHIVE")).to_contain_text("only one")


def test_findings_are_loaded_into_the_page(estate: Served, open_page: OpenPage) -> None:
    """The findings of the doctor come into the page, the worst first."""
    page = open_page(estate.url)
    first = page.get_by_role("article").first
    expect(first).to_contain_text("error")
    expect(first).to_contain_text("channel-retrying")
    expect(first).to_contain_text("QM1 CHANNEL(SALES.QM3)")


def test_what_comes_next_leads_there(estate: Served, open_page: OpenPage) -> None:
    """What will be due is listed, and a click shows the estate at that instant."""
    page = open_page(estate.url)
    beside = page.get_by_role("complementary")
    expect(beside).to_contain_text("an owner republishes its records")
    due = beside.get_by_role("time").first.get_attribute("datetime") or ""
    beside.get_by_role("link").first.click()
    expect(page.locator(".when time").first).to_have_attribute("datetime", due)


def test_a_warning_that_the_owner_prevents_is_shown_with_its_condition(
    estate: Served, open_page: OpenPage
) -> None:
    """A record is republished before its first warning, so the warning is not said to come."""
    beside = open_page(estate.url).get_by_role("complementary")
    warning = beside.get_by_text("a warning says that a record was not republished").first
    expect(warning).to_contain_text("only if the owner does not republish before")


def test_a_member_that_is_not_in_the_twin_is_named(own_estate: Served) -> None:
    """A member that others still know, but that the twin does not have, is named at the top."""
    with Twin.open(own_estate.log_url) as twin:
        twin.endmqm("QM3")
        twin.dltmqm("QM3")
    text = own_estate.admin.get("/").text
    assert 'Not in the twin: <span class="mono">QM3</span>' in text
    assert "1 not in the twin" in text


def test_a_status_that_nobody_saw_is_not_called_healthy(
    estate: Served, users_file: Path, tmp_path: Path
) -> None:
    """Of imported definitions alone, no page says that channels deliver: that is assumed."""
    log = tmp_path / "imported.db"
    with (
        Twin.open(estate.log_url, read_only=True) as source,
        Twin.open(f"sqlite:///{log}") as imported,
    ):
        for name in ("FR1", "FR2", "QM1"):
            dump = (line for line in source.dmpmqcfg(name) if "CURDEPTH(" not in line)
            imported.ingest("\n".join(dump), qmgr=name)
    with served(log, users_file, read_only=True) as service:
        overview, drawn = service.admin.get("/").text, service.admin.get("/map").text
        eyes = service.admin.get("/map?eyes=QM1").text
        one = service.admin.get("/qmgr?on=QM1").text
        waits = service.admin.get("/waiting").text
        waits_there = service.admin.get("/waiting?on=QM1").text
    assert ": none observed" in overview
    assert "usable" not in overview
    assert "<td>nothing</td>" not in overview
    assert 'class="dim">not known</span>' in overview
    for page in (waits, waits_there):
        assert "No message of an application waits." not in page
        assert "no depth of a queue was ever observed there" in page
    assert "cluster channels: none observed." in drawn
    assert "fail" not in drawn.partition("</p>")[0]
    assert "All cluster channels deliver" not in drawn
    assert 'class="sign-at b-unknown"' in drawn
    assert "No cluster channel is known to need it: " in drawn
    assert "its records were never observed" in eyes
    assert "its records were never observed" in one
    assert "the depths of its queues were never observed" in one
    assert not re.search(r'class="ok">No', drawn + eyes + one)


def test_a_branch_is_compared_with_another_at_one_instant(own_estate: Served) -> None:
    """What both branches have is no difference, and the command gives the same ones."""
    with Twin.open(own_estate.log_url) as twin:
        twin.create_branch("drill")
    with Twin.open(own_estate.log_url, branch="drill") as drill:
        drill.runmqsc("QM2", "DEFINE QLOCAL(DRILL.ONLY)")
    query = {"branch": "drill", "against": "main"}
    page = own_estate.reader.get("/", params=query).text
    part = own_estate.reader.get("/estate/part/changes", params=query).text
    commands = own_estate.reader.get("/estate.json", params=query).json()["commands"]
    assert "twin branch diff main drill" in commands
    assert "Different from branch" in page
    assert part.count('class="change-row"') == 1
    assert "DRILL.ONLY" in part
