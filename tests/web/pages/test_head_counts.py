"""The numbers beside the names of views, and how what waits is counted in words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.web.browser import OpenPage
from tests.web.serving import Served
from twin.app.twin import Twin
from twin.questions.answer import Row
from twin.web.access.users import Role, User
from twin.web.pages.backlog import Backlog, backlogs
from twin.web.pages.head_counts import (
    HeadChoices,
    count_key,
    finding_count,
    head_counts,
    note_findings,
)
from twin.web.pages.place import PagePlace
from twin.web.pages.view import PageReading
from twin.web.points import Point
from twin.web.service import Service
from twin.web.settings import ServerSettings


def _numbers(views: Locator) -> tuple[int, ...]:
    """Wait until three views have numbers, whatever they are, and return these."""
    links = [
        views.get_by_role("link", name=re.compile(words))
        for words in (r"\d queue managers$", r"\d messages wait$", r"\d errors and warnings$")
    ]
    for link in links:
        expect(link).to_be_visible()
    return tuple(int(re.sub(r"\D", "", link.inner_text())) for link in links)


def test_views_have_numbers_that_cost_no_question(estate: Served, open_page: OpenPage) -> None:
    """Messages that wait have a number on each page, findings once somebody looked for them."""
    page = open_page(estate.url)
    views = page.get_by_role("navigation", name="Views")
    assert _numbers(views) == (7, 3, 14)
    page.get_by_role("link", name="Log", exact=True).click()
    expect(page.get_by_role("heading", name="Log", exact=True)).to_be_visible()
    assert _numbers(views) == (7, 3, 14)


def test_an_earlier_instant_has_its_own_numbers(estate: Served) -> None:
    """Before anything was put nothing waits, and a view without a number shows none, not 0."""
    rows = estate.admin.get("/log.json").json()["tables"]["log"]["rows"]
    page = estate.admin.get("/map", params={"as-of": rows[0]["occurred_at"][:10]}).text
    assert "messages wait" not in page
    assert 'id="count-waiting" class="count"></span>' in page


def test_the_findings_that_were_counted_last_are_shown(tmp_path: Path) -> None:
    """Time alone may change what is found: the number of then is replaced, and of this place."""
    settings = ServerSettings(url=f"sqlite:///{tmp_path / 'twin.db'}", users=tmp_path / "users")
    service = Service(settings)
    with Twin.open(settings.url) as twin:
        twin.crtmqm("QM1")
        place = PagePlace(view="log", point=Point(), own={})
        user = User("reader", frozenset({Role.READER}))
        reading = PageReading(twin, twin.as_of(), place, user)
        for severities in (["error"], ["error", "warning"]):
            rows = [{"severity": each} for each in severities]
            note_findings(service.computed, count_key(reading), rows)
        offered = HeadChoices((), (), ())
        assert head_counts(service, reading, offered)["findings"].number == 2
        elsewhere = reading._replace(place=replace(place, cluster="SALES"))
        assert "findings" not in head_counts(service, elsewhere, offered)


def test_information_does_not_count_as_a_finding_to_look_at() -> None:
    """Errors and warnings count, and one error raises the alarm."""
    assert finding_count(["warning", "info"])[::2] == (1, False)
    assert finding_count(["error", "warning", "info"])[::2] == (2, True)


@pytest.mark.parametrize(
    ("backlog", "words", "short"),
    [
        (Backlog(), "", ""),
        (Backlog(1), "1 message", "1 waits"),
        (Backlog(3000, 1), "3,000 messages, 1 repository command", "3,000 wait"),
        (Backlog(0, 2), "2 repository commands", "2 cmd"),
    ],
)
def test_messages_and_repository_commands_are_counted_apart(
    backlog: Backlog, words: str, short: str
) -> None:
    """Commands of the repository are no messages of applications."""
    assert (str(backlog), backlog.short, bool(backlog)) == (words, short, bool(words))


def test_what_waits_is_added_up_for_each_channel() -> None:
    """A count that nobody knows adds nothing."""
    row: Row = {"on": "A", "channel": "TO.B", "count": 2, "why": None}
    rows = [row, row | {"why": "system"}, row | {"count": None}, row | {"channel": "TO.C"}]
    assert backlogs(rows) == {("A", "TO.B"): Backlog(2, 2), ("A", "TO.C"): Backlog(2)}
