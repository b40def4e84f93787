"""The resources of mqweb, under the same paths in versions 1 to 3."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request

from twin.app.twin import Twin
from twin.model.instants import Instant
from twin.web.guard import Reader
from twin.web.points import Point
from twin.web.service import service_of

router = APIRouter(prefix="/ibmmq/rest/{version}")

_STATES: Final = {True: "running", False: "ended"}


@router.get("/admin/qmgr")
def queue_managers(request: Request, user: Reader) -> dict[str, Any]:
    """List the queue managers."""
    point = Point.of(request)
    with service_of(request).readers.borrow(point.branch) as twin:
        as_of, known_at = point.instants(twin)
        runs = twin.soundly(lambda: _running(twin, as_of, known_at))
    return {"qmgr": [{"name": name, "state": _STATES[runs[name]]} for name in sorted(runs)]}


def _running(twin: Twin, as_of: Instant | None, known_at: Instant | None) -> dict[str, bool]:
    """Return whether each queue manager runs."""
    estate, _ = twin.view(as_of=as_of, known_at=known_at)
    return {name: qmgr.running for name, qmgr in estate.qmgrs.items()}
