"""`/metrics`: the series of all queue managers in one scrape."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from twin.web.errors import BadRequest, UnknownQueryParameter
from twin.web.metrics.exposition import CONTENT_TYPE
from twin.web.metrics.scraping import Scrape, scrape
from twin.web.points import PARAMETERS, Point
from twin.web.service import service_of

router = APIRouter()

LARGE: Final = 5000
"""The last position of a log whose metrics are computed in the process that answers."""


class OnlyNow(BadRequest):
    """A scrape with a time: a scrape is always as of now."""

    def __init__(self) -> None:
        super().__init__("metrics are always as of now; only a branch can be chosen")


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return the series of now, on main or on another branch."""
    for name in request.query_params:
        if name.removeprefix("twin-") not in PARAMETERS:
            raise UnknownQueryParameter(name, {"branch"})
    point = Point.of(request)
    if not point.is_now:
        raise OnlyNow
    service = service_of(request)
    with service.readers.borrow(point.branch) as twin:
        number = twin.log.branch(point.branch).id
        position, now = twin.log.head(point.branch).position, twin.now()

    def compute() -> Scrape:
        options = service.settings.metrics
        if position > LARGE:
            return service.workers.run_on(point.branch, scrape, options)
        with service.readers.borrow(point.branch) as twin:
            return scrape(twin, options)

    found = service.scrapes.get(number, position, now, compute)
    with service.readers.borrow(point.branch) as twin:
        now = twin.now()
    return Response(found.exposition.text(now), headers={"Content-Type": CONTENT_TYPE})
