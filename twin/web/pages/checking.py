"""The check of a request for a page: it has only parameters that its view has, with good values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.requests import Request

from twin.model.instants import MAIN
from twin.web.access.roles import User
from twin.web.pages.parameters import (
    POINT,
    SHARED,
    BadParameter,
    NamedAt,
    ParameterKind,
    demand_ahead,
    one_of,
)
from twin.web.pages.place import PagePlace, demand_known
from twin.web.pages.scripts import HELD
from twin.web.pages.view import PageRequest, PageView
from twin.web.service import Service, service_of

_NOTHING: Final[Mapping[str, ParameterKind]] = MappingProxyType({})


def page_of(
    request: Request,
    user: User,
    view: PageView,
    besides: Mapping[str, ParameterKind] = _NOTHING,
) -> PageRequest:
    """Return the request for a page of a view, whose parameters are good.

    Raises:
        UnknownQueryParameter: if it has a parameter that is neither of the view nor of `besides`.
        BadParameter: if a parameter has a value that it does not take.
    """
    own = {**view.own, **besides}
    demand_known(request, own)
    page = PageRequest(service_of(request), PagePlace.of(request, view.name), user)
    demand_values(page, own)
    return page


def demand_values(page: PageRequest, own: Mapping[str, ParameterKind]) -> None:
    """Check the values of all parameters of a page; `own` says what those of its view take.

    Raises:
        BadParameter: if one has a value that it does not take.
    """
    kinds = {**POINT, **SHARED, **own}
    given = {name: text for name, text in page.place.parameters().items() if name in kinds}
    for name, text in given.items():
        kinds[name].demand_form(name, text)
    _demand_branch(page.service, page.place.point.branch)
    _demand_held(page.service, given.get(HELD))
    _demand_near(page, given)
    named = {name: text for name, text in given.items() if kinds[name].names is not None}
    if named:
        with page.reading() as reading:
            for name, text in named.items():
                kinds[name].demand_known(name, text, NamedAt(reading.twin, reading.at))


def _demand_branch(service: Service, name: str) -> None:
    if name == MAIN:
        return
    with service.readers.borrow() as twin:
        names = [branch.name for branch in twin.log.branches()]
    one_of(names).demand_form("branch", name)


def _demand_held(service: Service, key: str | None) -> None:
    if key is not None and service.scripts.get(key) is None:
        raise BadParameter(HELD, key, "a script that the service still holds: paste it again")


def _demand_near(page: PageRequest, given: Mapping[str, str]) -> None:
    """Check that no instant is too late to be computed."""
    names = [name for name in ("as-of", "against") if name in given]
    if not names:
        return
    with page.service.readers.borrow(page.place.point.branch) as twin:
        for name in names:
            demand_ahead(name, given[name], twin)
