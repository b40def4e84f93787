"""Calls to mqweb over HTTPS: what is asked of a queue manager only reads.

The standard library is enough: a call is one request on one connection. It follows no redirect,
trusts what the machine trusts, and keeps no cookies.

Source: IBM MQ 9.4, "POST /admin/action/qmgr/{qmgrName}/mqsc" and "GET /admin/qmgr".
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from base64 import b64encode
from http.client import (
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from twin.errors import SubjectError, TwinError, reason_of
from twin.polling.certificates import why_refused


class ReadingCall(NamedTuple):
    """One call that reads.

    Attributes:
        qualifier: what DISPLAY shows, such as CLUSQMGR; '' for the GET of the queue manager.
        name: the name asked for; '' if the command has none.
    """

    qualifier: str = ""
    name: str = ""

    @property
    def shown(self) -> str:
        """The call, for people."""
        if not self.qualifier:
            return "GET of the queue manager"
        return f"DISPLAY {self.qualifier}{f'({self.name})' if self.name else ''}"

    @property
    def body(self) -> dict[str, Any] | None:
        """The body of the POST, in the JSON form of MQSC; None for a GET."""
        if not self.qualifier:
            return None
        name = {"name": self.name} if self.name else {}
        return {
            "type": "runCommandJSON",
            "command": "display",
            "qualifier": self.qualifier.lower(),
            **name,
            "responseParameters": ["all"],
        }

    def path(self, qmgr: str) -> str:
        """Return the path of the call, after that of the version of the API."""
        quoted = quote(qmgr, safe="").replace(".", "%2E")
        if not self.qualifier:
            return f"/admin/qmgr/{quoted}"
        return f"/admin/action/qmgr/{quoted}/mqsc"


CALLS: Final = (
    ReadingCall(),
    ReadingCall("QMGR"),
    ReadingCall("CLUSQMGR", "*"),
    ReadingCall("QCLUSTER", "*"),
    ReadingCall("TCLUSTER", "*"),
    ReadingCall("CHSTATUS", "*"),
    ReadingCall("QSTATUS", "*"),
)
"""The calls of one poll, in their order."""


MAX_ANSWER: Final = 64 << 20
"""The longest answer that is read, in bytes."""

_EMPTY: Final = b""
_BLOCK: Final = 1 << 16
_TEXT: Final = 200
_LEAST_WAIT: Final = 0.001
_OK: Final = 200
_REDIRECTS: Final = range(300, 400)
_DENIED: Final = {401: "refuses this user and password", 403: "refuses this user"}
_NO_USER: Final = "takes no call without a user (--user), or a client certificate that it knows"
_UNKNOWN: Final = 404
_PORT: Final = 9443
_PATHS: Final = tuple(f"/ibmmq/rest/v{version}" for version in (1, 2, 3))
_BROKEN: Final = "broke off before the end of its answer"
_MALFORMED: Final = "is not the URL of the REST API of mqweb"


class BadMqwebUrl(
    SubjectError,
    ValueError,
    message="--url {}; expected https://HOST:9443/ibmmq/rest/v3",
):
    """A URL that is not that of mqweb, or has a user or password in it."""


class BadMqwebUser(
    SubjectError, ValueError, message="--user {}: the name of a user of mqweb has no colon"
):
    """A user whose name has a colon: what follows would be read as the password (RFC 7617)."""


class CallFailed(TwinError, OSError):
    """A call without an answer; the next one may have one.

    Attributes:
        connected: whether the server answered, though with an error.
    """

    def __init__(self, server: str, why: str, *, connected: bool = False) -> None:
        super().__init__(f"{server} {why}")
        self.connected = connected


class CallMistaken(CallFailed):
    """A call that can have no answer unless something else is set up, here or there."""


class CallDenied(CallFailed):
    """A call that the server refuses; repeating it could lock the user out."""


class MqwebServer(NamedTuple):
    """The place of the REST API of mqweb.

    Attributes:
        host: its name or address.
        port: its port.
        path: the path of the API, such as /ibmmq/rest/v3.
    """

    host: str
    port: int
    path: str

    @property
    def shown(self) -> str:
        """Its name and port, for people."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def url(self) -> str:
        """Its URL, for the origin of facts."""
        return f"https://{self.shown}{self.path}"


def mqweb_server(url: str) -> MqwebServer:
    """Read the URL of the REST API.

    Raises:
        BadMqwebUrl: if it is no HTTPS URL of this form, or has a user or password in it.
    """
    try:
        parts = urlsplit(url)
        port = _PORT if parts.port is None else parts.port
    except ValueError:
        raise BadMqwebUrl(_MALFORMED) from None
    path = parts.path.rstrip("/")
    checks = {
        "must not have a user or password in it (use --user)": "@" not in parts.netloc,
        "does not begin with https://": parts.scheme == "https",
        _MALFORMED: bool(parts.hostname) and path in _PATHS and not (parts.query or parts.fragment),
    }
    for why, holds in checks.items():
        if not holds:
            raise BadMqwebUrl(why)
    return MqwebServer(parts.hostname or "", port, path)


class MqwebConnection:
    """A server, and how it is called.

    Attributes:
        server: the server.
        limit: the seconds that a call may take, from the connection to the end of the answer.
    """

    def __init__(
        self,
        server: MqwebServer,
        context: ssl.SSLContext,
        *,
        user: str | None = None,
        password: str = "",
        limit: float = 30,
    ) -> None:
        """Call a server with a user, or without one.

        Raises:
            BadMqwebUser: if the name of the user has a colon.
        """
        if user is not None and ":" in user:
            raise BadMqwebUser(user)
        self.server = server
        self.limit = limit
        self._context = context
        token = b64encode(f"{user}:{password}".encode()).decode("ascii")
        self._credentials = {} if user is None else {"Authorization": f"Basic {token}"}

    def ask(self, call: ReadingCall, qmgr: str) -> dict[str, Any]:
        """Return the answer to a call.

        Raises:
            CallFailed: if there is no whole answer.
            CallMistaken: if the certificate is not trusted, the server redirects, or it knows no
                such queue manager.
            CallDenied: if the server refuses the user.
        """
        status, raw, location = self._answer(call, qmgr)
        name = self.server.shown
        if status in _REDIRECTS:
            raise CallMistaken(
                name, f"redirects to {_host_of(location)}, which is not followed", connected=True
            )
        if status in _DENIED:
            why = _DENIED[status] if self._credentials else _NO_USER
            raise CallDenied(name, f"{why} ({status})", connected=True)
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            answer = None
        if status == _OK and isinstance(answer, dict):
            return answer
        why = f"answered {status}{_reason(answer)}"
        if status == _OK:
            why = "answered with something else than JSON"
        kind = CallMistaken if status == _UNKNOWN else CallFailed
        raise kind(name, why, connected=True)

    def _answer(self, call: ReadingCall, qmgr: str) -> tuple[int, bytes, str]:
        """Return the status of the answer, its body, and where it redirects to."""
        server, expired = self.server, threading.Event()
        ends = time.monotonic() + self.limit
        connection = HTTPSConnection(server.host, server.port, context=self._context)
        watch: threading.Timer | None = None
        try:
            connection.sock = connected = self._connected(ends)
            watch = threading.Timer(ends - time.monotonic(), _hang_up, (connected, expired))
            watch.daemon = True
            watch.start()
            connected.do_handshake()
            self._send(connection, call, qmgr)
            with connection.getresponse() as response:
                answer = response.status, _body(response), response.getheader("Location", "")
        except (OSError, HTTPException, ValueError) as error:
            if expired.is_set():
                raise CallFailed(server.shown, self._slow()) from None
            raise self._failed(error) from None
        finally:
            if watch is not None:
                watch.cancel()
            connection.close()
        if expired.is_set():
            raise CallFailed(server.shown, self._slow())
        return answer

    def _connected(self, ends: float) -> ssl.SSLSocket:
        """Return a connection to the first address that takes one; the handshake is to come."""
        host, port = self.server.host, self.server.port
        failure = OSError("no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        ):
            plain = socket.socket(family, kind, protocol)
            try:
                plain.settimeout(max(ends - time.monotonic(), _LEAST_WAIT))
                plain.connect(address)
                return self._context.wrap_socket(
                    plain, server_hostname=host, do_handshake_on_connect=False
                )
            except OSError as error:
                plain.close()
                failure = error
        raise failure

    def _send(self, connection: HTTPSConnection, call: ReadingCall, qmgr: str) -> None:
        body = call.body
        path = self.server.path + call.path(qmgr)
        headers = {"Accept": "application/json", "Connection": "close", **self._credentials}
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            headers |= {"Content-Type": "application/json", "ibm-mq-rest-csrf-token": "twin"}
            connection.request("POST", path, body=json.dumps(body).encode(), headers=headers)

    def _failed(self, error: Exception) -> CallFailed:
        """Return the error of a call that was not answered."""
        name = self.server.shown
        if isinstance(error, ssl.SSLError) and (why := why_refused(error)):
            return CallMistaken(name, why)
        whys = (
            (TimeoutError, self._slow()),
            (socket.gaierror, "is not a known host"),
            (ConnectionRefusedError, "refuses connections"),
            (ssl.SSLEOFError, _BROKEN),
            (ssl.SSLError, f"does not speak TLS as expected: {getattr(error, 'reason', error)}"),
            ((HTTPException, ConnectionError), _BROKEN),
        )
        otherwise = f"cannot be reached: {reason_of(error)}"
        return CallFailed(
            name, next((why for kind, why in whys if isinstance(error, kind)), otherwise)
        )

    def _slow(self) -> str:
        return f"gave no whole answer in {self.limit:g} seconds"


def _body(response: HTTPResponse) -> bytes:
    """Read the body of an answer, up to the limit."""
    blocks, size = [], 0
    while block := response.read(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > MAX_ANSWER:
            message = "answer is too long"
            raise HTTPException(message)
    if response.length:
        raise IncompleteRead(blocks[-1] if blocks else _EMPTY, response.length)
    return b"".join(blocks)


def _host_of(location: str) -> str:
    """Return the host that a redirect leads to, without a user and password."""
    try:
        host = urlsplit(location).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    return host or "another page"


def _hang_up(connected: socket.socket, expired: threading.Event) -> None:
    """End a connection that takes too long; whoever reads from it notices."""
    expired.set()
    try:
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        return


def _reason(answer: Any) -> str:
    """Return what an error of mqweb says, for people."""
    errors = answer.get("error") if isinstance(answer, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else None
    message = first.get("message") if isinstance(first, dict) else None
    return f": {message[:_TEXT]}" if isinstance(message, str) else ""
