"""The view Plan: a change rehearsed beside doing nothing, and nothing recorded."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.serving import Served
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.review.plan.document import document_of
from twin.review.plan.plan import Request, plan

SECRET = "ALTER AUTHINFO(LDAP) AUTHTYPE(IDPWLDAP) LDAPPWD('hidden words')"  # noqa: S105 - to be held


def post(client: httpx.Client, **fields: str) -> httpx.Response:
    """Send the form of the page with the token that the page shows."""
    text = client.get("/plan").text
    token = re.search(r'name="form_token" value="([^"]+)"', text)
    assert token is not None
    return client.post("/plan", data={"form_token": token[1], **fields})


def test_a_pasted_script_is_rehearsed(estate: Served, open_page: OpenPage) -> None:
    """A script leads to its effect by section; the URL has it, and nothing is recorded."""
    before = estate.head()
    page = open_page(f"{estate.url}/plan")
    page.get_by_label("MQSC script").fill("ALTER QLOCAL(ORDERS) PUT(DISABLED)\nALTER QLOCAL(NONE)")
    page.get_by_label("for queue manager").fill("QM2")
    page.get_by_role("button", name="Rehearse").click()
    expect(page).to_have_url(re.compile(r"/plan\?on=QM2&script=ALTER"))
    commands = page.get_by_role("region", name="Commands")
    expect(commands).to_contain_text("accepted")
    expect(commands).to_contain_text("refused")
    definitions = page.get_by_role("region", name="Definitions")
    expect(definitions).to_contain_text("QLOCAL(ORDERS) PUT ENABLED -> DISABLED")
    expect(page.get_by_role("region", name="Routing")).to_contain_text("FR1")
    command = page.locator(".same pre").inner_text()
    assert command.endswith("| twin plan QM2=-")
    assert "ALTER QLOCAL(NONE)" in command
    assert serious_violations(page) == []
    assert estate.head() == before


def test_an_end_is_planned_by_its_url(estate: Served) -> None:
    """A URL alone plans to end a queue manager; programs get the document of `twin plan`."""
    answer = estate.reader.get("/plan.json", params={"stop": "QM3", "advance": "12h"}).json()
    assert answer["commands"] == ["twin plan --stop QM3 --advance 12h"]
    document = answer["tables"]["plan"]
    with Twin.open(estate.log_url, read_only=True) as twin:
        asked = Request(
            changes=lambda _: [Command.program("QM3", "endmqm")], advance=12 * 3600 * 10**6
        )
        expected = document_of(plan(twin, asked))
    assert document["summary"] == expected["summary"]
    assert document["changes"][0]["after"] == "ended"


def test_a_long_script_and_one_with_a_password_stay_out_of_the_url(estate: Served) -> None:
    """The service holds such a script in memory, and the URL names it by a key."""
    for script in (SECRET, "* a comment\n" * 400 + "ALTER QMGR DESCR('long')"):
        answer = post(estate.reader, on="QM1", script=script)
        assert answer.status_code == 303
        location = answer.headers["location"]
        assert "kept=" in location
        assert "LDAPPWD" not in location
        result = estate.reader.get(location.replace("/plan?", "/plan/part/result?"))
        assert result.status_code == 200
        assert "hidden words" not in result.text


def test_a_form_of_another_site_is_refused(estate: Served) -> None:
    """Without the token of the page nothing is taken."""
    assert estate.reader.post("/plan", data={"on": "QM1", "stop": "QM1"}).status_code == 403


@pytest.mark.parametrize(
    ("query", "status", "problem"),
    [
        ("stop=NOBODY", 400, "NOBODY"),
        ("refresh=QM1", 400, "QM1"),
        ("stop=QM1&advance=soon", 400, "soon"),
        ("stop=QM1&advance=-1h", 400, "-1h"),
        ("on=QM1&kept=unknown", 400, "paste it again"),
        ("", 400, "nothing to plan"),
    ],
)
def test_bad_input_is_named(estate: Served, query: str, status: int, problem: str) -> None:
    """What cannot be planned is answered in one line."""
    answer = estate.reader.get(f"/plan/part/result?{query}")
    assert (answer.status_code, problem in answer.text) == (status, True)
