"""The cookie with the token of a user who is signed in."""

from __future__ import annotations

from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response

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
