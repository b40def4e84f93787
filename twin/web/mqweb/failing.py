"""What the REST interface answers to a request that fails: the error document of mqweb."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from twin.web.errors import NoCsrfHeader, NotSignedIn, SignedOut
from twin.web.failures import Failure

_IDS: Final[Mapping[type[Exception], str]] = MappingProxyType(
    {
        SignedOut: "MQWB0112E",
        NotSignedIn: "MQWB0104E",
        NoCsrfHeader: "MQWB0106E",
    }
)
"""The message ids of mqweb that clients look at."""

_OURS: Final = "TWNW0{}E"
"""The message id of what mqweb does not know, or has under an id that no source names."""

_ACTION: Final = "Correct the request, or repeat it later if the service was busy."


def answer(request: Request, failure: Failure) -> Response:
    """Return the error document of a failure."""
    del request
    kind = type(failure.error) if failure.error else None
    found = next((_IDS[each] for each in kind.__mro__ if each in _IDS), "") if kind else ""
    message_id = found or _OURS.format(failure.status)
    error = {
        "msgId": message_id,
        "message": f"{message_id}: {failure.message}",
        "explanation": failure.message,
        "action": _ACTION,
        "type": "rest",
        "completionCode": 2,
        "reasonCode": 0,
    }
    return JSONResponse({"error": [error]}, failure.status, dict(failure.headers))
