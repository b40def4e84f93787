"""Signing in and out: the form for browsers, and `/ibmmq/rest/vN/login` for programs."""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from fastapi import APIRouter, Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from twin.web.errors import (
    BadRequest,
    NotSignedIn,
    TooManyAttempts,
    UnknownQueryParameter,
    WebError,
    WrongFormToken,
)
from twin.web.guard import (
    Reader,
    address_of,
    credentials,
    demand_csrf_header,
    demand_form_token,
    session_of,
)
from twin.web.paths import NEXT, own_path
from twin.web.service import service_of

_NOT_KEPT: Final = {
    "Cache-Control": "no-cache, no-store, must-revalidate",
    "Expires": "Thu, 01 Dec 1994 16:00:00 GMT",
}
"""The headers by which mqweb keeps an answer with a token out of caches."""


def set_token(
    request: Request, response: Response, token: str, same_site: Literal["strict", "lax"]
) -> None:
    """Let an answer set the cookie; over TLS it is for TLS alone."""
    response.set_cookie(
        service_of(request).access.cookie,
        token,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite=same_site,
    )
    response.headers.update(_NOT_KEPT)


def drop_token(request: Request, response: Response) -> None:
    """Let an answer delete the cookie."""
    response.delete_cookie(
        service_of(request).access.cookie,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    response.headers.update(_NOT_KEPT)


router = APIRouter(include_in_schema=False)

_TEMPLATES: Final = Environment(
    loader=PackageLoader("twin.web.login"), autoescape=True, undefined=StrictUndefined
)


@router.get("/login")
def login_page(request: Request) -> HTMLResponse:
    """Show the form."""
    for name in request.query_params:
        if name != NEXT:
            raise UnknownQueryParameter(name, {NEXT})
    return _page(request, request.query_params.get(NEXT, ""))


@router.post("/login")
async def login(request: Request) -> Response:
    """Sign in, and go on to the page that was asked for."""
    if not _is_from_own_page(request):
        raise WrongFormToken  # another page would sign its reader in as somebody else
    form = await request.form()
    fields = {name: str(form.get(name, "")) for name in ("username", "password", NEXT)}
    try:
        token = await run_in_threadpool(
            service_of(request).access.sign_in,
            fields["username"],
            fields["password"],
            address=address_of(request),
        )
    except (NotSignedIn, TooManyAttempts) as error:
        return _page(request, fields[NEXT], error)
    request.state.user = fields["username"]
    response = RedirectResponse(own_path(request, fields[NEXT]), 303)
    # Lax, not Strict: a link in a ticket leads to the page, not to this form.
    set_token(request, response, token, "lax")
    return response


def _is_from_own_page(request: Request) -> bool:
    """Return whether a form may come from a page of this service, not of another port or host.

    Browsers name the relation of both over HTTPS, and the origin of the page else. A program names
    neither.
    """
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    if site is not None:
        return site in {"same-origin", "none"}
    host = request.headers.get("host", "")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


@router.post("/logout", dependencies=[Depends(demand_form_token)])
def logout(request: Request) -> Response:
    """Sign out, and show the form again."""
    service_of(request).access.sign_out(session_of(request))
    response = RedirectResponse(f"{request.scope['root_path']}/login", 303)
    drop_token(request, response)
    return response


def _page(request: Request, next_: str, error: WebError | None = None) -> HTMLResponse:
    users = service_of(request).access.users
    problem = ""
    if error is not None:
        is_wrong = isinstance(error, NotSignedIn)
        problem = "The user or the password is wrong." if is_wrong else str(error)
    text = _TEMPLATES.get_template("login.html").render(
        root=request.scope["root_path"],
        next=next_,
        problem=problem,
        has_users=bool(users.entries()),
    )
    return HTMLResponse(text, error.status if error else 200, dict(error.headers) if error else {})


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
