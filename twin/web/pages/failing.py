"""The page that a browser gets for a request that fails."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from twin.web.failures import Failure
from twin.web.pages import rendering
from twin.web.pages.place import PagePlace
from twin.web.paths import login_url
from twin.web.points import Point
from twin.web.service import service_of


def answer(request: Request, failure: Failure) -> Response:
    """Return the page of a failure; to whoever is not signed in, the form to do so."""
    if failure.status == HTTPStatus.UNAUTHORIZED:
        if "hx-request" in request.headers:  # a part of a page: the whole page is to be left
            return Response(status_code=failure.status, headers={"HX-Redirect": login_url(request)})
        if request.method == "GET":
            return RedirectResponse(login_url(request), 303)
    settings = service_of(request).settings
    place = PagePlace(view="estate", point=Point(), own={}, prefix=settings.prefix)
    text = rendering.render("failure", place, failure=failure)
    headers = {**rendering.HEADERS, **failure.headers}
    return HTMLResponse(text, failure.status, headers)
