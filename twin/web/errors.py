"""The errors of requests, and the HTTP status of every error."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from twin.app.protection import ObservedOnMain
from twin.app.refusals import ControlRefused
from twin.errors import TwinError, did_you_mean
from twin.log import (
    ConcurrentAppend,
    LogBusy,
    LogUnreachable,
    NewerLog,
    NoSuchLog,
    NotALog,
    OlderLog,
    ReadOnlyLog,
)

_AGAIN: Final = MappingProxyType({"Retry-After": "5"})
"""The headers of an answer that says that the service is busy."""


class WebError(TwinError):
    """An error that only a request can have.

    Attributes:
        status: the HTTP status of the answer.
        headers: headers that the answer has besides the usual ones.
    """

    status: int = 400
    headers: Mapping[str, str] = MappingProxyType({})


class BadRequest(WebError, ValueError):
    """A request that is not understood."""


class UnknownQueryParameter(WebError):
    """A query parameter that an address does not have; it would be ignored."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        expected = f"expected one of {', '.join(sorted(known))}" if known else "expected none"
        super().__init__(f"unknown parameter {name!r}; {expected}{did_you_mean(name, known)}")


class NotSignedIn(WebError, message="sign in first: no valid credentials came with the request"):
    """A request without valid credentials."""

    status = 401


class SignedOut(NotSignedIn, message="sign in again: the token of the request has expired"):
    """A request with a token that expired, or that was given before the service was restarted."""


class NotAllowed(WebError, message="user {} may not do this; it needs the role {}"):
    """A request for which the role of its user is not enough."""

    status = 403


class NoCsrfHeader(
    WebError,
    message="the header ibm-mq-rest-csrf-token is missing; any value will do, also an empty one",
):
    """A request that changes something without the header that a foreign page cannot send."""

    status = 403


class WrongFormToken(
    WebError, message="the form is out of date; load the page again and repeat the action"
):
    """A form that does not come from a page of this service, or from an older session."""

    status = 403


class WritesRefused(
    WebError, message="this service was started with --read-only and records nothing"
):
    """A write to a service that was started for reading alone."""

    status = 403


class TooManyAttempts(WebError):
    """A sign-in after too many with a wrong password.

    Attributes:
        seconds: after how many seconds the next attempt counts.
    """

    status = 429

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many failed attempts to sign in; try again in {seconds} seconds")
        self.headers = MappingProxyType({"Retry-After": str(seconds)})


class BodyTooLong(WebError, message="the body of the request is longer than {:,} bytes"):
    """A request whose body is longer than the service reads."""

    status = 413


class BodyTooSlow(WebError, message="the body of the request did not arrive within {:g} seconds"):
    """A request whose body did not arrive in time."""

    status = 408


class UnknownHost(WebError, message="unknown host {!r}; --host-name adds a name of this service"):
    """A request for a host by a name that this service does not have."""

    status = 421


class Unavailable(WebError):
    """A request that the service cannot answer at present; it may be repeated."""

    status = 503
    headers = _AGAIN


class Busy(Unavailable, message="the service has too much to do; try again later"):
    """A request for which no reader or worker is free, or no turn to record comes."""


class TookTooLong(
    Unavailable,
    message="the computation was ended after {:g} seconds; ask about less, use the "
    "command line, or start the service with a longer --deadline",
):
    """A computation that was ended at its deadline."""


class WorkerEnded(
    Unavailable, message="the process of the computation ended unexpectedly; try again"
):
    """A computation whose process ended before it had a result."""


_STATUSES: Final[tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], int], ...]] = (
    (ObservedOnMain, 403),
    ((LogBusy, ConcurrentAppend, LogUnreachable, NewerLog, OlderLog), 503),
    ((NoSuchLog, NotALog, ReadOnlyLog), 503),
    (LookupError, 404),
    (ControlRefused, 409),
    (ValueError, 400),
)
"""The status of errors that other callers have, too. The first class that fits counts."""

UNEXPECTED: Final = 500
"""The status of an error that nobody foresaw, and of a damaged log."""


def status_of(error: TwinError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, WebError):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), UNEXPECTED)


def headers_of(error: TwinError) -> Mapping[str, str]:
    """Return the headers that the answer to an error has besides the usual ones."""
    if isinstance(error, WebError):
        return error.headers
    return _AGAIN if status_of(error) == Unavailable.status else {}
