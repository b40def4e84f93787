"""`/twin/v1/ask`: every question over HTTP, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from tests.schemas import mismatches
from tests.web.conftest import Serve
from tests.web.serving import CSRF, Served
from twin.app.twin import Twin
from twin.model.instants import format_instant
from twin.questions.catalogue import QUESTIONS
from twin.questions.schema import schema_of, schema_of_comparison

QUEUE: Final = "CLUS.WL.TEST"
NEEDED: Final = {
    "access": {"queue": QUEUE},
    "explain": {"on": "PR1", "queue": QUEUE},
    "route": {"on": "PR1", "queue": QUEUE},
    "browse": {"on": "PR3", "queue": QUEUE},
}
"""The filters without which questions cannot be asked."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered_as_on_the_command_line(
    demo_service: Served, question: str
) -> None:
    """The answer is that of `twin ask`, and fits the schema of the question."""
    filters: dict[str, Any] = {**NEEDED.get(question, {})}
    with Twin.open(demo_service.log_url, read_only=True) as twin:
        point = twin.as_of(valid=twin.present())
        times: dict[str, Any] = {"as_of": point.valid, "known_at": point.known}
        expected = twin.ask(question, **times, **filters)
    valid, known = format_instant(point.valid), format_instant(point.known)
    params = {**filters, "as-of": valid, "known-at": known}
    answer = demo_service.reader.get(f"/twin/v1/ask/{question}", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.json() == expected.as_json()
    assert list(mismatches(answer.json(), schema_of(question))) == []
    shown = demo_service.reader.get(f"/twin/v1/ask/{question}", params={**params, "format": "csv"})
    assert shown.headers["content-type"] == "text/csv; charset=utf-8"
    head, *rows = csv.reader(io.StringIO(shown.text))
    assert tuple(head) == QUESTIONS[question].names
    assert len(rows) == len(expected.rows)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q not in NEEDED])
def test_questions_are_answered_as_of_now(demo_service: Served, question: str) -> None:
    """Without a time the answer is of now, whether a reader or a worker computes it."""
    answer = demo_service.reader.get(f"/twin/v1/ask/{question}")
    assert answer.status_code == 200, answer.text
    assert list(mismatches(answer.json(), schema_of(question))) == []


def test_many_questions_about_the_past_at_once_are_answered(demo_service: Served) -> None:
    """Twenty equal and twenty different requests wait for the processes, and none is refused."""
    times = [*["-2h"] * 20, *(f"-{minutes}m" for minutes in range(1, 21))]
    with ThreadPoolExecutor(len(times)) as threads:
        answers = threads.map(
            lambda time: demo_service.reader.get(
                "/twin/v1/ask/members", params={"as-of": time}, timeout=None
            ),
            times,
        )
        assert [answer.status_code for answer in answers] == [200] * len(times)


def test_an_answer_about_a_fixed_instant_is_kept_until_something_is_recorded(serve: Serve) -> None:
    """It says what the log knew when it was computed; of a relative instant none is kept."""
    service = serve()

    def known(as_of: str) -> str:
        answer = service.reader.get("/twin/v1/ask/members", params={"as-of": as_of})
        return str(answer.json()["as_of"]["known"])

    fixed = "2026-11-18T09:00:00Z"
    first = known(fixed)
    assert known(fixed) == first
    assert known("-2h") != known("-2h")
    service.admin.post("/twin/v1/branches", json={"name": "b"}, headers=CSRF)
    second = known(fixed)
    assert second > first
    with Twin.open(service.log_url) as twin:
        twin.put("PR1", QUEUE)
    assert known(fixed) > second


def test_a_span_and_a_comparison(demo_service: Served) -> None:
    """since, against and ignore work as the options of `twin ask`."""
    get = demo_service.reader.get
    changes = get("/twin/v1/ask/changes", params={"since": "-100d", "on": "PR3"}).json()
    (defined,) = [row for row in changes["rows"] if row["name"] == QUEUE]
    assert (defined["field"], defined["after"]) == ("definition", "QLOCAL")
    later = get("/twin/v1/ask/changes", params={"since": "-1s", "on": "PR3"}).json()
    assert later["rows"] == []
    params = {"against": "-100d"}
    compared = get("/twin/v1/ask/members", params=params).json()
    assert {row["change"] for row in compared["rows"]} == {"added"}
    assert list(mismatches(compared, schema_of_comparison("members"))) == []
    earlier = get("/twin/v1/ask/members", params={"as-of": "-2d", "against": "-1d"}).json()
    points = [datetime.fromisoformat(earlier[key]["valid"]) for key in ("as_of", "against")]
    assert points[0] - points[1] == timedelta(days=1)
    on_main = get("/twin/v1/ask/members", params={"against": "main", "ignore": "suspend"})
    assert on_main.json()["rows"] == []


def test_rows_and_columns_are_limited(demo_service: Served) -> None:
    """Columns and limit cut an answer; the evidence of its rows stays."""
    params: dict[str, Any] = {"columns": "qmgr,cluster", "limit": 2}
    answer = demo_service.reader.get("/twin/v1/ask/members", params=params).json()
    assert [row.keys() for row in answer["rows"]] == [{"qmgr", "cluster", "evidence"}] * 2
    text = demo_service.reader.get("/twin/v1/ask/members", params=params | {"format": "csv"}).text
    assert text.splitlines()[0] == "qmgr,cluster"
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("ask/nothing", 404, "unknown question 'nothing'; expected one of"),
        ("ask/members?colour=red", 400, "members has no filter colour; expected one of"),
        (
            "ask/members?basis=hearsay",
            400,
            "bad basis 'hearsay'; expected one of observed, derived",
        ),
        ("ask/waiting?position=0", 400, "bad position '0'; expected a whole number from 1"),
        ("ask/waiting?position=x", 400, "bad position 'x'; expected a whole number from 1"),
        ("ask/waiting?position=99999999999999999999999", 400, "bad position"),
        ("ask/changes?all=maybe", 400, "bad all 'maybe'"),
        ("ask/route?on=PR1", 400, "the question needs queue"),
        ("ask/members?since=-1d", 400, "members is about one instant"),
        ("ask/changes?since=2999-01-01", 400, "is later than the instant asked about"),
        ("ask/members?as-of=soon", 400, "'soon' is not a time"),
        ("ask/members?branch=none", 404, "unknown branch 'none'"),
        ("ask/members?against=none", 400, "against=none is neither a branch nor a time"),
        ("ask/members?ignore=qmtype", 400, ""),
        ("ask/members?format=xml", 400, "format: "),
        ("ask/members?limit=0", 400, "limit: "),
        ("ask/members?columns=colour", 400, "unknown column colour"),
        ("ask/explain?on=NONE&queue=Q", 404, "NONE"),
        ("schema/nothing", 404, "unknown question 'nothing'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    demo_service: Served, path: str, status: int, detail: str
) -> None:
    """Bad names and values are 400 or 404 with the words of the command line."""
    answer = demo_service.reader.get(f"/twin/v1/{path}")
    assert answer.status_code == status, answer.text
    assert detail in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_a_branch_is_asked_about(serve: Serve) -> None:
    """Questions on a branch see what happened there, by query or by header."""
    service = serve()
    with Twin.open(service.log_url) as twin:
        twin.create_branch("what-if")
        twin.on_branch("what-if").endmqm("PR1")
    name = "what-if"
    asked = service.reader.get("/twin/v1/ask/channels", params={"branch": name})
    assert asked.json()["as_of"]["branch"] == name
    headed = service.reader.get("/twin/v1/ask/channels", headers={"twin-branch": name})
    assert headed.json()["rows"] == asked.json()["rows"]


def test_the_questions_are_listed(demo_service: Served) -> None:
    """The list names each question with its filters; each has a schema."""
    listed = demo_service.reader.get("/twin/v1/ask").json()["questions"]
    assert [each["name"] for each in listed] == list(QUESTIONS)
    for each in listed:
        assert tuple(each["filters"]) == QUESTIONS[each["name"]].filters
        schema = demo_service.reader.get(f"/twin/v1/schema/{each['name']}").json()
        assert schema == schema_of(each["name"])
