"""Reviews over HTTP: explain, plan, doctor and runbooks, as the command line gives them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.web.conftest import Serve
from tests.web.serving import CSRF, Served
from twin.app.twin import Twin
from twin.questions.catalogue import QUESTIONS
from twin.review.runbooks.runbook import RUNBOOKS

QUEUE: Final = "CLUS.WL.TEST"
PUT: Final = {"on": "PR1", "queue": QUEUE}
SCRIPT: Final = {"on": "PR3", "text": f"ALTER QLOCAL({QUEUE}) PUT(ENABLED)", "file": "a.mqsc"}


def test_a_put_is_explained(demo_service: Served) -> None:
    """The routes are those of `twin explain`, and a wrong name is said."""
    answer = demo_service.reader.get("/twin/v1/explain", params=PUT)
    assert answer.status_code == 200, answer.text
    rows = answer.json()["rows"]
    assert any(row["chosen"] for row in rows)
    assert all(set(QUESTIONS["explain"].names) <= row.keys() for row in rows)
    past = demo_service.reader.get("/twin/v1/explain", params=PUT | {"as-of": "-100d"})
    assert past.status_code == 404
    wrong = demo_service.reader.get("/twin/v1/explain", params=PUT | {"bind": "often"})
    assert wrong.status_code == 400


def test_a_plan_is_made_by_a_reader_and_records_nothing(serve: Serve) -> None:
    """A plan is the document of `twin plan --format json`; the log stays as it is."""
    service = serve()
    head = service.head()
    body: dict[str, Any] = {
        "scripts": [SCRIPT],
        "suspend": ["PR2"],
        "stop": ["PR4"],
        "refresh": [{"on": "PR1", "cluster": "CLUSTEST"}],
        "puts": [PUT],
        "advance": "1h",
    }
    answer = service.reader.post("/twin/v1/plan", json=body, headers=CSRF)
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert [each["on"] for each in plan["commands"]] == ["PR3", "PR2", "PR4", "PR1"]
    assert plan["script"] == [{"on": "PR3", "file": "a.mqsc"}]
    assert plan["changes"]
    assert service.head() == head


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ([], 400),
        ({"scripts": [SCRIPT], "colour": "red"}, 400),
        ({"scripts": [{"on": "PR3"}]}, 400),
        ({"scripts": [SCRIPT], "advance": "-1d"}, 400),
        ({"scripts": [SCRIPT], "advance": "soon"}, 400),
        ({"scripts": [SCRIPT | {"on": "NONE"}]}, 404),
        ({"stop": ["NONE"]}, 404),
        ({"suspend": ["NONE"]}, 404),
        ({"stop": ["PR1"], "puts": [PUT | {"bind": "often"}]}, 400),
        ({"stop": ["PR1"] * 1001}, 400),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(
    demo_service: Served, body: Any, status: int
) -> None:
    """A body that is no plan is 400; a queue manager that does not exist is 404."""
    answer = demo_service.reader.post("/twin/v1/plan", json=body, headers=CSRF)
    assert answer.status_code == status, answer.text


def test_the_doctor_finds_what_the_command_finds(demo_service: Served) -> None:
    """The findings can be limited by rule, cluster and queue manager."""
    get = demo_service.reader.get
    found = get("/twin/v1/doctor", params={"prove": "false"}).json()["rows"]
    with Twin.open(demo_service.log_url, read_only=True) as twin:
        expected = twin.ask("doctor").rows
    assert {(each["id"], each["object"]) for each in found} == {
        (row["id"], row["object"]) for row in expected
    }
    assert get("/twin/v1/doctor", params={"rule": "none"}).status_code == 404
    assert get("/twin/v1/doctor", params={"cluster": "NONE"}).status_code == 404


@pytest.mark.parametrize(("reason", "shown"), [("", "skipped"), (":moved soon", "moved soon")])
def test_the_findings_of_a_skipped_rule_are_suppressed(
    demo_service: Served, reason: str, shown: str
) -> None:
    """With the reason that was given, or without one, as `twin doctor --skip` has them."""
    get = demo_service.reader.get
    rule = get("/twin/v1/doctor", params={"prove": "false"}).json()["rows"][0]["id"]
    only = {"rule": rule, "skip": f"{rule}{reason}", "prove": "false"}
    document = get("/twin/v1/doctor", params=only).json()
    assert document["rows"] == []
    assert {row["suppressed"]["reason"] for row in document["suppressed"]} == {shown}


@pytest.mark.parametrize("name", RUNBOOKS)
def test_every_runbook_is_worked_out(demo_service: Served, name: str) -> None:
    """A runbook has its steps, each with how far it is."""
    body = {"qmgr": "FR1", "cluster": "CLUSTEST"}
    if name == "move-full-repository":
        body["to"] = "PR1"
    answer = demo_service.reader.post(f"/twin/v1/runbooks/{name}", json=body, headers=CSRF)
    assert answer.status_code == 200, answer.text
    listed = demo_service.reader.get("/twin/v1/runbooks").json()["runbooks"]
    (steps,) = (each["steps"] for each in listed if each["name"] == name)
    assert [step["id"] for step in answer.json()["steps"]] == steps


def test_a_runbook_that_does_not_exist_is_named(demo_service: Served) -> None:
    """The answer lists the runbooks; an unknown queue manager is 404, too."""
    post = demo_service.reader.post
    unknown = post("/twin/v1/runbooks/leve", json={"qmgr": "FR1"}, headers=CSRF)
    assert unknown.status_code == 404
    assert "did you mean leave?" in unknown.json()["detail"]
    nobody = post("/twin/v1/runbooks/leave", json={"qmgr": "NONE"}, headers=CSRF)
    assert nobody.status_code == 404
