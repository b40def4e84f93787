"""The routes of the pages: each view, its tables and its parts; and the page of a failure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from twin.csv_text import csv_text
from twin.errors import TwinError
from twin.model.instants import AsOf, format_instant
from twin.web.failures import Failure
from twin.web.guard import Reader, form_token
from twin.web.pages import rendering
from twin.web.pages.estate import ESTATE
from twin.web.pages.findings import FINDINGS
from twin.web.pages.head_counts import choices, head_counts
from twin.web.pages.history_view import HISTORY
from twin.web.pages.imports import IMPORT
from twin.web.pages.log_view import LOG
from twin.web.pages.map.view import MAP
from twin.web.pages.parameters import LOCAL, TEXT, one_of
from twin.web.pages.place import PagePlace
from twin.web.pages.plan import PLAN
from twin.web.pages.qmgr import QMGR
from twin.web.pages.rendering import HEADERS
from twin.web.pages.time_bar import time_bar
from twin.web.pages.view import PageContent, PageRequest, PageTable, PageView, page_of
from twin.web.pages.waiting import WAITING
from twin.web.pages.whatif import WHAT_IF
from twin.web.pages.why import WHY
from twin.web.paths import login_url
from twin.web.points import Point
from twin.web.service import service_of

_IN_ORDER: Final = (
    ESTATE,
    MAP,
    QMGR,
    WHY,
    WAITING,
    FINDINGS,
    PLAN,
    WHAT_IF,
    HISTORY,
    LOG,
    IMPORT,
)

VIEWS: Final[Mapping[str, PageView]] = MappingProxyType({view.name: view for view in _IN_ORDER})
"""Name -> view."""

OTHER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"estate": "estate", "qmgrs": "qmgr", "whatif": "what-if", "doctor": "findings"}
)
"""Other names that lead to a view -> its name; the page of the estate itself is at `/`."""


router = APIRouter(include_in_schema=False)

_KINDS: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

_FILES: Final = frozenset(
    path.relative_to(rendering.STATIC).as_posix()
    for path in rendering.STATIC.rglob("*")
    if path.is_file()
)

_FOR_EVER: Final = "public, max-age=31536000, immutable"


class NoTable(
    TwinError,
    LookupError,
    message="this view has no table: nothing was asked, or there is no report yet",
):
    """A view that shows nothing yet that could be a table."""


def _routes(view: PageView) -> None:
    """Add the routes of a view."""
    path = f"/{view.name}"
    if view.actions is not None:
        router.include_router(view.actions)
    router.get("/" if view.name == "estate" else path)(_html(view))
    router.get(f"{path}.json")(_json(view))
    router.get(f"{path}.csv")(_csv(view))
    router.get(f"{path}/part/{{name}}")(_part(view))
    if view.typed:
        router.get(f"{path}/{{rest:path}}")(_typed(view))


def _html(view: PageView) -> Callable[..., Response]:
    def show(request: Request, user: Reader) -> Response:
        page = page_of(request, user, view)
        part = request.headers.get("hx-request") == "true"
        with page.reading() as reading:
            shown = view.show(reading)
            bar = time_bar(page.service, reading)
            offered = choices(page.service, reading)
            counts = head_counts(page.service, reading, offered)
            beginning = reading.beginning()
        return rendering.page(
            rendering.render(
                shown.template or view.name,
                page.place,
                part=part,
                view=view,
                views=VIEWS,
                user=user,
                writable=user.writes and not page.service.settings.read_only,
                shown=shown,
                at=reading.at,
                bar=bar,
                choices=offered,
                head_counts=counts,
                beginning=beginning,
                form_token=form_token(request),
                **shown.values,
            )
        )

    return show


def _json(view: PageView) -> Callable[..., Response]:
    def show(request: Request, user: Reader) -> Response:
        at, shown = _for_programs(page_of(request, user, view), view)
        return as_json(view.name, at, shown)

    return show


def _csv(view: PageView) -> Callable[..., Response]:
    def show(request: Request, user: Reader, table: str | None = None) -> Response:
        _, shown = _for_programs(page_of(request, user, view, {"table": TEXT}), view)
        return as_csv(shown, table)

    return show


def _for_programs(page: PageRequest, view: PageView) -> tuple[AsOf, PageContent]:
    """Return what a view shows, and the point at which it was computed."""
    with page.reading() as reading:
        at, shown = reading.at, view.show(reading)
    if view.long is not None:
        shown = replace(view.long(page), commands=shown.commands)
    return at, shown


def _part(view: PageView) -> Callable[..., Response]:
    def show(request: Request, user: Reader, name: str) -> Response:
        part = view.part(name)
        if part is None:
            raise HTTPException(404)
        page = page_of(request, user, view)
        shown: PageContent = part(page)
        template = shown.template or f"{view.name}_{name}"
        return rendering.page(
            rendering.render(
                template,
                page.place,
                view=view,
                views=VIEWS,
                shown=shown,
                form_token=form_token(request),
                **shown.values,
            )
        )

    return show


def _typed(view: PageView) -> Callable[..., Response]:
    def lead(request: Request, user: Reader, rest: str) -> Response:
        values = rest.strip("/").split("/", len(view.typed) - 1)
        return _to(request, view.name, dict(zip(view.typed, values, strict=False)))

    return lead


def _to(request: Request, view: str, values: Mapping[str, str]) -> Response:
    url = PagePlace.of(request, view).url(**values)
    return RedirectResponse(url, 303, headers=rendering.HEADERS)


def _other_name(name: str, view: str) -> None:
    """Let another name of a view lead to it."""

    def lead(request: Request, user: Reader) -> Response:
        return _to(request, view, {})

    router.get(f"/{name}")(lead)


@router.get("/go")
def go(request: Request, user: Reader, view: str = "estate", local: str = "") -> Response:
    """Lead from a date field, whose value is local time, to the view at that instant."""
    asked = VIEWS.get(view) or VIEWS["estate"]
    place = page_of(request, user, asked, {"view": one_of(VIEWS), "local": LOCAL}).place
    own = {name: value for name, value in place.own.items() if name not in ("view", "local")}
    at = format_instant(place.zone.instant(local)) if local else None
    return RedirectResponse(replace(place, own=own).at(at).url(), 303, headers=rendering.HEADERS)


@router.get("/static/{digest}/{name:path}")
def static(digest: str, name: str) -> Response:
    """Send a file of the pages; its URL has its digest, so that it may be cached for ever."""
    if name not in _FILES:
        raise HTTPException(404)
    path = rendering.STATIC / name
    fresh = digest == rendering.digest(name)
    headers = rendering.HEADERS | {"Cache-Control": _FOR_EVER if fresh else "no-cache"}
    return FileResponse(path, media_type=_KINDS.get(path.suffix), headers=headers)


for _view in VIEWS.values():
    _routes(_view)

for _name, _of in OTHER_NAMES.items():
    _other_name(_name, _of)


def as_json(view: str, at: AsOf, shown: PageContent) -> Response:
    """Return all tables of a view as JSON, with the commands that give the same."""
    document = {
        "view": view,
        "twin": "this is a digital twin, not IBM MQ",
        "as_of": {
            "valid": format_instant(at.valid),
            "known": format_instant(at.known),
            "branch": at.branch,
        },
        "commands": list(shown.commands),
        "tables": {table.name: table.write() for table in shown.tables},
    }
    return Response(json.dumps(document, indent=1), media_type="application/json", headers=HEADERS)


def as_csv(shown: PageContent, name: str | None) -> Response:
    """Return one table of a view as CSV: the one of this name, or the first.

    Raises:
        BadParameter: if the view has none of this name.
        NoTable: if it has none at all.
    """
    table = _chosen(shown.tables, name)
    text = csv_text(table.columns, (map(row.get, table.columns) for row in table.read()))
    return Response(text, media_type="text/csv; charset=utf-8", headers=HEADERS)


def _chosen(tables: Sequence[PageTable], name: str | None) -> PageTable:
    if not tables:
        raise NoTable
    named = {table.name: table for table in tables}
    if name is None:
        return tables[0]
    one_of(named).demand_form("table", name)
    return named[name]


def failed(request: Request, failure: Failure) -> Response:
    """Return the page of a failure; to whoever is not signed in, the form to do so."""
    if failure.status == HTTPStatus.UNAUTHORIZED:
        if "hx-request" in request.headers:  # a part of a page: the whole page is to be left
            return Response(status_code=failure.status, headers={"HX-Redirect": login_url(request)})
        if request.method == "GET":
            return RedirectResponse(login_url(request), 303)
    settings = service_of(request).settings
    place = PagePlace(view="estate", point=Point(), own={}, prefix=settings.prefix)
    text = rendering.render("failure", place, failure=failure)
    headers = {**rendering.HEADERS, **failure.headers}
    return HTMLResponse(text, failure.status, headers)
