"""Paths of requests, with and without the prefix that a proxy puts in front of them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.types import Scope

NEXT: Final = "next"
"""The parameter of the form to sign in with the path to go on with."""


def route_path(scope: Scope) -> str:
    """Return the path of a request without the prefix, whether the proxy took it away or not."""
    path: str = scope["path"]
    prefix: str = scope.get("root_path", "")
    own = path.removeprefix(prefix)
    return own if path != own and own[:1] in {"", "/"} else path


def own_url(request: Request) -> str:
    """Return the URL of a request as its client knows it: with the prefix, without the query."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    path = route_path({**request.scope, "path": raw.partition(b"?")[0].decode("latin-1")})
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}{path}"


def login_url(request: Request) -> str:
    """Return the path of the form to sign in, which leads back to the page of a request.

    For a part of a page, that is the page, which htmx names in a header.
    """
    prefix = request.scope.get("root_path", "")
    page = urlsplit(request.headers.get("hx-current-url", ""))
    path = page.path or f"{prefix}{route_path(request.scope)}"
    query = page.query if page.path else request.url.query
    return f"{prefix}/login?{urlencode({NEXT: f'{path}?{query}' if query else path})}"


def own_path(request: Request, path: str) -> str:
    """Return a path of this service to go on with; that of the first page for anything else."""
    is_own = path.startswith("/") and path[1:2] not in {"/", "\\"} and path.isprintable()
    return path if is_own else f"{request.scope.get('root_path', '')}/"
