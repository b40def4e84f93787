"""Requests that nobody would send on purpose: none may be answered with 500."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest

from tests.patience import PATIENCE
from tests.web.routes import routes
from tests.web.serving import CSRF, Served, copy_log, served
from twin.questions.catalogue import QUESTIONS

NAMES: Final = (
    *("PR1", "PR3", "FR1", "CLUS.WL.TEST", "TO.PR3", "CLUSTEST", "main", "members", "leave"),
    *("", ".", "..", "*", "'", '"', "<b>", "a b", "%", "%2F", "\0", "\ud7ff", "\u202e", "é", "😀"),
    *("A" * 300, "-1", "0", "1", "9" * 25, "1e9", "null", "true", "yes", "a/b", "\x1b[31m", "\r\n"),
    "9" * 5000,
)
"""Names and values, right and wrong."""

TIMES: Final = ("-1h", "-10d", "now", "2026-01-01", "0001-01-01", "9999-12-31", "+1d", "x", "-9e9d")
KEYS: Final = (
    *("as-of", "known-at", "branch", "twin-branch", "since", "against", "ignore", "format"),
    *("columns", "limit", "after", "type", "kind", "name", "on", "cluster", "queue", "to", "bind"),
    "before",
    *("rule", "skip", "status", "attributes", "filter", "state", "position", "wait", "messageId"),
    *("form_token", "table", "view", "local", "eyes", "zone", "tz", "scripts", "suspend", "stop"),
    *("command", "qualifier", "parameters", "responseParameters", "qmgr", "advance", "text"),
    *{each for question in QUESTIONS.values() for each in question.filters},
)
COMMANDS: Final = (
    "DISPLAY QLOCAL(*) ALL",
    "DISPLAY CHSTATUS(*)",
    "DEFINE QLOCAL(FUZZ) REPLACE",
    "ALTER QMGR DESCR('x",
    "DELETE QLOCAL(FUZZ)",
    "SUSPEND QMGR CLUSTER(CLUSTEST)",
    "",
    "(" * 500,
    "DISPLAY QUEUE(*) WHERE(CURDEPTH GT 0)",
    "\0",
)
METHODS: Final = ("GET", "GET", "GET", "POST", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS")
KINDS: Final = ("application/json", "text/plain", "application/x-www-form-urlencoded", "x", "")
SLOW: Final = ("resilience", "capacity", "doctor", "runbooks", "/twin/v1/plan", "findings")
"""What takes long to compute: it is asked for now and then."""


class Fuzz:
    """Makes requests at random; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._paths = sorted({path for _, path in routes()})

    def send(self, service: Served) -> httpx.Response:
        """Send one request."""
        pick = self._chance.choice
        client = pick((service.admin, service.admin, service.reader, service.user, service.nobody))
        path = self._path()
        if any(word in path for word in SLOW) and self._chance.random() < 0.9:
            path = "/twin/v1/ask/members"
        headers = {"Content-Type": pick(KINDS)}
        if self._chance.random() < 0.8:
            headers |= CSRF
        if self._chance.random() < 0.1:
            headers |= {f"twin-{pick(('as-of', 'known-at', 'branch'))}": pick(("main", *TIMES))}
        method = pick(METHODS)
        content = self._body() if method not in {"GET", "HEAD"} else b""
        url = f"{path}?{self._query()}"
        return client.request(method, url, headers=headers, content=content)

    def _path(self) -> str:
        path = self._chance.choice(self._paths).replace("/v3/", self._version(), 1)
        parts = [self._name() if "{" in part else part for part in path.split("/")]
        if self._chance.random() < 0.1:
            parts.append(self._name())
        return "/".join(parts)

    def _version(self) -> str:
        return self._chance.choice(("/v3/", "/v2/", "/v1/", "/v9/"))

    def _name(self) -> str:
        return quote(self._chance.choice((*NAMES, *QUESTIONS)), safe="")

    def _query(self) -> str:
        pairs = []
        for _ in range(self._chance.randrange(4)):
            key, values = self._chance.choice(KEYS), self._chance.choice((NAMES, TIMES, NAMES))
            pairs.append(f"{quote(key)}={quote(self._chance.choice(values), safe='')}")
        return "&".join(pairs)

    def _body(self) -> bytes:
        kind = self._chance.randrange(6)
        if kind == 0:
            return self._chance.randbytes(self._chance.randrange(200))
        if kind == 1:
            return self._chance.choice((b"", b"{", b"[" * 100_000, b'"', b"\xff", b"1" * 5000))
        if kind == 2:
            return self._query().encode()
        body: Any = self._value(4)
        if kind > 3:
            form = self._chance.choice(("runCommand", "runCommandJSON"))
            command = self._chance.choice(COMMANDS)
            body = {"type": form, "parameters": {"command": command}, **self._object(2)}
        return httpx.Request("POST", "http://x", json=body).content

    def _value(self, depth: int) -> Any:
        if depth == 0 or self._chance.random() < 0.4:
            return self._chance.choice((*NAMES, *TIMES, *COMMANDS, None, True, 0, -1, 1.5, 10**30))
        if self._chance.random() < 0.3:
            return [self._value(depth - 1) for _ in range(self._chance.randrange(4))]
        return self._object(depth)

    def _object(self, depth: int) -> dict[str, Any]:
        count = self._chance.randrange(5)
        return {self._chance.choice(KEYS): self._value(depth - 1) for _ in range(count)}


@pytest.fixture(scope="module")
def service(
    demo_log: Path, users_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Serve a copy of the demo's log that may be changed."""
    with served(copy_log(demo_log, tmp_path_factory.mktemp("fuzz")), users_file) as running:
        yield running


def fuzz(service: Served, seed: int, count: int) -> list[str]:
    """Send requests; return those that failed with 500, as the lines that repeat them."""
    requests, failed = Fuzz(seed), []
    for number in range(count):
        answer = requests.send(service)
        if answer.status_code == 500:
            request = answer.request
            line = f"{seed}.{number} {request.method} {request.url.raw_path!r} {request.content!r}"
            failed.append(f"{line[:500]}: {answer.text[:200]}")
    return failed


@pytest.mark.parametrize("seed", range(2))
def test_no_request_is_answered_with_500(service: Served, seed: int) -> None:
    """Some hundred requests at random are refused or carried out, but none fails."""
    assert fuzz(service, seed, 150) == []


@pytest.mark.more
@pytest.mark.parametrize("seed", range(10, 20))
def test_no_request_of_many_is_answered_with_500(service: Served, seed: int) -> None:
    """Ten times a thousand requests."""
    assert fuzz(service, seed, 1000) == []


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000, "\u0664" * 30, "--1"])
def test_long_numbers_are_no_error(service: Served, number: str) -> None:
    """Where a number is expected a text of any length is answered or refused, with its reason."""
    queues = "/ibmmq/rest/v2/admin/qmgr/PR1/queue"
    for path, params in (
        (queues, {"filter": f"storage.maximumDepth:equalTo:{number}", "attributes": "*"}),
        ("/log", {"before": number, "after": number, "qmgr": number}),
        ("/why", {"on": "PR1", "queue": "Q", "position": number}),
        ("/twin/v1/log/events", {"after": number, "limit": number}),
    ):
        assert service.admin.get(path, params=params).status_code != 500
    command = {"command": f"DISPLAY QUEUE(*) WHERE(CURDEPTH LT {number})"}
    body = {"type": "runCommand", "parameters": command}
    path = "/ibmmq/rest/v2/admin/action/qmgr/PR1/mqsc"
    assert service.admin.post(path, json=body, headers=CSRF).status_code == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /%zz%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /twin/v1/ask/members?branch=\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_what_is_no_http_does_no_harm(service: Served, raw: bytes) -> None:
    """Whatever arrives on a connection, it is not answered with 500, and the service goes on."""
    url = httpx.URL(service.url)
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        answer = b""
        with suppress(ConnectionError):  # it may end before all was sent
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            while block := connection.recv(10_000):
                answer += block
    assert not answer.startswith(b"HTTP/1.1 500")
    assert service.nobody.get("/healthz").status_code == 200
