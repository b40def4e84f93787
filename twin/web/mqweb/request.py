"""What the requests of mqweb have in common: the body, the gateway, the point in time."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final
from urllib.parse import quote, unquote

from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from twin.app.beginning import beginning_of
from twin.app.twin import Twin
from twin.model.instants import AsOf, Instant, format_instant
from twin.web.mqweb.errors import BadDocument, BeforeTheLog, FixedPast, UnknownQueueManager
from twin.web.points import Point
from twin.web.service import service_of

GATEWAY: Final = "ibm-mq-rest-gateway-qmgr"

_NO_JSON: Final = "The body is not a JSON object."


async def _json_object(request: Request) -> dict[str, Any]:
    """Return the body of a request.

    Raises:
        BadDocument: if it is not a JSON object.
    """
    raw = await request.body()
    try:
        value = json.loads(raw, parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode()  # half of a pair of surrogates is no text
    except (ValueError, RecursionError) as error:
        raise BadDocument(_NO_JSON, _why_unreadable(error)) from None
    if not isinstance(value, dict):
        raise BadDocument(_NO_JSON, "It must be one JSON object.")
    return value


class _NoNumber(ValueError):
    """A word that Python takes for a number, and JSON does not: NaN, Infinity."""


def _no_number(text: str) -> None:
    raise _NoNumber(text)


def _why_unreadable(error: Exception) -> str:
    """Return in one sentence why a body cannot be read as JSON."""
    match error:
        case json.JSONDecodeError():
            return f"It is not JSON at line {error.lineno}, column {error.colno}."
        case UnicodeDecodeError():
            return f"It is not UTF-8 at byte {error.start + 1}."
        case UnicodeEncodeError():
            return "It has half of a pair of surrogates, which is no character."
        case RecursionError():
            return "It is nested too deeply."
        case _NoNumber():
            return f"{error} is not JSON."
        case _:
            return "It has a number with too many digits."


JsonBody = Annotated[dict[str, Any], Depends(_json_object)]
"""The body of a request: a JSON object."""


@contextmanager
def reading(request: Request) -> Iterator[tuple[Twin, Instant | None, Instant | None]]:
    """Lend a read-only twin on the branch of a request, with its valid and known instants.

    Raises:
        UnknownQueueManager: if the request names a gateway that does not exist.
        BeforeTheLog: if the log begins after the point.
    """
    point = Point.of(request)
    with service_of(request).readers.borrow(point.branch) as twin:
        as_of, known_at = point.instants(twin)
        if not point.is_now and (
            lines := beginning_of(twin.log, twin.as_of(valid=as_of, known=known_at))
        ):
            raise BeforeTheLog(lines[0])
        _demand_gateway(request, lambda: twin.view(as_of=as_of, known_at=known_at)[0].qmgrs, twin)
        yield twin, as_of, known_at


@contextmanager
def writing(request: Request) -> Iterator[Twin]:
    """Lend the twin that writes, on the branch of a request.

    Raises:
        FixedPast: if the request asks about another time than now.
        UnknownQueueManager: if it names a gateway that does not exist.
    """
    point = Point.of(request)
    if not point.is_now:
        raise FixedPast
    with service_of(request).writing(point.branch) as twin:
        _demand_gateway(request, lambda: twin.view()[0].qmgrs, twin)
        yield twin


def _demand_gateway(request: Request, names: Callable[[], Container[str]], twin: Twin) -> None:
    """Check that the gateway of a request exists; the command goes to the name in the URL."""
    gateway = request.headers.get(GATEWAY)
    if gateway and not twin.soundly(lambda: gateway in names()):
        raise UnknownQueueManager(gateway)


def state_point(response: Response, point: AsOf) -> None:
    """Say in the headers of an answer which point it is computed for."""
    response.headers["twin-as-of"] = format_instant(point.valid)
    response.headers["twin-known-at"] = format_instant(point.known)
    response.headers["twin-branch"] = quote(point.branch)


class MqwebRoute(APIRoute):
    """A route whose path parameters may contain an encoded slash, dot or percent sign.

    Source: IBM MQ 9.1, GET /admin/qmgr (they must be sent as %2F, %2E and %25).
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the path as it was sent, and decode its parameters."""
        if scope["type"] != "http":
            return Match.NONE, {}
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?")[0].decode("latin-1").rstrip("/")
        match, child = super().matches({**scope, "path": path})
        if "path_params" in child:
            child["path_params"] = {
                name: unquote(value) if isinstance(value, str) else value
                for name, value in child["path_params"].items()
            }
        return match, child
