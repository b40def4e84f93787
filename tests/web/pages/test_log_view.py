"""The view Log: events by cause, newest first, each with its origin and what it led to."""

from __future__ import annotations

import html
import re

import pytest
from playwright.sync_api import expect

from tests.web.browser import OpenPage, serious_violations
from tests.web.serving import CSRF, Served
from twin.app.twin import Twin
from twin.model.instants import format_instant
from twin.web.pages import log_view


def test_an_event_shows_its_cause_and_what_it_led_to(estate: Served, open_page: OpenPage) -> None:
    """A primary fact leads to derived ones, and each of these leads back to it."""
    with Twin.open(estate.log_url, read_only=True) as twin:
        command = next(
            each
            for each in twin.log.events(types=["CommandEntered"])
            if "STOP CHANNEL" in each.body
        )
    page = open_page(f"{estate.url}/log?position={command.position}")
    event = page.get_by_role("region", name=f"Event {command.position}")
    expect(event).to_contain_text("none: it is a primary fact")
    expect(event).to_contain_text("STOP CHANNEL(SALES.QM4)")
    expect(event).to_contain_text("ChannelStatusChanged")
    event.get_by_role("link", name=str(command.position + 1), exact=True).click()
    derived = page.get_by_role("region", name=f"Event {command.position + 1}")
    expect(derived).to_contain_text("STOPPED")
    expect(derived.get_by_role("definition").filter(has_text="CommandEntered")).to_be_visible()
    assert serious_violations(page) == []


def test_what_a_late_fact_derived_again_is_among_what_an_event_led_to(
    own_estate: Served,
) -> None:
    """However far on in the log the consequences are, the event leads to all of them."""
    with Twin.open(own_estate.log_url) as twin:
        commands = twin.log.events(types=["CommandEntered"])
        command = next(each for each in commands if "STOP CHANNEL" in each.body)
        twin.runmqsc("GW%1", "\n".join(f"DEFINE QLOCAL(Q{n})" for n in range(120)))
        middle = twin.log.last().position
        twin.ingest("DEFINE QLOCAL(LATE)", qmgr="QM1", at=command.occurred_at - 1)
        (again,) = [
            each.position
            for each in twin.log.events(branch="main", after=middle)
            if each.cause == command.event_id
        ]
    assert again > command.position + 240
    text = own_estate.reader.get(f"/log?position={command.position}").text
    led_to = text.partition("What it led to")[2].partition("</section>")[0]
    positions = [int(each) for each in re.findall(r"position=(\d+)", led_to)]
    assert positions == [command.position + 1, again]


def test_a_search_for_consequences_that_ends_early_is_said(
    estate: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not searched is not called nothing."""
    monkeypatch.setattr(log_view, "_SEARCHED", 0)
    with Twin.open(estate.log_url, read_only=True) as twin:
        last = twin.log.last().position
    text = estate.reader.get("/log?position=1").text
    assert "Nothing is found that was derived from it." in text
    assert f"Searched up to position 1 of {last}." in text


def test_events_are_filtered_and_paged_backwards(estate: Served) -> None:
    """The latest events come first; `older` leads to those before, without gap or repetition."""
    with Twin.open(estate.log_url, read_only=True) as twin:
        expected = [each.position for each in twin.log.events(branch="main")]
    query, positions = "/log", list[int]()
    for _ in range(20):
        answer = estate.reader.get(query)
        document = estate.reader.get(query.replace("/log", "/log.json", 1)).json()
        positions = [row["position"] for row in document["tables"]["log"]["rows"]] + positions
        older = re.search(r'rel="next" href="([^"]+)">older', answer.text)
        if older is None:
            break
        query = older[1].replace("&amp;", "&")
    assert positions == expected


def test_only_what_is_asked_for_is_shown(estate: Served) -> None:
    """A queue manager, a type and a name narrow the events, as in `twin log show`."""
    filters = {"qmgr": "QM1", "type": "ChannelStatusChanged", "name": "SALES.QM4"}
    document = estate.reader.get("/log.json", params=filters).json()
    rows = document["tables"]["log"]["rows"]
    assert {(row["qmgr"], row["type"].partition("@")[0]) for row in rows} == {
        ("QM1", "ChannelStatusChanged")
    }
    assert all("SALES.QM4" in row["text"] for row in rows)
    command = "twin log show --qmgr QM1 --type ChannelStatusChanged --name SALES.QM4 --after"
    assert document["commands"][0].startswith(command)


def test_an_earlier_point_hides_what_came_later(estate: Served) -> None:
    """As of an earlier instant the log ends there."""
    with Twin.open(estate.log_url, read_only=True) as twin:
        events = list(twin.log.events(branch="main"))
    middle = events[len(events) // 2].occurred_at
    document = estate.reader.get("/log.json", params={"as-of": format_instant(middle)}).json()
    last = max(each.position for each in events if each.occurred_at <= middle)
    assert document["tables"]["log"]["rows"][-1]["position"] == last


def test_the_command_lists_the_cause_of_the_first_events_too(estate: Served) -> None:
    """A page that begins amid what a command led to shows the command, and so does `log show`."""
    with Twin.open(estate.log_url, read_only=True) as twin:
        events = list(twin.log.events(branch="main"))
    at = next(n for n, each in enumerate(events) if n > 60 and events[n - 60].cause)
    document = estate.reader.get("/log.json", params={"before": str(events[at].position)}).json()
    first = document["tables"]["log"]["rows"][0]
    cause = next(each for each in events if each.event_id == first["cause"])
    lead = first["position"] - cause.position
    expected = f"twin log show --after {cause.position - 1} --limit {60 + lead}"
    assert document["commands"] == [expected]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("type=Nonsense", "parameter type; expected a type of event"),
        ("qmgr=NOBODY", "NOBODY"),
        ("position=99999999", "parameter position; expected the position of an event"),
    ],
)
def test_bad_input_is_named(estate: Served, query: str, problem: str) -> None:
    """An unknown type, queue manager or position is named in one line."""
    answer = estate.reader.get(f"/log?{query}")
    assert 400 <= answer.status_code < 500
    assert problem in answer.text


def test_the_origin_of_an_event_is_shown_once(own_estate: Served) -> None:
    """Beside what a fact says the page shows where it came from, and not twice."""
    body = {"type": "runCommand", "parameters": {"command": "DEFINE QLOCAL(NEW)"}}
    path = "/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc"
    assert own_estate.admin.post(path, json=body, headers=CSRF).status_code == 200
    query = {"qmgr": "QM1", "type": "CommandEntered"}
    row = own_estate.reader.get("/log.json", params=query).json()["tables"]["log"]["rows"][-1]
    page = html.unescape(own_estate.reader.get("/log", params=query).text)
    assert page.count(f"from {row['origin']}") == 1


def test_empty_fields_are_left_out(estate: Served) -> None:
    """The line of an event has the fields that say something; false and 0 do."""
    answer = estate.admin.get("/log.json", params={"qmgr": "QM1", "type": "PutEntered"})
    text = answer.json()["tables"]["log"]["rows"][0]["text"]
    assert "count=9 bind=asqdef" in text
    assert "put1=false" in text
    assert not re.search(r"=(\s|$)", text)


def test_a_call_that_failed_is_marked(own_estate: Served, open_page: OpenPage) -> None:
    """The list, the details and the tables have the answer that the caller got."""
    with Twin.open(own_estate.log_url) as twin:
        twin.put("GW%1", "NOT.THERE")
        position = twin.log.last().position
    answer = "2085 MQRC_UNKNOWN_OBJECT_NAME, 0 of 1 were put"
    row = own_estate.reader.get("/log.json").json()["tables"]["log"]["rows"][-1]
    assert (row["position"], row["failed"]) == (position, answer)
    page = open_page(f"{own_estate.url}/log?position={position}")
    details = page.get_by_role("region", name=f"Event {position}")
    expect(details).to_contain_text(f"failed {answer}")
    expect(page.get_by_role("region", name="Events")).to_contain_text(f"failed {answer}")
    assert serious_violations(page) == []
