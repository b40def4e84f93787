"""The page of a queue manager, and the list of all of them."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.browser import OpenPage
from tests.web.serving import Served


def test_a_queue_manager_shows_what_it_holds_and_who_told_it(
    estate: Served, open_page: OpenPage
) -> None:
    """The page has the records with their sources, the channels, what waits, and the error log."""
    page = open_page(f"{estate.url}/qmgr?on=QM1")
    expect(page.get_by_role("heading", name="QM1", exact=True)).to_be_visible()
    held = page.get_by_role("row", name="queue ORDERS QM4 SALES")
    expect(held).to_contain_text("FR1")
    expect(held).to_contain_text("derived")
    expect(page.get_by_role("row", name="3 ORDERS QM3 SALES.QM3")).to_be_visible()
    expect(page.get_by_role("row", name="STOPPED SALES.QM4")).to_be_visible()
    expect(page.get_by_role("row", name="AMQ9202").first).to_be_visible()
    expect(page.get_by_text("twin ask errorlog --on QM1")).to_be_visible()


def test_the_lifetimes_are_drawn_after_the_page(estate: Served, open_page: OpenPage) -> None:
    """The picture of the lifetimes is loaded into the page, with its days 27, 30 and 90."""
    page = open_page(f"{estate.url}/qmgr?on=QM1")
    picture = page.get_by_role("region", name="Lifetimes, drawn")
    expect(picture).to_contain_text("active, 27 days")
    expect(picture).to_contain_text("expired, held until day 90")


def test_all_queue_managers_are_listed(estate: Served, open_page: OpenPage) -> None:
    """Without a name the view lists all queue managers of the chosen cluster."""
    page = open_page(f"{estate.url}/qmgr?cluster=ARCHIVE")
    row = page.get_by_role("row", name="GW%1")
    expect(row).to_contain_text("running")
    row.get_by_role("link", name="GW%1").click()
    expect(page.get_by_text("</text><script>")).to_be_visible()


def test_an_unknown_queue_manager_is_named(estate: Served) -> None:
    """A queue manager that does not exist is answered with 400, and named."""
    answer = estate.admin.get("/qmgr?on=<b>NOBODY</b>")
    assert answer.status_code == 400
    assert "&lt;b&gt;NOBODY" in answer.text


def test_nothing_is_cut_on_a_small_laptop(estate: Served, open_page: OpenPage) -> None:
    """In a window of 1280 pixels each table and the picture of lifetimes are shown whole."""
    page = open_page(f"{estate.url}/qmgr?on=QM1", viewport={"width": 1280, "height": 900})
    expect(page.locator(".gantt svg")).to_be_visible()
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    assert page.locator("main .scroll").evaluate_all(cut) == 0


def test_a_phone_shows_a_row_for_each_queue_manager(estate: Served, open_page: OpenPage) -> None:
    """A row is one line high if no state is longer, and the names of views take one line."""
    page = open_page(f"{estate.url}/qmgr", viewport={"width": 390, "height": 844})
    rows = page.locator("main tbody tr").evaluate_all("all => all.map(each => each.offsetHeight)")
    assert rows[0] < 45
    assert page.locator(".views").evaluate("each => each.offsetHeight") < 60


def test_an_inactive_channel_is_explained(demo_service: Served, estate: Served) -> None:
    """MQ would show RUNNING for some time after repository commands (decision 13)."""
    note = "Repository commands alone leave a channel INACTIVE here."
    channels = demo_service.reader.get("/twin/v1/ask/channels?on=PR1").json()["rows"]
    assert {row["status"] for row in channels} == {"INACTIVE"}
    assert note in demo_service.reader.get("/qmgr?on=PR1").text
    assert note not in estate.reader.get("/qmgr?on=GW%251").text
