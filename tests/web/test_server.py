"""The server: its address, its end, what it writes about requests, and proxies in front of it."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import httpx
import pytest

from tests.patience import PATIENCE, wait_until
from tests.web.conftest import Serve
from tests.web.serving import CSRF, PASSWORD, Served
from twin.web import server
from twin.web.access_log import AccessLogFormat
from twin.web.server import CannotListen, serving
from twin.web.settings import ServerSettings

MEMBERS = "/twin/v1/ask/members"
LOGIN = "/ibmmq/rest/v2/login"


@pytest.fixture
def taken() -> Iterator[int]:
    """Listen on a port, and return it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, taken: int) -> None:
    """The address, the port and the reason are named, and no certificate is made for nothing."""
    settings = ServerSettings("sqlite:///x.db", tmp_path / "users.json", port=taken)
    with pytest.raises(CannotListen) as refused, serving(settings):
        pass
    assert str(refused.value) == f"cannot listen on 127.0.0.1({taken}): Address already in use"
    assert not list(tmp_path.iterdir())


def test_a_running_request_is_answered_before_the_server_ends(
    demo_log: Path, users_file: Path
) -> None:
    """A request that has begun when the server is stopped gets its answer; then nobody listens."""
    settings = ServerSettings(
        f"sqlite:///{demo_log}", users_file, port=0, read_only=True, body_within=PATIENCE
    )
    body = json.dumps({"username": "admin", "password": PASSWORD}).encode()
    head = f"POST {LOGIN} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    server = serving(settings)
    url = httpx.URL(server.__enter__())
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        ending = threading.Thread(target=server.__exit__, args=(None, None, None))
        ending.start()
        wait_until(lambda: not _listens(url), "the server listens no more")
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 204 ")
    ending.join()


def _listens(url: httpx.URL) -> bool:
    try:
        socket.create_connection((url.host, url.port or 0), timeout=PATIENCE).close()
    except ConnectionError:
        return False
    return True


def test_the_end_of_the_server_is_noticed(demo_log: Path, users_file: Path) -> None:
    """Whoever started the server is told when it ends."""
    ended = threading.Event()
    settings = ServerSettings(f"sqlite:///{demo_log}", users_file, port=0, read_only=True)
    with serving(settings, ended=ended.set):
        assert not ended.is_set()
    assert ended.is_set()


def rest_of(connection: socket.socket, data: bytes) -> bytes:
    """Send data; return what is answered until the server closes the connection, in any way."""
    answer = b""
    with suppress(ConnectionError):
        connection.sendall(data)
        while block := connection.recv(1000):
            answer += block
    return answer


@pytest.mark.parametrize("begins", [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: x\r"])
def test_a_connection_that_does_not_go_on_is_closed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, begins: bytes
) -> None:
    """The head of a request must arrive in time, the first one and the next one."""
    monkeypatch.setattr(server, "_WITHIN", 0.3)
    monkeypatch.setattr("twin.web.server._IDLE", 1)
    url = httpx.URL(serve().url)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        assert rest_of(connection, begins) == b""
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        rest_of(connection, whole + begins)


def logged(caplog: pytest.LogCaptureFixture, number: int) -> list[str]:
    """Wait until so many requests were logged: a client may have an answer without a body before.

    Return the lines.
    """
    wait_until(lambda: len(caplog.records) >= number, f"{number} requests are logged")
    return [record.getMessage() for record in caplog.records]


def test_each_request_is_logged_without_secrets(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    """A line has the address, the user, the request and the status, and no password or token."""
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        service = serve()
        service.reader.get(MEMBERS, params={"on": "PR1", "password": "hidden"})
        service.nobody.get(MEMBERS, auth=("nobody", "hidden"))
        service.nobody.get("/%1b[31m%0aline")
        service.nobody.post(LOGIN, json={"username": "admin", "password": PASSWORD})
        token = service.nobody.cookies.jar
        service.nobody.get(LOGIN)
        lines = logged(caplog, 5)
    assert [line.split()[1:4] for line in lines] == [
        ["127.0.0.1", "reader", "GET"],
        ["127.0.0.1", "-", "GET"],
        ["127.0.0.1", "-", "GET"],
        ["127.0.0.1", "admin", "POST"],
        ["127.0.0.1", "admin", "GET"],
    ]
    assert f"{MEMBERS}?on=PR1&password=******** 400 " in lines[0]
    assert "/\\x1b[31m\\nline 404 " in lines[2]
    text = "\n".join(lines)
    assert len(text.splitlines()) == 5
    assert "hidden" not in text
    assert PASSWORD not in text
    assert not [each for each in token if str(each.value) in text]


SCRIPT: Final = "ALTER CHANNEL(A) CHLTYPE(SDR) PASSWORD('s3c ret')"


@pytest.mark.parametrize(
    "query",
    [
        {"with": SCRIPT},
        {"next": f"/why?{urlencode({'with': SCRIPT})}"},
        {"next": f"/login?{urlencode({'next': '/why?' + urlencode({'with': SCRIPT})})}"},
        {"url": "postgresql://me:s3c@ret@host/db"},
        {"p%61ssword": "s3c&ret"},
        {"MQ_PASSWORD": "s3c ret"},
    ],
)
def test_an_encoded_secret_is_not_logged(
    serve: Serve, caplog: pytest.LogCaptureFixture, query: dict[str, str]
) -> None:
    """However often a script, a URL or a password is encoded in a URL, the log has none of it."""
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        serve().nobody.get("/login", params={"on": "A B", **query})
        (line,) = logged(caplog, 1)
    assert "/login?on=A+B&" in line
    assert "********" in line
    assert "s3c" not in line
    assert "ret" not in line


def test_a_hostile_target_is_logged_cut(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    """A target as long as the server takes is searched for secrets without delay, and cut."""
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        serve().nobody.get(f"/login?next={'pass' * 15_000}")
        (line,) = logged(caplog, 1)
    assert "/login?next=passpass" in line
    assert len(line) < 2200


def test_requests_can_be_logged_as_json(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    """Each line is an object with the same keys."""
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        serve(access_log=AccessLogFormat.JSON).reader.get(MEMBERS)
        (line,) = map(json.loads, logged(caplog, 1))
    assert {key: line[key] for key in ("address", "user", "method", "target", "status")} == {
        "address": "127.0.0.1",
        "user": "reader",
        "method": "GET",
        "target": MEMBERS,
        "status": 200,
    }
    assert line.keys() - {"address", "user", "method", "target", "status"} == {
        "at",
        "bytes",
        "milliseconds",
    }


def test_requests_need_not_be_logged(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    """Without a form there is no line."""
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        serve(access_log=AccessLogFormat.NONE).reader.get(MEMBERS)
    assert not caplog.records


def test_a_prefix_works_whether_the_proxy_takes_it_away_or_not(serve: Serve) -> None:
    """All faces are found with and without the prefix, and redirects have it."""
    service = serve(prefix="/mq")
    root = service.url.removesuffix("/mq")
    assert service.url == f"{root}/mq"
    with httpx.Client(base_url=root, auth=("reader", PASSWORD), timeout=PATIENCE) as client:
        for path in (MEMBERS, "/healthz", "/ibmmq/rest/v2/admin/qmgr", LOGIN, "/login"):
            assert client.get(path).status_code == client.get(f"/mq{path}").status_code == 200, path
        none = [client.get(f"{start}/ibmmq/rest/v1/none").json() for start in ("", "/mq")]
        assert none[0] == none[1]
        assert "error" in none[0]
    with httpx.Client(base_url=root, timeout=PATIENCE) as client:
        for path in ("/", "/mq/"):
            assert client.get(path).headers["location"] == "/mq/login?next=%2Fmq%2F"


def test_a_created_object_has_its_url_with_the_prefix(serve: Serve) -> None:
    """The header Location names the host that the client asked, and keeps encoded slashes."""
    service = serve(prefix="/mq")
    root = service.url.removesuffix("/mq")
    queues = "/ibmmq/rest/v3/admin/qmgr/PR1/queue"
    auth = ("admin", PASSWORD)
    with httpx.Client(base_url=root, auth=auth, headers=CSRF, timeout=PATIENCE) as client:
        for start in ("", "/mq"):
            made = client.post(f"{start}{queues}/", json={"name": f"A{start}/B"})
            assert made.headers["location"].startswith(f"{service.url}{queues}/A")
            assert client.get(made.headers["location"]).status_code == 200


def test_a_part_of_a_page_leads_back_to_the_page(serve: Serve) -> None:
    """Whose session ended while a page was open signs in, and does not see the part alone."""
    service = serve(prefix="/mq")
    headers = {"hx-request": "true", "hx-current-url": f"{service.url}/map?cluster=C"}
    answer = service.nobody.get("/estate/part/findings", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/mq/login?next=%2Fmq%2Fmap%3Fcluster%3DC"


def test_forwarded_headers_are_believed_of_given_proxies_alone(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    """A client can name another address only through a proxy that was given."""
    forwarded = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
    with caplog.at_level(logging.INFO, logger="twin.web.access"):
        for proxies in ((), ("192.0.2.1",), ("127.0.0.1",)):
            client = serve(proxies=proxies).nobody
            body = {"username": "admin", "password": PASSWORD}
            given = client.post(LOGIN, json=body, headers=forwarded)
            assert ("Secure" in given.headers["set-cookie"]) == (proxies == ("127.0.0.1",))
        addresses = [line.split()[1] for line in logged(caplog, 3)]
    assert addresses == ["127.0.0.1", "127.0.0.1", "192.0.2.7"]


def test_a_service_for_reading_records_nothing(serve: Serve) -> None:
    """With read_only even an administrator cannot write, whatever the log would allow."""
    service: Served = serve(read_only=True)
    head = service.head()
    body = {"type": "runCommand", "parameters": {"command": "DEFINE QLOCAL(Q)"}}
    answer = service.admin.post(
        "/ibmmq/rest/v2/admin/action/qmgr/PR1/mqsc",
        json=body,
        headers={"ibm-mq-rest-csrf-token": ""},
    )
    assert answer.status_code == 403
    assert "--read-only" in answer.text
    assert service.head() == head
