"""Calls to a real HTTPS server, which answers well and in every wrong way."""

from __future__ import annotations

import base64
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.polling.mqweb import NOT_FOUND, Request, SmallMqweb, needs_openssl
from twin.polling import connection
from twin.polling.certificates import UnusableCertificates, trusted
from twin.polling.connection import (
    CALLS,
    BadMqwebUrl,
    BadMqwebUser,
    CallDenied,
    CallFailed,
    CallMistaken,
    MqwebConnection,
    ReadingCall,
    mqweb_server,
)

pytestmark = needs_openssl
SECRET = "s3cret:ä"  # noqa: S105 - of nobody
CLUSQMGR = ReadingCall("CLUSQMGR", "*")


def connected(mqweb: SmallMqweb, *, limit: float = PATIENCE) -> MqwebConnection:
    """Return a connection that trusts the certificate of the server."""
    context = trusted(str(mqweb.certificate))
    return MqwebConnection(
        mqweb_server(mqweb.url), context, user="reader", password=SECRET, limit=limit
    )


def failed(
    mqweb: SmallMqweb, answer: Callable[[Request], None], *, limit: float = PATIENCE
) -> CallFailed:
    """Return the error of a call to a server that answers so."""
    mqweb.answer = answer
    with pytest.raises(CallFailed) as caught:
        connected(mqweb, limit=limit).ask(CLUSQMGR, "QM1")
    text = str(caught.value)
    assert "\n" not in text
    assert "s3cret" not in text
    return caught.value


def test_only_get_and_display_are_sent(mqweb: SmallMqweb) -> None:
    """Whatever is polled, the server gets no other method and no other command."""
    for call in CALLS:
        connected(mqweb).ask(call, "QM/1.%")
    paths = {request.path for request in mqweb.requests}
    assert paths == {
        "/ibmmq/rest/v3/admin/qmgr/QM%2F1%2E%25",
        "/ibmmq/rest/v3/admin/action/qmgr/QM%2F1%2E%25/mqsc",
    }
    for request in mqweb.requests:
        assert request.command == "GET" or request.body["command"] == "display"
        assert request.command == "GET" or request.body["type"] == "runCommandJSON"
        assert request.command == "GET" or request.headers["ibm-mq-rest-csrf-token"] == "twin"
        token = base64.b64encode("reader:s3cret:ä".encode()).decode()
        assert request.headers["Authorization"] == f"Basic {token}"


def test_an_answer_is_returned_as_it_is(mqweb: SmallMqweb) -> None:
    """An object that is not found is an answer, too."""
    assert connected(mqweb).ask(CLUSQMGR, "QM1") == NOT_FOUND


def test_without_a_user_no_credentials_are_sent(mqweb: SmallMqweb) -> None:
    """Then the server decides whether it answers."""
    context = trusted(str(mqweb.certificate))
    MqwebConnection(mqweb_server(mqweb.url), context, limit=PATIENCE).ask(CLUSQMGR, "QM1")
    assert mqweb.requests[0].headers["Authorization"] is None


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_user_is_denied(mqweb: SmallMqweb, status: int) -> None:
    """Repeating it could lock the user out, so it is an error of its own."""
    error = failed(mqweb, lambda request: request.send({"error": []}, status))
    assert isinstance(error, CallDenied)
    assert f"({status})" in str(error)


def test_an_unknown_queue_manager_is_a_mistake(mqweb: SmallMqweb) -> None:
    """The reason of mqweb is repeated."""
    said = {"error": [{"msgId": "MQWB0009E", "message": "MQWB0009E: Could not query 'QM1'."}]}
    error = failed(mqweb, lambda request: request.send(said, 404))
    assert isinstance(error, CallMistaken)
    assert str(error).endswith("answered 404: MQWB0009E: Could not query 'QM1'.")


def test_errors_of_the_server_may_pass(mqweb: SmallMqweb) -> None:
    """The server was reached, so the next call is worth a try."""
    error = failed(mqweb, lambda request: request.send({"error": [3]}, 500))
    assert (type(error), error.connected) == (CallFailed, True)
    assert str(error).endswith("answered 500")


def test_no_redirect_is_followed(mqweb: SmallMqweb) -> None:
    """Not even on the same host: credentials would go along."""

    def redirect(request: Request) -> None:
        request.send_response(302)
        request.send_header("Location", "https://user:pw@elsewhere.example:1/login?x=1")
        request.send_header("Content-Length", "0")
        request.end_headers()

    error = failed(mqweb, redirect)
    assert isinstance(error, CallMistaken)
    assert str(error).endswith("redirects to elsewhere.example:1, which is not followed")
    assert len(mqweb.requests) == 1


@pytest.mark.parametrize("raw", [b"", b"<html>login</html>", b"[1]", b"\xff\xfe", b"[" * 200_000])
def test_garbage_is_no_answer(mqweb: SmallMqweb, raw: bytes) -> None:
    """Anything but a JSON object is an error in one line."""

    def garbage(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(raw)))
        request.end_headers()
        request.wfile.write(raw)

    assert "something else than JSON" in str(failed(mqweb, garbage))


def test_half_an_answer_is_none(mqweb: SmallMqweb) -> None:
    """A connection that ends before the announced length is an error."""

    def half(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b'{"commandResponse": []')
        request.wfile.flush()
        request.hang_up()

    error = failed(mqweb, half)
    assert (str(error).endswith("broke off before the end of its answer"), error.connected) == (
        True,
        False,
    )


def test_no_answer_at_all(mqweb: SmallMqweb) -> None:
    """A server that hangs up, or speaks no HTTP, is an error in one line."""
    assert "broke off" in str(failed(mqweb, Request.hang_up))

    def no_http(request: Request) -> None:
        request.wfile.write(b"SSH-2.0-x\r\n\r\n")
        request.wfile.flush()
        request.hang_up()

    assert "broke off" in str(failed(mqweb, no_http))


@pytest.mark.parametrize("where", ["status", "body"])
def test_a_call_ends_in_time_however_slowly_it_is_answered(mqweb: SmallMqweb, where: str) -> None:
    """A byte now and then keeps no call alive: it ends before the server does."""

    def drip(request: Request) -> None:
        if where == "body":
            request.send_response(200)
            request.send_header("Content-Length", "1000000")
            request.end_headers()
        for _ in range(PATIENCE * 20):
            request.wfile.write(b"x")
            request.wfile.flush()
            time.sleep(0.05)

    error = failed(mqweb, drip, limit=0.4)
    assert str(error).endswith("gave no whole answer in 0.4 seconds")


def test_the_handshake_and_the_answer_share_the_limit(mqweb: SmallMqweb) -> None:
    """A call ends in time also if each of its parts comes within the limit."""

    def late(request: Request) -> None:
        time.sleep(0.6)
        mqweb.well(request)

    mqweb.handshake_after = 0.6
    error = failed(mqweb, late, limit=1)
    assert str(error).endswith("gave no whole answer in 1 seconds")


def test_a_redirect_to_no_url_is_not_followed_either(mqweb: SmallMqweb) -> None:
    """Whatever the server writes there is no traceback."""

    def redirect(request: Request) -> None:
        request.send_response(302)
        request.send_header("Location", "https://[bad")
        request.send_header("Content-Length", "0")
        request.end_headers()

    error = failed(mqweb, redirect)
    assert isinstance(error, CallMistaken)
    assert str(error).endswith("redirects to another page, which is not followed")


def test_a_user_with_a_colon_is_refused(mqweb: SmallMqweb) -> None:
    """The server would take what follows for the password (RFC 7617)."""
    with pytest.raises(BadMqwebUser, match="--user a:b"):
        MqwebConnection(mqweb_server(mqweb.url), trusted(None), user="a:b")


def test_a_server_that_never_answers_is_given_up(mqweb: SmallMqweb) -> None:
    """The time limit holds for silence, too."""
    given_up = threading.Event()

    def wait(request: Request) -> None:
        del request
        given_up.wait(PATIENCE)

    try:
        error = failed(mqweb, wait, limit=0.3)
    finally:
        given_up.set()
    assert "gave no whole answer in 0.3 seconds" in str(error)


def test_an_endless_answer_is_given_up(mqweb: SmallMqweb, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more is read than the longest answer that is accepted."""
    monkeypatch.setattr(connection, "MAX_ANSWER", 1 << 16)

    def endless(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(1 << 10):
            request.wfile.write(b" " * (1 << 12))

    assert "broke off" in str(failed(mqweb, endless))


def test_a_certificate_that_is_not_trusted_is_refused(mqweb: SmallMqweb) -> None:
    """Nothing is sent to a server that cannot prove who it is."""
    asked = MqwebConnection(mqweb_server(mqweb.url), trusted(None), limit=PATIENCE)
    with pytest.raises(CallMistaken, match=r"certificate that is not trusted: .*--cacert FILE"):
        asked.ask(CLUSQMGR, "QM1")
    assert mqweb.requests == []


def test_a_certificate_of_another_host_is_refused(mqweb: SmallMqweb) -> None:
    """The name in the certificate must be that in the URL."""
    url = mqweb.url.replace("localhost", "127.0.0.1")
    context = trusted(str(mqweb.certificate))
    with pytest.raises(CallMistaken, match="IP address mismatch"):
        MqwebConnection(mqweb_server(url), context, limit=PATIENCE).ask(CLUSQMGR, "QM1")
    assert mqweb.requests == []


def test_a_server_that_is_down_refuses_connections(mqweb: SmallMqweb) -> None:
    """Nobody listens at its port."""
    asked = connected(mqweb)
    mqweb.stop()
    with pytest.raises(CallFailed, match="refuses connections") as caught:
        asked.ask(CLUSQMGR, "QM1")
    assert not caught.value.connected


def test_a_server_without_tls_is_no_mqweb(mqweb: SmallMqweb) -> None:
    """A port that speaks something else is an error in one line."""
    with socket.create_server(("127.0.0.1", 0)) as plain:
        url = f"https://localhost:{plain.getsockname()[1]}/ibmmq/rest/v3"
        context = trusted(str(mqweb.certificate))
        asked = MqwebConnection(mqweb_server(url), context, limit=0.3)
        with pytest.raises(CallFailed, match="gave no whole answer"):
            asked.ask(CLUSQMGR, "QM1")


@pytest.mark.parametrize(
    "url",
    [
        "https://reader:s3cret@host:9443/ibmmq/rest/v3",
        "https://reader@host/ibmmq/rest/v3",
        "http://host:9080/ibmmq/rest/v3",
        "https://host:9443/",
        "https://host:9443/ibmmq/rest/v4",
        "https://host:9443/ibmmq/rest/v3/admin/qmgr/QM1",
        "https://host:9443/ibmmq/rest/v3?x=1",
        "https://host:port/ibmmq/rest/v3",
        "https:///ibmmq/rest/v3",
        "https://[::1/ibmmq/rest/v3",
        "host",
        "",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    """A URL with credentials, without TLS, or of something else is refused and not repeated."""
    with pytest.raises(BadMqwebUrl) as caught:
        mqweb_server(url)
    assert "s3cret" not in str(caught.value)


def test_a_url_has_a_default_port_and_may_end_with_a_slash() -> None:
    """The port of mqweb is 9443 by default; an IPv6 address is written in brackets."""
    assert mqweb_server("https://h/ibmmq/rest/v2/").url == "https://h:9443/ibmmq/rest/v2"
    assert mqweb_server("https://[::1]/ibmmq/rest/v1").url == "https://[::1]:9443/ibmmq/rest/v1"


def test_certificates_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """A missing file, and one without certificates, are one line each."""
    empty = tmp_path / "empty.pem"
    empty.write_text("none\n", encoding="utf-8")
    for path in (os.fspath(empty), os.fspath(tmp_path / "missing.pem")):
        with pytest.raises(UnusableCertificates, match=path):
            trusted(path)
