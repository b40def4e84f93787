"""The application: all routes of one service."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI

from twin.model.versions import VERSION
from twin.web.api import failing as failing_api
from twin.web.api import routes as api
from twin.web.failures import add_failures
from twin.web.metrics import routes as metrics
from twin.web.mqweb import failing as failing_mqweb
from twin.web.mqweb import routes as mqweb
from twin.web.pages import failing as failing_pages
from twin.web.pages import routes as pages
from twin.web.service import Service

_FACES: Final = {
    "/ibmmq/rest": failing_mqweb.answer,
    "/twin/v1": failing_api.answer,
    "": failing_pages.answer,
}


def create_application(service: Service) -> FastAPI:
    """Return the application of a service."""
    application = FastAPI(title="twin", version=VERSION, docs_url=None, redoc_url=None)
    application.state.service = service
    for part in (mqweb, api, metrics, pages):
        application.include_router(part.router)
    add_failures(application, _FACES)
    return application
