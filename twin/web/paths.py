"""Paths of requests, with and without the prefix that a proxy puts in front of them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

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


def login_url(request: Request) -> str:
    """Return the path of the form to sign in, which leads back to the page of a request."""
    prefix = request.scope.get("root_path", "")
    query = f"?{request.url.query}" if request.url.query else ""
    asked = f"{prefix}{route_path(request.scope)}{query}"
    return f"{prefix}/login?{urlencode({NEXT: asked})}"


def own_path(request: Request, path: str) -> str:
    """Return a path of this service to go on with; that of the first page for anything else."""
    is_own = path.startswith("/") and path[1:2] not in {"/", "\\"} and path.isprintable()
    return path if is_own else f"{request.scope.get('root_path', '')}/"
