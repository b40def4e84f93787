"""Every resource, with every role, header, name and body: the documented status, and no write.

A row of the table is a request that succeeds. From it follow the requests that must be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from tests.web.routes import routes
from tests.web.serving import CSRF, PASSWORD, Served, copy_log, served
from twin.web.pages.routes import VIEWS

ALL: Final = ("admin", "reader", "user")
WRITERS: Final = ("admin",)
MESSENGERS: Final = ("admin", "user")
ROLES: Final = {"admin", "reader", "user"}

QUEUE: Final = "CLUS.WL.TEST"
ADMIN: Final = "/ibmmq/rest/v3/admin"
MESSAGES: Final = "/ibmmq/rest/v3/messaging/qmgr/PR3/queue/SYSTEM.DEFAULT.LOCAL.QUEUE"
MQSC: Final = f"{ADMIN}/action/qmgr/PR3/mqsc"


def command(text: str) -> dict[str, Any]:
    """Return the body that runs a command."""
    return {"type": "runCommand", "parameters": {"command": text}}


class Row(NamedTuple):
    """A request that succeeds.

    Attributes:
        method, path: the request.
        route: the path of its route, if that has parameters.
        status: the status of its answer.
        who: the users who may do it.
        body: its body, for JSON.
        unknown: the same path with a name that does not exist, and its status.
        bad: bodies that are refused as bad requests.
    """

    method: str
    path: str
    route: str = ""
    status: int = 200
    who: tuple[str, ...] = ALL
    body: Any = None
    unknown: tuple[str, int] | None = None
    bad: tuple[Any, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether it needs the header of mqweb."""
        return self.method != "GET"


_BAD_MQSC: Final[tuple[Any, ...]] = (
    {},
    [],
    "x",
    {"type": "runCommand"},
    {"type": "x"},
    command("") | {"type": 1},
)
_QMGR: Final = f"{ADMIN}/qmgr/{{qmgr}}"
_ROWS: Final = (
    # mqweb
    Row("GET", f"{ADMIN}/installation"),
    Row(
        "GET",
        f"{ADMIN}/installation/Installation1",
        f"{ADMIN}/installation/{{name}}",
        unknown=(f"{ADMIN}/installation/None", 404),
    ),
    Row("GET", f"{ADMIN}/qmgr"),
    Row("GET", f"{ADMIN}/qmgr/PR3", _QMGR, unknown=(f"{ADMIN}/qmgr/NONE", 404)),
    *(
        Row(
            "GET",
            f"{ADMIN}/qmgr/PR3/{kind}",
            f"{_QMGR}/{kind}",
            unknown=(f"{ADMIN}/qmgr/NONE/{kind}", 404),
        )
        for kind in ("queue", "channel", "subscription")
    ),
    Row(
        "GET",
        f"{ADMIN}/qmgr/PR3/queue/{QUEUE}",
        f"{_QMGR}/queue/{{queue}}",
        unknown=(f"{ADMIN}/qmgr/PR3/queue/NONE", 404),
    ),
    Row(
        "GET",
        f"{ADMIN}/qmgr/PR3/channel/TO.PR3",
        f"{_QMGR}/channel/{{channel}}",
        unknown=(f"{ADMIN}/qmgr/PR3/channel/NONE", 404),
    ),
    Row(
        "POST",
        MQSC,
        f"{ADMIN}/action/qmgr/{{qmgr}}/mqsc",
        body=command("DISPLAY QLOCAL(*)"),
        unknown=(f"{ADMIN}/action/qmgr/NONE/mqsc", 404),
        bad=_BAD_MQSC,
    ),
    Row(
        "POST",
        MQSC,
        f"{ADMIN}/action/qmgr/{{qmgr}}/mqsc",
        who=WRITERS,
        body=command("DEFINE QLOCAL(MATRIX) REPLACE"),
        unknown=(f"{ADMIN}/action/qmgr/NONE/mqsc", 404),
    ),
    Row(
        "POST",
        f"{ADMIN}/qmgr/PR3/queue",
        f"{_QMGR}/queue",
        status=201,
        who=WRITERS,
        body={"name": "MADE"},
        unknown=(f"{ADMIN}/qmgr/NONE/queue", 404),
        bad=([], "x", {}, {"name": 1}),
    ),
    Row(
        "PATCH",
        f"{ADMIN}/qmgr/PR3/queue/MADE",
        f"{_QMGR}/queue/{{queue}}",
        status=204,
        who=WRITERS,
        body={"general": {"description": "made"}},
        unknown=(f"{ADMIN}/qmgr/NONE/queue/MADE", 404),
        bad=([], "x"),
    ),
    Row(
        "POST",
        f"{MESSAGES}/message",
        "/ibmmq/rest/v3/messaging/qmgr/{qmgr}/queue/{queue}/message",
        status=201,
        who=MESSENGERS,
        body="a message",
        unknown=(f"{MESSAGES.replace('PR3', 'NONE')}/message", 404),
    ),
    Row(
        "GET",
        f"{MESSAGES}/messagelist",
        "/ibmmq/rest/v3/messaging/qmgr/{qmgr}/queue/{queue}/messagelist",
        unknown=(f"{MESSAGES.replace('PR3', 'NONE')}/messagelist", 404),
    ),
    Row(
        "GET",
        f"{MESSAGES}/message",
        "/ibmmq/rest/v3/messaging/qmgr/{qmgr}/queue/{queue}/message",
        status=501,
        unknown=(f"{MESSAGES.replace('PR3', 'NONE')}/message", 404),
    ),
    Row(
        "DELETE",
        f"{MESSAGES}/message",
        "/ibmmq/rest/v3/messaging/qmgr/{qmgr}/queue/{queue}/message",
        who=MESSENGERS,
        unknown=(f"{MESSAGES.replace('PR3', 'NONE')}/message", 404),
    ),
    Row(
        "DELETE",
        f"{ADMIN}/qmgr/PR3/queue/MADE",
        f"{_QMGR}/queue/{{queue}}",
        status=204,
        who=WRITERS,
        unknown=(f"{ADMIN}/qmgr/PR3/queue/NONE", 404),
    ),
    Row("GET", "/ibmmq/rest/v3/login"),
    # the JSON interface
    Row("GET", "/twin/v1/openapi.json"),
    Row("GET", "/twin/v1/ask"),
    Row(
        "GET",
        "/twin/v1/ask/members",
        "/twin/v1/ask/{question}",
        unknown=("/twin/v1/ask/none", 404),
    ),
    Row(
        "GET",
        "/twin/v1/schema/members",
        "/twin/v1/schema/{question}",
        unknown=("/twin/v1/schema/none", 404),
    ),
    Row(
        "GET",
        f"/twin/v1/explain?on=PR1&queue={QUEUE}",
        unknown=(f"/twin/v1/explain?on=NONE&queue={QUEUE}", 404),
    ),
    Row(
        "POST",
        "/twin/v1/plan",
        body={"stop": ["PR4"]},
        unknown=("/twin/v1/plan?branch=none", 404),
        bad=({}, [], "x", {"stop": "PR4"}, {"halt": ["PR4"]}),
    ),
    Row("GET", "/twin/v1/doctor?prove=false", unknown=("/twin/v1/doctor?cluster=NONE", 404)),
    Row("GET", "/twin/v1/runbooks"),
    Row(
        "POST",
        "/twin/v1/runbooks/leave",
        "/twin/v1/runbooks/{name}",
        body={"qmgr": "PR4"},
        unknown=("/twin/v1/runbooks/none", 404),
        bad=({}, [], "x", {"qmgr": 1}, {"qmgr": "PR4", "lasts": "long"}),
    ),
    Row("GET", "/twin/v1/log/events", unknown=("/twin/v1/log/events?qmgr=NONE", 404)),
    Row("GET", "/twin/v1/branches"),
    Row(
        "POST",
        "/twin/v1/branches",
        status=201,
        who=WRITERS,
        body={"name": "matrix"},
        bad=({}, [], "x", {"name": ""}, {"name": "a b"}, {"name": "x", "colour": "red"}),
    ),
    Row(
        "DELETE",
        "/twin/v1/branches/matrix",
        "/twin/v1/branches/{name:path}",
        status=204,
        who=WRITERS,
        unknown=("/twin/v1/branches/none", 404),
    ),
    Row("GET", "/metrics", unknown=("/metrics?branch=none", 404)),
)
"""The requests for programs. Their order matters: what one makes, a later one uses."""

_OPEN: Final = {
    *(("GET", path) for path in ("/healthz", "/readyz", "/login", "/static/{digest}/{name:path}")),
    *(("POST", path) for path in ("/login", "/ibmmq/rest/v3/login")),
}
"""The routes that need no user."""

_ELSEWHERE: Final = {
    ("DELETE", "/ibmmq/rest/v3/login"),
    ("GET", f"{_QMGR}/subscription/{{subscription}}"),  # the demo has none
    ("GET", "/go"),
    ("POST", "/logout"),
}
"""The routes that are tested elsewhere: tokens, redirects, and what the demo does not have."""


def test_the_table_has_every_route() -> None:
    """Nobody adds a route without saying who may use it."""
    known = {(row.method, (row.route or row.path).partition("?")[0]) for row in _ROWS}
    rest = routes() - known - _OPEN - _ELSEWHERE
    pages = {each for each in rest if not each[1].startswith(("/ibmmq", "/twin"))}
    assert rest == pages
    assert known <= routes()


@pytest.fixture(scope="module")
def service(
    demo_log: Path, users_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Serve a copy of the demo's log that may be changed."""
    with served(copy_log(demo_log, tmp_path_factory.mktemp("matrix")), users_file) as running:
        yield running


def send(
    client: httpx.Client, row: Row, *, path: str = "", body: Any = None, header: bool = True
) -> httpx.Response:
    """Send the request of a row, or one that differs in the path, the body or the header."""
    given = row.body if body is None else body
    headers = dict(CSRF) if header and row.writes else {}
    content: dict[str, Any] = {} if given is None else {"json": given}
    if isinstance(given, str) and row.body == given:
        content = {"content": given}
        headers["Content-Type"] = "text/plain; charset=utf-8"
    return client.request(row.method, path or row.path, headers=headers, **content)


def clients(service: Served) -> dict[str, httpx.Client]:
    """Return the clients of the users, by their names."""
    return {"admin": service.admin, "reader": service.reader, "user": service.user}


def test_what_must_be_refused_is_refused_and_records_nothing(service: Served) -> None:
    """Without a user 401, without the header or the role 403, unknown names 404, bad bodies 400."""
    head = service.head()
    wrong: list[str] = []

    def expect(answer: httpx.Response, status: int, why: str) -> None:
        request = answer.request
        if answer.status_code != status or not _is_error(answer):
            line = f"{request.method} {request.url.raw_path.decode()}: {why}: {status}, not"
            wrong.append(f"{line} {answer.status_code} {answer.text[:200]}")

    for row in _ROWS:
        expect(send(service.nobody, row), 401, "nobody")
        if row.writes:
            for name in row.who:
                expect(send(clients(service)[name], row, header=False), 403, f"{name} no header")
        for name in ROLES - set(row.who):
            expect(send(clients(service)[name], row), 403, name)
        if row.unknown is not None:
            path, status = row.unknown
            for name in row.who:
                expect(send(clients(service)[name], row, path=path), status, "unknown")
        for body in row.bad:
            expect(send(service.admin, row, body=body), 400, f"body {body}")
    assert wrong == []
    assert service.head() == head


def _is_error(answer: httpx.Response) -> bool:
    """Return whether an answer has the error document of its face."""
    document: dict[str, Any] = answer.json()
    if answer.request.url.path.startswith("/ibmmq"):
        error: dict[str, Any]
        (error,) = document["error"]
        if error["explanation"] in error["message"]:
            return False
        return error.keys() >= {"msgId", "message", "explanation", "action", "type"}
    return document.keys() >= {"type", "title", "status", "detail"}


def test_what_is_allowed_succeeds(service: Served) -> None:
    """Every row succeeds for everybody who may do it."""
    wrong = []
    for row in _ROWS:
        for name in row.who:
            answer = send(clients(service)[name], row)
            if answer.status_code != row.status:
                wrong.append((name, row.method, row.path, answer.status_code, answer.text[:200]))
    assert wrong == []


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/go",
        "/metrics",
        *(f"/{view}{ending}" for view in VIEWS for ending in (".json", ".csv")),
        *(f"/{view}" for view in VIEWS if view != "estate"),
        *(f"/{name}/part/result" for name, view in VIEWS.items() if view.long),
        *("/twin/v1/ask", "/twin/v1/ask/members", "/twin/v1/schema/members", "/twin/v1/branches"),
        *("/twin/v1/explain?on=PR1&queue=Q", "/twin/v1/doctor", "/twin/v1/runbooks"),
        *("/twin/v1/log/events", "/twin/v1/openapi.json"),
        *(f"/ibmmq/rest/v3/admin/{name}" for name in ("qmgr", "installation", "qmgr/PR1/queue")),
    ],
)
def test_a_parameter_that_an_address_does_not_have_is_refused(
    demo_service: Served, path: str
) -> None:
    """It would be ignored, and the answer taken for one that respects it; the error names it."""
    join = "&" if "?" in path else "?"
    answer = demo_service.reader.get(f"{path}{join}clusterr=X&zz=")
    assert answer.status_code == 400, answer.text
    assert "clusterr" in answer.text
    assert demo_service.nobody.get(f"{path}{join}clusterr=X").status_code in {303, 401}


def test_the_form_to_sign_in_takes_only_the_page_to_go_on_with(demo_service: Served) -> None:
    """Any other parameter is refused there, too."""
    assert demo_service.nobody.get("/login?next=/map").status_code == 200
    assert demo_service.nobody.get("/login?nxt=/map").status_code == 400


def test_pages_lead_whoever_is_not_signed_in_to_the_form(service: Served) -> None:
    """Every page needs a user with a role; a form needs its token besides."""
    head = service.head()
    for method, path in sorted(routes() - _OPEN - _ELSEWHERE):
        if path.startswith(("/ibmmq", "/twin", "/metrics")):
            continue
        url = re.sub(r"\{[^}]*\}", "none", path)
        nobody = service.nobody.request(method, url)
        if method == "GET":
            assert nobody.status_code == 303, url
            assert nobody.headers["location"].startswith("/login?next="), url
            assert service.reader.get(url).status_code in {200, 303, 400, 404}, url
        else:
            assert nobody.status_code == 401, url
            for client in clients(service).values():
                refused = client.request(method, url, data={"form_token": "wrong"})
                assert refused.status_code == 403, url
    assert service.head() == head


@pytest.mark.parametrize("name", ["none.css", "%2e%2e/routes.py", "", "A" * 300])
def test_no_other_file_is_sent(service: Served, name: str) -> None:
    """Only the files of the pages are sent, whatever the path says."""
    assert service.nobody.get(f"/static/x/{name}").status_code == 404


def test_wrong_methods_and_versions_are_refused(service: Served) -> None:
    """A method that a route does not take is 405; a version that mqweb does not have is 404."""
    for row in _ROWS:
        for method in ("PUT", "TRACE"):
            answer = service.admin.request(method, row.path, headers=CSRF)
            assert answer.status_code == 405, (method, row.path)
            assert _is_error(answer)
    assert service.admin.get("/ibmmq/rest/v4/admin/qmgr").status_code == 404
    assert service.admin.get("/ibmmq/rest/v0/login").status_code == 404


def test_an_observed_queue_manager_is_changed_on_a_branch_alone(serve: Any, tmp_path: Path) -> None:
    """On main a write is 403 and names twin-branch; on a branch, or with the option, it is done."""
    from twin.app.observing import FileText
    from twin.app.twin import Twin

    log = tmp_path / "observed.db"
    with Twin.open(f"sqlite:///{log}") as twin:
        twin.ingest_files([FileText("DEFINE QLOCAL(Q)", "OBS1")], at=twin.now())
        twin.create_branch("whatif")
    body = command("DEFINE QLOCAL(NEW)")
    path = MQSC.replace("PR3", "OBS1")
    service: Served = serve(log=log)
    head = service.head()
    refused = service.admin.post(path, json=body, headers=CSRF)
    assert refused.status_code == 403
    assert "twin-branch" in refused.text
    assert service.head() == head
    on_branch = service.admin.post(path, json=body, headers={**CSRF, "twin-branch": "whatif"})
    assert on_branch.status_code == 200, on_branch.text
    assert on_branch.json()["overallCompletionCode"] == 0
    lifted: Served = serve(log=log, simulate_on_main=True)
    done = lifted.admin.post(path, json=body, headers=CSRF)
    assert (done.status_code, done.json()["overallCompletionCode"]) == (200, 0)
    assert PASSWORD not in done.text
