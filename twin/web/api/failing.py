"""What the JSON API answers to a request that fails: problem details, as RFC 9457 has them."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from twin.errors import TwinError
from twin.web.failures import Failure, with_challenge

MEDIA_TYPE = "application/problem+json"


def answer(request: Request, failure: Failure) -> Response:
    """Return the problem details of a failure."""
    del request
    document = {
        "type": "about:blank",
        "title": HTTPStatus(failure.status).phrase,
        "status": failure.status,
        "detail": failure.message,
        **({"error": _name(failure.error)} if failure.error else {}),
        **({"number": failure.number} if failure.number else {}),
    }
    return JSONResponse(document, failure.status, with_challenge(failure), MEDIA_TYPE)


def _name(error: TwinError) -> str:
    """Return the name of an error, for programs that tell errors apart."""
    return type(error).__name__
