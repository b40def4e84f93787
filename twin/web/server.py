"""The server: uvicorn in a thread of its own, with a limit for slow requests, and a clean end."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from uvicorn.protocols.http.h11_impl import H11Protocol

from twin.errors import TwinError, reason_of
from twin.web.application import create_application
from twin.web.certificate import watched_context
from twin.web.estates.workers import PLACES
from twin.web.service import WAITING, Service
from twin.web.settings import ServerSettings

_ENDS_WITHIN: Final = 20
"""Seconds that running requests get when the server is stopped."""

_IDLE: Final = 5
"""Seconds for which a connection without a request stays open."""

_CONNECTIONS: Final = 500
"""The most connections at the same time; another one gets 503."""

_QUICK: Final = 40
"""How many requests are answered at the same time besides those that wait."""

_WITHIN: Final = 30.0
"""The seconds in which the head of a request must arrive, after the connection or other data."""


class ImpatientProtocol(H11Protocol):
    """Closes a connection that begins a request and does not go on."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take data; wait on, for as long as before, unless a request has begun."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = self.loop.call_later(_WITHIN, self._give_up)

    def _give_up(self) -> None:
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _Server(uvicorn.Server):
    """A server whose quick requests have threads, however many others wait.

    Others wait for a computation, or for their turn to record.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Set the number of threads, which belongs to the event loop."""
        current_default_thread_limiter().total_tokens = _QUICK + PLACES + WAITING
        await super().startup(sockets)


class CannotListen(TwinError, OSError, message="cannot listen on {}({}): {}"):
    """An address and port on which the server cannot listen."""


@contextmanager
def serving(settings: ServerSettings, *, ended: Callable[[], None] = lambda: None) -> Iterator[str]:
    """Serve in the background until the block ends; yield the URL.

    `ended` is called when the server ends, also if it ends by itself.

    Raises:
        CannotListen: if the address or the port cannot be used.
        UnusableCertificate: if the certificate or its key cannot be used.
    """
    listener = _listener(settings)
    try:
        context = watched_context(settings.certificate) if settings.certificate else None
    except BaseException:
        listener.close()
        raise
    service = Service(settings)
    config = uvicorn.Config(
        create_application(service),
        http=ImpatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_ENDS_WITHIN,
        timeout_keep_alive=_IDLE,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
    )
    config.load()
    config.ssl = context
    server = _Server(config)

    def run() -> None:
        try:
            server.run(sockets=[listener])
        finally:
            ended()

    thread = threading.Thread(target=run, name="twin-web", daemon=True)
    thread.start()
    scheme, (host, port) = "https" if context else "http", listener.getsockname()[:2]
    try:
        yield f"{scheme}://{_shown(host)}:{port}{settings.prefix}"
    finally:
        server.should_exit = True
        thread.join()
        service.close()


def _listener(settings: ServerSettings) -> socket.socket:
    """Listen, so that a request that comes before the server is ready waits.

    Raises:
        CannotListen: if the address or the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    # With this protocol asyncio sets TCP_NODELAY; without it each answer waits for an ACK, 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.address, settings.port))
        listener.listen(_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise CannotListen(
            settings.address, settings.port, reason_of(error) or str(error)
        ) from None
    return listener


def _shown(host: str) -> str:
    """Return a host for a URL; this machine for all addresses."""
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_unspecified:
            return socket.gethostname()
    return f"[{host}]" if ":" in host else host
