"""The access log: one line for each request, with user and address, and nothing secret."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, unquote_plus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twin.model.harmless import visible_line
from twin.model.instants import format_instant
from twin.model.passwords import HIDDEN, is_secret_name
from twin.mqsc.masking import masked_text

LOGGER: Final = logging.getLogger("twin.web.access")
"""Takes the lines, as information."""

_LONGEST: Final = 2000
_CONSIDERED: Final = 8 * _LONGEST
"""The characters of a target that are searched for secrets before it is cut."""

_PLAIN: Final = "=/:;,@*()'"
"""The characters that stay as they are in a parameter with a hidden secret."""

_NESTED: Final = 5
"""How often a parameter is decoded at most: one may be a URL with parameters of its own."""


class AccessLogFormat(StrEnum):
    """How requests are logged."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


class AccessLog:
    """Logs each request when its answer is complete, just before the last of it is sent."""

    def __init__(self, app: ASGIApp, *, form: AccessLogFormat) -> None:
        self._app = app
        self._write = _WRITERS.get(form)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and log the request."""
        if scope["type"] != "http" or self._write is None:
            await self._app(scope, receive, send)
            return
        write, began = self._write, time.perf_counter()
        status = size = 0
        logged = False

        def log() -> None:
            nonlocal logged
            if not logged:
                milliseconds = round(1000 * (time.perf_counter() - began), 1)
                LOGGER.info("%s", write(_entry(scope, status, size, milliseconds)))
            logged = True

        async def sending(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    log()
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            log()  # also if the client left before its answer


def _entry(scope: Scope, status: int, size: int, milliseconds: float) -> dict[str, Any]:
    """Return what is logged of a request."""
    return {
        "at": format_instant(time.time_ns() // 1000),
        "address": (scope.get("client") or ("",))[0],
        "user": scope.get("state", {}).get("user"),
        "method": scope["method"],
        "target": _target(scope),
        "status": status,
        "bytes": size,
        "milliseconds": milliseconds,
    }


def _target(scope: Scope) -> str:
    """Return the path and the query of a request, without what looks like a password."""
    path = masked_text(scope["path"][:_CONSIDERED])
    query = scope.get("query_string", b"")[:_CONSIDERED].decode("latin-1")
    shown = "&".join(map(_without_secret, query.split("&")))
    return visible_line(f"{path}{'?' if query else ''}{shown}")[:_LONGEST]


def _without_secret(parameter: str) -> str:
    """Return a parameter as it was sent if it has no secret, however often it is encoded."""
    name, _, value = parameter.partition("=")
    for _ in range(_NESTED):
        name = unquote_plus(name)
    if value and is_secret_name(name):
        return f"{quote(name)}={HIDDEN}"
    text, has_secret = parameter, False
    for _ in range(_NESTED):
        before = unquote_plus(text)
        text = masked_text(before)
        has_secret |= text != before
    return quote(text, safe=_PLAIN) if has_secret else parameter


def _text(entry: dict[str, Any]) -> str:
    return (
        f"{entry['at']} {entry['address']} {entry['user'] or '-'} {entry['method']} "
        f"{entry['target']} {entry['status']} {entry['bytes']} {entry['milliseconds']}ms"
    )


_WRITERS: Final[Mapping[AccessLogFormat, Callable[[dict[str, Any]], str]]] = MappingProxyType(
    {AccessLogFormat.TEXT: _text, AccessLogFormat.JSON: json.dumps}
)
