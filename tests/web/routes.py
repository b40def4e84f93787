"""The routes of the service, as the application has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from twin.web.application import create_application
from twin.web.service import Service
from twin.web.settings import ServerSettings


def routes() -> set[tuple[str, str]]:
    """Return (method, path) of all routes; of mqweb's in version 3 alone."""
    settings = ServerSettings("sqlite:///none.db", Path("none.json"))
    application = create_application(Service(settings))
    found = {(method, path.rstrip("/") or "/") for method, path in _walk(application.routes)}
    for version in ("v1", "v2"):
        old = {each for each in found if each[1].startswith(f"/ibmmq/rest/{version}/")}
        assert {(method, path.replace(version, "v3", 1)) for method, path in old} <= found
        found -= old
    return found


def _walk(given: Any) -> Iterator[tuple[str, str]]:
    for route in given:
        if hasattr(route, "original_router"):
            start = route.include_context.prefix
            yield from (
                (method, start + path) for method, path in _walk(route.original_router.routes)
            )
        else:
            yield from ((method, route.path) for method in route.methods)
