"""The view What if: steps rehearsed for everybody, recorded on a branch by those who may."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.conftest import Serve
from tests.web.serving import Served, copy_log
from twin.app.twin import Twin
from twin.web.pages.whatif_steps import added_step

STEPS = "endmqm QM3\ncut FR1 QM2\nQM2: RESUME QMGR CLUSTER(SALES)\npass 12h"


def send(client: httpx.Client, path: str, query: str = "", **fields: str) -> httpx.Response:
    """Send a form with the token that the page shows to its user."""
    token = re.search(r'name="form_token" value="([^"]+)"', client.get("/what-if").text)
    assert token is not None
    return client.post(f"/what-if{path}{query}", data={"form_token": token[1], **fields})


def positions(served: Served) -> dict[str, int]:
    """Return the last position that each branch sees."""
    with Twin.open(served.log_url, read_only=True) as twin:
        return {each.name: twin.log.head(each.name).position for each in twin.log.branches()}


def test_steps_are_rehearsed_beside_doing_nothing(estate: Served, open_page: OpenPage) -> None:
    """Steps chosen from a list are planned beside doing nothing, and nothing is recorded."""
    before = estate.head()
    page = open_page(f"{estate.url}/what-if")
    page.get_by_label("add a step").select_option("let time pass")
    expect(page.get_by_label("queue manager", exact=True)).to_be_hidden()
    page.get_by_label("add a step").select_option("cut a link")
    page.get_by_label("queue manager", exact=True).fill("FR1")
    page.get_by_label("other queue manager").fill("QM2")
    page.get_by_role("button", name="Rehearse").click()
    expect(page.get_by_label("steps, one on a line")).to_have_value("cut FR1 QM2")
    page.get_by_label("steps, one on a line").fill(STEPS)
    page.get_by_role("button", name="Rehearse").click()
    expect(page.get_by_role("region", name="Definitions")).to_contain_text("running -> ended")
    steps = page.get_by_role("region", name="Commands")
    expect(steps).to_contain_text("cut FR1 QM2")
    expect(steps).to_contain_text("pass 12h")
    expect(steps).to_contain_text("AMQ8556I")
    expect(page.get_by_role("status").first).to_contain_text("Plan: ")
    assert serious_violations(page) == []
    assert estate.head() == before


def test_steps_are_recorded_on_a_new_branch(own_estate: Served) -> None:
    """Recording makes the branch, carries out the steps there, and adds nothing to main."""
    main = positions(own_estate)["main"]
    answer = send(own_estate.admin, "/record", name="outage", steps=STEPS)
    assert answer.headers["location"] == "/what-if?branch=outage"
    assert positions(own_estate)["main"] == main
    with Twin.open(own_estate.log_url, branch="outage", read_only=True) as twin:
        assert not twin.view()[0].qmgr("QM3").running
        begun = twin.log.branch("outage").fork_occurred_at
        assert twin.present() - begun == 12 * 3600 * 10**6
    compared = own_estate.reader.get("/what-if.json?branch=outage").json()
    assert compared["commands"] == ["twin branch diff outage"]
    rows = compared["tables"]["changes"]["rows"]
    assert ("QM3", "status") in {(row["on"], row["field"]) for row in rows}


def test_a_branch_goes_on_and_is_deleted(own_estate: Served) -> None:
    """More steps go onto the branch of the page, and deleting it leads back to main."""
    send(own_estate.admin, "/record", name="outage", steps="endmqm QM3")
    send(own_estate.admin, "/record", "?branch=outage", steps="strmqm QM3\nendmqm NOBODY")
    with Twin.open(own_estate.log_url, branch="outage", read_only=True) as twin:
        assert twin.view()[0].qmgr("QM3").running
    answer = send(own_estate.admin, "/delete", "?branch=outage", name="outage")
    assert answer.headers["location"] == "/what-if"
    assert list(positions(own_estate)) == ["main"]


def test_what_was_refused_is_said(own_estate: Served) -> None:
    """A step that is refused leads to a page that names it; the others were carried out."""
    answer = send(own_estate.admin, "/record", name="outage", steps="endmqm NOBODY\nendmqm QM4")
    shown = own_estate.admin.get(answer.headers["location"]).text
    assert "Recorded, but refused:</b> endmqm NOBODY" in shown


def test_steps_that_take_too_long_let_others_record(
    serve: Serve, scene_log: Path, tmp_path: Path
) -> None:
    """What is left of the steps after the time for recording is refused, and the page says so."""
    service = serve(log=copy_log(scene_log, tmp_path / "served"), recording=0.0)
    steps = "\n".join(f"pass {days}d" for days in range(1, 8))
    answer = send(service.admin, "/record", name="long", steps=steps)
    shown = service.admin.get(answer.headers["location"]).text
    assert "pass 5d; and 2 more (not recorded, or in part: the steps took too long" in shown
    with Twin.open(service.log_url, branch="long", read_only=True) as twin:
        assert twin.present() == twin.log.branch("long").fork_occurred_at


@pytest.mark.parametrize(
    ("query", "name", "problem"),
    [
        ("?known-at=2026-01-01T00:00:00Z", "new", "leave out known-at"),
        ("?branch=outage&known-at=now", "", "leave out known-at"),
        ("?branch=outage&as-of=-1h", "", "where branch outage ends: leave out as-of"),
    ],
)
def test_nothing_is_recorded_elsewhere_than_it_was_rehearsed(
    own_estate: Served, query: str, name: str, problem: str
) -> None:
    """Steps of a page that cannot be recorded as it rehearsed them are refused, not moved."""
    send(own_estate.admin, "/record", name="outage", steps="endmqm QM3")
    before = own_estate.head()
    answer = send(own_estate.admin, "/record", query, name=name, steps="endmqm QM4")
    assert (answer.status_code, problem in answer.text) == (400, True)
    assert own_estate.head() == before
    assert list(positions(own_estate)) == ["main", "outage"]


def test_the_commands_let_the_minute_pass_in_which_steps_take_effect(estate: Served) -> None:
    """The page compares a minute after the last step, and so do its commands."""
    query = {"steps": "endmqm QM3\npass 12h"}
    commands = estate.reader.get("/what-if.json", params=query).json()["commands"]
    assert commands[-3:] == [
        "twin --branch NAME advance --to +12h",
        "twin --branch NAME advance --to +1m",
        "twin branch diff NAME",
    ]


def test_nothing_is_offered_for_what_was_known_once(own_estate: Served) -> None:
    """A branch forks from all that is known now, so recording would do something else."""
    query = {"steps": "endmqm QM3", "known-at": "now"}
    assert own_estate.admin.get("/what-if.json", params=query).json()["commands"] == []
    text = own_estate.admin.get("/what-if", params=query).text
    assert "leave out known-at" in text
    assert "Record on a branch" not in text


def test_nothing_is_ever_recorded_on_main(own_estate: Served) -> None:
    """Without the name of a branch the steps of a page of main are refused, and main stays."""
    before = own_estate.head()
    assert send(own_estate.admin, "/record", steps="endmqm QM3").status_code >= 400
    assert send(own_estate.admin, "/delete", name="main").status_code >= 400
    assert own_estate.head() == before


def test_readers_rehearse_without_a_name(own_estate: Served) -> None:
    """A reader gets the same plan, is offered no branch, and may not record one."""
    result = own_estate.reader.get("/what-if/part/result", params={"steps": STEPS})
    assert "Compared at" in result.text
    page = own_estate.reader.get("/what-if", params={"steps": STEPS}).text
    assert "You may rehearse steps, but not record them." in page
    assert "Record on a branch" not in page
    before = own_estate.head()
    assert send(own_estate.reader, "/record", name="mine", steps=STEPS).status_code == 403
    assert own_estate.head() == before


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("steps=explode+QM1", "cannot do"),
        ("steps=pass+9999d", "cannot do"),
        ("steps=" + "pass+100d%0A" * 5, "more than 400 days pass together"),
        ("steps=" + "pass+1s%0A" * 201, "there are 201 steps; at most 200"),
        ("branch=none", "none"),
        ("", "nothing to compare"),
    ],
)
def test_bad_input_is_named(estate: Served, query: str, problem: str) -> None:
    """What cannot be rehearsed is answered in one line."""
    answer = estate.reader.get(f"/what-if/part/result?{query}")
    assert 400 <= answer.status_code < 500
    assert problem in answer.text


def test_steps_with_a_password_stay_out_of_the_url(estate: Served) -> None:
    """The service holds such steps, and shows them masked."""
    secret = "QM1: DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) LDAPPWD('hidden words')"  # noqa: S105
    location = send(estate.reader, "", steps=secret).headers["location"]
    assert "hidden" not in location
    result = estate.reader.get(location.replace("/what-if?", "/what-if/part/result?")).text
    assert "LDAPPWD" in result
    assert "hidden words" not in result


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        ({"act": "pass", "on": "QM1", "what": "12h"}, "pass 12h"),
        ({"act": "suspend", "on": "QM1", "what": "SALES"}, "QM1: SUSPEND QMGR CLUSTER(SALES)"),
        ({"act": "suspend", "on": "QM1", "what": "sales"}, "QM1: SUSPEND QMGR CLUSTER('sales')"),
        ({"act": "resume", "on": "QM1", "what": "'sales'"}, "QM1: RESUME QMGR CLUSTER('sales')"),
        ({"act": "cut", "on": "QM1"}, "cut QM1"),
        ({"on": "QM1"}, "QM1"),
        ({}, ""),
    ],
)
def test_the_form_adds_one_step(fields: dict[str, str], step: str) -> None:
    """What is missing is not guessed, and not left out in silence: reading the step names it."""
    assert added_step(fields) == step
