"""The time bar in a browser: steps, the two handles, keys and the date field."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser import OpenPage
from tests.web.pages.scene import start_of
from tests.web.serving import Served
from twin.app.clocks import system_clock
from twin.model.instants import DAY, format_instant


def as_of(page: Page) -> str:
    """Return the instant that a page shows."""
    return page.locator(".when time").first.get_attribute("datetime") or ""


def test_arrows_step_from_event_to_event(estate: Served, open_page: OpenPage) -> None:
    """The arrow keys lead to the event before and after, and the URL says where."""
    page = open_page(estate.url)
    last = page.get_by_role("link", name="event before").get_attribute("href")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("as-of="))
    assert page.url.endswith(last or "nothing")
    middle = as_of(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".when time").first).not_to_have_attribute("datetime", middle)
    assert as_of(page) < middle
    page.keyboard.press("ArrowRight")
    expect(page.locator(".when time").first).to_have_attribute("datetime", middle)


def test_the_handle_moves_the_view(estate: Served, open_page: OpenPage) -> None:
    """Moving the handle to the first stop shows the estate at the first event, in the same page."""
    page = open_page(estate.url)
    page.evaluate("window.same = true")
    handle = page.get_by_role("slider", name="Instant", exact=True)
    handle.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("as-of="))
    expect(handle).to_have_value("0")
    expect(page.get_by_role("status")).to_contain_text("as of")
    assert page.evaluate("window.same")


def test_a_second_handle_compares(estate: Served, open_page: OpenPage) -> None:
    """The second handle chooses the instant that the page compares with."""
    page = open_page(estate.url)
    page.get_by_role("button", name="compare").click()
    expect(page).to_have_url(re.compile("against="))
    expect(page.get_by_text("compared with")).to_be_visible()
    expect(page.get_by_role("slider", name="Instant to compare with")).to_be_visible()
    page.get_by_role("button", name="compare").click()
    expect(page).not_to_have_url(re.compile("against="))


def test_play_steps_until_it_is_stopped(estate: Served, open_page: OpenPage) -> None:
    """Playing steps through the events by itself, and stops when it is told to."""
    page = open_page(estate.url)
    slider = page.get_by_role("slider", name="Instant", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("as-of="))
    first = as_of(page)
    page.get_by_role("button", name="play").click()
    expect(page.locator(".when time").first).not_to_have_attribute("datetime", first)
    page.get_by_role("button", name="stop").click()
    expect(page.get_by_role("button", name="play")).to_be_visible()


def test_a_question_mark_shows_the_keys(estate: Served, open_page: OpenPage) -> None:
    """The key ? shows the help, which Escape closes again."""
    page = open_page(estate.url)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_the_date_field_shows_24_hours_in_every_locale(estate: Served, open_page: OpenPage) -> None:
    """It is text in the chosen zone, and the browser says which form is expected."""
    page = open_page(f"{estate.url}/?as-of=2026-07-01T20:00:00Z", locale="en-US")
    field = page.get_by_label("Date and time in UTC")
    expect(field).to_have_value("2026-07-01 20:00:00")
    field.fill("07/01/2026, 08:00 PM")
    page.get_by_role("button", name="Go").click()
    assert field.evaluate("field => field.validity.patternMismatch")
    field.fill("2026-07-01 21:30")
    field.press("Enter")
    expect(page).to_have_url(re.compile("2026-07-01T21%3A30%3A00Z"))


def test_the_date_field_works_without_scripts(estate: Served, open_page: OpenPage) -> None:
    """Without scripts the steps are links and the date field is a form."""
    page = open_page(estate.url, java_script_enabled=False)
    later = format_instant(start_of(system_clock()) + 30 * DAY)
    page.get_by_label("Date and time").fill(later.removesuffix("Z"))
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".when time").first).to_have_attribute("datetime", later)
    page.get_by_role("link", name="now").click()
    expect(page).not_to_have_url(re.compile("as-of"))


@pytest.mark.parametrize("width", [1440, 1240, 1024, 390])
def test_dates_below_the_bar_do_not_touch(estate: Served, open_page: OpenPage, width: int) -> None:
    """A narrow bar shows fewer dates."""
    page = open_page(estate.url, viewport={"width": width, "height": 800})
    boxes = page.locator(".dates text").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    shown = [(left, right) for left, right in boxes if right > left]
    assert len(shown) > 1
    assert all(end + 4 < start for (_, end), (start, _) in pairwise(shown))
