"""The page that a browser gets for a request that fails."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from twin.web.failures import Failure

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{status} - twin</title>
<h1>{status}</h1>
<p>This is a twin, not MQ.</p>
<p role="alert">{message}</p>
</html>
"""


def answer(request: Request, failure: Failure) -> Response:
    """Return the page of a failure."""
    del request
    text = _PAGE.format(status=failure.status, message=escape(failure.message))
    return HTMLResponse(text, failure.status, dict(failure.headers))
