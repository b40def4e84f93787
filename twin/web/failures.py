"""Answers to requests that fail: the status, and the form that the clients of each face expect.

Nothing of an unforeseen error leaves the server but a number, under which its log has the rest.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twin.errors import TwinError
from twin.web.errors import UNEXPECTED, WebError, headers_of, status_of
from twin.web.paths import route_path

LOGGER: Final = logging.getLogger("twin.web.failures")
"""Takes the errors that nobody foresaw, with their numbers."""

_CHALLENGE: Final = 'Basic realm="twin", charset="UTF-8"'

_TITLES: Final = MappingProxyType(
    {
        400: "the body of the request cannot be read",
        404: "there is nothing at this address",
        405: "this address does not take this method",
    }
)
"""What an answer of the framework says, in words of our own."""

_NOT_JSON: Final = "the body is read only with the header Content-Type: application/json"
_EXPECTED: Final = MappingProxyType(
    {
        "model_type": "expected a JSON object",
        "model_attributes_type": "expected a JSON object",
        "tuple_type": "expected a list",
    }
)
"""What a value should be, by the kind of problem of the framework."""


class Failure(NamedTuple):
    """A request that fails.

    Attributes:
        status: the HTTP status of the answer.
        message: what is wrong, in one line.
        headers: the headers that the answer has besides the usual ones.
        error: the error, unless it is one of the framework, or nobody foresaw it.
        number: the number under which the server's log has more; '' if there is no more.
    """

    status: int
    message: str
    headers: Mapping[str, str] = MappingProxyType({})
    error: TwinError | None = None
    number: str = ""


Answerer: TypeAlias = Callable[[Request, Failure], Response]
"""Makes the answer to a request that fails."""


def failure_of(error: Exception) -> Failure:
    """Return what to answer to an error; an unforeseen one is logged under a number.

    The framework answers 400 to every error while it reads a body; our own error is its cause.
    """
    if isinstance(error, HTTPException) and isinstance(error.__cause__, WebError):
        error = error.__cause__
    if isinstance(error, TwinError) and (status := status_of(error)) != UNEXPECTED:
        return Failure(status, str(error), headers_of(error), error)
    if isinstance(error, HTTPException):
        title = _TITLES.get(error.status_code, str(error.detail))
        return Failure(error.status_code, title, error.headers or {})
    if isinstance(error, RequestValidationError):
        if isinstance(error.body, bytes):  # the framework leaves what is not called JSON as it is
            return Failure(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, _NOT_JSON)
        return Failure(400, _what_is_invalid(error))
    number = secrets.token_hex(4)
    LOGGER.error("error %s", number, exc_info=error)
    message = f"an unexpected error; the log of the server has more under {number}"
    return Failure(UNEXPECTED, message, number=number)


def _what_is_invalid(error: RequestValidationError) -> str:
    """Return the first problem of a request, in one line."""
    first = error.errors()[0]
    place, *names = first["loc"] or ("request",)
    if first["type"] == "json_invalid":
        return f"the body is not JSON at its character {int(names[-1]) + 1}"
    name = ".".join(map(str, names or (place,)))
    return f"{name}: {_EXPECTED.get(first['type'], first['msg'])}"


def with_challenge(failure: Failure) -> dict[str, str]:
    """Return the headers of an answer to a program: a 401 says how to sign in."""
    is_401 = failure.status == HTTPStatus.UNAUTHORIZED
    return {**failure.headers, **({"WWW-Authenticate": _CHALLENGE} if is_401 else {})}


def add_failures(application: FastAPI, faces: Mapping[str, Answerer]) -> None:
    """Let an application answer every error in the form of the face that its path belongs to.

    `faces` maps the beginning of paths to the face; '' is for all others and comes last.
    """

    def answered(request: Request, error: Exception) -> Response:
        path = route_path(request.scope)
        answer = next(face for start, face in faces.items() if path.startswith(start))
        return answer(request, failure_of(error))

    for kind in (TwinError, HTTPException, RequestValidationError):
        application.add_exception_handler(kind, answered)
    application.add_middleware(_Failing, answered=answered)


class _Failing:
    """Answers the errors of what is outside of routes, and those that nobody foresaw."""

    def __init__(self, app: ASGIApp, answered: Callable[[Request, Exception], Response]) -> None:
        self._app = app
        self._answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application; answer the error that it raises."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - nothing else stands between it and the client
            response = self._answered(Request(scope), error)
            if not begun:
                await response(scope, receive, send)
