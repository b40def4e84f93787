"""The application: all routes of one service, and whether it can answer."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from twin.model.versions import VERSION
from twin.web.access_log import AccessLog
from twin.web.api import asking, openapi, recorded, reviewing
from twin.web.api.answers import problem_details
from twin.web.envelope import LimitedBodies, OwnHosts, Prefixed, SafeAnswers
from twin.web.errors import Unavailable
from twin.web.failures import add_failures
from twin.web.guard import Scraper, demand_csrf_header, demand_form_token
from twin.web.login import signing_in as login
from twin.web.metrics import scraping as metrics
from twin.web.mqweb import channels, commands, messages, queue_managers, queues
from twin.web.mqweb import failing as failing_mqweb
from twin.web.pages import routes as pages
from twin.web.service import Service, service_of

_FACES: Final = {
    "/ibmmq/rest": failing_mqweb.answer,
    **dict.fromkeys(("/twin/v1", "/metrics", "/healthz", "/readyz"), problem_details),
    "": pages.failed,
}
_MQWEB: Final = (commands, queue_managers, queues, channels, messages)
_PARTS: Final = {
    **{f"/ibmmq/rest/{version}": _MQWEB for version in ("v1", "v2", "v3")},
    "/twin/v1": (openapi, asking, reviewing, recorded),
}
"""The prefix of paths -> the resources below it; those of mqweb are the same in its versions."""


def create_application(service: Service) -> FastAPI:
    """Return the application of a service.

    What changes something is refused here without the header or the form token, so that no route
    can forget it. The middleware that is added last sees a request first.
    """
    settings = service.settings
    application = FastAPI(title="twin", version=VERSION, openapi_url=None)
    application.state.service = service
    application.include_router(router)
    for prefix, parts in _PARTS.items():
        for part in parts:
            application.include_router(
                part.router, prefix=prefix, dependencies=[Depends(demand_csrf_header)]
            )
    application.include_router(metrics.router, dependencies=[Scraper])
    application.include_router(login.router)
    application.include_router(pages.router, dependencies=[Depends(demand_form_token)])
    application.add_middleware(LimitedBodies, settings=settings)
    application.add_middleware(OwnHosts, names=settings.host_names)
    add_failures(application, _FACES)
    application.add_middleware(SafeAnswers)
    application.add_middleware(AccessLog, form=settings.access_log)
    application.add_middleware(Prefixed, prefix=settings.prefix)
    return application


router = APIRouter(include_in_schema=False)


class NotReady(Unavailable, message="no user may sign in yet; twin user add makes one"):
    """A service that cannot do anything for anybody."""


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
