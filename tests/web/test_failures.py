"""What requests get that fail: the status, the form of each face, and no details of our errors."""

from __future__ import annotations

import asyncio
import logging

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.web.conftest import Serve
from tests.web.serving import CSRF, Served
from twin.app.protection import ObservedOnMain
from twin.errors import BadInstant, TwinError
from twin.log import LogBusy, LogDamaged, NoSuchBranch
from twin.web.errors import Busy, headers_of, status_of
from twin.web.failures import Failure, add_failures, failure_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadInstant("x"), 400),
        (NoSuchBranch("x"), 404),
        (ObservedOnMain("QM1", "..."), 403),
        (LogBusy("x"), 503),
        (Busy(), 503),
        (LogDamaged(1, "x"), 500),
        (TwinError("x"), 500),
    ],
)
def test_each_kind_of_error_has_its_status(error: TwinError, status: int) -> None:
    """What the client can mend is 4xx; what passes by itself is 503, and says when to try again."""
    assert status_of(error) == status
    assert headers_of(error) == ({"Retry-After": "5"} if status == 503 else {})


def test_an_unforeseen_error_is_logged_under_the_number_that_the_client_gets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The answer has only the number; the log has it with the traceback."""
    with caplog.at_level(logging.ERROR):
        failure = failure_of(KeyError("a secret"))
    assert failure.status == 500
    assert "secret" not in failure.message
    assert f"error {failure.number}" in caplog.text
    assert "KeyError: 'a secret'" in caplog.text


def test_each_face_has_its_form(demo_service: Served) -> None:
    """A missing address is an error document of mqweb, problem details, or a page."""
    nobody = demo_service.nobody
    mqweb = nobody.get("/ibmmq/rest/v1/none")
    (error,) = mqweb.json()["error"]
    assert (mqweb.status_code, error["type"], error["reasonCode"]) == (404, "rest", 0)
    assert error["message"].startswith(error["msgId"])
    api = nobody.get("/twin/v1/none")
    assert (api.status_code, api.headers["content-type"]) == (404, "application/problem+json")
    assert api.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "there is nothing at this address",
    }
    page = nobody.get("/none/<b>")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "there is nothing at this address" in page.text


def test_errors_of_twin_are_answered_with_their_message(demo_service: Served) -> None:
    """An error that twin raises on purpose is answered with its class and its line."""
    answer = demo_service.reader.get("/twin/v1/ask/members", params={"as-of": "soon"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "BadInstant"
    assert answer.json()["detail"].startswith("'soon' is not a time")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"scripts": ', "the body is not JSON at its character 13"),
        (b"\xff", "the body of the request cannot be read"),
        (b'{"scripts": [{"on": "QM1"}]}', "scripts.0.text: Field required"),
        (b'{"refresh": ["PR1"]}', "refresh.0: expected a JSON object"),
        (b'{"stop": "PR1"}', "stop: expected a list"),
        (b"{}", "nothing to plan; give scripts, suspend, stop or refresh"),
    ],
)
def test_a_body_that_cannot_be_read_says_where(
    demo_service: Served, body: bytes, detail: str
) -> None:
    """The words are ours, not those of Python's reader of JSON."""
    headers = {**CSRF, "content-type": "application/json"}
    answer = demo_service.reader.post("/twin/v1/plan", content=body, headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (400, detail)


def test_a_method_that_an_address_does_not_take_names_those_that_it_takes(
    demo_service: Served,
) -> None:
    """405 has the header Allow."""
    answer = demo_service.admin.put("/twin/v1/ask/members")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_a_service_whose_log_disappears_says_so(serve: Serve) -> None:
    """Without its log a service answers 503, not 404 and not 500."""
    service = serve()
    service.log.unlink()
    answer = service.reader.get("/twin/v1/ask/members")
    assert (answer.status_code, answer.json()["error"]) == (503, "LogMoved")
    assert answer.headers["retry-after"] == "5"


def test_no_traceback_leaves_the_server(caplog: pytest.LogCaptureFixture) -> None:
    """A route that fails as nobody foresaw is answered 500, without a word of the error."""
    application = FastAPI()

    @application.get("/")
    def fails() -> None:
        message = "a secret"
        raise KeyError(message)

    def answer(request: Request, failure: Failure) -> Response:
        del request
        return JSONResponse({"message": failure.message}, failure.status)

    add_failures(application, {"": answer})

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get("/")

    answered = asyncio.run(get())
    assert answered.status_code == 500
    assert answered.json()["message"].startswith("an unexpected error")
    assert "secret" not in answered.text
    assert "a secret" in caplog.text


def test_a_body_without_its_content_type_is_415_and_names_it(demo_service: Served) -> None:
    """A form, as curl -d sends without a header, is not read as JSON."""
    headers = {**CSRF, "content-type": "application/x-www-form-urlencoded"}
    post = demo_service.reader.post
    answer = post("/twin/v1/plan", content=b'{"stop": ["PR1"]}', headers=headers)
    assert answer.status_code == 415
    assert "Content-Type: application/json" in answer.json()["detail"]


def test_errors_of_rest_say_what_to_do_about_each(demo_service: Served) -> None:
    """A missing user, header, role, resource, method and name of the service differ."""
    nobody, reader = demo_service.nobody, demo_service.reader
    url = "/ibmmq/rest/v3/admin/qmgr"
    queue = f"{url}/PR1/queue/Q"
    answers = (
        (nobody.get(url), 401, "Send the name and the password"),
        (reader.delete(queue), 403, "Add the header ibm-mq-rest-csrf-token"),
        (reader.delete(queue, headers=CSRF), 403, "Ask an administrator"),
        (reader.get("/ibmmq/rest/v3/none"), 404, "Correct the path or the name."),
        (reader.put(url, headers=CSRF), 405, "Use a method that the resource takes."),
        (reader.get(url, headers={"host": "other.example"}), 421, "Use a name of the service"),
    )
    for answer, status, action in answers:
        assert answer.status_code == status, answer.text
        assert answer.json()["error"][0]["action"].startswith(action)
