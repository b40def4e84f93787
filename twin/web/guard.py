"""Dependencies of routes: who sent a request, and whether they may do what it asks.

A request that changes something needs, besides credentials and a role, what a page of another site
cannot send: the header of mqweb at the interfaces for programs, and a token in forms of pages.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable
from operator import attrgetter
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import Request

from twin.web.access.signing import COOKIE, SignedIn
from twin.web.access.users import Role, User
from twin.web.errors import (
    NoCsrfHeader,
    NotAllowed,
    NotSignedIn,
    WritesRefused,
    WrongFormToken,
)
from twin.web.service import service_of

CSRF_HEADER: Final = "ibm-mq-rest-csrf-token"
"""The header that mqweb demands of requests that change something; its value does not matter."""

FORM_TOKEN: Final = "form_token"  # noqa: S105 - the name of a field
"""The hidden field of every form, with `form_token(request)` as its value."""

FORM_TOKEN_HEADER: Final = "twin-form-token"  # noqa: S105 - the name of a header
"""The header with the same value, for scripts of our pages."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def address_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else ""


def session_of(request: Request) -> str:
    """Return the token in the cookies of a request, '' if there is none.

    The cookie of this service comes first; one of an earlier start has expired.
    """
    cookies = request.cookies
    named = [service_of(request).access.cookie, *(n for n in cookies if n.startswith(COOKIE))]
    return next((cookies[name] for name in named if name in cookies), "")


def credentials(request: Request) -> SignedIn:
    """Return who sent a request, by its header of basic authentication, or else by its cookie.

    Raises:
        NotSignedIn: if the request names nobody, or the password is wrong.
        SignedOut: if its token has expired.
        TooManyAttempts: if there were too many wrong passwords.
    """
    access = service_of(request).access
    if "authorization" in request.headers:
        name, password = _basic(request.headers["authorization"])
        found = access.by_password(name, password, address=address_of(request))
    elif token := session_of(request):
        found = access.by_token(token)
    else:
        raise NotSignedIn
    request.state.user = found.user.name  # for the access log
    return found


def _basic(header: str) -> tuple[str, str]:
    """Return the name and the password of a header."""
    kind, _, value = header.partition(" ")
    if kind.lower() != "basic":
        raise NotSignedIn
    try:
        name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise NotSignedIn from None
    return name, password


Credentials = Annotated[SignedIn, Depends(credentials)]


def signed_in(found: Credentials) -> User:
    """Return the user who sent a request.

    Raises:
        NotSignedIn, SignedOut, TooManyAttempts: if there is none.
        NotAllowed: if the user has no role.
    """
    if not found.user.roles:
        raise NotAllowed(found.user.name, Role.READER)
    return found.user


Reader = Annotated[User, Depends(signed_in)]
"""A parameter of routes that everybody with a role may use: to look, and to rehearse."""


def _writing(needed: Role, may: Callable[[User], bool]) -> Callable[[Request, User], User]:
    """Return a dependency: the user of a request that records something, with a role for it."""

    def user_who_may(request: Request, user: Reader) -> User:
        """Return the user who sent a request.

        Raises:
            NotAllowed: if the user has not the role that the request needs.
            WritesRefused: if the service only reads.
        """
        if not may(user):
            raise NotAllowed(user.name, needed)
        if service_of(request).settings.read_only:
            raise WritesRefused
        return user

    return user_who_may


Writer = Annotated[User, Depends(_writing(Role.ADMIN, attrgetter("writes")))]
"""A parameter of routes that change queue managers or branches."""

Messenger = Annotated[User, Depends(_writing(Role.USER, attrgetter("puts")))]
"""A parameter of routes that put or get messages."""


def scraper(request: Request) -> None:
    """Check that a request may have the metrics: by the token of scrapers, or as any user.

    Raises:
        NotSignedIn: if it has neither, and the metrics are not open.
    """
    settings = service_of(request).settings
    if settings.metrics_open:
        return
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer":
        signed_in(credentials(request))
        return
    expected = settings.metrics_token
    if not expected or not hmac.compare_digest(given.encode(), expected.encode()):
        raise NotSignedIn


Scraper = Depends(scraper)
"""A dependency of the routes of metrics."""


def demand_csrf_header(request: Request, found: Credentials) -> None:
    """Check that a request that changes something has the header of mqweb.

    Raises:
        NoCsrfHeader: if it does not.
    """
    # `found` is a parameter because whoever is not signed in gets to know that first
    if request.method not in _READS and CSRF_HEADER not in request.headers:
        raise NoCsrfHeader


def form_token(request: Request) -> str:
    """Return the value of the hidden field FORM_TOKEN for a user who is signed in."""
    return service_of(request).access.form_token(credentials(request))


async def demand_form_token(request: Request) -> None:
    """Check that a request that is no GET comes from a form of a page that its user was shown.

    Raises:
        NotSignedIn: if nobody is signed in.
        WrongFormToken: if it does not.
    """
    if request.method in _READS:
        return
    from starlette.concurrency import run_in_threadpool  # noqa: PLC0415 - few requests are forms

    found = await run_in_threadpool(credentials, request)
    given = request.headers.get(FORM_TOKEN_HEADER)
    if given is None:
        given = str((await request.form()).get(FORM_TOKEN, ""))
    if not service_of(request).access.is_form_token(found, given):
        raise WrongFormToken
