"""A small mqweb: a real HTTPS server on this machine, which answers as told, well or badly."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")

NOT_FOUND: Final = {
    "commandResponse": [
        {"completionCode": 2, "reasonCode": 2085, "message": ["AMQ8147E: object * not found."]}
    ],
    "overallCompletionCode": 2,
    "overallReasonCode": 3008,
}


def rows(*values: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a DISPLAY that shows some objects."""
    return {
        "commandResponse": [
            {"completionCode": 0, "reasonCode": 0, "parameters": each} for each in values
        ],
        "overallCompletionCode": 0,
        "overallReasonCode": 0,
    }


def member(name: str, **values: str) -> dict[str, Any]:
    """Return what DISPLAY CLUSQMGR shows of one queue manager of cluster CA."""
    return {
        "clusqmgr": name,
        "channel": f"CA.{name}",
        "cluster": "CA",
        "clusdate": "2026-01-01",
        "clustime": "00.00.00",
        "conname": f"{name.lower()}(1414)",
        "deftype": "CLUSSDRB",
        "qmid": f"{name}_2026-01-01_00.00.00",
        "qmtype": "REPOS",
        "suspend": "NO",
        **values,
    }


class Request(BaseHTTPRequestHandler):
    """One request while it is answered."""

    server: _Server
    body: Any = None

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a POST."""
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer()

    def _answer(self) -> None:
        self.server.web.requests.append(self)
        try:
            self.server.web.answer(self)
        except OSError:  # the client left
            self.close_connection = True

    def send(self, answer: Any, status: int = 200) -> None:
        """Send a JSON answer."""
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def hang_up(self) -> None:
        """End the connection without an answer."""
        self.close_connection = True
        socket.socket.shutdown(self.connection, socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the base class
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    web: SmallMqweb
    daemon_threads = True

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer a request, whose handshake begins when it is first read from."""
        time.sleep(self.web.handshake_after)
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing: clients that hang up are part of the tests."""


class SmallMqweb:
    """The server.

    Attributes:
        certificate: the file with its certificate.
        shows: what DISPLAY shows, by qualifier; anything else is not found.
        requests: what was asked.
        answer: answers a request; by default as mqweb does.
        handshake_after: the seconds after which a connection gets its handshake.
    """

    def __init__(self, folder: Path, clients: Path | None = None) -> None:
        self.certificate = folder / "cert.pem"
        self.shows: dict[str, Any] = {}
        self.requests: list[Request] = []
        self.handshake_after = 0.0
        self.answer: Callable[[Request], None] = self.well
        self._server = _Server(("127.0.0.1", 0), Request)
        self._server.web = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, folder / "key.pem")
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
            # In 1.3 a client may see the end of the connection before the reason.
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        """The port."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """The URL of the API."""
        return f"https://localhost:{self.port}/ibmmq/rest/v3"

    def well(self, request: Request) -> None:
        """Answer as mqweb does."""
        if request.command == "GET":
            name = request.path.rpartition("/")[2]
            request.send({"qmgr": [{"name": name, "state": "running"}]})
        else:
            request.send(self.shows.get(request.body["qualifier"], NOT_FOUND))

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def small_mqweb(folder: Path, clients: Path | None = None) -> Iterator[SmallMqweb]:
    """Run the server, with the certificate of a folder; it may want one of these of clients."""
    server = SmallMqweb(folder, clients)
    try:
        yield server
    finally:
        server.stop()


def make_certificate(folder: Path) -> Path:
    """Make a certificate for localhost that signs itself, in a folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a certificate for localhost."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def mqweb(certificate: Path) -> Iterator[SmallMqweb]:
    """Return a small mqweb that runs during the test."""
    with small_mqweb(certificate) as server:
        yield server
