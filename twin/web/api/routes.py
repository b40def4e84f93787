"""The questions of `twin ask` as JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request

from twin.web.guard import Reader
from twin.web.points import Point
from twin.web.service import service_of

router = APIRouter(prefix="/twin/v1")


@router.get("/ask/{question}")
def ask(request: Request, question: str, user: Reader) -> dict[str, Any]:
    """Answer a question; its filters are query parameters."""
    point = Point.of(request)
    names = {"as-of", "known-at", "branch"}
    filters: dict[str, Any] = {
        name: value
        for name, value in request.query_params.items()
        if name.removeprefix("twin-") not in names
    }
    with service_of(request).readers.borrow(point.branch) as twin:
        as_of, known_at = point.instants(twin)
        return twin.ask(question, as_of=as_of, known_at=known_at, **filters).as_json()
