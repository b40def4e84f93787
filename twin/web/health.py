"""`/healthz` and `/readyz`, for whoever restarts a service or sends requests to it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from twin.web.errors import Unavailable
from twin.web.service import service_of

router = APIRouter(include_in_schema=False)


class NotReady(Unavailable):
    """A service that cannot do anything for anybody."""

    def __init__(self) -> None:
        super().__init__("no user may sign in yet; twin user add makes one")


@router.get("/healthz")
async def alive() -> PlainTextResponse:
    """Say that the service answers, also if every thread is busy."""
    return PlainTextResponse("alive\n")


@router.get("/readyz")
def ready(request: Request) -> PlainTextResponse:
    """Say that the log can be read, and that there are users.

    Raises:
        Unavailable, LogUnreachable, LogBusy: if not.
    """
    service = service_of(request)
    if not service.access.users.entries():
        raise NotReady
    with service.readers.borrow() as twin:
        twin.log.last()
    return PlainTextResponse("ready\n")
