"""Who may do what over HTTP: credentials, tokens, roles, hosts, bodies, and the page to sign in."""

from __future__ import annotations

import re
import socket

import httpx
import pytest

from tests.patience import PATIENCE
from tests.web.conftest import Serve
from tests.web.serving import CSRF, PASSWORD, Served
from twin.web.access import signing

LOGIN = "/ibmmq/rest/v2/login"
JSON = {"username": "admin", "password": PASSWORD}


def test_a_token_is_given_used_and_ended_as_by_mqweb(demo_service: Served) -> None:
    """POST gives a cookie as mqweb's, GET says whose it is, DELETE ends it."""
    with httpx.Client(base_url=demo_service.url, timeout=PATIENCE) as client:
        assert client.get(LOGIN).status_code == 401
        given = client.post(LOGIN, json=JSON)
        assert (given.status_code, given.content) == (204, b"")
        cookie = given.headers["set-cookie"]
        assert re.fullmatch(r"LtpaToken2_\d+=[\w-]+; HttpOnly; Path=/; SameSite=strict", cookie), (
            cookie
        )
        assert given.headers["cache-control"] == "no-cache, no-store, must-revalidate"
        who = client.get(LOGIN)
        assert who.json() == {"user": [{"name": "admin", "role": ["MQWebAdmin", "MQWebUser"]}]}
        assert client.get("/twin/v1/ask/members").status_code == 200
        token = dict(client.cookies)
        assert client.delete(LOGIN).json()["error"][0]["msgId"] == "MQWB0106E"
        assert client.delete(LOGIN, headers=CSRF).status_code == 204
        assert not client.cookies
        client.cookies.update(token)
        ended = client.get(LOGIN)
        assert (ended.status_code, ended.json()["error"][0]["msgId"]) == (401, "MQWB0112E")


@pytest.mark.parametrize("body", ["", "{", "[]", '{"username": "a"}', "[" * 100_000, '"x"'])
def test_a_malformed_login_is_a_bad_request(demo_service: Served, body: str) -> None:
    """A body without user and password is 400; so is one whose Content-Type is not JSON."""
    for kind in ("application/json; charset=utf-8", "text/plain"):
        answer = demo_service.nobody.post(LOGIN, content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic !",
        "Basic /w==",
        "Basic bm9ib2R5OnBhc3N3b3Jk",
        "Bearer x",
        "Negotiate abc",
    ],
)
def test_other_credentials_are_refused(demo_service: Served, header: str) -> None:
    """Whatever is no right password of a user is 401 MQWB0104E, and says how to sign in."""
    answer = demo_service.nobody.get(LOGIN, headers={"Authorization": header})
    assert (answer.status_code, answer.json()["error"][0]["msgId"]) == (401, "MQWB0104E")
    assert answer.headers["www-authenticate"].startswith("Basic ")


def test_too_many_wrong_passwords_are_429(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sixth attempt has to wait, and is told how long."""
    monkeypatch.setattr(signing, "WINDOW", PATIENCE)
    client = serve().nobody
    wrong = [client.get("/twin/v1/ask/members", auth=("admin", "wrong")) for _ in range(6)]
    assert [answer.status_code for answer in wrong] == [401] * 5 + [429]
    assert int(wrong[-1].headers["retry-after"]) > 0
    assert client.get("/twin/v1/ask/members", auth=("reader", PASSWORD)).status_code == 200


def test_requests_for_other_hosts_are_refused(serve: Serve) -> None:
    """Only names of this service are served: addresses, localhost, the machine, and added ones."""
    client = serve(host_names=("twin.example.com",)).nobody
    hosts = {
        "127.0.0.1:9444": 200,
        "[::1]:9444": 200,
        "localhost": 200,
        "LOCALHOST.:1": 200,
        socket.gethostname(): 200,
        "Twin.Example.Com": 200,
        "evil.example.com": 421,
        "127.0.0.1.example.com": 421,
        "": 421,
        "[::1": 421,
    }
    got = {host: client.get("/healthz", headers={"Host": host}).status_code for host in hosts}
    assert got == hosts


def test_bodies_are_limited(serve: Serve) -> None:
    """A body that is too long is refused, whether its length is announced or not."""
    client = serve(longest_body=100).nobody
    client.headers["Content-Type"] = "application/json"
    assert client.post(LOGIN, content=b"x" * 101).status_code == 413
    assert client.post(LOGIN, content=iter([b"x" * 60, b"x" * 60])).status_code == 413
    assert client.post(LOGIN, content=b"x" * 100).status_code == 400
    assert client.post("/twin/v1/plan", content=iter([b"x" * 60, b"x" * 60])).status_code == 413


@pytest.mark.parametrize("path", [LOGIN, "/twin/v1/plan"])
def test_a_body_that_does_not_arrive_is_not_waited_for(serve: Serve, path: str) -> None:
    """A client that sends the head of a request and then nothing gets 408."""
    url = httpx.URL(serve(body_within=0.2).url)
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 408 ")


def test_every_answer_is_safe_for_browsers(demo_service: Served) -> None:
    """Pages, JSON and errors forbid foreign scripts and frames, and say that this is no MQ."""
    for path in ("/login", "/twin/v1/ask/members", "/none", "/ibmmq/rest/v1/none", "/healthz"):
        headers = demo_service.reader.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 's")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["server"].endswith("(a digital twin, not IBM MQ)")
        assert headers.get_list("server") == [headers["server"]]


def test_health_needs_no_user(serve: Serve) -> None:
    """Whoever sends requests to the service asks whether it is ready."""
    service = serve()
    assert service.nobody.get("/healthz").text == "alive\n"
    assert service.nobody.get("/readyz").text == "ready\n"


def test_metrics_are_for_users_for_a_token_or_for_everybody(serve: Serve) -> None:
    """Without an option, metrics need a user; the token is for scrapers."""
    service = serve(metrics_token="a token")  # noqa: S106 - of this test
    bearer = {"Authorization": "Bearer a token"}
    assert service.nobody.get("/metrics").status_code == 401
    assert service.nobody.get("/metrics", headers=bearer).status_code == 200
    wrong = {"Authorization": "Bearer another"}
    assert service.nobody.get("/metrics", headers=wrong).status_code == 401
    assert service.reader.get("/metrics").status_code == 200
    assert service.nobody.get("/twin/v1/ask/members", headers=bearer).status_code == 401


def test_metrics_can_be_open(serve: Serve) -> None:
    """With the option everybody gets them."""
    assert serve(metrics_open=True).nobody.get("/metrics").status_code == 200


def test_a_browser_is_led_to_the_form_and_back(demo_service: Served) -> None:
    """A page without a session leads to the form, and the form back to the page."""
    url = demo_service.url
    with httpx.Client(base_url=url, timeout=PATIENCE, follow_redirects=True) as browser:
        form = browser.get("/", params={"as-of": "-1h"})
        assert form.url.path == "/login"
        assert 'name="next" value="/?as-of=-1h"' in form.text
        fields = {"username": "reader", "password": "wrong", "next": "/?as-of=-1h"}
        refused = browser.post("/login", data=fields)
        assert (refused.status_code, "is wrong" in refused.text) == (401, True)
        page = browser.post("/login", data=fields | {"password": PASSWORD})
        assert (page.status_code, str(page.url)) == (200, f"{url}/?as-of=-1h")


@pytest.mark.parametrize("path", ["https://evil.example", "//evil.example", "/\\evil", "x", ""])
def test_the_form_leads_to_no_other_site(demo_service: Served, path: str) -> None:
    """Whoever sends a link to the form cannot choose another site behind it."""
    fields = {"username": "reader", "password": PASSWORD, "next": path}
    answer = httpx.post(f"{demo_service.url}/login", data=fields, timeout=PATIENCE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_forms_need_the_token_of_their_page(demo_service: Served) -> None:
    """Signing out, like every act of a page, needs what a page of another site does not have."""
    with httpx.Client(base_url=demo_service.url, timeout=PATIENCE) as browser:
        assert browser.post("/logout").status_code == 401
        browser.post("/login", data={"username": "reader", "password": PASSWORD})
        for data in ({}, {"form_token": ""}, {"form_token": "x"}):
            assert browser.post("/logout", data=data).status_code == 403
        assert browser.get(LOGIN).status_code == 200
        token = re.search(r'name="form_token" value="(\w+)"', browser.get("/").text)
        assert token is not None
        ended = browser.post("/logout", data={"form_token": token[1]})
        assert (ended.status_code, ended.headers["location"]) == (303, "/login")
        assert browser.get(LOGIN).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9444"}, 403),
        ({"Origin": "http://localhost:9445"}, 403),
        ({"Origin": "https://elsewhere.example:9444"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[bad"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "none"}, 303),
        ({"Origin": "http://localhost:9444"}, 303),
        ({"Origin": "https://localhost:9444"}, 303),
        ({}, 303),
    ],
)
def test_only_a_page_of_the_service_signs_its_reader_in(
    demo_service: Served, headers: dict[str, str], status: int
) -> None:
    """A form of another host, or of another port of this one, is refused; a proxy may end TLS."""
    fields = {"username": "reader", "password": PASSWORD}
    sent = {"Host": "localhost:9444", **headers}
    answer = httpx.post(f"{demo_service.url}/login", data=fields, headers=sent, timeout=PATIENCE)
    assert answer.status_code == status


def test_a_reader_pings_without_a_record(demo_service: Served) -> None:
    """PING is answered in memory: whoever may only read appends nothing to the log."""
    before = demo_service.head()
    command = {"type": "runCommand", "parameters": {"command": "PING QMGR"}}
    answer = demo_service.reader.post(
        "/ibmmq/rest/v3/admin/action/qmgr/PR1/mqsc", json=command, headers=CSRF
    )
    assert answer.status_code == 200
    assert answer.json()["overallCompletionCode"] == 0
    assert demo_service.head() == before


@pytest.mark.parametrize("path", ["/twin/v1/ask/members", "/ibmmq/rest/v3/admin/qmgr", "/map"])
def test_no_request_lets_centuries_pass(demo_service: Served, path: str) -> None:
    """An instant more than 400 days ahead is refused in one line by every face."""
    answer = demo_service.reader.get(path, params={"twin-as-of": "2500-01-01"})
    assert answer.status_code == 400
    assert "more than 400 days after now" in answer.text
