"""The map in a browser: as it is, as one queue manager believes it, and in comparison."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage
from tests.web.pages.scene import HOSTILE, start_of
from tests.web.serving import Served
from twin.app.clocks import system_clock
from twin.model.instants import MINUTE, format_instant


def test_the_map_shows_what_is(estate: Served, open_page: OpenPage) -> None:
    """Each queue manager is a link that names its state; a table has the channels, worst first."""
    page = open_page(f"{estate.url}/map?cluster=SALES")
    expect(page.get_by_role("heading", name="SALES as it is")).to_be_visible()
    expect(page.get_by_role("link", name="QM2, suspended")).to_be_visible()
    expect(page.get_by_role("link", name="FR1, full repository")).to_be_visible()
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("RETRYING")
    expect(page.get_by_role("row", name="STOPPED SALES.QM4")).to_be_visible()


def test_eyes_show_what_one_believes(estate: Served, open_page: OpenPage) -> None:
    """By the eyes of QM1, QM3 is not suspended, and the difference is marked and explained."""
    page = open_page(f"{estate.url}/map?cluster=SALES")
    expect(page.get_by_role("link", name="QM3, suspended")).to_be_visible()
    page.get_by_label("seen by").select_option("QM1")
    expect(page.get_by_role("heading", name="SALES as QM1 believes it")).to_be_visible()
    expect(page.get_by_role("link", name="QM1, the observer")).to_be_visible()
    expect(page.get_by_role("link", name="QM3, differs from what is")).to_be_visible()
    beside = page.get_by_role("complementary")
    expect(beside).to_contain_text("SUSPEND")
    expect(beside).to_contain_text("believes NO, is YES")
    page.get_by_label("seen by").select_option("QM4")
    expect(page.get_by_role("link", name="QM1, not known")).to_be_visible()


def test_a_chosen_queue_manager_is_described_beside_the_map(
    estate: Served, open_page: OpenPage
) -> None:
    """A click on a box shows its channels beside the map, and keeps the rest of the place."""
    page = open_page(f"{estate.url}/map?cluster=SALES")
    page.get_by_role("link", name="QM1, 4 channels do not deliver").click()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_role("heading", name="QM1")).to_be_visible()
    expect(beside).to_contain_text("3 messages")
    assert "cluster=SALES" in page.url


def test_a_search_hides_what_does_not_match(estate: Served, open_page: OpenPage) -> None:
    """The key / leads to the search; others than the matches are counted, not drawn."""
    page = open_page(f"{estate.url}/map?cluster=SALES")
    page.keyboard.press("/")
    page.keyboard.type("suspend=yes")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 queue managers do not match")).to_be_visible()
    expect(page.get_by_role("link", name="QM2, suspended")).to_be_visible()
    expect(page.get_by_role("link", name="QM4", exact=True)).to_have_count(0)


def test_an_unknown_field_of_a_search_is_refused(estate: Served) -> None:
    """A search for an unknown field names those that there are."""
    answer = estate.admin.get("/map?q=color=red")
    assert answer.status_code == 400
    assert "expected one of cluster, status, suspend" in answer.text


def test_a_comparison_marks_what_changed(estate: Served, open_page: OpenPage) -> None:
    """Compared with the time before, those are marked that were suspended, and channels, too."""
    before = format_instant(start_of(system_clock()) + 65 * MINUTE)
    page = open_page(f"{estate.url}/map?cluster=SALES&against={before}")
    expect(page.get_by_role("link", name="QM2, suspended, changed")).to_be_visible()
    expect(page.get_by_role("row", name="STOPPED SALES.QM4")).to_contain_text("RUNNING")


def test_names_stay_text(estate: Served, open_page: OpenPage) -> None:
    """A name with %, in URLs and texts, and a description that looks like HTML, stay text."""
    page = open_page(f"{estate.url}/map?cluster=ARCHIVE")
    page.get_by_role("link", name="GW%1").first.click()
    expect(page.get_by_role("complementary").get_by_role("heading", name="GW%1")).to_be_visible()
    assert HOSTILE not in page.content()


@pytest.mark.parametrize("view", ["", "map", "qmgr"])
def test_an_unknown_cluster_is_called_unknown(estate: Served, view: str) -> None:
    """Before anything names it a page says that it is unknown; the time bar stays in use."""
    answer = estate.reader.get(f"/{view}?cluster=SALES&as-of=2001-01-01")
    notes = answer.text.partition('<ul class="notes">')[2].partition("</ul>")[0]
    assert answer.status_code == 200
    assert "SALES" in notes
