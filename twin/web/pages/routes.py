"""The pages, rendered whole by the server."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from twin.web.guard import Reader
from twin.web.points import Point
from twin.web.service import service_of

router = APIRouter()

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
)


@router.get("/")
def estate(request: Request, user: Reader) -> HTMLResponse:
    """Show the clusters and queue managers."""
    point = Point.of(request)
    with service_of(request).readers.borrow(point.branch) as twin:
        as_of, known_at = point.instants(twin)
        members = twin.ask("members", as_of=as_of, known_at=known_at)
    text = _TEMPLATES.get_template("estate.html").render(members=members.rows, point=members.as_of)
    return HTMLResponse(text)
