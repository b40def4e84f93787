"""The check that a request has no query parameters but those that its address takes."""

from __future__ import annotations

from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.requests import Request

from twin.web.errors import UnknownQueryParameter
from twin.web.guard import Credentials
from twin.web.points import PARAMETERS


def demand_declared(request: Request, found: Credentials) -> None:
    """Check that all query parameters are declared by the route, or name the point in time.

    Raises:
        UnknownQueryParameter: if one is not.
    """
    del found  # whoever is not signed in gets to know that first
    route = request.scope["route"]
    assert isinstance(route, APIRoute)  # noqa: S101 - for the type checker
    declared = {each.alias for each in route.dependant.query_params}
    for name in request.query_params:
        if name not in declared and name.removeprefix("twin-") not in PARAMETERS:
            raise UnknownQueryParameter(name, declared | PARAMETERS)


OnlyDeclared = Depends(demand_declared)
"""A dependency of routes whose parameters are all declared."""
