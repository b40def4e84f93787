"""The page on which a browser signs in, and the form that signs out."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from twin.web.errors import (
    NotSignedIn,
    TooManyAttempts,
    UnknownQueryParameter,
    WebError,
    WrongFormToken,
)
from twin.web.guard import address_of, demand_form_token, session_of
from twin.web.login.cookies import drop_token, set_token
from twin.web.paths import NEXT, own_path
from twin.web.service import service_of

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
