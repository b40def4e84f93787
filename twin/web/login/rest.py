"""`/ibmmq/rest/vN/login` of mqweb: POST gives a token, GET says whose it is, DELETE ends it."""

from __future__ import annotations

import json
from typing import Any, Final

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from twin.web.errors import BadRequest, NotSignedIn
from twin.web.guard import (
    Reader,
    address_of,
    credentials,
    demand_csrf_header,
    session_of,
)
from twin.web.login.cookies import drop_token, set_token
from twin.web.service import service_of

router = APIRouter(include_in_schema=False)

_JSON: Final = "application/json"


async def sign_in(request: Request) -> Response:
    """Give a token to whoever sends a user and password."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        message = f"the Content-Type of a login is {_JSON}"
        raise BadRequest(message)
    name, password = _read(await request.body())
    token = await run_in_threadpool(
        service_of(request).access.sign_in, name, password, address=address_of(request)
    )
    request.state.user = name
    response = Response(status_code=204)
    set_token(request, response, token, "strict")
    return response


def _read(body: bytes) -> tuple[str, str]:
    """Return the user and the password in the body of a login.

    Raises:
        BadRequest: if it has another form.
    """
    try:
        document = json.loads(body)
        name, password = document["username"], document["password"]
    except (ValueError, TypeError, KeyError, RecursionError):
        name = password = None
    if not isinstance(name, str) or not isinstance(password, str):
        message = 'the body of a login is {"username": "...", "password": "..."}'
        raise BadRequest(message)
    return name, password


def who(user: Reader) -> dict[str, Any]:
    """Say who is signed in, and with which roles."""
    return {"user": [{"name": user.name, "role": sorted(user.roles)}]}


def sign_out(request: Request) -> Response:
    """End the token of a request."""
    token = session_of(request)
    if not token:
        raise NotSignedIn
    credentials(request)
    service_of(request).access.sign_out(token)
    response = Response(status_code=204)
    drop_token(request, response)
    return response


for _path in (f"/ibmmq/rest/v{version}/login{end}" for version in (1, 2, 3) for end in ("", "/")):
    router.add_api_route(_path, sign_in, methods=["POST"])
    router.add_api_route(_path, who, methods=["GET"])
    router.add_api_route(
        _path, sign_out, methods=["DELETE"], dependencies=[Depends(demand_csrf_header)]
    )
