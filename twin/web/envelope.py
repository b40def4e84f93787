"""What every request and every answer goes through, whatever its route.

Requests for other hosts are refused: a page of another site could otherwise reach a service on the
machine of its reader, under a name of its own (DNS rebinding). Bodies are limited in length and
time. Answers forbid scripts, frames and requests that are not our own.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection
from types import MappingProxyType
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twin.model.names import is_address
from twin.model.versions import VERSION
from twin.web.errors import BodyTooLong, BodyTooSlow, UnknownHost
from twin.web.settings import ServerSettings

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS: Final = MappingProxyType(
    {
        "Server": f"twin/{VERSION} (a digital twin, not IBM MQ)",
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
)
"""Headers of every answer that does not have them already."""


class Prefixed:
    """Serves all paths also with a prefix, which a proxy puts in front of them or takes away."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, which finds its routes after the prefix."""
        await self._app({**scope, "root_path": self._prefix}, receive, send)


class SafeAnswers:
    """Gives answers the headers that browsers need to be safe."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application; add the headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class OwnHosts:
    """Refuses requests whose header Host has a name that is not one of the service."""

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        """Serve under these names, any address, localhost, and the name of this machine."""
        self._app = app
        own = ("localhost", socket.gethostname(), *names)
        self._names = frozenset(name.lower().rstrip(".") for name in own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, unless the request is for somebody else."""
        if scope["type"] == "http":
            host = Headers(scope=scope).get("host", "")
            if not self._is_own(host):
                raise UnknownHost(host)
        await self._app(scope, receive, send)

    def _is_own(self, host: str) -> bool:
        name = host.rpartition("]")[0].lstrip("[") if "[" in host else host.partition(":")[0]
        # an address needs no name to be resolved, so none can have been rebound
        return is_address(name) or name.lower().rstrip(".") in self._names


class LimitedBodies:
    """Reads only bodies that are not too long and do not take too long."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        self._app = app
        self._longest = settings.longest_body
        self._within = settings.body_within

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application with a limited body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > self._longest:
            raise BodyTooLong(self._longest)
        end = asyncio.get_running_loop().time() + self._within
        read, whole = 0, False

        async def receiving() -> Message:
            nonlocal read, whole
            if whole:
                return await receive()  # waits for the client to leave
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                raise BodyTooSlow(self._within) from None
            read += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if read > self._longest:
                raise BodyTooLong(self._longest)
            return message

        await self._app(scope, receiving, send)
