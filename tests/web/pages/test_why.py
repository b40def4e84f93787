"""The view Why: a choice rule by rule, with edits that are rehearsed in memory."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.serving import Served
from twin.app.twin import Twin

ORDERS = {"on": "QM1", "queue": "ORDERS"}
WHY = "/why?on=QM1&queue=ORDERS"


def funnel(page: Page) -> str:
    """Return the texts of the funnel."""
    return page.locator("svg.funnel").text_content() or ""


def test_each_rule_and_what_it_excludes_is_shown(estate: Served, open_page: OpenPage) -> None:
    """Candidates fall through the rules; clicking one says why it fell and what would change it."""
    page = open_page(estate.url + WHY)
    expect(
        page.get_by_role("heading", name="Why does ORDERS put at QM1 go to QM3?")
    ).to_be_visible()
    shown = funnel(page)
    for text in (
        "known to QM1",
        "not suspended",
        "SUSPEND(YES), another is not",
        "best channel status",
    ):
        assert text in shown
    expect(page.get_by_text("The message would wait:")).to_be_visible()
    expect(page.get_by_role("complementary")).to_contain_text("DEFBIND(NOTFIXED) of ORDERS at QM2")
    page.get_by_role("link", name="QM2: SUSPEND(YES), another is not").click()
    route = page.get_by_role("region", name="Route")
    expect(route).to_contain_text("QM2 is excluded by rule suspended")
    expect(route).to_contain_text("RESUME QMGR CLUSTER(SALES) at QM2")
    expect(route).to_contain_text("step 4")
    expect(route.get_by_role("link").filter(has_text=re.compile(r"^\d+$")).first).to_be_visible()
    assert serious_violations(page) == []


def test_an_edit_is_rehearsed_and_nothing_is_recorded(estate: Served, open_page: OpenPage) -> None:
    """An attribute edited in place shows the choice after it, beside the one as it is."""
    before = estate.head()
    page = open_page(f"{estate.url}{WHY}&picked=QM4:SALES.QM4")
    page.get_by_label("stopped at QM1").select_option("NO")
    page.get_by_role("button", name="See the choice").click()
    expect(page).to_have_url(re.compile("START"))
    expect(
        page.get_by_role("heading", name="Why does ORDERS put at QM1 go to QM4?")
    ).to_be_visible()
    expect(page.get_by_text("Rehearsed in memory; nothing is recorded.")).to_be_visible()
    both = page.get_by_role("group", name="Both")
    expect(both).to_contain_text("excluded by status: STATUS(STOPPED)")
    expect(page.locator(".same pre").first).to_have_text(
        "twin explain QM1 ORDERS --with 'QM1: START CHANNEL(SALES.QM4)'"
    )
    page.get_by_role("link", name="Back to things as they are").click()
    expect(
        page.get_by_role("heading", name="Why does ORDERS put at QM1 go to QM3?")
    ).to_be_visible()
    assert estate.head() == before


def test_an_edit_that_cannot_be_heard_of_says_so(estate: Served) -> None:
    """A change at a queue manager whose news cannot arrive leaves the choice, and says why."""
    text = estate.reader.get(
        "/why", params=ORDERS | {"with": "QM2: RESUME QMGR CLUSTER(SALES)"}
    ).text
    assert "QM1 has not heard of what was set at QM2" in text
    assert "SALES.QM1 is RETRYING" in text


def test_the_fields_of_a_route_become_commands(estate: Served) -> None:
    """Each field that was changed becomes a command at the queue manager that owns the object."""
    edits = {"edit.channel-rank": "5", "edit.put": "DISABLED", "edit.weight": "50"}
    answer = estate.reader.get("/why/edit", params=ORDERS | {"picked": "QM3:SALES.QM3"} | edits)
    assert answer.status_code == 303
    again = estate.reader.get(answer.headers["location"])
    assert "QM3: ALTER QLOCAL(ORDERS) PUT(DISABLED); " in again.text.replace("&#39;", "'")
    assert "QM3: ALTER CHANNEL(SALES.QM3) CHLTYPE(CLUSRCVR) CLWLRANK(5)" in again.text
    assert "CLWLWGHT(" not in again.text.split("The same on a command line")[1]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/why", {"with": "QM2: ALTER CHANNEL(SALES.QM2) CHLTYPE(CLUSRCVR) PASSWORD('s3cret')"}),
        ("/why/edit", {"with": "QM2: ALTER QMGR SSLKEYP(s3cret)", "edit.put": "DISABLED"}),
        ("/why/edit", {"picked": "QM3:SALES.QM3", "edit.weight": "5) PASSWORD(s3cret"}),
    ],
)
def test_settings_with_a_password_are_refused(
    estate: Served, path: str, more: dict[str, str]
) -> None:
    """No redirect or page repeats a password in an address."""
    answer = estate.reader.get(path, params=ORDERS | more)
    assert answer.status_code == 400
    assert "the settings have a password" in answer.text
    assert "s3cret" not in answer.headers.get("location", "")


def test_a_put_that_fails_names_the_reason_code(estate: Served, open_page: OpenPage) -> None:
    """An unknown queue shows the reason code with its name, and no funnel."""
    page = open_page(f"{estate.url}/why?on=QM2&queue=NOT.THERE")
    expect(page.get_by_role("alert")).to_contain_text("2085 MQRC_UNKNOWN_OBJECT_NAME")
    expect(page.locator("svg.funnel")).to_have_count(0)
    assert serious_violations(page) == []


def test_the_page_has_the_rows_of_the_question(estate: Served) -> None:
    """The tables for programs have the rows of `ask explain` and of `ask route`."""
    tables = estate.reader.get("/why.json", params=ORDERS).json()["tables"]
    with Twin.open(estate.log_url, read_only=True) as twin:
        for question in ("explain", "route"):
            rows = twin.ask(question, on="QM1", queue="ORDERS").as_json()["rows"]
            for row, expected in zip(tables[question]["rows"], rows, strict=True):
                assert {**row, "waits": None} == {**expected, "waits": None}


@pytest.mark.parametrize(
    ("query", "status", "problem"),
    [
        ("on=NOBODY&queue=ORDERS", 400, "NOBODY"),
        ("on=QM1&queue=ORDERS&bind=sometimes", 400, "sometimes"),
        ("on=QM1&queue=ORDERS&with=QM1:+DELETE+NOTHING", 400, "cannot set"),
        ("position=first", 400, "first"),
    ],
)
def test_bad_input_is_named(estate: Served, query: str, status: int, problem: str) -> None:
    """What cannot be explained is answered in one line."""
    answer = estate.reader.get(f"/why?{query}")
    assert (answer.status_code, problem in answer.text) == (status, True)


def test_a_recorded_choice_is_explained_as_it_was(estate: Served) -> None:
    """The position of a recorded put explains that choice, from the estate before it."""
    with Twin.open(estate.log_url, read_only=True) as twin:
        put = next(twin.log.events(types=["MessagesPut"], limit=1)).position
    asked = {"position": str(put)}
    text = estate.reader.get("/why", params=asked).text
    assert f"The MQPUT recorded at position {put}, 9 messages: its first choice." in text
    shown = estate.reader.get("/why.json", params=asked).json()
    assert shown["commands"] == [f"twin explain --position {put}"]
