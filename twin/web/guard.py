"""Dependencies of routes: who sent a request, and whether they may do what it asks."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from twin.web.access.users import User
from twin.web.errors import NotAllowed, NotSignedIn
from twin.web.service import service_of


def signed_in(request: Request) -> User:
    """Return the user who sent a request.

    Raises:
        NotSignedIn: if the request names none, or the password is wrong.
    """
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        raise NotSignedIn
    try:
        name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise NotSignedIn from None
    user = service_of(request).users.verified(name, password)
    if user is None:
        raise NotSignedIn
    return user


Reader = Annotated[User, Depends(signed_in)]
"""A parameter of routes that everybody with a role may use."""


def writer(user: Reader) -> User:
    """Return the user who sent a request that writes.

    Raises:
        NotAllowed: if the user may only read.
    """
    if not user.writes:
        raise NotAllowed(user.name)
    return user


Writer = Annotated[User, Depends(writer)]
"""A parameter of routes that change queue managers."""
