"""The page that a browser gets for a request that fails."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from twin.web.failures import Failure
from twin.web.pages import rendering
from twin.web.pages.place import PagePlace
from twin.web.points import Point
from twin.web.service import service_of


def answer(request: Request, failure: Failure) -> Response:
    """Return the page of a failure."""
    settings = service_of(request).settings
    place = PagePlace(view="estate", point=Point(), own={}, prefix=settings.prefix)
    text = rendering.render("failure", place, failure=failure)
    headers = {**rendering.HEADERS, **failure.headers}
    return HTMLResponse(text, failure.status, headers)
